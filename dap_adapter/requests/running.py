"""continue, reverseContinue, pause, cancel: running to a breakpoint, and stopping a run.

Rules: where breakpoints stop is looked up, so a run is one step of the core. What has to be looked
up first, because a condition must be evaluated, is looked up in slices: the answer is sent at once,
`stopped` when it is done, and `pause` or `cancel` leaves the cursor where it was.
"""

from dap_adapter.jobs import Job, Steps
from dap_adapter.protocol import (
    CancelArguments,
    ContinueArguments,
    ContinueResponseBody,
    PauseArguments,
    ReverseContinueArguments,
)
from dap_adapter.requests.stops import emit_hit, emit_paused, emit_stop
from dap_adapter.session_state import Phase, SessionState
from engine.core.contract.labels import Direction


def continue_(state: SessionState, arguments: ContinueArguments) -> ContinueResponseBody:
    """Run to the next breakpoint in the session's direction, else to that end."""
    state.check_thread(arguments.thread_id)
    start_run(state, state.opened.direction)
    return ContinueResponseBody(all_threads_continued=True)


def reverse_continue(state: SessionState, arguments: ReverseContinueArguments) -> None:
    """Run back to the breakpoint before, else to the start."""
    state.check_thread(arguments.thread_id)
    start_run(state, Direction.REVERSE)


def pause(state: SessionState, arguments: PauseArguments) -> None:
    """Stop a run where it began; between runs a recording stands still, so that is a success."""
    state.check_thread(arguments.thread_id)
    state.wants_pause = state.phase is Phase.RUNNING


def cancel(state: SessionState, arguments: CancelArguments) -> None:
    """Stop the work of a request or of a progress, also of a request that is not read yet."""
    state.wants_cancel = arguments


def start_run(state: SessionState, direction: Direction) -> None:
    """Run at once where every stop is known, else as a job."""
    if state.breakpoints.are_known(state.opened):
        _run(state, direction)
        return
    state.phase = Phase.RUNNING

    def stay() -> None:
        state.phase = Phase.STOPPED
        emit_paused(state, direction)

    state.spawn(
        Job(
            title="Looking for the next stop",
            steps=_runs(state, direction),
            is_run=True,
            dropped=stay,
        )
    )


def _runs(state: SessionState, direction: Direction) -> Steps:
    while not state.breakpoints.are_known(state.opened):
        yield from state.breakpoints.learning(state.opened)
    state.phase = Phase.STOPPED
    _run(state, direction)
    return None


def _run(state: SessionState, direction: Direction) -> None:
    from engine.core.cursor import run  # noqa: PLC0415 - start-up

    opened = state.opened
    stops = state.breakpoints.stops(opened)
    stop = run(opened.view, opened.cursor, stops=stops.positions, direction=direction)
    opened.cursor = stop.cursor
    if stop.matched:
        emit_hit(state, direction, stops, stop.matched)
    else:
        emit_stop(state, direction, reason="pause")
