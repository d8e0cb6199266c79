"""initialize, launch, attach, restart, configurationDone, threads, disconnect, terminate.

Rules: `launch` is answered when the recording is open, then comes `initialized`; the first
`stopped` follows both that answer and `configurationDone`, whichever is later.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from dap_adapter.capabilities import CAPABILITIES
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.jobs import Advance, Job, Steps
from dap_adapter.launch_config import LaunchConfig, launch_config
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
from dap_adapter.requests.stops import emit_first_stop
from dap_adapter.session_state import THREAD_ID, Client, Phase, SessionState

if TYPE_CHECKING:
    from collections.abc import Generator

    from engine.recording import Recording


LOADED_LATER = ("engine.core.cursor", "dap_adapter.requests.variables")
"""What the first stop does not need and every request after it does."""


def initialize(state: SessionState, arguments: InitializeArguments) -> Capabilities:
    """Answer with every capability; remember how the client counts and spells paths."""
    state.client = Client(
        lines_start_at=0 if arguments.lines_start_at1 is False else 1,
        columns_start_at=0 if arguments.columns_start_at1 is False else 1,
        uses_uris=arguments.path_format == "uri",
        shows_progress=arguments.supports_progress_reporting is True,
    )
    state.phase = Phase.READY
    return CAPABILITIES


def launch(state: SessionState, raw: bytes) -> Job:
    """Open the recording as a job; its answer opens the configuration phase."""
    config = launch_config(raw)
    state.phase = Phase.LOADING

    def opening() -> Steps:
        opened = Opened((yield from _loaded(state, config)), config)
        _take(state, opened)
        state.phase = Phase.OPEN
        state.emit("initialized")
        _emit_drift_notice(state, opened)
        verify_pending(state)
        _stop_when_ready(state)
        return None

    def not_opened() -> None:
        state.phase = Phase.READY

    return Job(title="Opening the recording", steps=opening(), dropped=not_opened)


def attach(state: SessionState, raw: bytes) -> Job:
    """Open a recording on a server that listens; refuse where there is none to attach to."""
    if state.serves_attach:
        return launch(state, raw)
    raise DapError(
        ErrorNumber.ATTACH_UNAVAILABLE,
        "'attach' needs a server (spd-dap --listen): here use request 'launch' with 'recording' set"
        " to a session directory or an artifact file.",
        show_user=True,
    )


def restart(state: SessionState, raw: bytes) -> Job:
    """Read the recording again and stand where the launch began; the old one stays until then.

    The request may bring the launch arguments anew.
    """
    again = msgspec.json.decode(raw, type=_Restart).arguments
    config = launch_config(bytes(again)) if bytes(again) else state.opened.config
    phase_before = state.phase
    if phase_before is Phase.RUNNING:
        state.wants_pause = True

    def opening() -> Steps:
        opened = Opened((yield from _loaded(state, config)), config)
        _take(state, opened)
        _emit_drift_notice(state, opened)
        verify_pending(state)
        if state.phase is not Phase.OPEN:
            state.phase = Phase.STOPPED
            emit_first_stop(state)
        return None

    return Job(title="Opening the recording again", steps=opening())


class _Restart(msgspec.Struct, frozen=True):
    arguments: msgspec.Raw = msgspec.Raw(b"")


def _take(state: SessionState, opened: Opened) -> None:
    """Make `opened` the recording of the session; what was kept of another is forgotten."""
    state.maybe_opened = opened
    state.slot_variables.clear()
    state.breakpoints.forget_stops()


def _loaded(
    state: SessionState, config: LaunchConfig
) -> "Generator[Advance | None, None, Recording]":
    try:
        return (yield from state.load(config.recording))
    except OSError as error:
        raise DapError(
            ErrorNumber.LAUNCH_VALUE,
            f"Launch: 'recording' cannot be read: {error.strerror or error}.",
            show_user=True,
        ) from error


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
    """Stop where the launch asked to begin; without debugging: report the findings and end."""
    if not state.is_configured or state.phase is not Phase.OPEN:
        return
    if state.opened.config.no_debug:
        from dap_adapter.requests.findings import emit_report  # noqa: PLC0415 - start-up

        emit_report(state)
        _end(state)
        return
    state.phase = Phase.STOPPED
    emit_first_stop(state)
    if not all(module in sys.modules for module in LOADED_LATER):
        state.spawn(Job(title="Getting ready", steps=_getting_ready()))


def _getting_ready() -> Steps:
    """Load what the next requests need, while the client draws the first stop."""
    yield None
    for module in LOADED_LATER:
        import_module(module)


def _emit_drift_notice(state: SessionState, opened: Opened) -> None:
    if opened.source.drifted:
        text = (
            f"{opened.source.path} differs from the flow that ran in this call, so lines may not"
            " match. Launch with sourcePolicy 'recorded' to see the flow as it ran.\n"
        )
        notice: dict[str, object] = {
            "notice": "flow_drift",
            "path": str(opened.source.path),
            "sourceReference": opened.source.reference,
            "name": opened.source.name,
        }
        state.emit("output", OutputEventBody(category="console", output=text, data=notice))
