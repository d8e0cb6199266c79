"""evaluate: an expression at the selected frame, and the console's verbs.

Rules: an expression is the core's: a slot's name is that slot, anything else is CEL. Verbs are read
in the console only, and a slot called like a verb wins, so nothing that a hover or watch sends can
move the session.
"""

from difflib import get_close_matches

from dap_adapter.containers import Evaluated
from dap_adapter.convert import json_text, json_type, safe_text, value_text
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.jobs import Job
from dap_adapter.opened import Opened, Slot
from dap_adapter.protocol import (
    EvaluateArguments,
    EvaluateResponseBody,
    VariablePresentationHint,
)
from dap_adapter.requests.console import VERBS, said
from dap_adapter.requests.rows import slot_variable
from dap_adapter.requests.stack import seen_at
from dap_adapter.session_state import SessionState
from engine.core.contract.errors import InvalidCommand

EVALUABLE = 'What can be evaluated is a slot\'s name, or CEL such as `slots["name"] == "x"`.'

_READ_ONLY = VariablePresentationHint(kind="data", attributes=["readOnly"])


def evaluate(state: SessionState, arguments: EvaluateArguments) -> EvaluateResponseBody | Job:
    """Return the value at a frame, the current position without one; or what a verb says."""
    opened = state.opened
    expression = arguments.expression.strip()
    slot = opened.slot_named(expression)
    if slot is None and arguments.context == "repl":
        verb, _, rest = expression.partition(" ")
        if verb in VERBS:
            return said(state, verb, rest.strip())
    at = seen_at(state, arguments.frame_id).at if arguments.frame_id is not None else opened.cursor
    is_copy = arguments.context == "clipboard"
    if slot is not None:
        return _slot(state, slot, at, is_copy=is_copy)
    return _value(state, expression, at, is_copy=is_copy)


def _slot(state: SessionState, slot: Slot, at: int, *, is_copy: bool) -> EvaluateResponseBody:
    variable = slot_variable(state, slot, at)
    return EvaluateResponseBody(
        result=json_text(state.opened.value_of(slot, at).value) if is_copy else variable.value,
        type=variable.type,
        variables_reference=0 if is_copy else variable.variables_reference,
        presentation_hint=variable.presentation_hint,
    )


def _value(state: SessionState, expression: str, at: int, *, is_copy: bool) -> EvaluateResponseBody:
    try:
        value = state.opened.evaluated(expression, at).value
    except InvalidCommand as mistake:
        raise _not_evaluable(state.opened, expression, mistake) from None
    has_members = isinstance(value, dict | list) and bool(value) and not is_copy
    number = state.containers.number_of(Evaluated(expression, at)) if has_members else 0
    return EvaluateResponseBody(
        result=json_text(value) if is_copy else value_text(value),
        type=json_type(value),
        variables_reference=number,
        indexed_variables=len(value) if isinstance(value, list) and number else None,
        presentation_hint=_READ_ONLY,
    )


def _not_evaluable(opened: Opened, expression: str, mistake: InvalidCommand) -> DapError:
    near = get_close_matches(expression, sorted(opened.slot_by_name), n=3)
    hint = f" Did you mean {', '.join(safe_text(name) for name in near)}?" if near else ""
    hint = "" if "Did you mean" in mistake.message else hint
    return DapError(ErrorNumber.CANNOT_EVALUATE, f"{safe_text(mistake.message)} {EVALUABLE}{hint}")
