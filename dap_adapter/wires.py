"""The lifecycle as a table: which request is served, by what, in which phase."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from dap_adapter import errors
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.jobs import Body, Job
from dap_adapter.protocol import (
    BreakpointLocationsArguments,
    CancelArguments,
    CompletionsArguments,
    ConfigurationDoneArguments,
    ContinueArguments,
    DataBreakpointInfoArguments,
    DisconnectArguments,
    EvaluateArguments,
    ExceptionInfoArguments,
    GotoArguments,
    GotoTargetsArguments,
    InitializeArguments,
    NextArguments,
    PauseArguments,
    RestartFrameArguments,
    ReverseContinueArguments,
    ScopesArguments,
    SetBreakpointsArguments,
    SetDataBreakpointsArguments,
    SetExceptionBreakpointsArguments,
    SetFunctionBreakpointsArguments,
    SourceArguments,
    StackTraceArguments,
    StepBackArguments,
    StepInArguments,
    StepOutArguments,
    TerminateArguments,
    VariablesArguments,
)
from dap_adapter.requests import (
    breakpoints,
    lifecycle,
    running,
    sources,
    stack,
    stepping,
)
from dap_adapter.session_state import Phase, SessionState

_Arguments = TypeVar("_Arguments", bound=msgspec.Struct)


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """How a request is served, and in which phases."""

    serve: Callable[[SessionState, bytes], Body | Job]
    phases: frozenset[Phase]


_STOPPED = frozenset({Phase.STOPPED})
_MOVING = frozenset({Phase.STOPPED, Phase.RUNNING})
_LOADED = frozenset({Phase.OPEN, *_MOVING})
_SETUP = frozenset({Phase.READY, Phase.LOADING, *_LOADED})
_ALWAYS = frozenset(Phase)


def _wire(
    kind: type[_Arguments],
    handler: Callable[[SessionState, _Arguments], Body | Job],
    phases: frozenset[Phase],
) -> Wire:
    """Return a wire whose arguments are decoded into `kind`."""

    def serve(state: SessionState, raw: bytes) -> Body | Job:
        return handler(state, msgspec.json.decode(raw, type=kind))

    return Wire(serve=serve, phases=phases)


# -- loaded with their first request ---------------------------------------------------------------


def _scopes(state: SessionState, arguments: ScopesArguments) -> Body:
    from dap_adapter.requests.variables import scopes  # noqa: PLC0415 - start-up

    return scopes(state, arguments)


def _variables(state: SessionState, arguments: VariablesArguments) -> Body:
    from dap_adapter.requests.variables import variables  # noqa: PLC0415 - start-up

    return variables(state, arguments)


def _evaluate(state: SessionState, arguments: EvaluateArguments) -> Body | Job:
    from dap_adapter.requests.evaluate import evaluate  # noqa: PLC0415 - start-up

    return evaluate(state, arguments)


def _completions(state: SessionState, arguments: CompletionsArguments) -> Body:
    from dap_adapter.requests.completions import completions  # noqa: PLC0415 - start-up

    return completions(state, arguments)


def _exception_info(state: SessionState, arguments: ExceptionInfoArguments) -> Body:
    from dap_adapter.requests.findings import exception_info  # noqa: PLC0415 - start-up

    return exception_info(state, arguments)


def _restart_frame(state: SessionState, arguments: RestartFrameArguments) -> Body:
    from dap_adapter.requests.navigation import restart_frame  # noqa: PLC0415 - start-up

    return restart_frame(state, arguments)


def _goto_targets(state: SessionState, arguments: GotoTargetsArguments) -> Body:
    from dap_adapter.requests.navigation import goto_targets  # noqa: PLC0415 - start-up

    return goto_targets(state, arguments)


def _goto(state: SessionState, arguments: GotoArguments) -> Body:
    from dap_adapter.requests.navigation import goto  # noqa: PLC0415 - start-up

    return goto(state, arguments)


def _timeline(name: str) -> Wire:
    """Return the wire of one of the timeline's requests."""

    def serve(state: SessionState, raw: bytes) -> Body | Job:
        from dap_adapter.requests import timeline as page  # noqa: PLC0415 - start-up

        match name:
            case "query":
                return page.query(state, msgspec.json.decode(raw, type=page.QueryArguments))
            case "seek":
                return page.seek(state, msgspec.json.decode(raw, type=page.SeekArguments))
            case "peaks":
                return page.peaks(state, msgspec.json.decode(raw, type=page.PeaksArguments))
            case _:
                return page.audio(state, msgspec.json.decode(raw, type=page.AudioArguments))

    return Wire(serve=serve, phases=_STOPPED if name in ("seek", "peaks") else _MOVING)


