from support.records import entered, exited, guard, noise, taken


def test_left_by_another_edge(found, start) -> None:
    calls = [*start, guard("a:0", event_id="g"), guard("a:1"), exited("a", edge_id="a:1"), noise()]
    (finding,) = found(calls)
    assert finding["at"] == 3
    assert finding["events"] == ["g", "bus:4"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {"edge_id": "a:0", "exit_edge": "a:1"}


def test_the_last_verdict_counts(found, start) -> None:
    last = [guard("a:0"), guard("a:0", verdict=False)]
    assert found([*start, *last, exited("a", edge_id="a:1")]) == []
    assert len(found([*start, *reversed(last), exited("a", edge_id="a:1")])) == 1
    assert found([*start, guard("a:0", verdict=None), exited("a", edge_id="a:1")]) == []


def test_not_left(found, start) -> None:
    (open_,) = found([*start, guard("a:0"), noise()])
    assert (open_["at"], open_["events"]) == (2, ["bus:2"])
    (superseded,) = found([*start, guard("a:0"), entered("b"), noise()])
    assert (superseded["at"], superseded["events"]) == (1, ["bus:2"])
    assert superseded["detail"]["exit_edge"] is None


def test_left_by_it(found, start) -> None:
    assert found([*start, guard("a:0"), exited("a", edge_id="a:0")]) == []
    assert found([*start, guard("a:0"), taken("a:0"), exited("a")]) == []


def test_an_exit_that_is_not_known_to_be_another(found, start) -> None:
    assert found([*start, guard("a:0"), exited("a")]) == []
    assert len(found([*start, guard("a:0"), taken(None, "c"), exited("a")])) == 1


def test_each_visit_and_edge(found, start) -> None:
    first = [*start, guard("a:0"), guard("z:9"), exited("a", edge_id="a:1")]
    edges = [row["detail"]["edge_id"] for row in found([*first, entered("a"), guard("a:0")])]
    assert edges == ["a:0", "z:9", "a:0"]


def test_an_evaluation_of_no_visit(found, start) -> None:
    assert found([guard("a:0"), *start, exited("a", edge_id="a:1")]) == []
