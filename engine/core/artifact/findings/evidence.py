"""What the rules share: events of a type, the visits they belong to, times that can be compared.

Nothing here decides anything. Postings are looked up; a record is read only by who asks for it.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from math import floor
from typing import TYPE_CHECKING

from engine.core.artifact.intervals import Intervals
from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.json_types import JsonObject, integer, text
from engine.core.contract.session_records import AUDIO_TYPES

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def setting(view: "ArtifactView", name: str) -> int:
    """Return a parameter of the findings."""
    value = integer(view.settings, name)
    assert value is not None, name
    return value


def of_type(view: "ArtifactView", kind: str) -> Iterator[int]:
    """Yield the events of a known type whose record fits it, in order."""
    return (i for i in view.postings("type", kind) if view.effective_type(i) == kind)


def last_event(view: "ArtifactView") -> int:
    """Return the index of the last event, where what holds at the end of the recording stands."""
    assert view.event_count, "a finding needs an event"
    return view.event_count - 1


def owner_of(view: "ArtifactView", index: int) -> str | None:
    """Return the id of the visit that event `index` belongs to."""
    return text(view.payload(index), "owner")


def visit_ids(view: "ArtifactView", found: Iterable[str | None]) -> tuple[str, ...]:
    """Return the visits among `found`, once each, in call order."""
    ordinals = {view.ordinal_of(visit_id) for visit_id in found if visit_id is not None}
    known = sorted(ordinal for ordinal in ordinals if ordinal is not None)
    return tuple(view.visits[ordinal].visit_id for ordinal in known)


def visits_of(view: "ArtifactView", *events: int) -> tuple[str, ...]:
    """Return the visits that own `events`, once each, in call order."""
    return visit_ids(view, (owner_of(view, index) for index in events))


def elapsed_ms(earlier: int | None, later: int | None) -> int | None:
    """Return `later` - `earlier`; None where one is unknown or no JSON number can hold it."""
    if earlier is None or later is None or abs(later - earlier) > INTEGER_MAX:
        return None
    return later - earlier


def shown_ms(duration_ms: int | None) -> str:
    """Return a duration as the sentences say it."""
    return "an unrecorded time" if duration_ms is None else f"{duration_ms} ms"


def records_playback(view: "ArtifactView") -> bool:
    """Return whether the recording holds any playback event: without one, silence is unknown."""
    return any(True for kind in AUDIO_TYPES for _ in of_type(view, kind))


def reached_ms(view: "ArtifactView", index: int) -> int | None:
    """Return the greatest clock of the events up to `index`; None where there is none yet."""
    columns = view.columns
    place = bisect_right(columns.media_indices, index)
    return columns.media_clocks[place - 1] if place else None


def events_with_ids(
    view: "ArtifactView", events: Iterable[int], wanted: "set[str] | frozenset[str]"
) -> dict[str, int]:
    """Return by event id the index of those of `events` whose id is wanted."""
    if not wanted:
        return {}
    return {name: index for index in events if (name := view.event_id(index)) in wanted}


def whole_ms(record: JsonObject, key: str) -> int | None:
    """Return a millisecond of a transcript segment, rounded down."""
    value = record.get(key)
    return None if isinstance(value, bool) or not isinstance(value, int | float) else floor(value)


def caller_segments(view: "ArtifactView") -> Iterator[tuple[int, JsonObject]]:
    """Yield what the transcript holds of the caller: (event index, record)."""
    for index in of_type(view, "transcript_segment"):
        record = view.record(index)
        if text(record, "speaker") == "caller":
            yield index, record


def stretches(view: "ArtifactView", intervals: Intervals) -> tuple["array[int]", "array[int]"]:
    """Return when at least one interval is open, as the starts and ends of spans of milliseconds.

    Spans do not touch, and a span of no length is left out. An interval that never ends lasts to
    the last clock. An event without a clock stands at the greatest clock before it.
    """
    starts, ends = array("q"), array("q")
    for first, behind in _open_runs(intervals):
        start = reached_ms(view, first)
        end = reached_ms(view, min(behind, view.event_count - 1))
        if start is None or end is None or start == end:
            continue
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends


def _open_runs(intervals: Intervals) -> Iterator[tuple[int, int]]:
    """Yield the runs [first, behind) of event indices at which at least one interval is open."""
    count, place, first = 0, 0, 0
    for end in intervals.sorted_ends:
        while place < len(intervals.starts) and intervals.starts[place] <= end:
            if not count:
                first = intervals.starts[place]
            count += 1
            place += 1
        count -= 1
        if not count:
            yield first, end
