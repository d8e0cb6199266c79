"""Where steps and runs stop: one algorithm for both directions.

A cursor is an integer from -1 (start of recording) to N-1. Every function looks a position up in a
sorted posting; nothing scans and nothing is counted while moving, so reaching a place forwards or
backwards is the same place. An end is a stop, never an error.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.labels import Direction, Unit

Edge: TypeAlias = Literal["start", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Where a step stopped. `edge` is set when it could not move: the cursor is that edge."""

    cursor: int
    edge: Edge | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStop:
    """Where a run stopped: `matched` are the indices of the stop lists hit there (maybe none).

    `edge` is set when the run ended at the start or the end of the recording.
    """

    cursor: int
    matched: tuple[int, ...] = ()
    edge: Edge | None = None


def step(view: ArtifactView, cursor: int, *, unit: Unit, direction: Direction) -> Stop:
    """Return where one step of `unit` from `cursor` stops.

    Boundaries of a unit are -1, N-1 and each event that starts one; forward is the least boundary
    beyond the cursor, reverse the greatest before it. At the edge already: the cursor unmoved and
    `edge` set. Cost: O(log n). Source: design section 10.
    """
    last = view.event_count - 1
    forward = direction is Direction.FORWARD
    if forward and cursor >= last:
        return Stop(cursor=cursor, edge="end")
    if not forward and cursor == -1:
        return Stop(cursor=cursor, edge="start")
    if unit is Unit.EVENT:
        return Stop(cursor=cursor + 1 if forward else cursor - 1)
    starts = view.beat_starts if unit is Unit.BEAT else view.visit_starts
    found = _next(starts, cursor, direction)
    if found is not None:
        return Stop(cursor=found)
    return Stop(cursor=last if forward else -1)


def run(
    view: ArtifactView, cursor: int, *, stops: Sequence[Posting], direction: Direction
) -> RunStop:
    """Return the nearest position beyond `cursor` that is in any of `stops`, else the edge.

    The start position is no match. A backward run from N-1 never reports N-1; a forward run that
    hits N-1 sets both `matched` and `edge`. Cost: O(k log n) for k lists.
    """
    forward = direction is Direction.FORWARD
    edge_cursor = view.event_count - 1 if forward else -1
    edge: Edge = "end" if forward else "start"
    found = [_next(positions, cursor, direction) for positions in stops]
    reached = [position for position in found if position is not None]
    if not reached:
        return RunStop(cursor=edge_cursor, edge=edge)
    nearest = min(reached) if forward else max(reached)
    matched = tuple(i for i, position in enumerate(found) if position == nearest)
    at_end = forward and nearest == edge_cursor
    return RunStop(cursor=nearest, matched=matched, edge="end" if at_end else None)


def _next(positions: Posting, cursor: int, direction: Direction) -> int | None:
    """Return the member of sorted `positions` next to `cursor` in `direction`, itself excluded."""
    if direction is Direction.FORWARD:
        place = bisect_right(positions, cursor)
        return positions[place] if place < len(positions) else None
    place = bisect_left(positions, cursor)
    return positions[place - 1] if place else None