LIFECYCLE: dict[str, Wire] = {
    "initialize": _wire(InitializeArguments, lifecycle.initialize, frozenset({Phase.NEW})),
    "launch": Wire(serve=lifecycle.launch, phases=frozenset({Phase.READY})),
    "attach": Wire(serve=lifecycle.attach, phases=frozenset({Phase.READY})),
    "configurationDone": _wire(ConfigurationDoneArguments, lifecycle.configuration_done, _SETUP),
    "restart": Wire(serve=lifecycle.restart, phases=_LOADED),
    "threads": Wire(serve=lifecycle.threads, phases=_SETUP),
    "disconnect": _wire(DisconnectArguments, lifecycle.disconnect, _ALWAYS),
    "terminate": _wire(TerminateArguments, lifecycle.terminate, _ALWAYS),
    "cancel": _wire(CancelArguments, running.cancel, _ALWAYS),
    "setBreakpoints": _wire(SetBreakpointsArguments, breakpoints.set_breakpoints, _SETUP),
    "setFunctionBreakpoints": _wire(
        SetFunctionBreakpointsArguments, breakpoints.set_function_breakpoints, _SETUP
    ),
    "setExceptionBreakpoints": _wire(
        SetExceptionBreakpointsArguments, breakpoints.set_exception_breakpoints, _SETUP
    ),
    "setDataBreakpoints": _wire(
        SetDataBreakpointsArguments, breakpoints.set_data_breakpoints, _SETUP
    ),
    "dataBreakpointInfo": _wire(
        DataBreakpointInfoArguments, breakpoints.data_breakpoint_info, _LOADED
    ),
    "breakpointLocations": _wire(
        BreakpointLocationsArguments, breakpoints.breakpoint_locations, _SETUP
    ),
    "stackTrace": _wire(StackTraceArguments, stack.stack_trace, _STOPPED),
    "scopes": _wire(ScopesArguments, _scopes, _STOPPED),
    "variables": _wire(VariablesArguments, _variables, _STOPPED),
    "evaluate": _wire(EvaluateArguments, _evaluate, _STOPPED),
    "completions": _wire(CompletionsArguments, _completions, _STOPPED),
    "exceptionInfo": _wire(ExceptionInfoArguments, _exception_info, _STOPPED),
    "source": _wire(SourceArguments, sources.source, _LOADED),
    "loadedSources": Wire(serve=sources.loaded_sources, phases=_LOADED),
    "next": _wire(NextArguments, stepping.next_, _STOPPED),
    "stepIn": _wire(StepInArguments, stepping.step_in, _STOPPED),
    "stepOut": _wire(StepOutArguments, stepping.step_out, _STOPPED),
    "stepBack": _wire(StepBackArguments, stepping.step_back, _STOPPED),
    "continue": _wire(ContinueArguments, running.continue_, _STOPPED),
    "reverseContinue": _wire(ReverseContinueArguments, running.reverse_continue, _STOPPED),
    "pause": _wire(PauseArguments, running.pause, _MOVING),
    "restartFrame": _wire(RestartFrameArguments, _restart_frame, _STOPPED),
    "gotoTargets": _wire(GotoTargetsArguments, _goto_targets, _STOPPED),
    "goto": _wire(GotoArguments, _goto, _STOPPED),
}
"""Every request of the protocol that is served."""

TIMELINE: dict[str, Wire] = {
    f"stateProgram/{name}": _timeline(name) for name in ("query", "seek", "peaks", "audio")
}
"""The timeline page's own requests; any other is answered with a failure."""


def served(state: SessionState, command: str, raw: bytes) -> Body | Job:
    """Serve a request: its body, or the job that makes it. Raises: DapError."""
    wire = LIFECYCLE.get(command) or TIMELINE.get(command)
    if wire is None:
        raise errors.unknown_request(command)
    if state.phase not in wire.phases:
        raise _wrong_moment(command, state.phase, wire.phases)
    try:
        return wire.serve(state, b"{}" if raw in (b"", b"null") else raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise errors.invalid_arguments(command, str(error)) from None


def _wrong_moment(command: str, phase: Phase, phases: frozenset[Phase]) -> DapError:
    """Return the error for a request that comes too early, twice or too late."""
    if phase is Phase.ENDED:
        return DapError(ErrorNumber.WRONG_MOMENT, "The session is over.")
    if phase is Phase.NEW:
        return DapError(ErrorNumber.WRONG_MOMENT, f"'{command}' needs 'initialize' first.")
    if phases <= _LOADED:
        return DapError(
            ErrorNumber.WRONG_MOMENT,
            f"'{command}' is served once a recording is open and stopped.",
            short=errors.NOT_STOPPED,
        )
    return DapError(ErrorNumber.WRONG_MOMENT, f"'{command}' was served before.")
