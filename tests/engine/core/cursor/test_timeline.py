"""`timeline` and `clock_table`: rows on the call's clock, and the look-up both ways."""

from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.questions import asked, booking, bus, code_of, segment, trace, view_of

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, integer, mapping, rows
from engine.core.cursor import media_ms_at

LANES = ["visits", "playbacks", "speech", "slots", "guards", "transitions", "pending", "findings"]


def lanes_of(view: ArtifactView, **keys: object) -> dict[str, JsonObject]:
    result = asked(view, "timeline", **keys)  # type: ignore[arg-type]
    return {str(lane["lane"]): lane for lane in rows(result, "lanes")}


def test_the_booking_call_lane_by_lane() -> None:
    lanes = lanes_of(booking())
    assert [*lanes] == LANES
    assert [lane["in_window"] for lane in lanes.values()] == [5, 6, 6, 4, 3, 4, 15, 4]
    visits = rows(lanes["visits"], "items")
    assert [row["title"] for row in visits] == [
        "greet#1", "get_time#1", "no_table#1", "confirm#1", "end#1",
    ]  # fmt: skip
    assert (visits[-1]["label"], visits[-1]["reason"]) == ("unavailable", "no_recorded_end")
    first = rows(lanes["playbacks"], "items")[0]
    assert (first["event_index"], first["start_ms"], first["end_ms"]) == (8, 659, 4797)
    assert booking().event_type(8) == "audio_started"


def test_a_window_holds_what_reaches_into_it() -> None:
    lanes = lanes_of(booking(), start_ms=10_000, end_ms=14_000)
    assert [row["title"] for row in rows(lanes["visits"], "items")] == ["get_time#1"]
    [playing] = rows(lanes["playbacks"], "items")
    assert (playing["start_ms"], playing["end_ms"]) == (10_922, 14_767)
    assert lanes["slots"]["in_window"] == 0


def test_too_many_rows_are_merged_and_none_is_lost() -> None:
    pending = lanes_of(booking(), limit=4)["pending"]
    items = rows(pending, "items")
    assert pending["merged"] is True
    assert len(items) <= 4
    assert sum(integer(row, "count") or 0 for row in items) == pending["in_window"] == 15


def test_a_said_again_playback_is_marked() -> None:
    def audio(kind: str, name: str, ms: int) -> tuple[str, JsonObject]:
        fields: JsonObject = {"source_kind": "model_audio", "content_fingerprint": "f"}
        ack: JsonObject = {"client_event_id": name}
        return bus(kind, playback_id=name, state_id="a", clock_ms=ms, client_ack=ack, **fields)

    view = view_of(
        trace("state_entered", state_id="a", clock_ms=0),
        audio("audio_started", "p1", 10), audio("audio_completed", "p1", 500),
        audio("audio_started", "p2", 600), audio("audio_completed", "p2", 900),
    )  # fmt: skip
    assert [finding["code"] for finding in view.findings] == ["DUPLICATE_AGENT_PLAYBACK"]
    first, second = rows(lanes_of(view)["playbacks"], "items")
    assert (first["kind"], second["kind"]) == ("completed", "repeated")
    assert "DUPLICATE_AGENT_PLAYBACK#1" in str(second["text"])


def test_redacted_and_missing_texts_have_their_labels() -> None:
    view = view_of(
        trace("state_entered", state_id="a", clock_ms=0),
        segment(speaker="caller", text="<str len=5>", clock_ms=5),
        segment(speaker="caller", text="hello", clock_ms=None),
    )
    first, second = rows(lanes_of(view)["speech"], "items")
    assert (first["label"], first["timed"]) == ("redacted", True)
    assert (second["label"], second["timed"], second["start_ms"]) == ("recorded", False, 5)


def test_the_place_of_a_cursor() -> None:
    place = mapping(asked(booking(), "timeline", cursor=8, lanes=[]), "place")
    assert mapping(place, "event")["type"] == "audio_started"
    assert mapping(place, "visit")["visit_id"] == "greet#1"
    assert (place["media_ms"], place["edge"]) == (659, None)
    start = mapping(asked(booking(), "timeline", cursor=-1, lanes=[]), "place")
    assert (start["event"], start["media_ms"], start["edge"]) == (None, None, "start")
    assert mapping(asked(booking(), "timeline", lanes=[]), "place")["edge"] == "end"


@pytest.mark.parametrize(
    "keys",
    [{"limit": 0}, {"limit": 1_001}, {"limit": True}, {"lanes": "visits"}, {"lanes": ["x"]},
     {"start_ms": 5, "end_ms": 4}, {"start_ms": 1.5}, {"end_ms": "4"}],
)  # fmt: skip
def test_a_wrong_key_is_named(keys: dict[str, object]) -> None:
    assert code_of(booking(), "timeline", **keys) == "INVALID_COMMAND"  # type: ignore[arg-type]
    assert code_of(booking(), "clock_table", limit=100_001) == "INVALID_COMMAND"


def test_a_call_without_a_clock() -> None:
    view = view_of(bus("weather"))
    result = asked(view, "timeline")
    assert mapping(result, "call")["events_without_clock"] == 1
    assert asked(view, "clock_table") == {"clocks": [], "indices": [], "total": 0, "offset": 0,
        "unknowns": [{"what": "time of 1 events", "reason": "not_recorded"}],
    }  # fmt: skip


def spoken_calls() -> st.SearchStrategy[ArtifactView]:
    """Calls of segments with any clocks, some without, some running back."""
    clocks = st.lists(st.none() | st.integers(0, 3_000), max_size=30)
    return clocks.map(
        lambda found: view_of(
            trace("state_entered", state_id="a", clock_ms=0),
            *(segment(speaker="caller", text=f"{at}", clock_ms=ms) for at, ms in enumerate(found)),
        )
    )


@given(view=spoken_calls(), ms=st.integers(-10, 3_100), cursor=st.integers(-1, 30))
def test_the_table_is_the_core_s_look_up(view: ArtifactView, ms: int, cursor: int) -> None:
    table = asked(view, "clock_table")
    clocks, indices = table["clocks"], table["indices"]
    assert isinstance(clocks, list)
    assert isinstance(indices, list)
    assert clocks == sorted(clocks)  # type: ignore[type-var]
    assert indices == sorted(set(indices))  # type: ignore[type-var, arg-type]
    place = bisect_right(clocks, ms)  # type: ignore[type-var]
    assert (indices[place - 1] if place else -1) == view.index_at_clock(ms)
    at = min(cursor, view.event_count - 1)
    place = bisect_right(indices, at)  # type: ignore[type-var]
    assert (clocks[place - 1] if place else None) == media_ms_at(view, at)


@given(view=spoken_calls(), limit=st.integers(1, 40), cut=st.integers(0, 3_000))
def test_windows_that_meet_hold_every_row_once(view: ArtifactView, limit: int, cut: int) -> None:
    whole = lanes_of(view)["speech"]
    left = lanes_of(view, end_ms=cut, start_ms=-1, limit=limit)["speech"]
    right = lanes_of(view, start_ms=cut + 1, end_ms=10_000, limit=limit)["speech"]
    counts = [
        sum(integer(row, "count") or 0 for row in rows(lane, "items")) for lane in (left, right)
    ]
    assert counts == [left["in_window"], right["in_window"]]
    assert sum(counts) == whole["total"] == len(rows(whole, "items"))
    for lane in (left, right):
        items = rows(lane, "items")
        assert len(items) <= max(limit, 1)
        assert [row["event_index"] for row in items] == sorted(
            integer(row, "event_index") or 0 for row in items
        )
