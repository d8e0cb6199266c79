"""`SILENCE_WHILE_PENDING`: nothing audible for `silence_pending_ms`, and something pending.

Pending are transitions, tool calls and audio requests as the projection has them. Audible are
playbacks from start to end, and transcript segments of any speaker from `start_ms` to `end_ms`; one
without these times breaks the silence at its record's clock. What never ended lasts to the last
clock. A recording without any playback event says nothing about silence, so it has no such finding.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import (
    of_type,
    records_playback,
    setting,
    stretches,
    whole_ms,
)
from engine.core.artifact.findings.finding import REFERENCES_MAX, Finding

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each silent stretch, where its limit is over."""
    limit_ms = setting(view, "silence_pending_ms")
    if not records_playback(view):
        return
    silent = list(_without(zip(*stretches(view, view.pending), strict=True), view, limit_ms))
    if not silent:
        return
    spoken = _speech(view)
    for start, end in silent:
        for first, behind in _quiet(start, end, spoken):
            if behind - first >= limit_ms:
                yield _finding(view, first, behind, limit_ms)


def _without(
    pending: Iterator[tuple[int, int]], view: "ArtifactView", limit_ms: int
) -> Iterator[tuple[int, int]]:
    """Yield the parts of the pending stretches in which no playback is audible, if long enough."""
    starts, ends = stretches(view, view.columns.playing)
    for start, end in pending:
        place, at = bisect_right(ends, start), start
        while place < len(starts) and starts[place] < end:
            if starts[place] - at >= limit_ms:
                yield at, starts[place]
            at = ends[place]
            place += 1
        if end - at >= limit_ms:
            yield at, end


def _speech(view: "ArtifactView") -> list[tuple[int, int]]:
    """Return when the transcript has speech, as disjoint spans of milliseconds in order."""
    spoken: list[tuple[int, int]] = []
    for index in of_type(view, "transcript_segment"):
        record = view.record(index)
        start, end = whole_ms(record, "start_ms"), whole_ms(record, "end_ms")
        known = [ms for ms in (start, end, view.clock_ms(index)) if ms is not None]
        if start is not None and end is not None:
            spoken.append((min(start, end), max(start, end)))
        elif known:
            spoken.append((known[0], known[0]))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spoken):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _quiet(start: int, end: int, spoken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a stretch without speech; a span of no length parts it, too."""
    place = bisect_left(spoken, start, key=lambda span: span[1])
    at = start
    while place < len(spoken) and spoken[place][0] <= end:
        yield at, spoken[place][0]
        at = spoken[place][1]
        place += 1
    yield at, end


def _finding(view: "ArtifactView", start: int, end: int, limit_ms: int) -> Finding:
    moment = start + limit_ms
    at = view.first_index_from_clock(moment)
    assert at is not None, "the stretch ends at the clock of an event"
    cursor = view.index_at_clock(moment - 1)
    pending = [index for index, _ in view.pending_at(cursor, limit=REFERENCES_MAX)]
    visit = view.path_at(cursor)[-1:]
    return Finding(
        at=at,
        visits=tuple(view.visits[ordinal].visit_id for ordinal in visit),
        events=tuple(pending) or (at,),
        events_total=max(view.pending.count_at(cursor), 1),
        text=f"Nothing was audible from {start} to {end} ms while something was pending.",
        detail={"start_ms": start, "end_ms": end},
    )
