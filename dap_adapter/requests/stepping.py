"""next, stepIn, stepOut, stepBack: atomic moves that pass breakpoints by.

Rules: the core says where a move stops. Every move is answered, then reported by exactly one
`stopped`; only continuing (`running.py`) honours breakpoints.
"""

from typing import Literal

from dap_adapter.opened import Opened
from dap_adapter.protocol import (
    NextArguments,
    StepBackArguments,
    StepInArguments,
    StepOutArguments,
)
from dap_adapter.requests.stops import emit_stop
from dap_adapter.session_state import SessionState
from engine.core.contract.labels import Direction, Unit

_Granularity = Literal["statement", "line", "instruction"] | None


def next_(state: SessionState, arguments: NextArguments) -> None:
    """Move one unit in the session's direction."""
    _step(state, arguments.thread_id, arguments.granularity, state.opened.direction)


def step_in(state: SessionState, arguments: StepInArguments) -> None:
    """Move one unit in the session's direction: a recording has no deeper level to enter."""
    _step(state, arguments.thread_id, arguments.granularity, state.opened.direction)


def step_back(state: SessionState, arguments: StepBackArguments) -> None:
    """Move one unit back: the inverse of `next` from any boundary of the unit."""
    _step(state, arguments.thread_id, arguments.granularity, Direction.REVERSE)


def step_out(state: SessionState, arguments: StepOutArguments) -> None:
    """Move to this visit's close, or to its entry where the session runs backwards."""
    state.check_thread(arguments.thread_id)
    opened = state.opened
    direction = opened.direction
    opened.cursor = way_out(opened, direction)
    emit_stop(state, direction, reason="step")


def _step(
    state: SessionState, thread_id: int, granularity: _Granularity, direction: Direction
) -> None:
    state.check_thread(thread_id)
    opened = state.opened
    from engine.core.cursor import step  # noqa: PLC0415 - start-up

    unit = Unit.EVENT if granularity == "instruction" else opened.unit
    opened.cursor = step(opened.view, opened.cursor, unit=unit, direction=direction).cursor
    emit_stop(state, direction, reason="step")


def way_out(opened: Opened, direction: Direction) -> int:
    """Return the close (or entry) of the innermost visit that has it ahead, else one event on."""
    from engine.core.cursor import step  # noqa: PLC0415 - start-up

    view, cursor = opened.view, opened.cursor
    shown = view.path_at(cursor)[::-1] or (view.visit_at(cursor),)
    for ordinal in shown:
        if ordinal < 0:
            break
        visit = opened.visit(ordinal)
        if direction is Direction.REVERSE:
            if visit.entered_index < cursor:
                return visit.entered_index
        elif visit.closed_index is None:
            return opened.last
        elif visit.closed_index > cursor:
            return visit.closed_index
    return step(view, cursor, unit=Unit.EVENT, direction=direction).cursor
