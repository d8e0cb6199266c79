"""`timeline`: what stands on the call's clock in a window of it, lane by lane, and the cursor.

All rows are placed by the running maximum of the clock, as the media cursor is; an event without a
clock stands where the call stood then, `timed` false. A lane with more rows than asked for is
merged into stretches that only say how many they hold: no record is read for them. Told with
hindsight, over the whole recording. `clock_table` is the table behind the media look-up.
Source: design sections 9 and 10, checklist PBR-040 to PBR-057, `docs/guide/timeline.md`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor.audible import media_ms_at
from engine.core.cursor.facts import described
from engine.core.cursor.reading import LIMIT_DEFAULT, page_of, unknown
from engine.core.cursor.response import Answer
from engine.core.cursor.timeline_rows import (
    finding_row,
    guard_row,
    pending_row,
    playback_row,
    repeated_playbacks,
    speech_row,
    transition_row,
    visit_row,
    write_row,
)

TIMELINE_KEYS = frozenset({"start_ms", "end_ms", "limit", "lanes"})
LANE_LIMIT_MAX = 1_000
TABLE_LIMIT_MAX = 100_000


class Lane(StrEnum):
    """The lanes, in the order in which they are shown."""

    VISITS = "visits"
    PLAYBACKS = "playbacks"
    SPEECH = "speech"
    SLOTS = "slots"
    GUARDS = "guards"
    TRANSITIONS = "transitions"
    PENDING = "pending"
    FINDINGS = "findings"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    """Milliseconds [start, end] of the call clock, and the events [first, stop) in them."""

    start_ms: int
    end_ms: int
    first: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entries:
    """What a lane has: sorted event indices, what each is about, and how to make its row.

    `before` are the ones that began before the window and reach into it.
    """

    starts: Sequence[int]
    keys: Sequence[int]
    before: Sequence[tuple[int, int]]
    row: Callable[[int, int], JsonObject]


def timeline(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `timeline`: `{place, call, window, lanes, unknowns}`.

    `place`: where the cursor stands. `window`: `start_ms`, `end_ms` as asked, else the whole call.
    A lane: `{lane, total, in_window, merged, items}`, at most `limit` items; an item:
    `{event_index, end_index, start_ms, end_ms, timed, id, title, text, label, reason, kind, depth,
    visit_id, count}`, merged ones `{event_index, end_index, start_ms, end_ms, count}`.
    Cost: O(limit) rows a lane, and the indices in the window.
    """
    limit = _limit_of(command)
    window = _window_of(view, command)
    lanes: list[JsonValue] = [_lane(view, lane, window, limit) for lane in _lanes_of(command)]
    result: JsonObject = {
        "place": place(view, cursor),
        "call": _call(view),
        "window": {"start_ms": window.start_ms, "end_ms": window.end_ms},
        "lanes": lanes,
        "unknowns": _unknowns(view),
    }
    evidence = (view.event_id(cursor),) if cursor >= 0 else ()
    return Answer(cursor=cursor, result=result, evidence=evidence)


