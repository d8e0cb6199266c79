"""The session: requests in, responses and events out, without input or output of its own.

Rules: every request is answered exactly once, and its events follow its response (law 6), because a
handler only queues events. `receive` works for milliseconds; what may take longer is a job that
`run` advances. `LIFECYCLE` says which request is served in which phase.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from dap_adapter import errors
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.messages import Event, Message, Request, Response, Unreadable
from dap_adapter.protocol import (
    ConfigurationDoneArguments,
    ContinueArguments,
    DataBreakpointInfoArguments,
    DisconnectArguments,
    ErrorMessage,
    ErrorResponseBody,
    EvaluateArguments,
    InitializeArguments,
    NextArguments,
    PauseArguments,
    ReverseContinueArguments,
    ScopesArguments,
    SetBreakpointsArguments,
    SetDataBreakpointsArguments,
    SetExceptionBreakpointsArguments,
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
    evaluate,
    lifecycle,
    sources,
    stack,
    stepping,
    variables,
)
from dap_adapter.session_state import Body, Job, Loader, Phase, SessionState
from engine.core.contract.errors import EngineError

ENDING = ("terminate", "disconnect")
"""Requests that give up what a job is doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A job and the request that it will answer."""

    request: Request
    job: Job


class Session:
    """One client's debug session on one recording."""

    def __init__(self, *, load: Loader, log: Callable[[str], None] | None = None) -> None:
        self._state = SessionState(load)
        self._log_to = log
        self._waiting: _Waiting | None = None
        self._seq = 0

    # -- the two ways in ---------------------------------------------------------------------------

    def receive(self, message: Request | Unreadable) -> list[Message]:
        """Return the answer to a message and what follows from it; empty while a job has it."""
        if isinstance(message, Unreadable):
            self._log(f"unreadable message: {message.error.text}")
            if message.seq is None:
                return []
            return [self._failure(message.seq, message.command, message.error)]
        given_up = self._given_up() if message.command in ENDING else []
        return given_up + self._answered(message, lambda: self._served(message))

    @property
    def is_finished(self) -> bool:
        """Whether the client has disconnected: send what is left and end."""
        return self._state.is_finished

    @property
    def busy(self) -> bool:
        """Whether a job waits for `run`."""
        return self._waiting is not None

    def run(self, budget_ms: int) -> list[Message]:
        """Advance the job for about `budget_ms` and return what it has to say; may be empty.

        A slice is never cut: opening a recording is one slice.
        """
        waiting = self._waiting
        if waiting is None:
            return []
        deadline = time.monotonic() + budget_ms / 1000
        messages = self._answered(waiting.request, lambda: self._sliced(waiting.job, deadline))
        if messages:
            self._waiting = None
        return messages

    # -- inside ------------------------------------------------------------------------------------

    def _given_up(self) -> list[Message]:
        """Return the answer to the request that a job was to answer; the job is dropped."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return []
        waiting.job.close()
        return [self._failure(waiting.request.seq, waiting.request.command, errors.cancelled())]

    def _served(self, request: Request) -> Body | Job:
        wire = LIFECYCLE.get(request.command)
        if wire is None:
            raise errors.unknown_request(request.command)
        if self._state.phase not in wire.phases:
            raise _wrong_moment(request.command, self._state.phase, wire.phases)
        arguments = bytes(request.arguments)
        return wire.serve(self._state, b"{}" if arguments in (b"", b"null") else arguments)

    def _sliced(self, job: Job, deadline: float) -> Body | Job:
        """Return the job's body once it is done, else the job itself."""
        while True:
            try:
                next(job)
            except StopIteration as done:
                body: Body = done.value
                return body
            if time.monotonic() >= deadline:
                return job

    def _answered(self, request: Request, work: Callable[[], Body | Job]) -> list[Message]:
        """Return the response that `work` leads to and the queued events behind it."""
        try:
            outcome = work()
            if outcome is not None and not isinstance(outcome, msgspec.Struct):
                self._waiting = _Waiting(request=request, job=outcome)
                return []
            response = Response(
                seq=self._next_seq(),
                request_seq=request.seq,
                success=True,
                command=request.command,
                body=outcome,
            )
        except DapError as error:
            response = self._failure(request.seq, request.command, error)
        except EngineError as error:
            response = self._failure(request.seq, request.command, errors.of_engine(error))
        except Exception:  # noqa: BLE001 - a mistake of ours: answered and logged, session alive
            from traceback import format_exc  # noqa: PLC0415 - start-up

            self._log(format_exc())
            response = self._failure(request.seq, request.command, errors.internal(request.command))
        return [response, *self._flushed()]

    def _failure(self, request_seq: int, command: str, error: DapError) -> Response:
        self._state.take_events()
        shown = errors.as_format(error.text)
        return Response(
            seq=self._next_seq(),
            request_seq=request_seq,
            success=False,
            command=command,
            message=error.short,
            body=ErrorResponseBody(
                error=ErrorMessage(
                    id=error.number,
                    format=shown.format,
                    variables=shown.variables,
                    show_user=error.show_user,
                )
            ),
        )

    def _flushed(self) -> Sequence[Message]:
        return [
            Event(seq=self._next_seq(), event=event, body=body)
            for event, body in self._state.take_events()
        ]

    def _log(self, line: str) -> None:
        if self._log_to is not None:
            self._log_to(line)

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq


