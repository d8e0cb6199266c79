"""`playback`: five questions and three texts of each span; audible time; what cut it."""

from hypothesis import given
from hypothesis import strategies as st
from support.questions import asked, booking, bus, code_of, trace, view_of
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, integer, mapping, rows
from engine.core.cursor import audible_in_visit, media_ms_at
from engine.core.cursor.audible import covered_ms

ROW = {
    "event_id", "event_index", "playback_id", "visit_id", "state_id", "source_kind",
    "content_fingerprint", "generation", "stages", "end_type", "start_ms", "end_ms", "audible_ms",
    "acknowledged", "planned", "planned_label", "planned_reason", "heard", "heard_label",
    "heard_reason", "kept", "kept_label", "kept_reason", "unheard", "cut_by", "said_twice",
    "go_back_to",
}  # fmt: skip
STAGES = {"requested", "generated", "started", "stopped", "completed", "interrupted", "failed"}


def test_the_one_playback_that_was_cut() -> None:
    for name, cut, audible in (("racy", "e0056", 1692), ("clean", "e0056", None)):
        result = asked(booking(name), "playback", cut=True)
        [row] = rows(result, "items")
        assert set(row) == ROW
        assert set(mapping(row, "stages")) == STAGES
        assert mapping(mapping(row, "stages"), "interrupted")["event_id"] == cut
        assert mapping(mapping(row, "cut_by"), "event")["event_id"] == "e0052"
        assert row["planned"] == (
            "Four people, great. And for what time would you like the table this evening, please?"
        )
        assert row["heard"] == row["kept"] == "Four people, great."
        assert row["unheard"] == "And for what time would you like the table this evening, please?"
        assert audible is None or row["audible_ms"] == audible
        assert result["playbacks_total"] == (6 if name == "racy" else result["playbacks_total"])


def test_all_spans_have_an_owner_and_a_place_to_go_back_to() -> None:
    result = asked(booking(), "playback")
    items = rows(result, "items")
    assert [row["visit_id"] for row in items] == [
        "greet#1", "get_time#1", "get_time#1", "no_table#1", "confirm#1", "end#1",
    ]  # fmt: skip
    for row in items:
        requested = mapping(mapping(row, "stages"), "requested")
        back = mapping(row, "go_back_to")
        assert back["cursor"] == (integer(requested, "event_index") or 0) - 1
        assert (back["fork"], back["fork_reason"]) == (False, "simulation_not_supported")
        assert row["said_twice"] is None
    asked_by = [mapping(row, "generation")["trigger"] for row in items]
    assert asked_by == ["node_entry", "node_entry", "tool_result", *["node_entry"] * 3]


def test_what_is_not_recorded_says_so() -> None:
    view = view_of(
        bus("audio_requested", playback_id="p1", clock_ms=1),
        bus("audio_started", playback_id="p2", clock_ms=2),
        bus("audio_interrupted", playback_id="p2", clock_ms=7),
    )
    first, second = rows(asked(view, "playback"), "items")
    assert (first["heard_reason"], first["kept_reason"]) == ("never_started", "no_generation")
    assert (second["heard_reason"], second["planned_reason"]) == ("not_recorded", "not_recorded")
    assert mapping(second, "cut_by")["label"] == "unavailable"
    assert (first["audible_ms"], second["audible_ms"]) == (None, 5)


def test_narrowing_and_mistakes() -> None:
    view = booking()
    named = view.playback[2]["playback_id"]
    assert [
        r["playback_id"] for r in rows(asked(view, "playback", playback_id=named), "items")
    ] == [named]
    assert asked(view, "playback", visit_id="get_time#1")["total"] == 2
    assert code_of(view, "playback", playback_id="gone") == "EVENT_UNAVAILABLE"
    assert code_of(view, "playback", cut="yes") == "INVALID_COMMAND"


def test_a_repetition_names_its_mechanism_and_its_start() -> None:
    heard: JsonObject = {"content_fingerprint": "f", "client_ack": {"at": 1}}
    view = view_of(
        trace("state_entered", state_id="menu", clock_ms=0),
        bus("audio_requested", playback_id="p1", source_kind="static_asset", clock_ms=1, **heard),
        bus("audio_started", playback_id="p1", source_kind="static_asset", clock_ms=2, **heard),
        bus("audio_completed", playback_id="p1", source_kind="static_asset", clock_ms=9, **heard),
        bus("audio_requested", playback_id="p2", source_kind="model_audio", clock_ms=10, **heard),
        bus("audio_started", playback_id="p2", source_kind="model_audio", clock_ms=11, **heard),
        bus("audio_completed", playback_id="p2", source_kind="model_audio", clock_ms=19, **heard),
    )
    first, second = (mapping(r, "said_twice") for r in rows(asked(view, "playback"), "items"))
    assert first["findings"] == second["findings"] == ["DUPLICATE_AGENT_PLAYBACK#1"]
    assert (first["is_repetition"], second["is_repetition"]) == (False, True)
    assert mapping(second, "first_began")["clock_ms"] == 11
    assert second["mechanism"] is not None


def test_audible_time_is_clipped_to_the_visit() -> None:
    view = view_of(
        trace("state_entered", state_id="menu", clock_ms=0),
        bus("audio_started", playback_id="p1", clock_ms=10),
        trace("state_exited", state_id="menu", clock_ms=30),
        trace("state_entered", state_id="ask", clock_ms=30),
        bus("audio_started", playback_id="p2", clock_ms=40),
        bus("audio_completed", playback_id="p1", clock_ms=50),
        bus("audio_completed", playback_id="p2", clock_ms=60),
    )
    assert [audible_in_visit(view, o).duration_ms for o in (0, 1)] == [20, 30]


def test_audible_time_is_unavailable_where_an_end_is_missing() -> None:
    view = view_of(
        trace("state_entered", state_id="menu", clock_ms=0),
        bus("audio_started", playback_id="p1", clock_ms=10),
    )
    assert audible_in_visit(view, 0).reason == "playback_without_end"
    clockless = view_of(trace("state_entered", state_id="menu"))
    assert audible_in_visit(clockless, 0).reason == "visit_without_clock"
    assert audible_in_visit(booking(), 1).duration_ms == 1692 + 14_767 - 10_922


PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6)


@given(PAIRS)
def test_covered_milliseconds_count_once(pairs: list[tuple[int, int]]) -> None:
    assert covered_ms(pairs) == len({ms for start, end in pairs for ms in range(start, end)})


@given(small_artifacts())
def test_the_media_cursor_goes_both_ways(artifact: JsonObject) -> None:
    view = ArtifactView.of(artifact)
    for cursor in range(-1, view.event_count):
        media_ms = media_ms_at(view, cursor)
        clocks = [c for i in range(cursor + 1) if (c := view.clock_ms(i)) is not None]
        assert media_ms == max(clocks, default=None)
        if media_ms is not None:
            found = view.index_at_clock(media_ms)
            assert media_ms_at(view, found) == media_ms
            assert found >= cursor or view.clock_ms(cursor) is None
    for media_ms in range(-2, 43):
        found = view.index_at_clock(media_ms)
        back = media_ms_at(view, found)
        assert (back is None) == (found == -1)
        assert back is None or back <= media_ms
