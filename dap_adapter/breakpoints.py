"""Breakpoints of a session and the positions where they stop.

Rules: a breakpoint is what the client sent plus an id that stays the same when it is sent again;
where it stops is looked up in the recording, which is complete, so its message can say how often it
is hit. What is not supported is refused at its own place in the answer, never half obeyed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import TypeAlias

from dap_adapter.convert import safe_text
from dap_adapter.flow_source import comparable_parts, local_path, real_path
from dap_adapter.handles import Handles
from dap_adapter.opened import Opened
from dap_adapter.protocol import DataBreakpoint, Source, SourceBreakpoint

SLOT_PREFIX = "slot:"
"""A `dataId` is this and the slot's name; valid in any session."""

WAITING = "Waits for a recording to be opened."


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBreakpoint:
    """A breakpoint in a file; line and column from 1; `refusal` says why it cannot stop."""

    number: int
    source: Source
    line: int
    column: int | None
    refusal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotBreakpoint:
    """A breakpoint at the writes of a slot; `slot` is None for a foreign `dataId`."""

    number: int
    slot: str | None
    refusal: str | None


AnyBreakpoint: TypeAlias = LineBreakpoint | SlotBreakpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A breakpoint that stops at `positions`; `line` is where it stands, from 1."""

    positions: Sequence[int]
    line: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A breakpoint that cannot stop, and why."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops:
    """The stop lists of all verified breakpoints; the three run parallel.

    `slots` holds the slot of a data breakpoint, None for one on a line.
    """

    positions: tuple[Sequence[int], ...]
    ids: tuple[int, ...]
    slots: tuple[str | None, ...]


class Breakpoints:
    """Everything that the client has set, by source and by kind."""

    def __init__(self) -> None:
        self._numbers: Handles[tuple[str | int | None, ...]] = Handles()
        self._lines: dict[str, tuple[LineBreakpoint, ...]] = {}
        self._slots: tuple[SlotBreakpoint, ...] = ()
        self._stops: Stops | None = None

    def set_lines(
        self, source: Source, wanted: Sequence[SourceBreakpoint]
    ) -> tuple[LineBreakpoint, ...]:
        """Replace the breakpoints of a source and return them in the order given."""
        key = _source_key(source)
        seen: dict[tuple[int, int | None], int] = {}
        kept: list[LineBreakpoint] = []
        for item in wanted:
            place = (item.line, item.column)
            seen[place] = seen.get(place, 0) + 1
            number = self._numbers.number_of(("line", key, *place, seen[place]))
            kept.append(
                LineBreakpoint(
                    number=number,
                    source=source,
                    line=item.line,
                    column=item.column,
                    refusal=_refusal(item.condition, item.hit_condition, item.log_message),
                )
            )
        self._lines[key] = tuple(kept)
        self._stops = None
        return self._lines[key]

    def set_slots(self, wanted: Sequence[DataBreakpoint]) -> tuple[SlotBreakpoint, ...]:
        """Replace the data breakpoints and return them in the order given."""
        seen: dict[str, int] = {}
        kept: list[SlotBreakpoint] = []
        for item in wanted:
            seen[item.data_id] = seen.get(item.data_id, 0) + 1
            number = self._numbers.number_of(("data", item.data_id, seen[item.data_id]))
            is_ours = item.data_id.startswith(SLOT_PREFIX)
            refusal = _refusal(item.condition, item.hit_condition, None)
            if item.access_type not in (None, "write"):
                refusal = "Only writes of a slot can stop: choose the access type 'write'."
            kept.append(
                SlotBreakpoint(
                    number=number,
                    slot=item.data_id.removeprefix(SLOT_PREFIX) if is_ours else None,
                    refusal=refusal,
                )
            )
        self._slots = tuple(kept)
        self._stops = None
        return self._slots

    def all(self) -> Iterable[AnyBreakpoint]:
        """Return every breakpoint, those on lines first."""
        for source in self._lines.values():
            yield from source
        yield from self._slots

    def stops(self, opened: Opened) -> Stops:
        """Return where the breakpoints stop; kept until one is set."""
        if self._stops is None:
            found = [
                (breakpoint_, place.positions)
                for breakpoint_ in self.all()
                if isinstance(place := placed(breakpoint_, opened), Verified)
            ]
            self._stops = Stops(
                positions=tuple(positions for _, positions in found),
                ids=tuple(breakpoint_.number for breakpoint_, _ in found),
                slots=tuple(
                    breakpoint_.slot if isinstance(breakpoint_, SlotBreakpoint) else None
                    for breakpoint_, _ in found
                ),
            )
        return self._stops


def placed(breakpoint_: AnyBreakpoint, opened: Opened) -> Verified | Refused:
    """Return where a breakpoint stops in the open recording, or why it does not."""
    if breakpoint_.refusal is not None:
        return Refused(message=breakpoint_.refusal)
    if isinstance(breakpoint_, SlotBreakpoint):
        return _placed_slot(breakpoint_, opened)
    return _placed_line(breakpoint_, opened)


def _placed_slot(breakpoint_: SlotBreakpoint, opened: Opened) -> Verified | Refused:
    if breakpoint_.slot is None:
        return Refused(message=f"A data breakpoint here is '{SLOT_PREFIX}' and a slot's name.")
    slot = opened.slot_by_name.get(breakpoint_.slot)
    if slot is None:
        return Refused(message=f"This call has no slot '{safe_text(breakpoint_.slot)}'.")
    return Verified(positions=slot.writes, line=None, message=hit_text(len(slot.writes)))


def _placed_line(breakpoint_: LineBreakpoint, opened: Opened) -> Verified | Refused:
    if not opened.source.is_meant_by(breakpoint_.source):
        return Refused(message=f"This file is not the flow of this call ({opened.source.name}).")
    lines, line = opened.lines, breakpoint_.line
    if breakpoint_.column is None:
        states = lines.states_on(line)
    else:
        states = lines.states_at(line, breakpoint_.column)
    moved = ""
    if not states and (around := lines.state_around(line)) is not None:
        states = [around]
        line = lines.of_state(around).line
        moved = f"Moved to line {line}, the line of state '{safe_text(around)}': "
    if not states:
        return Refused(message=_no_state_text(opened, line))
    postings = [opened.view.postings("state_enter", state) for state in states]
    positions = postings[0] if len(postings) == 1 else list(merge(*postings))
    return Verified(positions=positions, line=line, message=moved + hit_text(len(positions)))


def hit_text(count: int) -> str:
    """Return how often a breakpoint is hit in the whole call."""
    if not count:
        return "never reached in this call"
    return "hit once in this call" if count == 1 else f"hit {count} times in this call"


def _no_state_text(opened: Opened, line: int) -> str:
    nearest = opened.lines.nearest_state(line)
    if nearest is None:
        return "The flow of this call has no states to stop at."
    return (
        "No state is on this line. The nearest one is"
        f" '{safe_text(nearest)}' on line {opened.lines.of_state(nearest).line}."
    )


def _refusal(condition: str | None, hit_condition: str | None, log: str | None) -> str | None:
    """Return why a breakpoint with these extras cannot be obeyed; None where it has none."""
    for name, value in (
        ("A condition", condition),
        ("A hit count", hit_condition),
        ("A log message", log),
    ):
        if value:
            return f"{name} on a breakpoint is not supported: remove it to stop here."
    return None


def _source_key(source: Source) -> str:
    """Return one key for all spellings of a source."""
    if source.source_reference:
        return f"reference {source.source_reference}"
    path = local_path(source.path or source.name or "")
    return "/".join(comparable_parts(real_path(path)))
