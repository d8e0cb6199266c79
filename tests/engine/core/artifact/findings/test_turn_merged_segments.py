import pytest
from support.records import entered, guard, noise, record


def said(name: str, clock: int | None = None, **members):
    base = {"speaker": "caller", "text": "hm", "source": "s"}
    return record("transcript_segment", event_id=name, clock_ms=clock, **{**base, **members})


def chosen(*names: str):
    return record("input_selected", turn_id="t1", segment_event_ids=[*names])


def test_a_pause_between_the_records(found, start) -> None:
    (finding,) = found([*start, said("x", 100), said("y", 801), chosen("x", "y")])
    assert finding["at"] == 3
    assert finding["events"] == ["bus:4", "x", "y"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {
        "turn_id": "t1",
        "segment_count": 2,
        "pause_ms": 701,
        "pause_between": "records",
        "state_machine_event_id": None,
    }
    assert found([*start, said("x", 100), said("y", 800), chosen("x", "y")]) == []


def test_recorded_times_of_the_segments_come_first(found, start) -> None:
    one, two = said("x", 100, end_ms=90), said("y", 5000, start_ms=791.5)
    (finding,) = found([*start, one, two, chosen("x", "y")])
    assert (finding["detail"]["pause_ms"], finding["detail"]["pause_between"]) == (701, "segments")
    assert found([*start, one, {**two, "start_ms": 790}, chosen("x", "y")]) == []


def test_an_event_of_the_state_machine_between(found, start) -> None:
    calls = [*start, said("x", 1), guard("a:0", event_id="g"), said("y", 2), chosen("x", "y")]
    (finding,) = found(calls)
    assert finding["detail"]["state_machine_event_id"] == "g"
    assert finding["events"] == ["bus:5", "x", "y", "g"]
    assert found([*start, said("x", 1), noise(), said("y", 2), chosen("x", "y")]) == []
    broken = record("state_entered", event_id="g")
    assert found([*start, said("x", 1), broken, said("y", 2), chosen("x", "y")]) == []
    behind = [*start, said("x", 1), said("y", 2), entered("b"), chosen("x", "y")]
    assert found(behind) == []


@pytest.mark.parametrize("names", [(), ("x",), ("x", "x"), ("x", "gone")], ids=str)
def test_one_segment_is_no_merge(found, start, names) -> None:
    assert found([*start, said("x", 0), said("y", 9000), chosen(*names)]) == []


def test_two_recognisers_hear_one_speech(found, start) -> None:
    calls = [*start, said("x", 0), said("y", 900, source="other"), chosen("x", "y")]
    assert found(calls) == []


def test_order_and_unknown_times(found, start) -> None:
    assert found([*start, said("x"), said("y", 9000), chosen("x", "y")]) == []
    (turned,) = found([*start, said("x", 0), said("y", 9000), chosen("y", "x")])
    assert turned["events"] == ["bus:4", "x", "y"]
    three = [said("x", 0), said("y", 1000), said("z", 3000)]
    (longest,) = found([*start, *three, chosen("x", "y", "z")])
    assert longest["detail"]["pause_ms"] == 2000
