"""The `stopped` event: where the session stands, which way it came, and what it met there.

Rules: the core says where a move stops; here a stop is only worded. Ends are stops: reason `entry`
at the start of the recording, `pause` at its end. A description reads the same whichever client
shows it: direction, position, time, state.
"""

from dap_adapter.breakpoints import Stops
from dap_adapter.convert import bounded, clock_text, safe_text, value_text
from dap_adapter.opened import Opened
from dap_adapter.protocol import ContinuedEventBody, StoppedEventBody
from dap_adapter.session_state import THREAD_ID, SessionState
from dap_adapter.wishes import SLOT_PREFIX, Kind
from engine.core.contract.json_types import text
from engine.core.contract.labels import Direction

MARKS = {Direction.FORWARD: "▶", Direction.REVERSE: "◀"}
"""How a stop's description shows the direction of the move."""

REASONS = (
    (Kind.LINE, "breakpoint"),
    (Kind.FUNCTION, "function breakpoint"),
    (Kind.SLOT, "data breakpoint"),
    (Kind.FINDING, "exception"),
)
"""The reason of a stop at breakpoints: that of the first kind among them."""


def emit_first_stop(state: SessionState) -> None:
    """Queue the stop where the launch asked to begin."""
    emit_stop(state, state.opened.direction, reason="entry")


def emit_paused(state: SessionState, direction: Direction) -> None:
    """Queue the stop of a run that was given up: the cursor has not moved."""
    opened = state.opened
    position = position_text(opened, direction)
    state.emit("stopped", _stopped("pause", f"Paused: {position}", "The search was not finished."))


def emit_moved(state: SessionState, direction: Direction, *, reason: str) -> None:
    """Queue what a move from the console leads to."""
    emit_continued(state)
    emit_stop(state, direction, reason=reason)


def emit_continued(state: SessionState) -> None:
    """Queue that the call moves: a client does not know it of a move from the console."""
    body = ContinuedEventBody(thread_id=THREAD_ID, all_threads_continued=True)
    state.emit("continued", body)


def position_text(opened: Opened, direction: Direction) -> str:
    """Return where the cursor stands in one line, like `◀ #812 01:42.3 collect_date`."""
    return f"{MARKS[direction]} {place_text(opened, opened.cursor)}"


def place_text(opened: Opened, cursor: int) -> str:
    """Return a cursor in words, like `#812 01:42.3 collect_date`."""
    parts = [f"#{cursor}"]
    clock_ms = opened.view.clock_ms(cursor) if cursor >= 0 else None
    if clock_ms is not None:
        parts.append(clock_text(clock_ms, digits=1))
    ordinal = opened.view.visit_at(cursor)
    if ordinal >= 0:
        parts.append(safe_text(opened.visit(ordinal).state_id))
    return " ".join(parts)


def emit_stop(state: SessionState, direction: Direction, *, reason: str) -> None:
    """Queue a stop without a breakpoint: at an end, that end's reason; else `reason`."""
    opened = state.opened
    state.met_codes = ()
    position = position_text(opened, direction)
    if opened.cursor == -1:
        reason, description = "entry", "Start of recording"
    elif opened.cursor == opened.last:
        reason, description = "pause", "End of recording"
    else:
        description = position
    note = None if description == position else position
    state.emit("stopped", _stopped(reason, description, note))


def emit_hit(
    state: SessionState, direction: Direction, stops: Stops, matched: tuple[int, ...]
) -> None:
    """Queue a stop at breakpoints, and say what was written and found there."""
    opened = state.opened
    met = [stops.met[i] for i in matched]
    reason = next(name for kind, name in REASONS if any(item.kind is kind for item in met))
    state.met_codes = tuple(item.name for item in met if item.kind is Kind.FINDING)
    notes: list[str] = []
    for item in met:
        if item.kind is Kind.SLOT:
            notes.append(_slot_text(opened, item.name.removeprefix(SLOT_PREFIX)))
        elif item.kind is Kind.FINDING:
            notes += [f"{item.name}: {sentence}" for sentence in _sentences(opened, item.name)]
    if opened.cursor == opened.last:
        notes.append("End of recording")
    body = _stopped(
        reason,
        position_text(opened, direction),
        bounded("; ".join(notes)) or None,
        hit_ids=[item.number for item in met],
    )
    state.emit("stopped", body)


def _sentences(opened: Opened, code: str) -> list[str]:
    """Return what the findings of one code at the cursor say."""
    rows = opened.findings_at(opened.cursor)
    return [safe_text(text(row, "text") or "") for row in rows if row["code"] == code]


def _slot_text(opened: Opened, slot: str) -> str:
    """Return the write of `slot` at the cursor in call order, whichever way it was reached."""
    if opened.slot_by_name[slot].write_at(opened.cursor) != opened.cursor:
        kind = opened.view.event_type(opened.cursor) or "event"
        return f"{safe_text(slot)} is read by this {safe_text(kind)}"
    from dap_adapter.requests.rows import write_of  # noqa: PLC0415 - start-up

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
