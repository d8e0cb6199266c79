"""`list_turns` and `conversation`: composition of turns by id; nothing behind the cursor."""

from hypothesis import given
from hypothesis import strategies as st
from support.questions import asked, booking, bus, code_of, segment, view_of
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, rows
from engine.core.cursor import turn_at

TURN = {
    "event_index", "event_id", "clock_ms", "type", "visit_id", "turn_id", "committed_ms", "source",
    "digit", "text", "label", "reason", "segments", "segments_total",
}  # fmt: skip
BUBBLE = {
    "event_index", "event_id", "clock_ms", "type", "visit_id", "source", "speaker", "turn_id",
    "text", "start_ms", "end_ms", "playback_id", "playing", "planned", "planned_label",
    "planned_reason", "heard", "heard_label", "heard_reason", "kept", "kept_label", "kept_reason",
    "unheard",
}  # fmt: skip


def test_the_turns_of_both_booking_calls() -> None:
    for name, said in (
        ("racy", ["Four of us.", "When are you open?", "Seven o'clock. Then six.", "Yes."]),
        ("clean", ["Four of us.", "When are you open?", "Seven o'clock.", "Then six."]),
    ):
        items = rows(asked(booking(name), "list_turns"), "items")
        assert [row["text"] for row in items][:4] == said
        assert all(set(row) == TURN for row in items)


def test_a_segment_that_fell_into_the_next_turn() -> None:
    [turn] = rows(asked(booking(), "list_turns", turn_id="t3"), "items")
    assert (turn["event_id"], turn["committed_ms"]) == ("e0095", 16_585)
    late = [s["event_id"] for s in rows(turn, "segments") if s["before_commit_of"] is not None]
    assert late == ["e0063"]
    clean = rows(asked(booking("clean"), "list_turns"), "items")
    assert not any(s["before_commit_of"] for row in clean for s in rows(row, "segments"))


def test_turns_that_are_not_fully_recorded() -> None:
    view = view_of(
        bus("input_selected"),
        bus("input_selected", segment_event_ids=["gone"]),
        bus("dtmf_received", digit="4"),
    )
    items = rows(asked(view, "list_turns"), "items")
    reasons = [row["reason"] for row in items]
    assert reasons == [
        "composition_not_recorded", "segment_not_recorded", "composition_not_recorded",
    ]  # fmt: skip
    assert rows(items[1], "segments")[0]["label"] == "unavailable"
    assert items[2]["digit"] == "4"
    assert code_of(view, "list_turns", turn_id="t9") == "EVENT_UNAVAILABLE"


def test_the_turn_at_a_cursor() -> None:
    view = booking()
    assert [turn_at(view, cursor) for cursor in (-1, 25, 26, 93, 94)] == [None, None, 26, 64, 94]


def test_the_conversation_keeps_three_texts_apart() -> None:
    items = rows(asked(booking(), "conversation"), "items")
    assert all(set(row) == BUBBLE for row in items)
    assert [row["speaker"] for row in items].count("agent") == 6
    assert [row["text"] for row in items if row["source"] == "transcript"] == [
        "Four of us.", "When are you open?", "Seven o'clock.", "Then six.", "Yes.", "Yes, please.",
    ]  # fmt: skip
    cut = items[2]
    assert (cut["heard"], cut["kept"]) == ("Four people, great.", "Four people, great.")


def test_the_conversation_tells_nothing_behind_the_cursor() -> None:
    playing = rows(asked(booking(), "conversation", cursor=46), "items")[-1]
    assert (playing["playing"], playing["heard_reason"]) == (True, "not_ended")
    assert playing["kept_reason"] == "not_yet"
    segments = rows(asked(booking(), "conversation", cursor=62), "items")
    assert (segments[-1]["text"], segments[-1]["turn_id"]) == ("Seven o'clock.", None)
    assert rows(asked(booking(), "conversation", cursor=94), "items")[-1]["turn_id"] == "t3"


def test_an_agent_segment_is_a_bubble_of_its_own() -> None:
    view = view_of(segment("agent", text="Hello"), segment("operator", text="hm"), bus("weather"))
    items = rows(asked(view, "conversation"), "items")
    assert [(row["speaker"], row["source"]) for row in items] == [
        ("agent", "transcript"), ("operator", "transcript"),
    ]  # fmt: skip


@given(small_artifacts(), st.data())
def test_a_conversation_grows_and_is_never_rewritten(
    artifact: JsonObject, data: st.DataObject
) -> None:
    view = ArtifactView.of(artifact)
    cursor = data.draw(st.integers(-1, view.event_count - 1))
    names = ("event_id", "source", "speaker", "text", "start_ms", "playback_id")
    early, late = (
        [tuple(row[name] for name in names) for row in rows(result, "items")]
        for result in (
            asked(view, "conversation", cursor=cursor, limit=1000),
            asked(view, "conversation", limit=1000),
        )
    )
    assert late[: len(early)] == early
