import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import build_in_order, entered, exited, noise, record, rows_of, taken


def asked(edge: str | None = "a:0", to: str = "b", request: str = "r1", **members):
    return record("transition_requested", edge_id=edge, to=to, request_id=request, **members)


def test_requested_and_never_taken(found, start) -> None:
    (finding,) = found([*start, asked(event_id="q"), exited("a"), noise()])
    assert finding["at"] == 2  # the close of its visit
    assert finding["events"] == ["q"]
    assert finding["visits"] == ["a#1"]
    assert finding["severity"] == "error"
    assert finding["detail"] == {"edge_id": "a:0", "to": "b"}


def test_still_open_at_the_end(found, start) -> None:
    (finding,) = found([*start, asked(), noise()])
    assert finding["at"] == 2
    (nobodys,) = found([asked("z:0"), *start, noise()])
    assert (nobodys["at"], nobodys["visits"]) == (2, [])


@pytest.mark.parametrize(
    "answer",
    [
        taken("a:1", "a", request_id="r1"),
        taken("a:1", "a", caused_by="q"),
        taken("a:0"),
        taken("a:0", "elsewhere"),
        taken("a:0", caused_by="no request"),
    ],
    ids=str,
)
def test_taken(found, start, answer) -> None:
    assert found([*start, asked(event_id="q"), answer, exited("a")]) == []


@pytest.mark.parametrize(
    "answer",
    [
        taken("a:1", "b"),
        taken(None, "b"),
        taken("a:0", request_id="r2"),
        taken("a:0", visit_id="gone#1"),
    ],
    ids=str,
)
def test_not_taken_by_another_one(found, start, answer) -> None:
    assert len(found([*start, asked(event_id="q"), answer, exited("a")])) == 1


def test_a_request_without_an_edge_is_known_by_its_target(found, start) -> None:
    assert found([*start, asked(None), taken("a:0", "b"), exited("a")]) == []
    assert len(found([*start, asked(None), taken("a:1", "a"), exited("a")])) == 1


def test_superseded_by_another_transition_first(found, start) -> None:
    calls = [*start, asked(), taken("a:1", "a"), taken("a:0"), exited("a")]
    assert len(found(calls)) == 1
    named = [*start, asked(), taken("a:1", "a"), taken("a:0", request_id="r1"), exited("a")]
    assert found(named) == []


def test_an_answer_from_another_visit(found, start) -> None:
    calls = [*start, asked(), exited("a"), entered("a")]
    assert len(found([*calls, taken("a:0")])) == 1
    assert found([*calls, taken("a:0", request_id="r1")]) == []


def test_an_answer_comes_later(found, start) -> None:
    assert len(found([*start, taken("a:0", request_id="r1"), asked(), exited("a")])) == 1


def test_an_answer_to_one_request_supersedes_the_others(found, start) -> None:
    two = [asked(event_id="q"), asked("a:0", "b", "r2")]
    for named in ({"request_id": "r1"}, {"caused_by": "q"}):
        (finding,) = found([*start, *two, taken("a:0", **named), exited("a")])
        assert finding["events"] == ["bus:3"]
    assert found([*start, *two, taken("a:0"), exited("a")]) == []


def test_several_requests(found, start) -> None:
    calls = [*start, asked("a:0"), asked("a:1", "a", "r2"), taken("a:1", request_id="r2")]
    (finding,) = found(calls)
    assert finding["detail"]["edge_id"] == "a:0"


STEPS = st.lists(
    st.one_of(
        st.just(entered("a")),
        st.just(exited("a")),
        st.builds(
            asked,
            st.sampled_from(["a:0", "a:1", None]),
            st.sampled_from(["a", "b"]),
            st.sampled_from(["r1", "r2", "r3"]),
        ),
        st.builds(
            taken,
            st.sampled_from(["a:0", "a:1", None]),
            st.sampled_from(["a", "b"]),
            request_id=st.sampled_from(["r1", "r2", None, None]),
            caused_by=st.sampled_from(["bus:2", "bus:3", None, None]),
        ),
    ),
    max_size=12,
)


@given(STEPS)
def test_against_asking_every_later_record(steps) -> None:
    artifact = build_in_order(steps)
    owners = [row["owner"] for row in rows_of(artifact, "events")]
    requested = "transition_requested"

    def answers(index: int, request: int) -> bool:
        """Whether record `index` takes `request`, by the words of the contract."""
        item, wanted = steps[index], steps[request]
        cause = item.get("caused_by")
        causes = [f"bus:{n + 1}" for n in range(index) if steps[n]["type"] == requested]
        if cause == f"bus:{request + 1}":
            return True
        if "request_id" in item:
            earlier = [n for n in range(request, index) if steps[n]["type"] == "transition_taken"]
            used = any(steps[n].get("request_id") == wanted["request_id"] for n in earlier)
            return item["request_id"] == wanted["request_id"] and not used
        if cause in causes or owners[index] is None or owners[index] != owners[request]:
            return False
        between = range(request, index)
        if any(steps[n]["type"] == item["type"] and owners[n] == owners[index] for n in between):
            return False
        edge = wanted.get("edge_id")
        return item.get("edge_id") == edge if edge else item["to"] == wanted["to"]

    dropped = [
        f"bus:{request + 1}"
        for request, step in enumerate(steps)
        if step["type"] == requested
        and not any(
            steps[index]["type"] == "transition_taken" and answers(index, request)
            for index in range(request + 1, len(steps))
        )
    ]
    codes = [row for row in rows_of(artifact, "findings") if row["code"] == "TRANSITION_DROPPED"]
    assert sorted(row["events"][0] for row in codes) == sorted(dropped)
