"""Setting breakpoints of every kind, where one can be set, and log points, which print at once.

Rules: one answer for each entry, in the order given; a source is echoed as the client spelled it; a
column is returned only where one was asked for. A log point prints its hits in the whole call when
it is set, not when it is sent again, and never stops.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from dap_adapter.containers import LogRest, ScopeName, ScopeOf
from dap_adapter.convert import safe_text, value_text
from dap_adapter.jobs import Job, Steps
from dap_adapter.opened import Opened, Slot
from dap_adapter.protocol import (
    Breakpoint,
    BreakpointEventBody,
    BreakpointLocation,
    BreakpointLocationsArguments,
    BreakpointLocationsResponseBody,
    DataBreakpointInfoArguments,
    DataBreakpointInfoResponseBody,
    ExceptionFilterOptions,
    OutputEventBody,
    SetBreakpointsArguments,
    SetBreakpointsResponseBody,
    SetDataBreakpointsArguments,
    SetDataBreakpointsResponseBody,
    SetExceptionBreakpointsArguments,
    SetExceptionBreakpointsResponseBody,
    SetFunctionBreakpointsArguments,
    SetFunctionBreakpointsResponseBody,
    SourceBreakpoint,
)
from dap_adapter.requests.stops import place_text
from dap_adapter.session_state import SessionState
from dap_adapter.wishes import COUNTING, SLOT_PREFIX, WAITING, Placed, Refused, Wish, hit_text

if TYPE_CHECKING:
    from dap_adapter.placing import Search

LOG_LINES_MAX = 1_000
"""How many hits a log point prints line by line; the rest opens behind one more line."""

LOCATIONS_MAX = 1_000
"""Most places of one answer to `breakpointLocations`."""

_LINES_A_SLICE = 10
_SCOPES_OF_SLOTS = (ScopeName.SLOTS, ScopeName.ENTRY, ScopeName.RECORDED_EXIT)


def set_breakpoints(
    state: SessionState, arguments: SetBreakpointsArguments
) -> SetBreakpointsResponseBody:
    """Set the breakpoints of one source, on its states, edges, guards, prompts and writes."""
    wanted = arguments.breakpoints
    if wanted is None:
        wanted = [SourceBreakpoint(line=line) for line in arguments.lines or []]
    from_one = [_from_one(state, item) for item in wanted]
    kept = state.breakpoints.set_lines(arguments.source, from_one)
    return SetBreakpointsResponseBody(breakpoints=_answers(state, kept))


def set_function_breakpoints(
    state: SessionState, arguments: SetFunctionBreakpointsArguments
) -> SetFunctionBreakpointsResponseBody:
    """Set the breakpoints on names: of states and tools, or `kind:pattern`."""
    kept = state.breakpoints.set_functions(arguments.breakpoints)
    return SetFunctionBreakpointsResponseBody(breakpoints=_answers(state, kept))


def set_data_breakpoints(
    state: SessionState, arguments: SetDataBreakpointsArguments
) -> SetDataBreakpointsResponseBody:
    """Set the breakpoints that stop where slots are written or read."""
    kept = state.breakpoints.set_slots(arguments.breakpoints)
    return SetDataBreakpointsResponseBody(breakpoints=_answers(state, kept))


def set_exception_breakpoints(
    state: SessionState, arguments: SetExceptionBreakpointsArguments
) -> SetExceptionBreakpointsResponseBody:
    """Set the findings to stop at: plain filters first, then those with options."""
    plain = [ExceptionFilterOptions(filter_id=code) for code in arguments.filters]
    kept = state.breakpoints.set_filters([*plain, *(arguments.filter_options or [])])
    return SetExceptionBreakpointsResponseBody(breakpoints=_answers(state, kept))


def breakpoint_locations(
    state: SessionState, arguments: BreakpointLocationsArguments
) -> BreakpointLocationsResponseBody:
    """Return every place of the asked lines that a breakpoint can stand on."""
    from engine.core.cursor import flow_places  # noqa: PLC0415 - start-up

    opened, client = state.maybe_opened, state.client
    if opened is None or not opened.source.is_meant_by(arguments.source):
        return BreakpointLocationsResponseBody(breakpoints=_in_program(state, arguments))
    lines_from, columns_from = client.lines_start_at - 1, client.columns_start_at - 1
    first = arguments.line - lines_from, (arguments.column or columns_from + 1) - columns_from
    end_line = arguments.end_line if arguments.end_line is not None else arguments.line
    end_column = arguments.end_column
    last = end_line - lines_from, None if end_column is None else end_column - columns_from
    spans = sorted({found.span for found in flow_places(opened.view)})
    return BreakpointLocationsResponseBody(
        breakpoints=[
            BreakpointLocation(
                line=span.line + lines_from,
                column=span.column + columns_from,
                end_line=span.end_line + lines_from,
                end_column=span.end_column + columns_from,
            )
            for span in spans
            if first <= (span.line, span.column)
            and span.line <= last[0]
            and (last[1] is None or span.line < last[0] or span.column <= last[1])
        ][:LOCATIONS_MAX]
    )


def _in_program(
    state: SessionState, arguments: BreakpointLocationsArguments
) -> list[BreakpointLocation]:
    """Return the lines of the program's file on which a state begins."""
    from engine.core.cursor import program_lines  # noqa: PLC0415 - start-up

    opened, lines_from = state.maybe_opened, state.client.lines_start_at - 1
    path = opened.program.recorded_path_of(arguments.source) if opened is not None else None
    if opened is None or path is None:
        return []
    last = arguments.end_line if arguments.end_line is not None else arguments.line
    starts = sorted({found.line + lines_from for found in program_lines(opened.view, path)})
    return [BreakpointLocation(line=line) for line in starts if arguments.line <= line <= last][
        :LOCATIONS_MAX
    ]


