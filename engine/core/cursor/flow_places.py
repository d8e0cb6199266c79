"""What a line or column of the flow stops at: the places of its states, edges, guards and writes.

Rules (decision 4 of the adapter): a state's line is its entry; an edge's line is the edge taken,
with a column at its `when` each evaluation; a prompt is its being resolved; a set or clear is that
write. A line without any of these means the nearest one, and the answer says so. Everything comes
from the spans in the artifact: lines and UTF-16 columns from 1, ends exclusive.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import (
    JsonObject,
    JsonValue,
    integer,
    mapping,
    rows,
    text,
    texts,
)
from engine.core.cursor.hits import Refusal
from engine.core.cursor.places import (
    EdgeTaken,
    EdgeWrite,
    GuardEvaluated,
    NamedPlace,
    PromptResolved,
    StateEntry,
)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FlowSpan:
    """A stretch of the flow text."""

    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, line: int, column: int) -> bool:
        """Return whether a position lies inside."""
        return (self.line, self.column) <= (line, column) < (self.end_line, self.end_column)

    def reaches(self, line: int) -> bool:
        """Return whether any of a line lies inside."""
        return self.line <= line < self.end_line + (self.end_column > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlace:
    """Something in the flow that a breakpoint can stand on."""

    span: FlowSpan
    place: NamedPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBreakpoint:
    """What a breakpoint at a line stops at.

    `line`, `column` are where it stands; `moved` says in words why that is another line than the
    one asked for, else it is None.
    """

    line: int
    column: int
    places: tuple[NamedPlace, ...]
    moved: str | None


_Found: TypeAlias = Iterator[FlowPlace]


def breakpoint_at(
    view: ArtifactView, line: int, column: int | None = None
) -> LineBreakpoint | Refusal:
    """Return what a breakpoint at `line` (and `column`) of the flow text stops at.

    Without a column: everything of the first kind on that line, of states, edges, prompts, guards,
    writes; several states where a flow stands on one line. With one: what the column is in, or
    else what starts last before it. Cost: O(flow).
    """
    listed = flow_places(view)
    if not listed:
        return Refusal(message="The flow of this call has no states to stop at.")
    last = (text(view.flow, "text") or "").count("\n") + 1
    if not 1 <= line <= max(last, listed[-1].span.line):
        return Refusal(message=f"The flow of this call has lines 1 to {last} only.")
    on_line = [found for found in listed if found.span.line == line]
    if on_line:
        chosen = _first_kind(on_line) if column is None else _at_column(on_line, line, column)
        return _placed(chosen, moved=None)
    around = [found for found in _reaches(view) if found.span.reaches(line)]
    if around:
        innermost = max(around, key=lambda found: found.span)
        what = describe(innermost.place)
        moved = f"Line {line} is a part of {what}, which stands on line {innermost.span.line}."
        chosen = [found for found in listed if found.place == innermost.place]
        return _placed(chosen or [innermost], moved=moved)
    nearest = min(listed, key=lambda found: (abs(found.span.line - line), -found.span.line))
    chosen = _first_kind([found for found in listed if found.span.line == nearest.span.line])
    what = describe(chosen[0].place)
    moved = f"Nothing on line {line} can stop; the nearest that can is {what}."
    return _placed(chosen, moved=moved)


def flow_places(view: ArtifactView) -> list[FlowPlace]:
    """Return everything in the flow that a breakpoint can stand on, in order of the text."""
    found = [place for state in _states(view) for place in _state_places(*state)]
    return sorted(found, key=lambda item: (item.span, _RANKS[type(item.place)]))


def describe(place: NamedPlace) -> str:
    """Return a place in words, for a message."""
    match place:
        case StateEntry(state_id=state_id):
            return f"state {state_id!r}"
        case PromptResolved(state_id=state_id):
            return f"the prompt of {state_id!r}"
        case EdgeTaken(edge_id=edge_id):
            return f"edge {edge_id!r}"
        case GuardEvaluated(edge_id=edge_id):
            return f"the guard of {edge_id!r}"
        case EdgeWrite(edge_id=edge_id, slot=slot):
            return f"the write of slot {slot!r} by {edge_id!r}"
        case _:
            return "this place"


_RANKS: dict[type[NamedPlace], int] = {
    StateEntry: 0,
    EdgeTaken: 1,
    PromptResolved: 2,
    GuardEvaluated: 3,
    EdgeWrite: 4,
}


def _first_kind(found: Sequence[FlowPlace]) -> list[FlowPlace]:
    """Return those of `found` whose kind comes first."""
    first = min(_RANKS[type(item.place)] for item in found)
    return [item for item in found if _RANKS[type(item.place)] == first]


def _at_column(on_line: Sequence[FlowPlace], line: int, column: int) -> list[FlowPlace]:
    """Return what a column of a line is in: the innermost, else the last to start before it."""
    holding = [item for item in on_line if item.span.holds(line, column)]
    if holding:
        return [min(reversed(holding), key=lambda item: _extent(item.span))]
    before = [item for item in on_line if item.span.column <= column]
    return [(before or on_line[:1])[-1]]


def _extent(span: FlowSpan) -> tuple[int, int]:
    """Return how far a span reaches, comparable among spans that hold one position."""
    return (span.end_line - span.line, span.end_column - span.column)


def _placed(found: Sequence[FlowPlace], *, moved: str | None) -> LineBreakpoint:
    span = found[0].span
    places = tuple(dict.fromkeys(item.place for item in found))
    return LineBreakpoint(line=span.line, column=span.column, places=places, moved=moved)


# -- spans -----------------------------------------------------------------------------------------


def _states(view: ArtifactView) -> Iterator[tuple[str, JsonObject]]:
    for state_id, state in mapping(view.flow, "states").items():
        if isinstance(state, dict):
            yield state_id, state


def _reaches(view: ArtifactView) -> _Found:
    """Yield every place with all of its text, a state's being its whole block."""
    for state_id, state in _states(view):
        whole = _span(state.get("span"))
        if whole is not None:
            yield FlowPlace(span=whole, place=StateEntry(state_id=state_id))
        for item in _state_places(state_id, state):
            if not isinstance(item.place, StateEntry):
                yield item


