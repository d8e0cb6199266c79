"""`inspect_pending`: what is awaited at a cursor, how it ended, what the visit dropped."""

from hypothesis import given
from hypothesis import strategies as st
from support.questions import asked, booking, bus, trace, view_of
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, mapping, rows
from engine.core.cursor import project

ROW = {
    "event_index", "event_id", "clock_ms", "type", "visit_id", "what", "kind", "since_ms",
    "waited_ms", "waits_for", "awaits", "ended",
}  # fmt: skip


def ended(result: JsonObject) -> list[object]:
    return [mapping(row, "ended").get("how") for row in rows(result, "items")]


def test_the_racy_call_at_16_7_seconds() -> None:
    view = booking()
    result = asked(view, "inspect_pending", cursor=view.index_at_clock(16_700))
    [row] = rows(result, "items")
    assert set(row) == ROW
    assert (row["kind"], row["event_id"], row["since_ms"]) == ("audio", "e0111", 16_596)
    end = mapping(row, "ended")
    assert (end["how"], end["event_id"], end["clock_ms"]) == ("completed", "e0122", 20_383)
    assert (result["total"], result["dropped"], result["unknowns"]) == (1, [], [])


def test_how_work_ends() -> None:
    entered = trace("state_entered", state_id="menu")

    def ends(*records: tuple[str, JsonObject]) -> list[object]:
        return ended(asked(view_of(entered, *records), "inspect_pending", cursor=1))

    request = trace("transition_requested", request_id="r1", to="ask", edge_id="menu:0")
    assert ends(request) == [None]
    assert ends(request, trace("transition_taken", to="ask", request_id="r1")) == ["taken"]
    assert ends(request, trace("transition_taken", to="ask", caused_by="e1")) == ["taken"]
    assert ends(request, trace("transition_taken", to="ask", edge_id="menu:0")) == ["taken"]
    assert ends(request, trace("transition_taken", to="ask", edge_id="menu:1")) == ["dropped"]
    assert ends(request, trace("state_exited", state_id="menu")) == ["dropped"]
    unnamed = trace("transition_requested", request_id="r1", to="ask")
    assert ends(unnamed, trace("transition_taken", to="ask")) == ["taken"]
    call = bus("tool_called", tool="find", tool_call_id="k1")
    assert ends(call, bus("tool_result", tool_call_id="k1", ok=True)) == ["result"]
    assert ends(call, bus("tool_result", tool_call_id="k1", ok=False)) == ["failed"]
    audio = bus("audio_requested", playback_id="p1")
    assert ends(audio, bus("audio_interrupted", playback_id="p1")) == ["interrupted"]


def test_a_dropped_transition_is_named_in_its_visit() -> None:
    view = view_of(
        trace("state_entered", state_id="menu"),
        trace("transition_requested", request_id="r1", to="ask", edge_id="menu:0"),
        trace("transition_taken", to="ask", edge_id="menu:1"),
        bus("weather"),
    )
    before = asked(view, "inspect_pending", cursor=1)
    assert (before["total"], before["dropped"]) == (1, [])
    assert rows(before, "unknowns") == [{"what": "what e1 waits for", "reason": "not_recorded"}]
    after = asked(view, "inspect_pending", cursor=2)
    assert (after["total"], [r["event_id"] for r in rows(after, "dropped")]) == (0, ["e1"])


@given(small_artifacts(), st.data())
def test_it_lists_what_the_projection_counts(artifact: JsonObject, data: st.DataObject) -> None:
    view = ArtifactView.of(artifact)
    cursor = data.draw(st.integers(-1, view.event_count - 1))
    shown = project(view, cursor)
    result = asked(view, "inspect_pending", cursor=cursor, limit=1000)
    assert result["total"] == shown["pending_total"]
    found = [(row["kind"], row["event_id"]) for row in rows(result, "items")]
    assert found[:32] == [(row["kind"], row["event_id"]) for row in rows(shown, "pending")]
    for row in rows(result, "items"):
        index = mapping(row, "ended").get("event_index")
        assert index is None or (isinstance(index, int) and index > cursor)
