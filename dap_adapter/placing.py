"""From what a client asked for to where the recording stops: places, look-ups, and their words.

Rules: the core says what a line, name, slot or finding means, which conditions hold, and which hits
count; here its answers are only brought together and worded. A refusal stands at its own place in
the answer and says what to write.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from dap_adapter.convert import bounded, safe_text
from dap_adapter.errors import DapError
from dap_adapter.jobs import Advance
from dap_adapter.opened import Opened
from dap_adapter.protocol import Source
from dap_adapter.wishes import SLOT_PREFIX, Kind, Placed, Refused, Wish, hit_text
from engine.core.cursor import (
    Breakpoint,
    FindingCode,
    FunctionName,
    Hits,
    LineBreakpoint,
    Place,
    Refusal,
    SlotRead,
    SlotWrite,
    breakpoint_at,
    breakpoint_hits,
    breakpoint_in_program,
    search_breakpoint,
)

if TYPE_CHECKING:
    from collections.abc import Generator

SLICE_BUDGET = 2_000
"""What a slice of a look-up may cost, in the core's units: a few milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a breakpoint means in this recording, and where in the flow it stands."""

    places: tuple[Place, ...]
    line: int | None = None
    column: int | None = None
    moved: str | None = None


class Search:
    """The look-up of one breakpoint: begun when made, gone on with by `advance`."""

    def __init__(self, wish: Wish, source: Source | None, opened: Opened) -> None:
        self.outcome: Placed | Refused | None = None
        self._total = opened.last + 1
        self._place = _placed(wish, source, opened)
        self._steps: Generator[int, None, Hits | Refusal] | None = None
        if isinstance(self._place, Refused):
            self.outcome = self._place
            return
        if (refused := _log_mistake(wish, opened)) is not None:
            self.outcome = refused
            return
        breakpoint_ = Breakpoint(
            places=self._place.places,
            condition=wish.condition or None,
            hit_condition=wish.hit_condition or None,
        )
        self._steps = search_breakpoint(opened.view, breakpoint_, budget=SLICE_BUDGET)
        self.advance()

    @property
    def line(self) -> int | None:
        """The flow line that the breakpoint stands on, known before its hits are."""
        return None if isinstance(self._place, Refused) else self._place.line

    @property
    def column(self) -> int | None:
        """The column that it stands on."""
        return None if isinstance(self._place, Refused) else self._place.column

    def advance(self) -> Advance:
        """Look further for one slice; `outcome` is set when that was the last."""
        assert self._steps is not None, "a look-up that is over is not gone on with"
        assert isinstance(self._place, Meaning)
        try:
            reached = next(self._steps)
        except StopIteration as done:
            found: Hits | Refusal = done.value
            self.outcome = _worded(self._place, found)
            return Advance(self._total, self._total)
        return Advance(max(0, reached + 1), self._total)


def positions_on(opened: Opened, line: int, column: int | None) -> Placed | Refused:
    """Return where a line of the flow ran, as a breakpoint on it would stop."""
    found = breakpoint_at(opened.view, line, column)
    if isinstance(found, Refusal):
        return Refused(message=safe_text(found.message))
    place = Meaning(places=found.places, line=found.line, column=found.column, moved=found.moved)
    return _worded(place, breakpoint_hits(opened.view, Breakpoint(places=found.places)))


def _placed(wish: Wish, source: Source | None, opened: Opened) -> Meaning | Refused:
    """Return what a breakpoint means in this recording."""
    match wish.kind:
        case Kind.LINE:
            return _line(wish, source, opened)
        case Kind.FUNCTION:
            return Meaning(places=(FunctionName(pattern=wish.name),))
        case Kind.FINDING:
            return _finding(wish.name)
        case Kind.SLOT:
            return _slot(wish, opened)
        case _:
            assert_never(wish.kind)


def _line(wish: Wish, source: Source | None, opened: Opened) -> Meaning | Refused:
    assert source is not None, "a breakpoint on a line has a source"
    if not opened.source.is_meant_by(source):
        if (path := opened.program.recorded_path_of(source)) is not None:
            return _meaning(breakpoint_in_program(opened.view, path, wish.line))
        return Refused(
            message=f"This file is not the flow of this call ({safe_text(opened.source.name)})."
        )
    return _meaning(breakpoint_at(opened.view, wish.line, wish.column))


def _meaning(found: LineBreakpoint | Refusal) -> Meaning | Refused:
    if isinstance(found, Refusal):
        return Refused(message=safe_text(found.message))
    return Meaning(places=found.places, line=found.line, column=found.column, moved=found.moved)


def _finding(code: str) -> Meaning | Refused:
    from dap_adapter.capabilities import FINDING_CODES  # noqa: PLC0415 - start-up

    if code not in FINDING_CODES:
        return Refused(
            message=f"'{safe_text(code)}' is no finding: the filters are the findings' codes, like"
            f" {FINDING_CODES[0]}."
        )
    return Meaning(places=(FindingCode(code=code),))


def _slot(wish: Wish, opened: Opened) -> Meaning | Refused:
    if not wish.name.startswith(SLOT_PREFIX):
        return Refused(message=f"A data breakpoint here is '{SLOT_PREFIX}' and a slot's name.")
    slot = wish.name.removeprefix(SLOT_PREFIX)
    if slot not in opened.slot_by_name:
        return Refused(message=f"This call has no slot '{safe_text(slot)}'.")
    match wish.access:
        case "write":
            return Meaning(places=(SlotWrite(slot=slot),))
        case "read":
            return Meaning(places=(SlotRead(slot=slot),))
        case "readWrite":
            return Meaning(places=(SlotWrite(slot=slot), SlotRead(slot=slot)))


def _log_mistake(wish: Wish, opened: Opened) -> Refused | None:
    """Return why a log point's text cannot be printed; None where it can or there is none."""
    if wish.log_message is None:
        return None
    try:
        opened.template(wish.log_message)
    except DapError as mistake:
        return Refused(message=mistake.text)
    return None


def _worded(place: Meaning, found: Hits | Refusal) -> Placed | Refused:
    """Return the outcome of a look-up with the sentence that the client shows."""
    if isinstance(found, Refusal):
        return Refused(message=bounded(safe_text(found.message)))
    words = hit_text(found.total)
    if len(found.positions) != found.total:
        words += f", stops at {len(found.positions)} of them"
    if found.failed_evaluations:
        times = "once" if found.failed_evaluations == 1 else f"{found.failed_evaluations} times"
        why = (found.first_failure or "").rstrip(".")
        words += f"; the condition could not be evaluated {times}: {why}"
    sentences = [warning.rstrip(".") for warning in found.warnings]
    if place.moved is not None:
        words = f"{place.moved} {words[0].upper()}{words[1:]}"
    return Placed(
        positions=found.positions,
        line=place.line,
        column=place.column,
        message=bounded(safe_text(". ".join([words, *sentences]))),
    )
