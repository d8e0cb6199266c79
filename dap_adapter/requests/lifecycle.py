"""initialize, launch, configurationDone, threads, disconnect, terminate.

Rules: `launch` is answered when the recording is open, then comes `initialized`; the first
`stopped` follows both that answer and `configurationDone`, whichever is later.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from dap_adapter.capabilities import CAPABILITIES
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.launch_config import launch_config
from dap_adapter.opened import Opened
from dap_adapter.protocol import (
    Capabilities,
    ConfigurationDoneArguments,
    DisconnectArguments,
    ExitedEventBody,
    InitializeArguments,
    OutputEventBody,
    TerminateArguments,
    Thread,
    ThreadsResponseBody,
)
from dap_adapter.requests.breakpoints import verify_pending
from dap_adapter.requests.stepping import emit_first_stop
from dap_adapter.session_state import THREAD_ID, Body, Client, Job, Phase, SessionState

if TYPE_CHECKING:
    from engine.recording import Recording


def initialize(state: SessionState, arguments: InitializeArguments) -> Capabilities:
    """Answer with every capability; remember how the client counts and spells paths."""
    state.client = Client(
        lines_start_at=0 if arguments.lines_start_at1 is False else 1,
        columns_start_at=0 if arguments.columns_start_at1 is False else 1,
        uses_uris=arguments.path_format == "uri",
    )
    state.phase = Phase.READY
    return CAPABILITIES


def launch(state: SessionState, raw: bytes) -> Job:
    """Open the recording as a job; its answer opens the configuration phase."""
    config = launch_config(raw)
    state.phase = Phase.LOADING

    def opening() -> Job:
        try:
            recording = _loaded(state, config.recording)
            yield
            opened = Opened(recording, config)
        except BaseException:
            state.phase = Phase.READY
            raise
        state.maybe_opened = opened
        state.phase = Phase.OPEN
        state.emit("initialized")
        _emit_drift_notice(state, opened)
        verify_pending(state)
        _stop_when_ready(state)
        return None

    return opening()


def _loaded(state: SessionState, path: Path) -> "Recording":
    try:
        return state.load(path)
    except OSError as error:
        raise DapError(
            ErrorNumber.LAUNCH_VALUE,
            f"Launch: 'recording' cannot be read: {error.strerror or error}.",
            show_user=True,
        ) from error


def attach(_state: SessionState, _raw: bytes) -> Body:
    """Refuse: there is no server to attach to."""
    raise DapError(
        ErrorNumber.ATTACH_UNAVAILABLE,
        "'attach' is not available: use request 'launch' with 'recording' set to a session"
        " directory or an artifact file.",
        show_user=True,
    )


def configuration_done(state: SessionState, _arguments: ConfigurationDoneArguments) -> None:
    """Note that breakpoints are set; stop at the start if the recording is open."""
    state.is_configured = True
    _stop_when_ready(state)


def threads(state: SessionState, _raw: bytes) -> ThreadsResponseBody:
    """Answer with the call as one thread; none before a recording is open."""
    opened = state.maybe_opened
    if opened is None:
        return ThreadsResponseBody(threads=[])
    return ThreadsResponseBody(threads=[Thread(id=THREAD_ID, name=f"Call {opened.session_id}")])


def terminate(state: SessionState, _arguments: TerminateArguments) -> None:
    """End the session; the client disconnects next."""
    _end(state)


def disconnect(state: SessionState, _arguments: DisconnectArguments) -> None:
    """End the session, if it has not ended, and let the process end."""
    _end(state)
    state.is_finished = True


def _end(state: SessionState) -> None:
    """Send the two closing events, once in a session."""
    if state.phase is Phase.ENDED:
        return
    state.phase = Phase.ENDED
    state.emit("exited", ExitedEventBody(exit_code=0))
    state.emit("terminated")


def _stop_when_ready(state: SessionState) -> None:
    if state.is_configured and state.phase is Phase.OPEN:
        state.phase = Phase.STOPPED
        emit_first_stop(state)


def _emit_drift_notice(state: SessionState, opened: Opened) -> None:
    if opened.source.drifted:
        text = (
            f"{opened.source.path} differs from the flow that ran in this call, so lines may not"
            " match. Launch with sourcePolicy 'recorded' to see the flow as it ran.\n"
        )
        state.emit("output", OutputEventBody(category="console", output=text))
