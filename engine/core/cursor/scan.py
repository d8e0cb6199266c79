"""Scans: from the cursor outward to the nearest hit, in pieces that a face can stop between.

A generator yields the position reached each time its budget is spent, and returns what it found;
there is no clock here, so a face that wants to stay answerable chooses a small budget. A scan looks
at nothing behind the nearest hit. Source: design section 10, decision 2 of the adapter.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import repeat
from typing import TypeAlias, TypeVar

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.labels import Direction
from engine.core.cursor.evaluation import TURNS_AT_ONCE, Meter
from engine.core.cursor.leaves import Turns
from engine.core.cursor.stops import RunStop, run

BUDGET = 10_000
"""Cost between two yields by default; a look-up costs 1, an evaluation a few, a pattern 50."""

Test: TypeAlias = Callable[[int], bool]
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Where something can hold: sorted `positions`, and what decides there.

    Without a `test` it holds at each of them. `turns` have to be walked to the end first; `meters`,
    its own, count what the test costs.
    """

    positions: Posting
    test: Test | None = None
    turns: tuple[Turns, ...] = ()
    meters: tuple[Meter, ...] = ()
    warnings: tuple[str, ...] = ()


Scan: TypeAlias = Generator[int, None, RunStop]
"""Yields positions reached, returns where the run stops."""


def scan(
    view: ArtifactView,
    cursor: int,
    *,
    stops: Sequence[Candidates],
    direction: Direction,
    budget: int = BUDGET,
) -> Scan:
    """Scan for the nearest position beyond `cursor` at which any of `stops` holds.

    Yields the event index reached whenever `budget` is spent (`cursor` while turns are being
    found). Returns the same `RunStop` as `run` over the positions of all hits. Closing it leaves
    nothing behind. Cost: the candidates up to the nearest hit.
    """
    yield from (cursor for _ in walk_turns(stops, budget))
    exact: list[Posting] = [stop.positions if stop.test is None else () for stop in stops]
    nearest = run(view, cursor, stops=exact, direction=direction)
    limit = nearest.cursor
    forward = direction is Direction.FORWARD
    hits: dict[int, int] = {}
    spent = _spending(stops)
    for position, number in _outward(stops, cursor, direction):
        if position > limit if forward else position < limit:
            break
        if hits and position not in hits.values():
            break
        test = stops[number].test
        assert test is not None
        if test(position):
            hits[number] = position
        if spent() >= budget:
            _reset(stops)
            yield position
    listed = [(hits[k],) if k in hits else positions for k, positions in enumerate(exact)]
    return run(view, cursor, stops=listed, direction=direction)


def hold(candidates: Candidates, *, budget: int = BUDGET) -> Generator[int, None, list[int]]:
    """Scan all of one condition's candidates; return the sorted positions where it holds."""
    test = candidates.test
    yield from (-1 for _ in walk_turns([candidates], budget))
    if test is None:
        return [*candidates.positions]
    held: list[int] = []
    spent = _spending([candidates])
    for position in candidates.positions:
        if test(position):
            held.append(position)
        if spent() >= budget:
            _reset([candidates])
            yield position
    return held


def finish(scanning: Generator[int, None, Found]) -> Found:
    """Drive a scan to its end and return what it found."""
    while True:
        try:
            next(scanning)
        except StopIteration as stop:
            return stop.value


def walk_turns(stops: Sequence[Candidates], budget: int) -> Iterator[None]:
    """Find all turns that the tests of `stops` look at, yielding between pieces."""
    for stop in stops:
        for turns in stop.turns:
            while not turns.extend(min(budget, TURNS_AT_ONCE)):
                yield


def _outward(
    stops: Sequence[Candidates], cursor: int, direction: Direction
) -> Iterator[tuple[int, int]]:
    """Yield (position, number of the stop) of all that need a test, nearest first."""
    forward = direction is Direction.FORWARD
    walks = [
        zip(_beyond(stop.positions, cursor, direction), repeat(number), strict=False)
        for number, stop in enumerate(stops)
        if stop.test is not None
    ]
    return merge(*walks, reverse=not forward)


def _beyond(positions: Posting, cursor: int, direction: Direction) -> Iterator[int]:
    """Yield the members of sorted `positions` beyond `cursor`, nearest first, without a copy."""
    if direction is Direction.FORWARD:
        places = range(bisect_right(positions, cursor), len(positions))
    else:
        places = range(bisect_left(positions, cursor) - 1, -1, -1)
    return map(positions.__getitem__, places)


def _spending(stops: Sequence[Candidates]) -> Callable[[], int]:
    """Return what reads the cost of all tests since the last reset."""
    meters = [meter for stop in stops for meter in stop.meters]
    if len(meters) == 1:
        return lambda: meters[0].spent
    return lambda: sum(meter.spent for meter in meters)


def _reset(stops: Sequence[Candidates]) -> None:
    for stop in stops:
        for meter in stop.meters:
            meter.spent = 0
