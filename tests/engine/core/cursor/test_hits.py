"""Hit conditions: which numbers they mean, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.cursor.hits import HitCondition, Refusal, parse_hit_condition, search_hits
from engine.core.cursor.scan import Candidates, finish

_MEANT = {
    "==": lambda k, n, _: k == n,
    "!=": lambda k, n, _: k != n,
    ">=": lambda k, n, _: k >= n,
    ">": lambda k, n, _: k > n,
    "<=": lambda k, n, _: k <= n,
    "<": lambda k, n, _: k < n,
    "%": lambda k, n, _: k % n == 0,
    "": lambda k, n, _: k == n,
}


@given(st.sampled_from([*_MEANT]), st.integers(0, 12), st.integers(0, 12))
def test_a_number_means_hits_counted_from_one(operator: str, number: int, count: int) -> None:
    hits = tuple(range(100, 100 + count))
    condition = parse_hit_condition(f" {operator} {number} ")
    meant = _MEANT[operator]
    if isinstance(condition, Refusal):
        if operator != "%":
            assert not any(meant(k, number, count) for k in range(1, 100))
        return
    assert condition.of(hits) == tuple(
        hit for k, hit in enumerate(hits, 1) if meant(k, number, count)
    )


def test_last_is_the_last() -> None:
    last = parse_hit_condition(" last ")
    assert last == HitCondition(operator="last", number=0)
    assert last.of((4, 5)) == (5,)
    assert last.of(()) == ()


@pytest.mark.parametrize("text", ["", "x", "=3", "3x", "-1", "1.5", "> ", "%0", "0", "<1", "first"])
def test_anything_else_says_what_to_write(text: str) -> None:
    refused = parse_hit_condition(text)
    assert isinstance(refused, Refusal)
    assert "hit" in refused.message.lower()


def test_a_very_long_number_is_refused() -> None:
    assert isinstance(parse_hit_condition("9" * 5_000), Refusal)


@given(st.text(max_size=8))
def test_any_text_is_a_condition_or_a_refusal(text: str) -> None:
    assert isinstance(parse_hit_condition(text), HitCondition | Refusal)


def test_the_total_is_counted_before_the_hit_condition_chooses() -> None:
    chosen = HitCondition(operator="==", number=2)
    found = finish(search_hits(Candidates(positions=(3, 5, 8)), chosen))
    assert (found.positions, found.total) == ((5,), 3)
