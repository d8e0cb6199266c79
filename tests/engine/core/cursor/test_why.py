"""`why` and `last`: the recorded chain and nothing else, in the booking calls and in hard ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.questions import asked, booking, bus, code_of, segment, trace, view_of
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.core.cursor import causes_of

HOP = {
    "event_index", "event_id", "clock_ms", "type", "visit_id", "what", "flow", "turn", "label",
    "reason",
}  # fmt: skip


def ids(result: JsonObject) -> list[JsonValue]:
    return [row["event_id"] for row in rows(result, "items")]


def test_the_overwrite_of_the_racy_call_leads_to_the_turn_yes() -> None:
    result = asked(booking(), "why", slot="time")
    assert ids(result) == ["e0136", "e0135", "e0133", "e0132", "e0131", None]
    assert all(set(row) == HOP for row in rows(result, "items"))
    assert set(result) == {
        "items", "total", "offset", "target", "tool_call", "turn", "value_in_words", "previous",
        "findings", "unknowns",
    }  # fmt: skip
    assert mapping(result, "turn")["text"] == "Yes."
    assert mapping(result, "tool_call")["args_safe"] == {"time": "18:00"}
    assert mapping(mapping(result, "tool_call"), "result")["result_safe"] == {"available": True}
    assert result["value_in_words"] == {
        "value": "18:00", "found": False, "compared": "literal", "label": "recorded",
        "reason": None,
    }  # fmt: skip


def test_the_write_before_leads_to_the_merged_turn() -> None:
    previous = mapping(asked(booking(), "why", slot="time"), "previous")
    assert mapping(previous, "write")["event_id"] == "e0100"
    turn = mapping(previous, "turn")
    assert turn["text"] == "Seven o'clock. Then six."
    found = [(s["event_id"], s["clock_ms"], s["before_commit_of"]) for s in rows(turn, "segments")]
    assert found == [("e0063", 10899, "t2"), ("e0092", 16082, None)]


def test_the_control_leads_to_the_turn_that_names_the_time() -> None:
    result = asked(booking("clean"), "why", slot="time")
    assert mapping(result, "turn")["text"] == "Then six."
    turn = mapping(mapping(result, "previous"), "turn")
    assert turn["text"] == "Seven o'clock."
    assert [s["before_commit_of"] for s in rows(turn, "segments")] == [None]


def test_the_chain_ends_where_nothing_was_recorded() -> None:
    last = rows(asked(booking(), "why", slot="time"), "items")[-1]
    assert (last["label"], last["reason"]) == ("unavailable", "cause_not_recorded")
    assert last["what"] == "what committed this turn"


def test_at_an_earlier_cursor_the_write_up_to_there_is_explained() -> None:
    result = asked(booking(), "why", slot="time", cursor=134)
    assert ids(result)[0] == "e0100"
    assert result["previous"] is None
    assert rows(asked(booking(), "why", slot="time", cursor=20), "items")[0]["reason"] == (
        "never_written"
    )


def test_why_a_visit_was_left() -> None:
    result = asked(booking(), "why", exit="get_time#1")
    assert ids(result) == [
        "e0107", "e0106", "e0103", "e0099", "e0097", "e0096", "e0095", None
    ]  # fmt: skip
    left = mapping(mapping(result, "target"), "exit")
    assert (left["edge_id"], left["to"]) == ("get_time:1", "no_table")
    assert left["when"] == "tool:check_availability:available=false"
    assert mapping(left, "span")["line"] == 22
    assert mapping(result, "evaluation")["event_id"] == "e0102"
    assert mapping(mapping(result, "tool_call"), "result")["result_safe"] == {"available": False}


def test_a_visit_that_was_not_left_has_no_chain() -> None:
    result = asked(booking(), "why", exit="end#1")
    assert [(r["label"], r["reason"]) for r in rows(result, "items")] == [
        ("unavailable", "call_ended")
    ]
    view = view_of(trace("state_entered", state_id="menu"), trace("state_entered", state_id="ask"))
    reasons = [r["reason"] for r in rows(asked(view, "why", exit="menu#1"), "items")]
    assert reasons == ["superseded"]


def test_why_of_an_event_and_of_a_finding() -> None:
    result = asked(booking(), "why", event_id="e0056")
    assert ids(result) == ["e0056", "e0052", None]
    for finding in booking().findings:
        events = finding["events"]
        assert isinstance(events, list)
        assert ids(asked(booking(), "why", finding=finding["finding_id"]))[0] == events[0]


def test_silence_in_the_racy_call() -> None:
    sounding = asked(booking(), "why", silence_ms=24_900)
    assert mapping(sounding, "target")["silent"] is False
    assert ids(sounding)[0] == "e0148"
    silent = asked(booking(), "why", silence_ms=26_000)
    target = mapping(silent, "target")
    assert target["silent"] is True
    gap = mapping(target, "gap")
    assert (gap["start_ms"], gap["end_ms"], gap["duration_ms"]) == (25197, 27357, 2160)
    assert ids(silent)[0] == "e0183"
    assert [row["event_id"] for row in rows(silent, "caller")] == ["e0163"]
    assert silent["awaited"] == []


def test_silence_is_unknown_where_the_end_of_a_playback_was_not_recorded() -> None:
    view = view_of(bus("audio_started", playback_id="p1", clock_ms=5), bus("weather", clock_ms=50))
    target = mapping(asked(view, "why", silence_ms=40), "target")
    assert (target["silent"], target["reason"]) == (None, "playback_without_end")
    nothing = view_of(bus("weather"))
    target = mapping(asked(nothing, "why", silence_ms=40), "target")
    assert (target["silent"], target["reason"]) == (None, "no_clock")


def test_a_silence_that_never_ends() -> None:
    view = view_of(bus("tool_called", tool="find", tool_call_id="k1", clock_ms=5))
    result = asked(view, "why", silence_ms=40)
    assert rows(result, "items")[0]["reason"] == "never_ended"
    assert [row["kind"] for row in rows(result, "awaited")] == ["tool"]


@pytest.mark.parametrize(
    ("new", "said", "found", "reason"),
    [
        ("six", "At six, please.", True, None),
        ("SIX", "at six", True, None),
        ("six", "sixty", False, None),
        (4, "4 of us", True, None),
        (4, "14 of us", False, None),
        ("18:00", "at six", False, None),
        (["six"], "six", None, "no_words_for_such_a_value"),
        (None, "six", None, "no_words_for_such_a_value"),
        ("", "six", None, "no_words_for_such_a_value"),
    ],
)
def test_the_words_are_compared_literally(
    new: JsonValue, said: str, *, found: bool | None, reason: str | None
) -> None:
    view = view_of(
        segment("caller", text=said),
        bus("input_selected", segment_event_ids=["e0"], turn_id="t1"),
        bus("slot_write", slot="note", new=new, old=None, caused_by="e1"),
    )
    words = mapping(asked(view, "why", slot="note"), "value_in_words")
    assert (words["found"], words["reason"]) == (found, reason)


def test_what_cannot_be_compared_says_why() -> None:
    redacted = view_of(
        bus("input_selected", segment_event_ids=["e9"]),
        bus("slot_write", slot="name", new="<str len=3>", old=None, caused_by="e0"),
        bus("slot_write", slot="note", new="x", old=None, caused_by="e0"),
        bus("slot_write", slot="route", new="a", old=None),
    )
    reasons = [
        mapping(asked(redacted, "why", slot=name), "value_in_words")["reason"]
        for name in ("name", "note", "route")
    ]
    assert reasons == ["value_not_visible", "words_not_recorded", "no_turn_in_the_causes"]


def test_causes_that_repeat_or_lead_nowhere_end_the_chain() -> None:
    ring = view_of(
        bus("weather", caused_by="e2"), bus("weather", caused_by="e0"), bus("rain", caused_by="e1")
    )
    result = asked(ring, "why", event_id="e2")
    assert ids(result) == ["e2", "e1", "e0", None]
    assert rows(result, "items")[-1]["reason"] == "causes_repeat"
    itself = asked(view_of(bus("weather", caused_by="e0")), "why", event_id="e0")
    assert [r["reason"] for r in rows(itself, "items")] == [None, "causes_repeat"]
    gone = asked(view_of(bus("weather", caused_by="e7")), "why", event_id="e0")
    assert rows(gone, "items")[-1]["reason"] == "cause_not_in_recording"


def test_a_very_long_chain_is_cut_and_says_so() -> None:
    view = view_of(bus("rain"), *(bus("rain", caused_by=f"e{i}") for i in range(300)))
    chain = causes_of(view, 300)
    assert (len(chain.indices), chain.reason) == (256, "chain_too_long")


@given(small_artifacts(), st.data())
def test_a_chain_ends_and_every_hop_was_recorded(artifact: JsonObject, data: st.DataObject) -> None:
    view = ArtifactView.of(artifact)
    if not view.event_count:
        return
    index = data.draw(st.integers(0, view.event_count - 1))
    chain = causes_of(view, index)
    assert len(set(chain.indices)) == len(chain.indices) <= view.event_count
    assert chain.indices[0] == index
    for effect, cause in zip(chain.indices, chain.indices[1:], strict=False):
        assert text(view.record(effect), "caused_by") == view.event_id(cause)
    result = asked(view, "why", event_id=view.event_id(index), limit=1000)
    assert ids(result) == [*map(view.event_id, chain.indices), None]


@given(small_artifacts(), st.data())
def test_a_slot_is_explained_by_the_write_that_made_it(
    artifact: JsonObject, data: st.DataObject
) -> None:
    view = ArtifactView.of(artifact)
    cursor = data.draw(st.integers(-1, view.event_count - 1))
    for slot in view.slots:
        name = str(slot["slot"])
        row = asked(view, "last", slot=name, cursor=cursor)
        why = asked(view, "why", slot=name, cursor=cursor)
        assert mapping(why, "target")["write"] == row["write"]
        listed = rows(asked(view, "slot_history", slot=name, limit=1000), "items")
        before = [w for w in listed if isinstance(i := w["event_index"], int) and i <= cursor]
        assert row["write"] == (before[-1] if before else None)
        assert row["writes_after"] == len(listed) - len(before)


def test_last_names_writer_tool_and_turn() -> None:
    row = asked(booking(), "last", slot="time")
    assert set(row) == {
        "slot", "value", "label", "reason", "write", "tool_call", "turn", "writes_before",
        "writes_after", "unknowns",
    }  # fmt: skip
    write = mapping(row, "write")
    assert (write["old"], write["new"], write["visit_id"]) == ("19:00", "18:00", "no_table#1")
    assert (row["writes_before"], row["writes_after"], row["unknowns"]) == (1, 0, [])
    early = asked(booking(), "last", slot="time", cursor=10)
    assert (early["write"], early["label"], early["reason"]) == (
        None, "unavailable", "not_recorded",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({}, "INVALID_COMMAND"),
        ({"slot": "time", "event_id": "e0001"}, "INVALID_COMMAND"),
        ({"slot": "tim"}, "INVALID_COMMAND"),
        ({"slot": 4}, "INVALID_COMMAND"),
        ({"silence_ms": "4"}, "INVALID_COMMAND"),
        ({"exit": "gone#1"}, "EVENT_UNAVAILABLE"),
        ({"event_id": "gone"}, "EVENT_UNAVAILABLE"),
        ({"finding": "GONE#1"}, "EVENT_UNAVAILABLE"),
        ({"event_id": []}, "INVALID_COMMAND"),
    ],
)
def test_mistakes(keys: JsonObject, code: str) -> None:
    assert code_of(booking(), "why", **keys) == code
