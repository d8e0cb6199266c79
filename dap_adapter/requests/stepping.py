"""next, stepIn, stepOut, stepBack, continue, reverseContinue, pause; the `stopped` event.

Rules: the core says where a move stops; here a stop is only worded. Every move is answered, then
reported by exactly one `stopped`. Ends are stops: reason `entry` at the start of the recording,
`pause` at its end. Only continuing honours breakpoints; every step is atomic.
"""

from typing import Literal

from dap_adapter.breakpoints import Stops
from dap_adapter.convert import clock_text, safe_text, value_text
from dap_adapter.opened import Opened
from dap_adapter.protocol import (
    ContinueArguments,
    ContinueResponseBody,
    NextArguments,
    PauseArguments,
    ReverseContinueArguments,
    StepBackArguments,
    StepInArguments,
    StepOutArguments,
    StoppedEventBody,
)
from dap_adapter.requests.rows import write_of
from dap_adapter.session_state import THREAD_ID, SessionState
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor import run, step

MARKS = {Direction.FORWARD: "▶", Direction.REVERSE: "◀"}
"""How a stop's description shows the direction of the move."""

_Granularity = Literal["statement", "line", "instruction"] | None


def next_(state: SessionState, arguments: NextArguments) -> None:
    """Move one unit in the session's direction."""
    _step(state, arguments.thread_id, arguments.granularity, state.opened.config.direction)


def step_in(state: SessionState, arguments: StepInArguments) -> None:
    """Move one unit in the session's direction: a recording has no deeper level to enter."""
    _step(state, arguments.thread_id, arguments.granularity, state.opened.config.direction)


def step_back(state: SessionState, arguments: StepBackArguments) -> None:
    """Move one unit back: the inverse of `next` from any boundary of the unit."""
    _step(state, arguments.thread_id, arguments.granularity, Direction.REVERSE)


def step_out(state: SessionState, arguments: StepOutArguments) -> None:
    """Move to this visit's close, or to its entry where the session runs backwards."""
    state.check_thread(arguments.thread_id)
    opened = state.opened
    direction = opened.config.direction
    opened.cursor = _way_out(opened, direction)
    _emit_stop(state, direction, reason="step")


def continue_(state: SessionState, arguments: ContinueArguments) -> ContinueResponseBody:
    """Run to the next breakpoint in the session's direction, else to that end."""
    _run(state, arguments.thread_id, state.opened.config.direction)
    return ContinueResponseBody(all_threads_continued=True)


def reverse_continue(state: SessionState, arguments: ReverseContinueArguments) -> None:
    """Run back to the breakpoint before, else to the start."""
    _run(state, arguments.thread_id, Direction.REVERSE)


def pause(state: SessionState, arguments: PauseArguments) -> None:
    """Answer success: between requests a recording always stands still."""
    state.check_thread(arguments.thread_id)


def emit_first_stop(state: SessionState) -> None:
    """Queue the stop where the launch asked to begin."""
    _emit_stop(state, state.opened.config.direction, reason="entry")


def position_text(opened: Opened, direction: Direction) -> str:
    """Return where the cursor stands in one line, like `◀ #812 01:42.3 collect_date`."""
    cursor = opened.cursor
    parts = [MARKS[direction], f"#{cursor}"]
    clock_ms = opened.view.clock_ms(cursor) if cursor >= 0 else None
    if clock_ms is not None:
        parts.append(clock_text(clock_ms, digits=1))
    ordinal = opened.view.visit_at(cursor)
    if ordinal >= 0:
        parts.append(safe_text(opened.visit(ordinal).state_id))
    return " ".join(parts)


def _step(
    state: SessionState, thread_id: int, granularity: _Granularity, direction: Direction
) -> None:
    state.check_thread(thread_id)
    opened = state.opened
    unit = Unit.EVENT if granularity == "instruction" else opened.config.step_unit
    opened.cursor = step(opened.view, opened.cursor, unit=unit, direction=direction).cursor
    _emit_stop(state, direction, reason="step")


def _run(state: SessionState, thread_id: int, direction: Direction) -> None:
    state.check_thread(thread_id)
    opened = state.opened
    stops = state.breakpoints.stops(opened)
    stop = run(opened.view, opened.cursor, stops=stops.positions, direction=direction)
    opened.cursor = stop.cursor
    if stop.matched:
        _emit_hit(state, direction, stops, stop.matched)
    else:
        _emit_stop(state, direction, reason="pause")


def _way_out(opened: Opened, direction: Direction) -> int:
    """Return the close (or entry) of the innermost visit that has it ahead, else one event on."""
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


def _emit_stop(state: SessionState, direction: Direction, *, reason: str) -> None:
    """Queue a stop without a breakpoint: at an end, that end's reason; else `reason`."""
    opened = state.opened
    position = position_text(opened, direction)
    if opened.cursor == -1:
        reason, description = "entry", "Start of recording"
    elif opened.cursor == opened.last:
        reason, description = "pause", "End of recording"
    else:
        description = position
    text = None if description == position else position
    state.emit("stopped", _stopped(reason, description, text))


def _emit_hit(
    state: SessionState, direction: Direction, stops: Stops, matched: tuple[int, ...]
) -> None:
    """Queue a stop at breakpoints: a state's first, then the slots written there."""
    opened = state.opened
    slots = [slot for i in matched if (slot := stops.slots[i]) is not None]
    at_state = len(slots) < len(matched)
    writes = [_write_text(opened, slot) for slot in slots]
    notes = [*writes, *(["End of recording"] if opened.cursor == opened.last else [])]
    body = _stopped(
        "breakpoint" if at_state else "data breakpoint",
        position_text(opened, direction),
        "; ".join(notes) or None,
        hit_ids=[stops.ids[i] for i in matched],
    )
    state.emit("stopped", body)


def _write_text(opened: Opened, slot: str) -> str:
    """Return the write of `slot` at the cursor in call order, whichever way it was reached."""
    row = write_of(opened, slot, opened.cursor)
    old, new = value_text(row["old"]), value_text(row["new"])
    return f"{safe_text(slot)}: {old} → {new}, written by {value_text(row['writer'])}"


def _stopped(
    reason: str, description: str, text: str | None, *, hit_ids: list[int] | None = None
) -> StoppedEventBody:
    return StoppedEventBody(
        reason=reason,
        description=description,
        text=text,
        thread_id=THREAD_ID,
        all_threads_stopped=True,
        hit_breakpoint_ids=hit_ids,
    )