def _state_places(state_id: str, state: JsonObject) -> _Found:
    spans = mapping(state, "spans")
    named: list[tuple[JsonValue, NamedPlace]] = [
        (spans.get("key") or state.get("span"), StateEntry(state_id=state_id)),
        (spans.get("prompt"), PromptResolved(state_id=state_id)),
        (spans.get("entry_line"), PromptResolved(state_id=state_id)),
    ]
    for edge in rows(state, "edges"):
        named += _edge_places(edge)
    for value, place in named:
        span = _span(value)
        if span is not None:
            yield FlowPlace(span=span, place=place)


def _edge_places(edge: JsonObject) -> Iterator[tuple[JsonValue, NamedPlace]]:
    edge_id, spans = text(edge, "edge_id") or "", mapping(edge, "spans")
    yield spans.get("edge"), EdgeTaken(edge_id=edge_id)
    yield spans.get("when"), GuardEvaluated(edge_id=edge_id)
    sets = [text(row, "slot") or "" for row in rows(edge, "sets")]
    for slot, span in zip(sets, rows(spans, "sets"), strict=False):
        yield span, EdgeWrite(edge_id=edge_id, slot=slot)
    for slot, span in zip(texts(edge, "clears"), rows(spans, "clears"), strict=False):
        yield span, EdgeWrite(edge_id=edge_id, slot=slot)


def _span(value: JsonValue) -> FlowSpan | None:
    """Return a span of the artifact, or None where there is none."""
    if not isinstance(value, dict):
        return None
    names = ("line", "column", "end_line", "end_column")
    line, column, end_line, end_column = (integer(value, name) for name in names)
    if line is None or column is None or end_line is None or end_column is None:
        return None
    return FlowSpan(line=line, column=column, end_line=end_line, end_column=end_column)