def data_breakpoint_info(
    state: SessionState, arguments: DataBreakpointInfoArguments
) -> DataBreakpointInfoResponseBody:
    """Return the `dataId` of a slot, by its name or as a row of a scope; else why there is none."""
    opened = state.opened
    if arguments.variables_reference:
        container = state.containers.key_of(arguments.variables_reference)
        is_slots = isinstance(container, ScopeOf) and container.name in _SCOPES_OF_SLOTS
        slot = opened.slot_called(arguments.name) if is_slots else None
    else:
        slot = opened.slot_named(arguments.name)
    if slot is None:
        name = safe_text(arguments.name)
        reason = f"'{name}' is no slot of this call: write its name, or slots[\"name\"]."
        return DataBreakpointInfoResponseBody(data_id=None, description=reason)
    return DataBreakpointInfoResponseBody(
        data_id=SLOT_PREFIX + slot.name,
        description=_writes_text(opened, slot),
        access_types=["write", "read", "readWrite"],
        can_persist=True,
    )


def verify_pending(state: SessionState) -> None:
    """Queue a `breakpoint` event for each one that was set before this recording was open."""
    wishes = [*state.breakpoints.all()]
    for answer in _answers(state, wishes):
        state.emit("breakpoint", BreakpointEventBody(reason="changed", breakpoint=answer))


# -- answers ---------------------------------------------------------------------------------------


def _from_one(state: SessionState, item: SourceBreakpoint) -> SourceBreakpoint:
    """Return the client's breakpoint with line and column counted from 1."""
    client = state.client
    column = item.column
    return SourceBreakpoint(
        line=item.line + 1 - client.lines_start_at,
        column=None if column is None else column + 1 - client.columns_start_at,
        condition=item.condition,
        hit_condition=item.hit_condition,
        log_message=item.log_message,
    )


