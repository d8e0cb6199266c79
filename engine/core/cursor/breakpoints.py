"""Breakpoints as values: a place, a condition, a hit condition -> where they stop.

Rules: a breakpoint is looked up in the whole recording when it is set; what cannot be obeyed is an
answer that says what to write. Which breakpoint an editor means by a line is in `flow_places`, what
a name means in `function_names`. Source: design section 10, decisions 4, 8-12 of the adapter.
"""

from collections.abc import Generator
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.cursor.conditions import both, either, expression_candidates
from engine.core.cursor.function_names import function_candidates
from engine.core.cursor.hits import Hits, Refusal, parse_hit_condition, search_hits
from engine.core.cursor.places import FunctionName, Place, place_candidates
from engine.core.cursor.scan import BUDGET, Candidates, finish


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """Stops at any of `places` where `condition` (CEL) holds; the hit condition chooses hits."""

    places: tuple[Place, ...]
    condition: str | None = None
    hit_condition: str | None = None


def breakpoint_hits(view: ArtifactView, breakpoint_: Breakpoint) -> Hits | Refusal:
    """Return where a breakpoint stops, or why it cannot.

    Cost: of its places; with a condition, an evaluation at each of their events.
    """
    return finish(search_breakpoint(view, breakpoint_))


def search_breakpoint(
    view: ArtifactView, breakpoint_: Breakpoint, *, budget: int = BUDGET
) -> Generator[int, None, Hits | Refusal]:
    """Find a breakpoint's hits, yielding whenever `budget` is spent; returns them or a refusal."""
    chosen = None
    if breakpoint_.hit_condition is not None and breakpoint_.hit_condition.strip():
        chosen = parse_hit_condition(breakpoint_.hit_condition)
        if isinstance(chosen, Refusal):
            return chosen
    candidates = breakpoint_candidates(view, breakpoint_)
    if isinstance(candidates, Refusal):
        return candidates
    return (yield from search_hits(candidates, chosen, budget=budget))


def breakpoint_candidates(view: ArtifactView, breakpoint_: Breakpoint) -> Candidates | Refusal:
    """Return where a breakpoint can be hit, and what decides there; its hit condition aside."""
    if not breakpoint_.places:
        return Refusal(message="A breakpoint needs a place to stop at.")
    parts: list[Candidates] = []
    for place in breakpoint_.places:
        found = _place(view, place)
        if isinstance(found, Refusal):
            return found
        parts.append(found)
    found = parts[0] if len(parts) == 1 else either(view, parts)
    if breakpoint_.condition is None or not breakpoint_.condition.strip():
        return found
    try:
        condition = expression_candidates(view, breakpoint_.condition, found.positions)
    except InvalidCommand as mistake:
        return Refusal(message=mistake.message)
    return condition if found.test is None else both(view, [found, condition])


def _place(view: ArtifactView, place: Place) -> Candidates | Refusal:
    if isinstance(place, FunctionName):
        return function_candidates(view, place.pattern)
    return place_candidates(view, place)
