"""Breakpoints of a session: what the client asked for, and where that stops.

Rules: a breakpoint is what the client sent plus an id that stays the same when it is sent again.
What it means and where it stops is the core's to say, looked up in the whole recording, which is
complete; a look-up that takes longer goes on in slices, and until it is done nothing runs.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_adapter.flow_source import comparable_parts, local_path, real_path
from dap_adapter.handles import Handles
from dap_adapter.protocol import (
    DataBreakpoint,
    ExceptionFilterOptions,
    FunctionBreakpoint,
    Source,
    SourceBreakpoint,
)
from dap_adapter.wishes import Kind, Placed, Wish

if TYPE_CHECKING:
    from dap_adapter.jobs import Advance
    from dap_adapter.opened import Opened
    from dap_adapter.placing import Search


class Stops(Struct, frozen=True, kw_only=True):
    """The stop lists of all breakpoints that stop, and the breakpoints; the two run parallel."""

    positions: tuple[Sequence[int], ...]
    met: tuple[Wish, ...]


class Breakpoints:
    """Everything that the client has set, by source and by kind."""

    def __init__(self) -> None:
        self._numbers: Handles[tuple[str | int | None, ...]] = Handles()
        self._sets: dict[str, tuple[Wish, ...]] = {}
        self._sources: dict[str, Source] = {}
        self._searches: dict[Wish, Search] = {}
        self._printed: set[Wish] = set()
        self._stops: Stops | None = None

    # -- setting -----------------------------------------------------------------------------------

    def set_lines(self, source: Source, wanted: Sequence[SourceBreakpoint]) -> tuple[Wish, ...]:
        """Replace the breakpoints of a source and return them in the order given."""
        key = _source_key(source)
        self._sources[f"{Kind.LINE} {key}"] = source
        return self._set(
            f"{Kind.LINE} {key}",
            [
                Wish(
                    number=number,
                    kind=Kind.LINE,
                    line=item.line,
                    column=item.column,
                    condition=item.condition,
                    hit_condition=item.hit_condition,
                    log_message=item.log_message or None,
                )
                for number, item in zip(
                    self._numbered([(Kind.LINE, key, item.line, item.column) for item in wanted]),
                    wanted,
                    strict=True,
                )
            ],
        )

    def set_functions(self, wanted: Sequence[FunctionBreakpoint]) -> tuple[Wish, ...]:
        """Replace the function breakpoints and return them in the order given."""
        numbers = self._numbered([(Kind.FUNCTION, item.name) for item in wanted])
        return self._set(
            Kind.FUNCTION,
            [
                Wish(
                    number=number,
                    kind=Kind.FUNCTION,
                    name=item.name,
                    condition=item.condition,
                    hit_condition=item.hit_condition,
                )
                for number, item in zip(numbers, wanted, strict=True)
            ],
        )

    def set_slots(self, wanted: Sequence[DataBreakpoint]) -> tuple[Wish, ...]:
        """Replace the data breakpoints and return them in the order given."""
        numbers = self._numbered([(Kind.SLOT, item.data_id) for item in wanted])
        return self._set(
            Kind.SLOT,
            [
                Wish(
                    number=number,
                    kind=Kind.SLOT,
                    name=item.data_id,
                    access=item.access_type or "write",
                    condition=item.condition,
                    hit_condition=item.hit_condition,
                )
                for number, item in zip(numbers, wanted, strict=True)
            ],
        )

    def set_filters(self, wanted: Sequence[ExceptionFilterOptions]) -> tuple[Wish, ...]:
        """Replace the exception filters and return them in the order given."""
        numbers = self._numbered([(Kind.FINDING, item.filter_id) for item in wanted])
        return self._set(
            Kind.FINDING,
            [
                Wish(
                    number=number,
                    kind=Kind.FINDING,
                    name=item.filter_id,
                    condition=item.condition,
                )
                for number, item in zip(numbers, wanted, strict=True)
            ],
        )

    def _numbered(self, keys: Sequence[tuple[str | int | None, ...]]) -> list[int]:
        """Return the id of each key; equal keys of one set are told apart by their order."""
        seen: dict[tuple[str | int | None, ...], int] = {}
        numbers: list[int] = []
        for key in keys:
            seen[key] = seen.get(key, 0) + 1
            numbers.append(self._numbers.number_of((*key, seen[key])))
        return numbers

    def _set(self, key: str, wanted: list[Wish]) -> tuple[Wish, ...]:
        self._sets[key] = tuple(wanted)
        current = set(self.all())
        self._searches = {wish: item for wish, item in self._searches.items() if wish in current}
        self._printed &= current
        self._stops = None
        return self._sets[key]

    # -- looking up --------------------------------------------------------------------------------

    def all(self) -> Iterable[Wish]:
        """Return every breakpoint, in the order in which their sets came first."""
        for wishes in self._sets.values():
            yield from wishes

    def found(self, wish: Wish, opened: "Opened") -> "Search":
        """Return the look-up of a breakpoint, begun at its first use."""
        search = self._searches.get(wish)
        if search is None:
            from dap_adapter.placing import Search  # noqa: PLC0415 - start-up

            search = self._searches[wish] = Search(wish, self.source_of(wish), opened)
        return search

    def source_of(self, wish: Wish) -> Source | None:
        """Return the source of a breakpoint on a line, as the client spelled it last."""
        keys = (key for key, wishes in self._sets.items() if wish in wishes)
        return self._sources.get(next(keys, "")) if wish.kind is Kind.LINE else None

    def are_known(self, opened: "Opened") -> bool:
        """Return whether every look-up is done."""
        return self._stops is not None or all(
            self.found(wish, opened).outcome is not None for wish in self.all()
        )

    def learning(self, opened: "Opened") -> "Iterator[Advance]":
        """Go on with the look-ups that are not done, a slice for each value."""
        for wish in [*self.all()]:
            search = self.found(wish, opened)
            while search.outcome is None:
                yield search.advance()

    def forget_stops(self) -> None:
        """Look everything up anew: the recording is another one."""
        self._searches.clear()
        self._printed.clear()
        self._stops = None

    def stops(self, opened: "Opened") -> Stops:
        """Return where the breakpoints stop; kept until one is set. Every look-up is done."""
        if self._stops is None:
            found = [
                (wish, outcome.positions)
                for wish in self.all()
                if isinstance(outcome := self.found(wish, opened).outcome, Placed)
                and wish.log_message is None
            ]
            self._stops = Stops(
                positions=tuple(positions for _, positions in found),
                met=tuple(wish for wish, _ in found),
            )
        return self._stops

    def to_print(self) -> list[Wish]:
        """Return the log points that have not printed yet; from now on they have."""
        new = [wish for wish in self.all() if wish.log_message and wish not in self._printed]
        self._printed.update(new)
        return new

    def numbered(self, number: int) -> Wish | None:
        """Return the breakpoint with this id, if it is still set."""
        return next((wish for wish in self.all() if wish.number == number), None)


def _source_key(source: Source) -> str:
    """Return one key for all spellings of a source."""
    if source.source_reference:
        return f"reference {source.source_reference}"
    path = local_path(source.path or source.name or "")
    return "/".join(comparable_parts(real_path(path)))