def _answers(state: SessionState, wishes: Sequence[Wish]) -> list[Breakpoint]:
    """Return breakpoints as the client is told of them; what takes longer goes on as a job."""
    answers = [_answer(state, wish) for wish in wishes]
    opened = state.maybe_opened
    if opened is not None:
        open_ = [wish for wish in wishes if state.breakpoints.found(wish, opened).outcome is None]
        logs = state.breakpoints.to_print()
        if open_ or logs:
            steps = _settling(state, opened, open_, logs)
            state.spawn(Job(title="Counting the hits of breakpoints", steps=steps))
    return answers


def _answer(state: SessionState, wish: Wish) -> Breakpoint:
    opened = state.maybe_opened
    if opened is None:
        return _told(state, wish, message=WAITING, reason="pending")
    search = state.breakpoints.found(wish, opened)
    match search.outcome:
        case Refused(message=message):
            return _told(state, wish, message=message, reason="failed")
        case Placed(message=message):
            return _told(state, wish, message=message, at=search)
        case None:
            return _told(state, wish, message=COUNTING, at=search)


def _told(
    state: SessionState,
    wish: Wish,
    *,
    message: str,
    reason: Literal["pending", "failed"] | None = None,
    at: "Search | None" = None,
) -> Breakpoint:
    """Return one answer: verified where `at` says where it stands, else with a reason."""
    client, source = state.client, state.breakpoints.source_of(wish)
    line = wish.line if at is None else at.line
    column = wish.column if at is None else at.column
    is_line = source is not None and line is not None
    has_column = is_line and wish.column is not None and column is not None
    return Breakpoint(
        id=wish.number,
        verified=reason is None,
        message=message,
        reason=reason,
        source=source,
        line=line - 1 + client.lines_start_at if is_line and line is not None else None,
        column=column - 1 + client.columns_start_at if has_column and column is not None else None,
    )


def _settling(
    state: SessionState, opened: Opened, open_: Sequence[Wish], logs: Sequence[Wish]
) -> Steps:
    """Finish the look-ups, tell their outcome, print the log points; ends with the recording."""
    if state.maybe_opened is opened:
        yield from state.breakpoints.learning(opened)
    if state.maybe_opened is not opened:
        return None
    current = set(state.breakpoints.all())
    for wish in open_:
        if wish in current:
            body = BreakpointEventBody(reason="changed", breakpoint=_answer(state, wish))
            state.emit("breakpoint", body)
    for wish in logs:
        outcome = state.breakpoints.found(wish, opened).outcome if wish in current else None
        if isinstance(outcome, Placed):
            yield from _printing(state, opened, wish, outcome.positions)
    return None


# -- log points ------------------------------------------------------------------------------------


def _printing(state: SessionState, opened: Opened, wish: Wish, positions: Sequence[int]) -> Steps:
    """Print a log point's hits, each linked to the flow line of its event."""
    client = state.client
    source = opened.source.shown(as_uri=client.uses_uris)
    for count, position in enumerate(positions[:LOG_LINES_MAX], 1):
        span = opened.line_at(position)
        state.emit(
            "output",
            OutputEventBody(
                category="console",
                output=log_line(opened, wish, position) + "\n",
                source=source,
                line=span.line - 1 + client.lines_start_at,
                column=span.column - 1 + client.columns_start_at,
            ),
        )
        if not count % _LINES_A_SLICE:
            yield None
    more = len(positions) - LOG_LINES_MAX
    if more > 0:
        rest = state.containers.number_of(LogRest(wish.number))
        body = OutputEventBody(
            category="console", output=f"… {more} more\n", variables_reference=rest
        )
        state.emit("output", body)
    return None


def log_line(opened: Opened, wish: Wish, position: int) -> str:
    """Return what a log point prints for one hit."""
    return f"{place_text(opened, position)} · {opened.log_text(wish.log_message or '', position)}"


def _writes_text(opened: Opened, slot: Slot) -> str:
    """Return what a user is offered: how often a slot is written, and where last."""
    name = f"Writes of {safe_text(slot.name)}: {hit_text(len(slot.writes))}"
    if not slot.writes:
        return name
    last = slot.writes[-1]
    return f"{name}, last by {value_text(opened.value_of(slot, last).writer)} at #{last}"
