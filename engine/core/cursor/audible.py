"""When the agent was audible: from `audio_started` to the end of the playback, on the call clock.

A playback that started and whose end, or whose time, was not recorded makes every stretch that it
may reach into `unavailable`: nothing is estimated. Overlapping playbacks count once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, integer
from engine.core.contract.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Audible:
    """Milliseconds in which the agent sounded; None with a reason where that is not known."""

    duration_ms: int | None
    reason: str | None
    playback_count: int

    def as_json(self) -> JsonObject:
        """Return `{audible_ms, audible_label, audible_reason, playback_count}`."""
        label = Label.RECORDED if self.reason is None else Label.UNAVAILABLE
        return {
            "audible_ms": self.duration_ms,
            "audible_label": label.value,
            "audible_reason": self.reason,
            "playback_count": self.playback_count,
        }


def audible_in_visit(view: ArtifactView, ordinal: int) -> Audible:
    """Return how long the agent was audible in a visit; a playback is clipped to the visit.

    A visit without a closing event ends with the recording. Cost: O(its playbacks log n).
    """
    visit = view.visits[ordinal]
    last = visit.closed_index if visit.closed_index is not None else view.event_count - 1
    start_ms, end_ms = view.clock_ms(visit.entered_index), media_ms_at(view, last)
    spans = _spans_between(view, visit.entered_index, last)
    if start_ms is None or end_ms is None:
        return Audible(duration_ms=None, reason="visit_without_clock", playback_count=len(spans))
    if any(integer(span, "start_ms") is None for span in spans):
        return Audible(duration_ms=None, reason="playback_without_clock", playback_count=len(spans))
    if any(integer(span, "end_ms") is None for span in spans):
        return Audible(duration_ms=None, reason="playback_without_end", playback_count=len(spans))
    clipped = (
        (max(start_ms, integer(span, "start_ms") or 0), min(end_ms, integer(span, "end_ms") or 0))
        for span in spans
    )
    total = covered_ms(pair for pair in clipped if pair[0] < pair[1])
    return Audible(duration_ms=total, reason=None, playback_count=len(spans))


def _spans_between(view: ArtifactView, first: int, last: int) -> Sequence[JsonObject]:
    """Return the rows of the playbacks that sounded at an event from `first` to `last`."""
    playing = view.columns.playing
    before = playing.open_at(first, limit=playing.count_at(first))
    keys = [key for _, key in before]
    start, stop = bisect_right(playing.starts, first), bisect_right(playing.starts, last)
    keys += playing.keys[start:stop]
    return [view.playback[key] for key in keys]


def covered_ms(pairs: Iterable[tuple[int, int]]) -> int:
    """Return how many milliseconds the half-open ranges cover together."""
    total, reached = 0, None
    for start, end in sorted(pairs):
        begin = start if reached is None else max(start, reached)
        if end > begin:
            total += end - begin
        reached = end if reached is None else max(reached, end)
    return total


def span_ms(span: JsonObject) -> int | None:
    """Return how long a playback sounded; None where its start or end has no time."""
    start, end = integer(span, "start_ms"), integer(span, "end_ms")
    return None if start is None or end is None else max(0, end - start)


def media_ms_at(view: ArtifactView, cursor: int) -> int | None:
    """Return the media cursor of an event cursor: the greatest clock up to there, or None.

    With `ArtifactView.index_at_clock` it goes both ways: looking its answer up again gives `cursor`
    or a later event of the same millisecond, and never an earlier one. Cost: O(log n).
    """
    place = bisect_right(view.columns.media_indices, cursor)
    return view.columns.media_clocks[place - 1] if place else None


def last_end_before(view: ArtifactView, cursor: int) -> int | None:
    """Return the latest event at or before `cursor` that ended an audible playback."""
    ends = view.columns.playing.sorted_ends
    place = bisect_right(ends, cursor)
    return ends[place - 1] if place else None


def next_start_after(view: ArtifactView, cursor: int) -> int | None:
    """Return the first event after `cursor` that starts a playback."""
    starts = view.columns.playing.starts
    place = bisect_left(starts, cursor + 1)
    return starts[place] if place < len(starts) else None
