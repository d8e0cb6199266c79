import pytest
from support.records import record

TURN = record("input_selected", turn_id="t1")


def two(play, **second):
    one = play("p1", 0, 5, generation_id="g1", turn_id="t1")
    return [*one, *play("p2", 10, 15, **{"generation_id": "g2", "turn_id": "t1", **second})]


def test_two_generations_answer_one_turn(found, play, start) -> None:
    (finding,) = found([*start, TURN, *two(play)])
    assert finding["at"] == 8
    assert finding["events"] == ["bus:9", "bus:5"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {
        "turn_id": "t1",
        "first_playback_id": "p1",
        "second_playback_id": "p2",
        "first_generation_id": "g1",
        "second_generation_id": "g2",
    }


@pytest.mark.parametrize(
    "other",
    [{"turn_id": "t2"}, {"turn_id": None}, {"generation_id": "g1"}, {"generation_id": None}],
    ids=str,
)
def test_another_turn_or_the_same_generation(found, play, start, other) -> None:
    assert found([*start, TURN, *two(play, **other)]) == []


def test_a_turn_is_a_caller_s(found, play, start) -> None:
    assert found([*start, *two(play)]) == []
    assert found([*start, record("input_selected", turn_id="t0"), *two(play)]) == []
    said = record("transcript_segment", speaker="caller", text="hm", turn_id="t1")
    assert len(found([*start, said, *two(play)])) == 1
    assert found([*start, {**said, "speaker": "agent"}, *two(play)]) == []
    assert len(found([*start, record("dtmf_received", digit="1", turn_id="t1"), *two(play)])) == 1


def test_a_generation_s_own_turn_and_trigger(found, play, start) -> None:
    run = record("llm_requested", generation_id="g2", turn_id="t1", trigger="tool_result")
    assert len(found([*start, TURN, run, *two(play, turn_id=None)])) == 1
    nudged = {**run, "trigger": "nudge"}
    assert found([*start, TURN, nudged, *two(play)]) == []
    assert found([*start, TURN, *two(play, kind="nudge")]) == []


def test_each_further_generation_counts_once(found, play, start) -> None:
    third = play("p3", 20, 25, generation_id="g3", turn_id="t1")
    again = play("p4", 30, 35, generation_id="g2", turn_id="t1")
    findings = found([*start, TURN, *two(play), *third, *again])
    assert [row["detail"]["second_playback_id"] for row in findings] == ["p2", "p3"]


def test_a_playback_that_never_started(found, play, start) -> None:
    silent = play("p2", 10, 15, generation_id="g2", turn_id="t1")[:2]
    one = play("p1", 0, 5, generation_id="g1", turn_id="t1")
    assert found([*start, TURN, *one, *silent]) == []
