from hypothesis import example, given
from hypothesis import strategies as st

from engine.core.artifact.intervals import Interval, Intervals

LISTS = st.lists(
    st.builds(
        Interval,
        start=st.integers(0, 12),
        end=st.none() | st.integers(0, 14),
        key=st.integers(0, 3),
    ),
    max_size=20,
)


def brute_force(intervals: list[Interval], cursor: int) -> list[tuple[int, int]]:
    open_ = [
        (i.start, i.key)
        for i in intervals
        if i.start <= cursor and (i.end is None or cursor < i.end)
    ]
    return sorted(open_, key=lambda row: row[0])


@given(LISTS, st.integers(0, 5))
@example([], 3)
@example([Interval(start=2, end=2, key=1)], 3)
@example([Interval(start=2, end=1, key=1)], 3)
@example([Interval(start=n, end=None, key=0) for n in range(5)], 2)
def test_equals_brute_force_at_every_cursor(listed: list[Interval], limit: int) -> None:
    intervals = Intervals.of(listed)
    for cursor in range(-1, 16):
        expected = brute_force(listed, cursor)
        assert intervals.count_at(cursor) == len(expected)
        assert intervals.open_at(cursor, limit=limit) == expected[:limit]
        assert intervals.open_at(cursor, limit=100) == expected


def test_an_interval_is_open_from_its_start_up_to_its_end() -> None:
    intervals = Intervals.of([Interval(start=3, end=5, key=1)])
    assert [intervals.count_at(cursor) for cursor in range(2, 6)] == [0, 1, 1, 0]
