"""Rows: how a slot, an exit, a write, a place or a plain JSON value is shown as a variable.

Rules: a row is a function of the evidence it shows; numbers for what has children come from the
session's handles.
"""

from bisect import bisect_left
from collections.abc import Iterator

from dap_adapter.containers import (
    Container,
    Evaluated,
    History,
    HistorySummary,
    Member,
    Rest,
    ScopeName,
    ScopeOf,
    SlotParts,
)
from dap_adapter.convert import bounded, clock_text, json_text, json_type, safe_text, value_text
from dap_adapter.opened import Opened, Slot
from dap_adapter.protocol import Variable, VariablePresentationHint
from dap_adapter.requests.call_text import ended_text
from dap_adapter.session_state import SessionState
from engine.core.contract.json_types import JsonObject, JsonValue, integer, text
from engine.core.contract.labels import Label
from engine.core.cursor import slot_history

VARIABLES_KEPT = 50_000
"""How many slot variables are kept before they are made anew."""

WRITTEN_HERE = ", written by this event"
"""How the type of a slot is marked where the event at the cursor wrote it."""

_READ_ONLY = VariablePresentationHint(kind="data", attributes=["readOnly"])
_LAZY = VariablePresentationHint(kind="virtual", attributes=["readOnly"], lazy=True)
_VIRTUAL = VariablePresentationHint(kind="virtual", attributes=["readOnly"])


def slot_variable(state: SessionState, slot: Slot, at: int) -> Variable:
    """Return a slot at a cursor: its value, its label and type, its parts behind it.

    One variable stands for all cursors between two writes, so it is made once.
    """
    write = slot.write_at(at)
    parts = (slot.name, write, write == at >= 0)
    shown = state.slot_variables.get(parts)
    if shown is None:
        if len(state.slot_variables) >= VARIABLES_KEPT:
            state.slot_variables.clear()
        shown = state.slot_variables[parts] = _slot_variable(state, slot, SlotParts(*parts))
    return shown


def _slot_variable(state: SessionState, slot: Slot, parts: SlotParts) -> Variable:
    made = state.opened.value_of(slot, parts.write)
    return Variable(
        name=safe_text(slot.name),
        value=_labelled_value(made.value, made.label, made.reason),
        type=_type_text(made.value, made.label) + (WRITTEN_HERE if parts.is_new else ""),
        presentation_hint=_READ_ONLY,
        evaluate_name=f"slots[{json_text(slot.name)}]",
        variables_reference=state.containers.number_of(parts),
    )


def _type_text(value: JsonValue, label: str) -> str:
    return label if label == Label.UNAVAILABLE.value else f"{label} {json_type(value)}"


def _labelled_value(value: JsonValue, label: str, reason: str | None) -> str:
    """Return a value's text; for one that was not recorded, that and why."""
    if label == Label.UNAVAILABLE.value:
        return f"{label}: {reason}" if reason else label
    return value_text(value)


def side_row(state: SessionState, scope: ScopeOf, row: JsonObject) -> Variable:
    """Return a slot as it was at the visit's entry or recorded exit."""
    value, label = side_value(scope, row)
    name = text(row, "slot") or ""
    return Variable(
        name=safe_text(name),
        value=_labelled_value(value, label, None),
        type=_type_text(value, label),
        presentation_hint=_READ_ONLY,
        variables_reference=_reference_of(state, Member(scope, name), value),
    )


def side_value(scope: ScopeOf, row: JsonObject) -> tuple[JsonValue, str]:
    """Return the value and the label that the Entry or Recorded Exit scope shows of a slot row."""
    if scope.name is ScopeName.ENTRY:
        return row["entry"], text(row, "entry_label") or ""
    return row["recorded_exit"], text(row, "exit_label") or ""


def exit_row(state: SessionState, scope: ScopeOf, place: int, row: JsonObject) -> Variable:
    """Return an exit in one line: where to, when, and what its guard said as of the cursor."""
    verdict = row["verdict"]
    parts = [f"→ {value_text(row['to'])}", f"when {value_text(row['when'])}"]
    reason = text(row, "label_reason")
    known = "not evaluated" if verdict == "not_evaluated" else f"verdict {value_text(verdict)}"
    parts.append(known if reason is None else f"{known} ({value_text(reason)})")
    if row["taken"] is True:
        parts.append("taken")
    return Variable(
        name=value_text(row["edge_id"]),
        value=bounded(" · ".join(parts)),
        type=text(row, "label"),
        presentation_hint=_READ_ONLY,
        variables_reference=state.containers.number_of(Member(scope, place)),
    )


def pending_row(state: SessionState, scope: ScopeOf, place: int, row: JsonObject) -> Variable:
    """Return what is waited for in one line: its kind, since when, in which visit, how it ended."""
    since = integer(row, "since_ms")
    parts = [value_text(row["kind"])]
    if since is not None:
        parts.append(f"since {clock_text(since)}")
    if (visit_id := text(row, "visit_id")) is not None:
        parts.append(f"in {safe_text(visit_id)}")
    parts.append(ended_text(row))
    return Variable(
        name=value_text(row["event_id"]),
        value=" · ".join(parts),
        presentation_hint=_READ_ONLY,
        variables_reference=state.containers.number_of(Member(scope, place)),
    )


