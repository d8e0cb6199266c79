"""Visits of an artifact as values, made from its rows when looked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from engine.core.contract.json_types import JsonObject, integer, mapping, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One stay in a state; `parent` is the ordinal of the visit it is nested in."""

    visit_id: str
    state_id: str
    occurrence: int
    parent: int | None
    via_edge: str | None
    entered_index: int
    closed_index: int | None
    exit_edge: str | None
    exit_to: str | None
    exit_label: str
    exit_reason: str | None

    @property
    def superseded(self) -> bool:
        """Whether the visit was closed by another's entry or exit, without a record of its own."""
        return self.exit_reason == "superseded"

    def is_open_at(self, cursor: int) -> bool:
        """Return whether the visit is open at `cursor`; its closing record still shows it open."""
        return self.entered_index <= cursor and (
            self.closed_index is None or cursor <= self.closed_index
        )


def visit_of(row: JsonObject, parent: int | None) -> Visit:
    """Return the visit of an artifact's row whose parent has ordinal `parent`."""
    exit_ = mapping(row, "exit")
    return Visit(
        visit_id=text(row, "visit_id") or "",
        state_id=text(row, "state_id") or "",
        occurrence=integer(row, "occurrence") or 0,
        parent=parent,
        via_edge=text(row, "via_edge"),
        entered_index=integer(row, "entered_index") or 0,
        closed_index=integer(row, "closed_index"),
        exit_edge=text(exit_, "edge_id"),
        exit_to=text(exit_, "to"),
        exit_label=text(exit_, "label") or "unavailable",
        exit_reason=text(exit_, "reason"),
    )


class Visits(Sequence[Visit]):
    """All visits in order of entry; each is made once, when first looked at."""

    def __init__(self, rows: Sequence[JsonObject], ordinal_of: Callable[[str], int | None]) -> None:
        """Take the artifact's `visits`, and what finds a visit's ordinal by its id."""
        self._rows = rows
        self._ordinal_of = ordinal_of
        self._made: dict[int, Visit] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, ordinal: int) -> Visit: ...

    @overload
    def __getitem__(self, ordinal: slice) -> list[Visit]: ...

    def __getitem__(self, ordinal: int | slice) -> Visit | list[Visit]:
        if isinstance(ordinal, slice):
            return [self[o] for o in range(*ordinal.indices(len(self)))]
        if ordinal not in self._made:
            row = self._rows[ordinal]
            parent = text(row, "parent_visit_id")
            self._made[ordinal] = visit_of(row, self._ordinal_of(parent) if parent else None)
        return self._made[ordinal]
