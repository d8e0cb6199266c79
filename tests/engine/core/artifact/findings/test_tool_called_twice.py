import pytest
from support.records import entered, exited, record


def called(call_id: str, clock: int | None = None, *, tool="book", args=None, **members):
    return {
        **record("tool_called", tool=tool, tool_call_id=call_id, clock_ms=clock, **members),
        "args_safe": {"time": "18:00"} if args is None else args,
    }


def test_the_same_tool_and_arguments(found, start) -> None:
    (finding,) = found([*start, called("k1", 0), called("k2", 30_000)])
    assert finding["at"] == 2
    assert finding["events"] == ["bus:3", "bus:2"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {
        "tool": "book",
        "first_tool_call_id": "k1",
        "second_tool_call_id": "k2",
        "gap_ms": 30_000,
    }


def test_within_one_visit_at_any_time_else_within_the_window(found, start) -> None:
    assert len(found([*start, called("k1", 0), called("k2", 99_000)])) == 1
    assert len(found([*start, called("k1"), called("k2")])) == 1
    other = [exited("a"), entered("b")]
    assert len(found([*start, called("k1", 0), *other, called("k2", 30_000)])) == 1
    assert found([*start, called("k1", 0), *other, called("k2", 30_001)]) == []
    assert found([*start, called("k1"), *other, called("k2", 5)]) == []
    assert found([*start, called("k1", 9), *other, called("k2", 5)]) == []


def test_an_earlier_call_of_the_visit_before_a_nested_one(found, start) -> None:
    inner = entered("b", parent_visit_id="a#1")
    calls = [*start, called("k1", 0), inner, called("k2", 50_000), exited("b")]
    (finding,) = found([*calls, called("k3", 99_000)])
    assert finding["detail"]["first_tool_call_id"] == "k1"


@pytest.mark.parametrize(
    "other",
    [{"tool": "look"}, {"args": {"time": "19:00"}}, {"args": {"time": 18}}, {"args": []}],
    ids=str,
)
def test_another_tool_or_other_arguments(found, start, other) -> None:
    assert found([*start, called("k1", 0), called("k2", 1, **other)]) == []


@pytest.mark.parametrize("hidden", ["<str len=6>", {"q": "<int>"}, {"q": [{"r": "<str len=1>"}]}])
def test_arguments_that_are_not_known(found, start, hidden) -> None:
    assert found([*start, called("k1", 0, args=hidden), called("k2", 1, args=hidden)]) == []
    unrecorded = [record("tool_called", tool="book", tool_call_id=k) for k in ("k1", "k2")]
    assert found([*start, *unrecorded]) == []


PRINTS = ["hmac-sha256:" + digit * 64 for digit in "12"]


def hidden_call(call_id: str, clock: int, fingerprint: str | None):
    args = {"q": "<str len=6>"}
    return called(call_id, clock, args=args, args_fingerprint=fingerprint)


def test_hidden_arguments_are_compared_by_their_fingerprints(found, start) -> None:
    same = [hidden_call("k1", 0, PRINTS[0]), hidden_call("k2", 1, PRINTS[0])]
    (finding,) = found([*start, *same])
    assert finding["detail"]["second_tool_call_id"] == "k2"
    assert found([*start, hidden_call("k1", 0, PRINTS[0]), hidden_call("k2", 1, PRINTS[1])]) == []


@pytest.mark.parametrize("first", [None, PRINTS[0]])
def test_hidden_arguments_need_a_fingerprint_on_both(found, start, first) -> None:
    assert found([*start, hidden_call("k1", 0, first), hidden_call("k2", 1, None)]) == []


def test_arguments_that_are_known_are_compared_as_they_are(found, start) -> None:
    pair = [called(k, 0, args_fingerprint=p) for k, p in zip(("k1", "k2"), PRINTS, strict=True)]
    assert len(found([*start, *pair])) == 1


def test_the_order_of_keys_does_not_matter_and_empty_arguments_are_known(found, start) -> None:
    turned = [called("k1", 0, args={"a": 1, "b": 2}), called("k2", 1, args={"b": 2, "a": 1})]
    assert len(found([*start, *turned])) == 1
    assert len(found([*start, called("k1", 0, args={}), called("k2", 1, args={})])) == 1


def test_one_call_recorded_twice(found, start) -> None:
    assert found([*start, called("k1", 0), called("k1", 1)]) == []


def test_each_repetition_counts(found, start) -> None:
    pairs = found([*start, called("k1", 0), called("k2", 1), called("k3", 2)])
    assert [row["detail"]["first_tool_call_id"] for row in pairs] == ["k1", "k2"]
