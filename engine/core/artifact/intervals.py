"""Intervals over event indices: what is open at a cursor, without a scan.

An interval [start, end) is open at cursor i when start <= i < end. `None` as end: open for ever.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NEVER = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """From `start` on, up to but not including `end`; `key` numbers what it is about."""

    start: int
    end: int | None
    key: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """A fixed set of intervals that answers which are open at a cursor, in order of start.

    `tree` is a heap-shaped tree of the greatest end below each node; leaf i is interval i.
    """

    starts: Sequence[int]
    keys: Sequence[int]
    sorted_ends: Sequence[int]
    tree: Sequence[int]

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> "Intervals":
        """Return the set of the given intervals. Cost: O(n log n)."""
        ordered = sorted(intervals, key=lambda i: i.start)
        ends = array("q", (_NEVER if i.end is None else max(i.end, i.start) for i in ordered))
        leaves = 1 << max(len(ends) - 1, 0).bit_length()
        tree = array("q", bytes(8 * 2 * leaves))
        tree[leaves : leaves + len(ends)] = ends
        for node in range(leaves - 1, 0, -1):
            tree[node] = max(tree[2 * node], tree[2 * node + 1])
        return cls(
            starts=array("I", (i.start for i in ordered)),
            keys=array("I", (i.key for i in ordered)),
            sorted_ends=array("q", sorted(ends)),
            tree=tree,
        )

    def count_at(self, cursor: int) -> int:
        """Return how many intervals are open at `cursor`. Cost: O(log n)."""
        return bisect_right(self.starts, cursor) - bisect_right(self.sorted_ends, cursor)

    def open_at(self, cursor: int, *, limit: int) -> list[tuple[int, int]]:
        """Return (start, key) of the first `limit` open intervals. Cost: O(limit log n)."""
        found: list[tuple[int, int]] = []
        stop = bisect_right(self.starts, cursor)
        position = self._first_ending_after(cursor, 0)
        while position < stop and len(found) < limit:
            found.append((self.starts[position], self.keys[position]))
            position = self._first_ending_after(cursor, position + 1)
        return found

    def _first_ending_after(self, cursor: int, position: int) -> int:
        """Return the least position >= `position` whose end is beyond `cursor`, else the count."""
        leaves, count = len(self.tree) // 2, len(self.starts)
        if position >= count:
            return count
        node = position + leaves
        while self.tree[node] <= cursor:
            while node & 1:
                node >>= 1
            if node == 0:
                return count
            node += 1
        while node < leaves:
            node *= 2
            if self.tree[node] <= cursor:
                node += 1
        return min(node - leaves, count)
