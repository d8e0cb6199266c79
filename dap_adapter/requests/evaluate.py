"""evaluate: a slot at the selected frame.

Rules: an expression that is exactly a slot's name is that slot; `slots["name"]` and `slots.name`
are the same. Anything else fails and says what can be evaluated.
"""

import re
from difflib import get_close_matches

import msgspec

from dap_adapter.convert import json_text, safe_text
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.opened import Opened, Slot
from dap_adapter.protocol import EvaluateArguments, EvaluateResponseBody
from dap_adapter.requests.rows import slot_variable
from dap_adapter.requests.stack import seen_at
from dap_adapter.session_state import SessionState

EVALUABLE = 'What can be evaluated is a slot: its name, or slots["name"].'

_INDEXED = re.compile(r"""slots\[(?:("(?:[^"\\]|\\.)*")|'([^'\\]*)')\]|slots\.([A-Za-z_]\w*)""")


def evaluate(state: SessionState, arguments: EvaluateArguments) -> EvaluateResponseBody:
    """Return the value of a slot at a frame, the current position without one."""
    opened = state.opened
    slot = slot_named(opened, arguments.expression.strip())
    if slot is None:
        raise _not_evaluable(opened, arguments.expression)
    at = seen_at(state, arguments.frame_id).at if arguments.frame_id is not None else opened.cursor
    variable = slot_variable(state, slot, at)
    is_copy = arguments.context == "clipboard"
    return EvaluateResponseBody(
        result=json_text(opened.value_of(slot, at).value) if is_copy else variable.value,
        type=variable.type,
        variables_reference=0 if is_copy else variable.variables_reference,
        presentation_hint=variable.presentation_hint,
    )


def slot_named(opened: Opened, expression: str) -> Slot | None:
    """Return the slot that an expression is, or None."""
    match = _INDEXED.fullmatch(expression)
    if match is None:
        return opened.slot_called(expression)
    quoted, single_quoted, member = match.groups()
    if quoted is None:
        return opened.slot_called(single_quoted or member or "")
    try:
        return opened.slot_called(msgspec.json.decode(quoted, type=str))
    except msgspec.DecodeError:
        return None


def _not_evaluable(opened: Opened, expression: str) -> DapError:
    near = get_close_matches(expression, sorted(opened.slot_by_name), n=3)
    hint = f" Did you mean {', '.join(safe_text(name) for name in near)}?" if near else ""
    shown = safe_text(expression[:80])
    return DapError(ErrorNumber.CANNOT_EVALUATE, f"'{shown}' is no slot. {EVALUABLE}{hint}")
