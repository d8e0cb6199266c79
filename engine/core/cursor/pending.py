"""Work asked for and not yet come at a cursor: since when, what it waits for, how it ended later.

Also the transitions of the visit that were asked for and dropped up to the cursor. A transition is
*taken* by the record that answers it, else *dropped*: superseded by another, or by the end of its
visit. Source: contract "Transitions, verdicts, pending".
"""

from bisect import bisect_left, bisect_right

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, text
from engine.core.cursor.audible import media_ms_at
from engine.core.cursor.facts import described
from engine.core.cursor.reading import listing, page_of, unknown
from engine.core.cursor.response import Answer

DROPPED_MAX = 32
_KINDS = {"transition_requested": "transition", "tool_called": "tool", "audio_requested": "audio"}
_AWAITED = {"transition": "its taking", "tool": "a result", "audio": "the end of the playback"}


def inspect_pending(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `inspect_pending`: pending work at the cursor, oldest first, and what was dropped."""
    offset, limit = page_of(command)
    found = pending_detail(view, cursor, limit=offset + limit)[offset:]
    dropped = dropped_in_visit(view, cursor)
    missing = [
        unknown(f"what {row['event_id']} waits for", "not_recorded")
        for row in [*found, *dropped]
        if row["kind"] == "transition" and row["waits_for"] is None
    ]
    return listing(
        cursor,
        items=found,
        total=view.pending.count_at(cursor),
        offset=offset,
        evidence=[str(row["event_id"]) for row in [*found, *dropped]],
        extra={"dropped": [*dropped], "unknowns": [*missing]},
    )


def pending_detail(view: ArtifactView, cursor: int, *, limit: int) -> list[JsonObject]:
    """Return rows of what is pending at `cursor`, oldest first, at most `limit`.

    A row: the event's row with `what`, `kind`, `since_ms`, `waited_ms` (up to the cursor),
    `waits_for` (as recorded, else null), `awaits`, `ended`. Cost: O(limit log n).
    """
    return [_row(view, start, kind, cursor) for start, kind in view.pending_at(cursor, limit=limit)]


def dropped_in_visit(view: ArtifactView, cursor: int) -> list[JsonObject]:
    """Return the transitions that the visit at `cursor` asked for and dropped up to there.

    At most `DROPPED_MAX`, the latest last. Cost: O(its requests log n).
    """
    ordinal = view.visit_at(cursor)
    if ordinal < 0:
        return []
    visit = view.visits[ordinal]
    requests = view.postings("type", "transition_requested")
    first, stop = bisect_left(requests, visit.entered_index), bisect_right(requests, cursor)
    rows = [
        _row(view, index, "transition", cursor)
        for index in requests[first:stop]
        if view.payload(index)["owner"] == visit.visit_id
        and view.effective_type(index) is not None
        and _is_dropped(view, index, cursor)
    ]
    return rows[-DROPPED_MAX:]


def _is_dropped(view: ArtifactView, request: int, cursor: int) -> bool:
    """Return whether a request ended up to the cursor without being taken."""
    end = end_of(view, request)
    return end is not None and end <= cursor and _how_ended(view, request, end) == "dropped"


def end_of(view: ArtifactView, start: int) -> int | None:
    """Return the event that ended the pending work begun at event `start`, or None."""
    pending = view.pending
    place = bisect_left(pending.starts, start)
    if place == len(pending.starts) or pending.starts[place] != start:
        return None
    end = pending.tree[len(pending.tree) // 2 + place]
    return end if end < view.event_count else None


def _row(view: ArtifactView, start: int, kind: str, cursor: int) -> JsonObject:
    since, now = view.clock_ms(start), media_ms_at(view, cursor)
    end = end_of(view, start)
    return {
        **described(view, start),
        "kind": kind,
        "since_ms": since,
        "waited_ms": now - since if now is not None and since is not None else None,
        "waits_for": view.record(start).get("waits_for"),
        "awaits": _AWAITED[kind],
        "ended": None
        if end is None
        else {"how": _how_ended(view, start, end), **described(view, end)},
    }


def _how_ended(view: ArtifactView, start: int, end: int) -> str:
    """Return how work ended: `taken`, `dropped`, `result`, `failed`, or how audio ends."""
    kind = _KINDS[view.effective_type(start) or ""]
    record = view.record(end)
    if kind == "tool":
        return "failed" if record.get("ok") is False else "result"
    if kind == "audio":
        return (view.effective_type(end) or "audio_ended").removeprefix("audio_")
    return "taken" if _answers(view, start, record) else "dropped"


def _answers(view: ArtifactView, start: int, record: JsonObject) -> bool:
    """Return whether a record takes the transition asked for at event `start`."""
    if record.get("type") != "transition_taken":
        return False
    request = view.record(start)
    request_id, cause = text(record, "request_id"), text(record, "caused_by")
    if request_id is not None or cause is not None:
        return request_id == text(request, "request_id") or cause == view.event_id(start)
    edge_id = text(request, "edge_id")
    if edge_id is not None:
        return edge_id == text(record, "edge_id")
    return text(request, "to") == text(record, "to")