def clock_table(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `clock_table`: `{clocks, indices, total, offset, unknowns}`, both lists sorted.

    `clocks` is the running maximum of `clock_ms` over the events with a clock, `indices` are those
    events. The event of a media millisecond is the last whose clock is at or before it; the media
    millisecond of a cursor is the last whose index is at or before it. `limit`: at most 100,000.
    """
    asked = command.get("limit", TABLE_LIMIT_MAX)
    if type(asked) is not int or not 1 <= asked <= TABLE_LIMIT_MAX:
        raise InvalidCommand(
            f"`limit` is an integer from 1 to {TABLE_LIMIT_MAX}.", {"limit": asked}
        )
    offset, _ = page_of({"offset": command.get("offset", 0)})
    columns = view.columns
    result: JsonObject = {
        "clocks": [*columns.media_clocks[offset : offset + asked]],
        "indices": [*columns.media_indices[offset : offset + asked]],
        "total": len(columns.media_clocks),
        "offset": offset,
        "unknowns": _unknowns(view),
    }
    return Answer(cursor=cursor, result=result, evidence=())


def place(view: ArtifactView, cursor: int) -> JsonObject:
    """Return where a cursor stands: `{event_index, media_ms, event, visit, playing, edge}`.

    `event` is described, null at the start; `visit` is the innermost open one, else the last.
    """
    ordinal = view.visit_at(cursor)
    visit = view.visits[ordinal] if ordinal >= 0 else None
    playing: list[JsonValue] = [*view.playing_at(cursor, limit=8)]
    edge = "start" if cursor < 0 else "end" if cursor == view.event_count - 1 else None
    return {
        "event_index": cursor,
        "media_ms": media_ms_at(view, cursor),
        "event": described(view, cursor) if cursor >= 0 else None,
        "visit": None
        if visit is None
        else {
            "visit_id": visit.visit_id,
            "state_id": visit.state_id,
            "status": "open" if visit.is_open_at(cursor) else "left",
        },
        "playing": playing,
        "edge": edge,
    }


def _call(view: ArtifactView) -> JsonObject:
    clocks = view.columns.media_clocks
    return {
        "session_id": view.session.get("session_id"),
        "flow_id": view.flow.get("flow_id"),
        "events": view.event_count,
        "events_without_clock": view.event_count - len(clocks),
        "first_ms": clocks[0] if clocks else None,
        "last_ms": clocks[-1] if clocks else None,
    }


def _unknowns(view: ArtifactView) -> list[JsonValue]:
    clockless = view.event_count - len(view.columns.media_clocks)
    return [unknown(f"time of {clockless} events", "not_recorded")] if clockless else []


# -- reading the command ---------------------------------------------------------------------------


def _limit_of(command: JsonObject) -> int:
    limit = command.get("limit", LIMIT_DEFAULT)
    if type(limit) is not int or not 1 <= limit <= LANE_LIMIT_MAX:
        raise InvalidCommand(f"`limit` is an integer from 1 to {LANE_LIMIT_MAX}.", {"limit": limit})
    return limit


def _lanes_of(command: JsonObject) -> list[Lane]:
    names = command.get("lanes", [lane.value for lane in Lane])
    known = {lane.value: lane for lane in Lane}
    if not isinstance(names, list) or not all(isinstance(n, str) and n in known for n in names):
        raise InvalidCommand(f"`lanes` is a list of {', '.join(known)}.", {"lanes": names})
    return [lane for name, lane in known.items() if name in names]


def _window_of(view: ArtifactView, command: JsonObject) -> _Window:
    clocks = view.columns.media_clocks
    start = command.get("start_ms", clocks[0] if clocks else 0)
    end = command.get("end_ms", clocks[-1] if clocks else 0)
    for key, value in (("start_ms", start), ("end_ms", end)):
        if type(value) is not int or not -INTEGER_MAX <= value <= INTEGER_MAX:
            raise InvalidCommand(f"`{key}` is whole milliseconds on the call clock.", {key: value})
    assert type(start) is int
    assert type(end) is int
    if start > end:
        raise InvalidCommand(
            "`start_ms` does not come after `end_ms`.", {"start_ms": start, "end_ms": end}
        )
    first = view.first_index_from_clock(start)
    if clocks and start <= clocks[0]:
        first = 0
    stop = _stop_of(view, end)
    return _Window(
        start_ms=start,
        end_ms=end,
        first=view.event_count if first is None else first,
        stop=max(stop, 0),
    )


def _stop_of(view: ArtifactView, end_ms: int) -> int:
    """Return the first event beyond a window's end: clockless ones stay with those before them."""
    columns = view.columns
    position = bisect_right(columns.media_clocks, end_ms)
    if position < len(columns.media_indices):
        return columns.media_indices[position] if position else 0
    return view.event_count


# -- lanes -----------------------------------------------------------------------------------------


def _lane(view: ArtifactView, lane: Lane, window: _Window, limit: int) -> JsonObject:
    entries = _ENTRIES[lane](view, window, limit)
    first = bisect_left(entries.starts, window.first)
    stop = max(first, bisect_left(entries.starts, window.stop))
    inside = stop - first + len(entries.before)
    merged = inside > limit
    pairs = [
        *entries.before,
        *(
            (entries.starts[at], entries.keys[at])
            for at in range(first, stop if not merged else first)
        ),
    ]
    items = (
        _merged(view, entries.starts, first, stop, window, limit)
        if merged
        else [entries.row(start, key) for start, key in pairs]
    )
    return {
        "lane": lane.value,
        "total": len(entries.starts),
        "in_window": inside,
        "merged": merged,
        "items": [*items],
    }


def _merged(
    view: ArtifactView, starts: Sequence[int], first: int, stop: int, window: _Window, limit: int
) -> list[JsonObject]:
    """Return at most `limit` stretches that hold the entries [first, stop), each with its count.

    Each covers one of `limit` equal parts of the window. Cost: O(limit log n).
    """
    columns = view.columns
    width = max(1, -(-(window.end_ms - window.start_ms + 1) // limit))
    found: list[JsonObject] = []
    at = first
    while at < stop:
        begun = media_ms_at(view, starts[at])
        part = 0 if begun is None else max(0, begun - window.start_ms) // width
        edge_ms = window.start_ms + (part + 1) * width - 1
        position = bisect_right(columns.media_clocks, edge_ms)
        beyond = (
            columns.media_indices[position]
            if position < len(columns.media_indices)
            else view.event_count
        )
        upto = max(at + 1, bisect_left(starts, beyond, at, stop))
        found.append(
            {
                "event_index": starts[at],
                "end_index": starts[upto - 1],
                "start_ms": begun,
                "end_ms": media_ms_at(view, starts[upto - 1]),
                "count": upto - at,
            }
        )
        at = upto
    return found


def _visits(view: ArtifactView, window: _Window, limit: int) -> _Entries:
    del limit
    entered = view.columns.entered
    path = view.path_at(min(window.first, view.event_count) - 1)
    before = [
        (view.visits[ordinal].entered_index, ordinal)
        for ordinal in path
        if view.visits[ordinal].is_open_at(window.first)
    ]
    return _Entries(
        starts=entered,
        keys=range(len(entered)),
        before=before,
        row=lambda _, ordinal: visit_row(view, ordinal),
    )


def _playbacks(view: ArtifactView, window: _Window, limit: int) -> _Entries:
    playing = view.columns.playing
    repeated = repeated_playbacks(view)
    return _Entries(
        starts=playing.starts,
        keys=playing.keys,
        before=playing.open_at(window.first - 1, limit=limit + 1),
        row=lambda start, key: playback_row(view, start, key, repeated),
    )


def _pending(view: ArtifactView, window: _Window, limit: int) -> _Entries:
    pending = view.pending
    return _Entries(
        starts=pending.starts,
        keys=pending.keys,
        before=pending.open_at(window.first - 1, limit=limit + 1),
        row=lambda start, key: pending_row(view, start, key),
    )


def _points(
    kind: str, row: Callable[[ArtifactView, int], JsonObject]
) -> Callable[[ArtifactView, _Window, int], _Entries]:
    """Return how a lane of single events of one type is read."""

    def entries(view: ArtifactView, window: _Window, limit: int) -> _Entries:
        del window, limit
        starts = view.postings("type", kind)
        return _Entries(
            starts=starts, keys=starts, before=(), row=lambda start, _: row(view, start)
        )

    return entries


def _findings(view: ArtifactView, window: _Window, limit: int) -> _Entries:
    del window, limit
    places = view.finding_places
    return _Entries(
        starts=places.starts,
        keys=places.numbers,
        before=(),
        row=lambda start, number: finding_row(view, start, number),
    )


_ENTRIES: Mapping[Lane, Callable[[ArtifactView, _Window, int], _Entries]] = MappingProxyType(
    {
        Lane.VISITS: _visits,
        Lane.PLAYBACKS: _playbacks,
        Lane.SPEECH: _points("transcript_segment", speech_row),
        Lane.SLOTS: _points("slot_write", write_row),
        Lane.GUARDS: _points("guard_evaluated", guard_row),
        Lane.TRANSITIONS: _points("transition_taken", transition_row),
        Lane.PENDING: _pending,
        Lane.FINDINGS: _findings,
    }
)
