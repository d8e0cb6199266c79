import pytest
from support.records import flow_of, manifest_of, record, write

SAID = {"speaker": "caller", "source": "s"}


def call(text="Yes.", new="18:00", old="19:00", slot="note", **members):
    return [
        record("transcript_segment", event_id="said", text=text, **SAID),
        record("input_selected", event_id="chosen", turn_id="t1", segment_event_ids=["said"]),
        write(slot, new, old=old, event_id="written", **{"turn_id": "t1", **members}),
    ]


def test_a_value_that_the_turn_does_not_hold(found, start) -> None:
    (finding,) = found([*start, *call()])
    assert finding["at"] == 3
    assert finding["events"] == ["written", "said", "chosen"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {"slot": "note", "turn_id": "t1", "old": "19:00", "new": "18:00"}
    assert '"19:00"' in finding["text"]


def test_a_value_that_it_holds(found, start) -> None:
    assert found([*start, *call("Then six.")]) == []


@pytest.mark.parametrize(
    "other",
    [
        {"old": None},
        {"new": None},
        {"new": "19:00"},
        {"turn_id": None},
        {"turn_id": "t2"},
        {"kind": "edge_set"},
        {"kind": "edge_clear"},
        {"slot": "name"},
        {"slot": "route"},
        {"new": True},
        {"new": "no"},
        {"new": ["18:00"]},
        {"new": "2026-12-01"},
        {"new": "<str len=5>"},
        {"new": 0.5},
    ],
    ids=str,
)
def test_what_is_not_looked_at(found, start, other) -> None:
    assert found([*start, *call(**other)]) == []


def test_old_values_of_any_kind_are_shown_without_fractions(found, start) -> None:
    shown = [found([*start, *call(old=old)])[0]["detail"]["old"] for old in (0.5, [0.5], True, 7)]
    assert shown == ["<float>", "<list len=1>", True, 7]
    (finding,) = found([*start, *call(old="x" * 400)])
    assert len(finding["text"]) < 250


@pytest.mark.parametrize("text", ["<str len=9>", None])
def test_words_that_are_not_recorded(found, start, text) -> None:
    assert found([*start, *call(text)]) == []


def test_a_segment_that_is_missing(found, start) -> None:
    calls = call()
    assert found([*start, *calls[1:]]) == []
    more = {**calls[1], "segment_event_ids": ["said", "gone"]}
    assert found([*start, calls[0], more, calls[2]]) == []


def test_all_that_the_turn_said_counts(found, start) -> None:
    own = record("transcript_segment", text="Six.", turn_id="t1", **SAID)
    assert found([*start, *call(), own]) == []
    pressed = record("dtmf_received", digit="6", turn_id="t1")
    assert found([*start, pressed, *call()]) == []
    assert len(found([*start, {**pressed, "turn_id": "t0"}, *call()])) == 1
    agent = {**own, "speaker": "agent"}
    assert len(found([*start, agent, *call()])) == 1


def test_a_turn_of_segments_alone(found, start) -> None:
    own = record("transcript_segment", text="Yes.", turn_id="t1", **SAID)
    assert len(found([*start, own, call()[2]])) == 1
    assert found([*start, call()[2]]) == []


def test_classes_come_from_flow_and_manifest(found, start) -> None:
    calls = [*start, *call(slot="other")]
    assert found(calls) == []
    assert len(found(calls, manifest=manifest_of(slot_classes={"other": "plain"}))) == 1
    coded = flow_of(
        "flow_id: f\nentry: a\nslots:\n  other: {type: boolean, class: plain}\nstates:\n  a: {}\n"
    )
    assert found(calls, flow=coded) == []