def position_rows(opened: Opened, scope: ScopeOf) -> list[Variable]:
    """Return where the frame stands, how the session moves, and the core's hash of the place."""
    view, at = opened.view, scope.at
    clock_ms = view.clock_ms(at) if at >= 0 else None
    values: dict[str, str] = {
        "event_index": str(at),
        "event_id": safe_text(view.event_id(at)) if at >= 0 else "null",
        "clock": clock_text(clock_ms) if clock_ms is not None else "null",
        "direction": opened.direction.value,
        "unit": opened.unit.value,
        "hash": opened.determinism_hash(at),
    }
    return [_leaf(name, value) for name, value in values.items()]


def slot_parts(state: SessionState, parts: SlotParts) -> list[Variable]:
    """Return what stands behind a slot's value."""
    opened = state.opened
    made = opened.value_of(opened.slot_by_name[parts.slot], parts.write)
    rows = [_leaf("label", made.label if made.reason is None else f"{made.label}: {made.reason}")]
    if _is_nested(made.value):
        rows.insert(0, member_row(state, parts, "value", made.value))
    rows.append(_leaf("writer", value_text(made.writer)))
    if parts.write >= 0:
        rows += _write_parts(state, parts)
    rows.append(_leaf("changed", value_text(parts.is_new)))
    rows.append(
        Variable(
            name="history",
            value="",
            presentation_hint=_LAZY,
            variables_reference=state.containers.number_of(HistorySummary(parts.slot)),
        )
    )
    return rows


def _write_parts(state: SessionState, parts: SlotParts) -> Iterator[Variable]:
    """Yield what the write of a slot recorded: event, old value, tool call."""
    row = write_of(state.opened, parts.slot, parts.write)
    yield _leaf("write_event", f"#{parts.write} {value_text(row['event_id'])}")
    yield member_row(state, parts, "old", row["old"])
    if (tool_call := text(row, "tool_call_id")) is not None:
        yield _leaf("tool_call", safe_text(tool_call))


def write_of(opened: Opened, slot: str, index: int) -> JsonObject:
    """Return the history row of the write of `slot` at event `index`."""
    place = bisect_left(opened.slot_by_name[slot].writes, index)
    return slot_history(opened.view, slot, offset=place, limit=1)[0]


def history_row(state: SessionState, slot: str) -> Variable:
    """Return what replaces the lazy row: the number of writes, and the writes behind it."""
    count = len(state.opened.slot_by_name[slot].writes)
    return Variable(
        name="",
        value="1 write" if count == 1 else f"{count} writes",
        presentation_hint=_VIRTUAL,
        indexed_variables=count,
        variables_reference=state.containers.number_of(History(slot)) if count else 0,
    )


def write_row(state: SessionState, member: Member, row: JsonObject) -> Variable:
    """Return a write in one line: where, when, old and new, by whom."""
    clock_ms = integer(row, "clock_ms")
    place = [f"#{row['event_index']}"]
    if clock_ms is not None:
        place.append(clock_text(clock_ms))
    change = f"{value_text(row['old'])} → {value_text(row['new'])}"
    parts = [" ".join(place), change, value_text(row["writer"])]
    if (visit_id := text(row, "visit_id")) is not None:
        parts.append(safe_text(visit_id))
    return Variable(
        name=f"[{member.key}]",
        value=bounded(" · ".join(parts)),
        type=text(row, "label"),
        presentation_hint=_READ_ONLY,
        variables_reference=state.containers.number_of(member),
    )


def log_row(place: int, line: str) -> Variable:
    """Return a line of a log point as a row."""
    return _leaf(f"[{place}]", bounded(line))


def member_row(
    state: SessionState, parent: Container, key: str | int, value: JsonValue
) -> Variable:
    """Return a member of a list or object, with its own members behind it."""
    return Variable(
        name=safe_text(key) if isinstance(key, str) else f"[{key}]",
        value=value_text(value),
        type=json_type(value),
        presentation_hint=_READ_ONLY,
        evaluate_name=_expression(Member(parent, key)),
        indexed_variables=len(value) if isinstance(value, list) and value else None,
        variables_reference=_reference_of(state, Member(parent, key), value),
    )


def _expression(container: Container) -> str | None:
    """Return the expression that has a member's value at its frame; None where none has."""
    match container:
        case Member(parent=SlotParts(slot=slot), key="value"):
            return f"slots[{json_text(slot)}]"
        case Member(parent=Evaluated(expression=text), key=key):
            return f"({text})[{json_text(key)}]"
        case Member(parent=parent, key=key):
            inner = _expression(parent)
            return None if inner is None else f"{inner}[{json_text(key)}]"
        case _:
            return None


def _reference_of(state: SessionState, member: Member, value: JsonValue) -> int:
    return state.containers.number_of(member) if _is_nested(value) else 0


def _is_nested(value: JsonValue) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _leaf(name: str, value: str) -> Variable:
    return Variable(name=name, value=value, presentation_hint=_READ_ONLY, variables_reference=0)


def rest_row(state: SessionState, container: Container, total: int, start: int) -> Variable:
    """Return the row that holds the rows of a list from `start` on."""
    return Variable(
        name=f"… {total - start} more",
        value="",
        presentation_hint=_VIRTUAL,
        variables_reference=state.containers.number_of(Rest(container, start)),
    )
