"""setBreakpoints, setDataBreakpoints, dataBreakpointInfo, setExceptionBreakpoints.

Rules: one answer for each entry, in the order given; a source is echoed as the client spelled it; a
column is returned only where one was asked for.
"""

from dap_adapter.breakpoints import (
    SLOT_PREFIX,
    WAITING,
    AnyBreakpoint,
    LineBreakpoint,
    Verified,
    hit_text,
    placed,
)
from dap_adapter.containers import ScopeName, ScopeOf
from dap_adapter.convert import safe_text, value_text
from dap_adapter.opened import Opened, Slot
from dap_adapter.protocol import (
    Breakpoint,
    BreakpointEventBody,
    DataBreakpointInfoArguments,
    DataBreakpointInfoResponseBody,
    SetBreakpointsArguments,
    SetBreakpointsResponseBody,
    SetDataBreakpointsArguments,
    SetDataBreakpointsResponseBody,
    SetExceptionBreakpointsArguments,
    SetExceptionBreakpointsResponseBody,
    SourceBreakpoint,
)
from dap_adapter.requests.evaluate import EVALUABLE, slot_named
from dap_adapter.session_state import SessionState

_SCOPES_OF_SLOTS = (ScopeName.SLOTS, ScopeName.ENTRY, ScopeName.RECORDED_EXIT)


def set_breakpoints(
    state: SessionState, arguments: SetBreakpointsArguments
) -> SetBreakpointsResponseBody:
    """Set the breakpoints of one source; those on a state's line stop when it is entered."""
    wanted = arguments.breakpoints
    if wanted is None:
        wanted = [SourceBreakpoint(line=line) for line in arguments.lines or []]
    from_one = [_from_one(state, item) for item in wanted]
    kept = state.breakpoints.set_lines(arguments.source, from_one)
    return SetBreakpointsResponseBody(breakpoints=[_answer(state, item) for item in kept])


def set_data_breakpoints(
    state: SessionState, arguments: SetDataBreakpointsArguments
) -> SetDataBreakpointsResponseBody:
    """Set the breakpoints that stop at the writes of slots."""
    kept = state.breakpoints.set_slots(arguments.breakpoints)
    return SetDataBreakpointsResponseBody(breakpoints=[_answer(state, item) for item in kept])


def set_exception_breakpoints(
    _state: SessionState, arguments: SetExceptionBreakpointsArguments
) -> SetExceptionBreakpointsResponseBody:
    """Answer one refusal for each filter: no filter is announced, and some clients always ask."""
    options = arguments.filter_options or []
    refused = Breakpoint(verified=False, message="There are no exception filters.", reason="failed")
    return SetExceptionBreakpointsResponseBody(
        breakpoints=[refused] * (len(arguments.filters) + len(options))
    )


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
        slot = slot_named(opened, arguments.name)
    if slot is None:
        reason = f"'{safe_text(arguments.name)}' is no slot of this call. {EVALUABLE}"
        return DataBreakpointInfoResponseBody(data_id=None, description=reason)
    return DataBreakpointInfoResponseBody(
        data_id=SLOT_PREFIX + slot.name,
        description=_writes_text(opened, slot),
        access_types=["write"],
        can_persist=True,
    )


def verify_pending(state: SessionState) -> None:
    """Queue a `breakpoint` event for each one that was set before the recording was open."""
    for breakpoint_ in state.breakpoints.all():
        body = BreakpointEventBody(reason="changed", breakpoint=_answer(state, breakpoint_))
        state.emit("breakpoint", body)


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


def _answer(state: SessionState, breakpoint_: AnyBreakpoint) -> Breakpoint:
    """Return a breakpoint as the client is told of it."""
    source = breakpoint_.source if isinstance(breakpoint_, LineBreakpoint) else None
    line = breakpoint_.line if isinstance(breakpoint_, LineBreakpoint) else None
    column = breakpoint_.column if isinstance(breakpoint_, LineBreakpoint) else None
    opened = state.maybe_opened
    place = placed(breakpoint_, opened) if opened is not None else None
    verified = isinstance(place, Verified)
    if isinstance(place, Verified) and place.line != line:
        line, column = place.line, None
    client = state.client
    return Breakpoint(
        id=breakpoint_.number,
        verified=verified,
        message=WAITING if place is None else place.message,
        reason="pending" if place is None else None if verified else "failed",
        source=source,
        line=None if line is None else line - 1 + client.lines_start_at,
        column=None if column is None else column - 1 + client.columns_start_at,
    )


def _writes_text(opened: Opened, slot: Slot) -> str:
    """Return what a user is offered: how often a slot is written, and where last."""
    name = f"Writes of {safe_text(slot.name)}: {hit_text(len(slot.writes))}"
    if not slot.writes:
        return name
    last = slot.writes[-1]
    return f"{name}, last by {value_text(opened.value_of(slot, last).writer)} at #{last}"
