"""Hits of a breakpoint in the whole recording, and hit conditions over them.

A recording is complete, so a hit's number is a fact that is looked up: the third hit is the third
in call order, whichever way one comes to it. Nothing counts while moving. Source: decision 9 of the
adapter, law 8.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.cursor.scan import BUDGET, Candidates, hold

HIT_NUMBER_DIGITS_MAX = 9
_HIT_CONDITION = re.compile(r"(==|!=|>=|<=|>|<|%|)\s*([0-9]+)")
_FORMS = "`3`, `==3`, `!=3`, `>=3`, `>3`, `<3`, `<=3`, `%2` or `last`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a breakpoint cannot stop, and what to write instead; an answer, never an exception."""

    message: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Where a breakpoint stops.

    `positions` are sorted event indices; `total` counts the hits whose condition is true, before
    the hit condition chose among them. `failed_evaluations` are no hits; `first_failure` says why
    the first failed.
    """

    positions: tuple[int, ...]
    total: int
    failed_evaluations: int = 0
    first_failure: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCondition:
    """Which hits stop, by their number from 1 in call order; `operator` may be `last`."""

    operator: str
    number: int

    def of(self, hits: tuple[int, ...]) -> tuple[int, ...]:
        """Return the hits that stop. Cost: O(hits)."""
        n = self.number
        match self.operator:
            case "last":
                return hits[-1:]
            case ">=":
                return hits[max(n - 1, 0) :]
            case ">":
                return hits[n:]
            case "<=":
                return hits[:n]
            case "<":
                return hits[: n - 1]
            case "%":
                return hits[n - 1 :: n]
            case "!=":
                return hits[: max(n - 1, 0)] + hits[n:]
            case _:
                return hits[n - 1 : n]


def parse_hit_condition(text: str) -> HitCondition | Refusal:
    """Return which hits a text means, or why it means none.

    >>> parse_hit_condition("%2")
    HitCondition(operator='%', number=2)
    """
    if text.strip() == "last":
        return HitCondition(operator="last", number=0)
    found = _HIT_CONDITION.fullmatch(text.strip())
    if found is None:
        return Refusal(message=f"This hit count is none of {_FORMS}.")
    operator, digits = found.group(1) or "==", found.group(2)
    if len(digits) > HIT_NUMBER_DIGITS_MAX:
        return Refusal(message=f"A hit count has at most {HIT_NUMBER_DIGITS_MAX} digits.")
    number = int(digits)
    least = {"==": 1, "%": 1, "<=": 1, "<": 2}.get(operator, 0)
    if number < least:
        return Refusal(message=f"Hits are numbered from 1, so no hit is {operator}{number}.")
    return HitCondition(operator=operator, number=number)


HitSearch: TypeAlias = Generator[int, None, Hits]
"""Yields positions reached, returns the hits."""


def search_hits(
    candidates: Candidates, hit_condition: HitCondition | None, *, budget: int = BUDGET
) -> HitSearch:
    """Find all hits among `candidates`, yielding whenever `budget` is spent."""
    held = tuple((yield from hold(candidates, budget=budget)))
    failures = [meter.first_failure for meter in candidates.meters if meter.first_failure]
    return Hits(
        positions=held if hit_condition is None else hit_condition.of(held),
        total=len(held),
        failed_evaluations=sum(meter.failed for meter in candidates.meters),
        first_failure=failures[0] if failures else None,
        warnings=candidates.warnings,
    )