# -- the lifecycle as a table ----------------------------------------------------------------------

_Arguments = TypeVar("_Arguments", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How a request is served, and in which phases."""

    serve: Callable[[SessionState, bytes], Body | Job]
    phases: frozenset[Phase]


_SETUP = frozenset({Phase.READY, Phase.LOADING, Phase.OPEN, Phase.STOPPED})
_LOADED = frozenset({Phase.OPEN, Phase.STOPPED})
_STOPPED = frozenset({Phase.STOPPED})
_ALWAYS = frozenset(Phase)


def _wire(
    command: str,
    kind: type[_Arguments],
    handler: Callable[[SessionState, _Arguments], Body],
    phases: frozenset[Phase],
) -> tuple[str, Wire]:
    """Return a wire whose arguments are decoded into `kind`."""
    decode = msgspec.json.Decoder(kind).decode

    def serve(state: SessionState, raw: bytes) -> Body:
        try:
            arguments = decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise errors.invalid_arguments(command, str(error)) from None
        return handler(state, arguments)

    return command, Wire(serve=serve, phases=phases)


LIFECYCLE: dict[str, Wire] = dict(
    (
        _wire("initialize", InitializeArguments, lifecycle.initialize, frozenset({Phase.NEW})),
        ("launch", Wire(serve=lifecycle.launch, phases=frozenset({Phase.READY}))),
        ("attach", Wire(serve=lifecycle.attach, phases=frozenset({Phase.READY}))),
        _wire(
            "configurationDone", ConfigurationDoneArguments, lifecycle.configuration_done, _SETUP
        ),
        ("threads", Wire(serve=lifecycle.threads, phases=_SETUP)),
        _wire("disconnect", DisconnectArguments, lifecycle.disconnect, _ALWAYS),
        _wire("terminate", TerminateArguments, lifecycle.terminate, _ALWAYS),
        _wire("setBreakpoints", SetBreakpointsArguments, breakpoints.set_breakpoints, _SETUP),
        _wire(
            "setExceptionBreakpoints",
            SetExceptionBreakpointsArguments,
            breakpoints.set_exception_breakpoints,
            _SETUP,
        ),
        _wire(
            "dataBreakpointInfo",
            DataBreakpointInfoArguments,
            breakpoints.data_breakpoint_info,
            _LOADED,
        ),
        _wire(
            "setDataBreakpoints",
            SetDataBreakpointsArguments,
            breakpoints.set_data_breakpoints,
            _SETUP,
        ),
        _wire("stackTrace", StackTraceArguments, stack.stack_trace, _STOPPED),
        _wire("scopes", ScopesArguments, variables.scopes, _STOPPED),
        _wire("variables", VariablesArguments, variables.variables, _STOPPED),
        _wire("evaluate", EvaluateArguments, evaluate.evaluate, _STOPPED),
        _wire("source", SourceArguments, sources.source, _LOADED),
        _wire("next", NextArguments, stepping.next_, _STOPPED),
        _wire("stepIn", StepInArguments, stepping.step_in, _STOPPED),
        _wire("stepOut", StepOutArguments, stepping.step_out, _STOPPED),
        _wire("stepBack", StepBackArguments, stepping.step_back, _STOPPED),
        _wire("continue", ContinueArguments, stepping.continue_, _STOPPED),
        _wire("reverseContinue", ReverseContinueArguments, stepping.reverse_continue, _STOPPED),
        _wire("pause", PauseArguments, stepping.pause, _STOPPED),
    )
)
"""Every request that is served; any other is answered with a failure."""


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
