"""restartFrame, gotoTargets, goto: to the entry of a visit, and to where a line of the flow ran.

Rules: atomic, answered, then one `stopped` with reason `goto`; a target's number is a place of the
recording and stays valid for the session.
"""

from collections.abc import Sequence

from dap_adapter.containers import LABEL
from dap_adapter.convert import safe_text
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.opened import Opened
from dap_adapter.placing import positions_on
from dap_adapter.protocol import (
    GotoArguments,
    GotoTarget,
    GotoTargetsArguments,
    GotoTargetsResponseBody,
    RestartFrameArguments,
)
from dap_adapter.requests.stops import emit_stop, place_text
from dap_adapter.session_state import SessionState
from dap_adapter.wishes import Refused
from engine.core.contract.labels import Direction

TARGETS_MAX = 200
"""Most targets that one line offers: those nearest behind the cursor first."""


def restart_frame(state: SessionState, arguments: RestartFrameArguments) -> None:
    """Move to the entry of the frame's visit."""
    frame = state.frames.key_of(arguments.frame_id)
    if frame is None or frame.visit == LABEL:
        raise DapError(
            ErrorNumber.UNKNOWN_REFERENCE, f"There is no frame {arguments.frame_id} to restart."
        )
    opened = state.opened
    go_to(state, opened.visit(frame.visit).entered_index if frame.visit >= 0 else -1)


def goto_targets(state: SessionState, arguments: GotoTargetsArguments) -> GotoTargetsResponseBody:
    """Return the places where a line of the flow ran: the next one first, then in call order."""
    opened = state.opened
    if not opened.source.is_meant_by(arguments.source):
        return GotoTargetsResponseBody(targets=[])
    client = state.client
    line = arguments.line + 1 - client.lines_start_at
    column = None if arguments.column is None else arguments.column + 1 - client.columns_start_at
    place = positions_on(opened, line, column)
    if isinstance(place, Refused):
        return GotoTargetsResponseBody(targets=[])
    found = _next_first(place.positions, opened.cursor)[:TARGETS_MAX]
    shown_line = (place.line or line) - 1 + client.lines_start_at
    return GotoTargetsResponseBody(
        targets=[
            GotoTarget(
                id=state.targets.number_of(position),
                label=_label(opened, position, place.positions.index(position), place.positions),
                line=shown_line,
            )
            for position in found
        ]
    )


def goto(state: SessionState, arguments: GotoArguments) -> None:
    """Move to a target that `gotoTargets` gave."""
    state.check_thread(arguments.thread_id)
    position = state.targets.key_of(arguments.target_id)
    if position is None or position > state.opened.last:
        raise DapError(
            ErrorNumber.UNKNOWN_REFERENCE,
            f"There is no target {arguments.target_id}: ask 'gotoTargets' for those of a line.",
        )
    go_to(state, position)


def go_to(state: SessionState, cursor: int) -> None:
    """Move the cursor there and queue the stop."""
    opened = state.opened
    direction = Direction.REVERSE if cursor < opened.cursor else Direction.FORWARD
    opened.cursor = cursor
    emit_stop(state, direction, reason="goto")


def _next_first(positions: Sequence[int], cursor: int) -> list[int]:
    """Return positions in order, the first one behind the cursor moved to the front."""
    ahead = next((position for position in positions if position > cursor), None)
    rest = [position for position in positions if position != ahead]
    return rest if ahead is None else [ahead, *rest]


def _label(opened: Opened, position: int, place: int, positions: Sequence[int]) -> str:
    kind = safe_text(opened.view.event_type(position) or "event")
    return f"{place + 1} of {len(positions)} · {place_text(opened, position)} · {kind}"
