"""Intervals over event indices: what is open at a cursor, without a scan.

An interval [start, end) is open at cursor i when start <= i < end. `None` as end: open for ever.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_NEVER = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """From `start` on, up to but not including `end`; `key` says what it is about."""

    start: int
    end: int | None
    key: str


class Intervals:
    """A fixed set of intervals that answers which are open at a cursor, in order of start."""

    def __init__(self, intervals: Sequence[Interval]) -> None:
        ordered = sorted(intervals, key=lambda i: i.start)
        self._starts = [i.start for i in ordered]
        self._keys = [i.key for i in ordered]
        ends = [_NEVER if i.end is None else max(i.end, i.start) for i in ordered]
        self._sorted_ends = sorted(ends)
        self._leaves = 1 << max(len(ends) - 1, 0).bit_length()
        self._tree = [0] * self._leaves + ends + [0] * (self._leaves - len(ends))
        for node in range(self._leaves - 1, 0, -1):
            self._tree[node] = max(self._tree[2 * node], self._tree[2 * node + 1])

    def count_at(self, cursor: int) -> int:
        """Return how many intervals are open at `cursor`. Cost: O(log n)."""
        return bisect_right(self._starts, cursor) - bisect_right(self._sorted_ends, cursor)

    def open_at(self, cursor: int, *, limit: int) -> list[tuple[int, str]]:
        """Return (start, key) of the first `limit` open intervals. Cost: O(limit log n)."""
        found: list[tuple[int, str]] = []
        stop = bisect_right(self._starts, cursor)
        position = self._first_ending_after(cursor, 0)
        while position < stop and len(found) < limit:
            found.append((self._starts[position], self._keys[position]))
            position = self._first_ending_after(cursor, position + 1)
        return found

    def _first_ending_after(self, cursor: int, position: int) -> int:
        """Return the least position >= `position` whose end is beyond `cursor`, else the count."""
        node = position + self._leaves
        if position >= len(self._starts):
            return len(self._starts)
        while self._tree[node] <= cursor:
            while node & 1:
                node >>= 1
            if node == 0:
                return len(self._starts)
            node += 1
        while node < self._leaves:
            node *= 2
            if self._tree[node] <= cursor:
                node += 1
        return min(node - self._leaves, len(self._starts))
