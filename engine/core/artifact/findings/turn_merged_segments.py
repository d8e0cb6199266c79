"""`TURN_MERGED_SEGMENTS`: a turn is composed of segments that stood apart.

The segments are those that `input_selected` names, in call order; those of one `source` are
compared, for two recognisers give two segments of one speech. Two neighbours stand apart where
the pause between them is longer than `turn_merge_pause_ms`, or an event of the state machine (a
record of a trace type) stands between their records. The pause is the second's `start_ms` minus the
first's `end_ms`; where one is not recorded, the difference of the two records' clocks, which
contains the second segment's own length.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import (
    elapsed_ms,
    events_with_ids,
    of_type,
    setting,
    visits_of,
    whole_ms,
)
from engine.core.artifact.findings.finding import Finding
from engine.core.contract.json_types import text, texts
from engine.core.contract.session_records import TRACE_TYPES

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each such turn, at its `input_selected`."""
    turns: list[tuple[int, list[str]]] = []
    for index in of_type(view, "input_selected"):
        names = list(dict.fromkeys(texts(view.record(index), "segment_event_ids")))
        if len(names) > 1:
            turns.append((index, names))
    wanted = frozenset(name for _, names in turns for name in names)
    places = events_with_ids(view, of_type(view, "transcript_segment"), wanted)
    for index, names in turns:
        finding = _turn(view, index, sorted(places[name] for name in names if name in places))
        if finding is not None:
            yield finding


def _turn(view: "ArtifactView", index: int, segments: list[int]) -> Finding | None:
    """Return the finding of the turn committed at `index` from these segments, if it is one."""
    pause_max_ms = setting(view, "turn_merge_pause_ms")
    longest: tuple[int, str] | None = None
    between: int | None = None
    for first, second in _neighbours(view, segments):
        pause = _pause(view, first, second)
        if pause is not None and pause[0] > pause_max_ms:
            longest = pause if longest is None else max(longest, pause)
        between = _trace_event(view, first, second) if between is None else between
    if longest is None and between is None:
        return None
    turn = text(view.record(index), "turn_id")
    return Finding(
        at=index,
        visits=visits_of(view, index, *segments),
        events=(index, *segments, *(() if between is None else (between,))),
        text=f"Turn {turn or 'without an id'} is composed of {len(segments)} segments"
        f"{_apart(longest, view, between)}.",
        detail={
            "turn_id": turn,
            "segment_count": len(segments),
            "pause_ms": None if longest is None else longest[0],
            "pause_between": None if longest is None else longest[1],
            "state_machine_event_id": None if between is None else view.event_id(between),
        },
    )


def _neighbours(view: "ArtifactView", segments: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the neighbours among the segments of each source."""
    by_source: dict[str, list[int]] = {}
    for index in segments:
        by_source.setdefault(text(view.record(index), "source") or "", []).append(index)
    for of_source in by_source.values():
        yield from pairwise(of_source)


def _apart(longest: tuple[int, str] | None, view: "ArtifactView", between: int | None) -> str:
    """Return what stands between the segments, as the end of a sentence."""
    parts: list[str] = []
    if longest is not None:
        what = "the records of two of them" if longest[1] == "records" else "two of them"
        parts.append(f"{longest[0]} ms between {what}")
    if between is not None:
        parts.append(f"event {view.event_id(between)} of the state machine between two of them")
    return ", with " + " and ".join(parts)


def _pause(view: "ArtifactView", first: int, second: int) -> tuple[int, str] | None:
    """Return the pause between two segments and what it was taken from; None if unknown."""
    behind = whole_ms(view.record(first), "end_ms")
    ahead = whole_ms(view.record(second), "start_ms")
    if behind is not None and ahead is not None:
        pause_ms = elapsed_ms(behind, ahead)
        return None if pause_ms is None else (pause_ms, "segments")
    pause_ms = elapsed_ms(view.clock_ms(first), view.clock_ms(second))
    return None if pause_ms is None else (pause_ms, "records")


def _trace_event(view: "ArtifactView", first: int, second: int) -> int | None:
    """Return the first event of the state machine between two events."""
    found: list[int] = []
    for kind in sorted(TRACE_TYPES):
        posting = view.postings("type", kind)
        place = bisect_right(posting, first)
        while place < len(posting) and posting[place] < second:
            if view.effective_type(posting[place]) == kind:
                found.append(posting[place])
                break
            place += 1
    return min(found, default=None)
