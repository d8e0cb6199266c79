"""stackTrace: the open visits, then the past ones.

Rules: rows are a pure function of (recording, cursor). Row 0 always has a source. Open visits come
innermost first; where none is open the last visit stands as left; a label row separates the past
visits, newest first. Rows are computed for the page asked for only.
"""

import msgspec

from dap_adapter.containers import LABEL, START, Frame
from dap_adapter.convert import safe_text
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.flow_lines import Span
from dap_adapter.opened import Opened, PastPlace
from dap_adapter.protocol import Source, StackFrame, StackTraceArguments, StackTraceResponseBody
from dap_adapter.session_state import SessionState

START_NAME = "start of recording"
LABEL_NAME = "earlier visits"


class Seen(msgspec.Struct, frozen=True):
    """The cursor whose values a frame shows, and the visit whose eyes it has (-1: none)."""

    at: int
    visit: int


class _Stack(msgspec.Struct, frozen=True):
    """The shape of a stack: its current rows and how many visits are past."""

    current: tuple[int, ...]
    entered: int
    is_left: bool

    @property
    def past(self) -> int:
        """How many visits were left before the cursor and have no current row."""
        return self.entered - len(self.current)

    @property
    def size(self) -> int:
        """How many rows there are, the start row and the label row included."""
        return max(1, len(self.current)) + (self.past + 1 if self.past else 0)


def stack_trace(state: SessionState, arguments: StackTraceArguments) -> StackTraceResponseBody:
    """Return a page of the stack and the exact number of all rows; `levels` 0 means all."""
    state.check_thread(arguments.thread_id)
    opened = state.opened
    stack = _stack_at(opened, opened.cursor)
    start = max(0, arguments.start_frame or 0)
    levels = max(0, arguments.levels or 0)
    end = min(stack.size, start + levels) if levels else stack.size
    source = opened.source.shown(as_uri=state.client.uses_uris)
    first_past = max(1, len(stack.current)) + 1
    rows = [
        _row(state, opened, stack, place, source) for place in range(start, min(end, first_past))
    ]
    rows += _past_rows(state, opened, stack, source, start - first_past, end - first_past)
    return StackTraceResponseBody(stack_frames=rows, total_frames=stack.size)


def seen_at(state: SessionState, frame_id: int) -> Seen:
    """Return what a frame id stands for, from whichever stop it came. Raises: DapError."""
    frame = state.frames.key_of(frame_id)
    if frame is None:
        raise DapError(ErrorNumber.UNKNOWN_REFERENCE, f"There is no frame {frame_id}.")
    if frame.visit < 0:
        return Seen(at=frame.cursor, visit=-1)
    visit = state.opened.visit(frame.visit)
    is_current = visit.is_open_at(frame.cursor)
    is_current = is_current or state.opened.view.visit_at(frame.cursor) == frame.visit
    if is_current or visit.closed_index is None:
        return Seen(at=frame.cursor, visit=frame.visit)
    return Seen(at=visit.closed_index, visit=frame.visit)


def _stack_at(opened: Opened, cursor: int) -> _Stack:
    view = opened.view
    path = view.path_at(cursor)
    entered = view.visit_count_at(cursor)
    if path:
        return _Stack(current=path[::-1], entered=entered, is_left=False)
    last = view.visit_at(cursor)
    return _Stack(current=(last,) if last >= 0 else (), entered=entered, is_left=last >= 0)


def _row(
    state: SessionState, opened: Opened, stack: _Stack, place: int, source: Source
) -> StackFrame:
    """Return a current row, or the label row behind them."""
    cursor = opened.cursor
    if place == max(1, len(stack.current)):
        return StackFrame(
            id=state.frames.number_of(Frame(cursor, LABEL)),
            name=LABEL_NAME,
            line=0,
            column=0,
            can_restart=False,
            presentation_hint="label",
        )
    if not stack.current:
        return _shown(state, Frame(cursor, START), START_NAME, opened.lines.start(), source)
    ordinal = stack.current[place]
    name = safe_text(opened.visit(ordinal).visit_id) + (" (left)" if stack.is_left else "")
    return _shown(state, Frame(cursor, ordinal), name, opened.line_in(cursor, ordinal), source)


def _past_rows(
    state: SessionState, opened: Opened, stack: _Stack, source: Source, start: int, end: int
) -> list[StackFrame]:
    """Return the past visits of ranks `start` to `end`, newest first.

    A stack is read at every stop and most of its rows are these, so this loop is kept short.
    """
    cursor, number_of = opened.cursor, state.frames.number_of
    lines_from = state.client.lines_start_at - 1
    columns_from = state.client.columns_start_at - 1
    rows: list[StackFrame] = []
    for rank in range(max(0, start), end):
        ordinal = _past_ordinal(stack, rank)
        name, span, program = _past_place(state, opened, ordinal)
        rows.append(
            StackFrame(
                id=number_of(Frame(cursor, ordinal)),
                name=name,
                source=source if program is None else program,
                line=span.line + lines_from,
                column=span.column + columns_from,
                presentation_hint="subtle",
            )
        )
    return rows


def _past_place(state: SessionState, opened: Opened, ordinal: int) -> PastPlace:
    """Return the name, line and program file of a past visit: always the same, so found once."""
    place = opened.past_places.get(ordinal)
    if place is None:
        visit = opened.visit(ordinal)
        assert visit.closed_index is not None, "a past visit has closed"
        name = safe_text(visit.visit_id)
        program = opened.program_place(ordinal, as_uri=state.client.uses_uris)
        if program is None:
            place = name, opened.line_in(visit.closed_index, ordinal), None
        else:
            place = name, program.span, program.source
        opened.past_places[ordinal] = place
    return place


def _past_ordinal(stack: _Stack, rank: int) -> int:
    """Return the past visit of this rank, newest first, skipping those with a current row.

    Current rows stand innermost first, which is newest first.
    """
    ordinal = stack.entered - 1 - rank
    for current in stack.current:
        if current >= ordinal:
            ordinal -= 1
    return ordinal


def _shown(state: SessionState, frame: Frame, name: str, span: Span, source: Source) -> StackFrame:
    client = state.client
    program = state.opened.program_place(frame.visit, as_uri=client.uses_uris)
    if program is not None:
        span, source = program.span, program.source
    return StackFrame(
        id=state.frames.number_of(frame),
        name=name,
        source=source,
        line=span.line - 1 + client.lines_start_at,
        column=span.column - 1 + client.columns_start_at,
    )
