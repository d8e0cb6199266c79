"""`open_debugger` and `apply_command`: the one command language of every face.

Rules: a command is an object with `action`, perhaps `cursor` (where to start; default: the state's)
and `expected_hash`, and the keys of its action. A mistake gives a response with `error` and leaves
the cursor where it was. Nothing is remembered but the cursor. Source: design section 10, contract.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeAlias, TypeVar

from engine.core.artifact import ArtifactView, Visit
from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.errors import (
    BoundaryOverrun,
    EngineError,
    EventUnavailable,
    InvalidCommand,
    SimulationNotSupported,
    StaleHash,
    UnknownAction,
)
from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor.audio import AUDIO_RANGE_KEYS, audio_range
from engine.core.cursor.conditions import resolve
from engine.core.cursor.project import project
from engine.core.cursor.response import Answer, determinism_hash, respond
from engine.core.cursor.stops import run, step
from engine.core.cursor.variables import slot_history, slot_rows, slot_write_count

LIMIT_DEFAULT = 100
LIMIT_MAX = 1000
_COMMON_KEYS = frozenset({"action", "cursor", "expected_hash"})
_PAGE_KEYS = frozenset({"offset", "limit"})
_SIMULATION_ACTIONS = frozenset({"fork", "simulate", "export_capsule", "set_slot"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DebuggerState:
    """A recording and where in it the reader stands; a value, never changed."""

    view: ArtifactView
    cursor: int


def open_debugger(artifact: JsonObject | ArtifactView) -> DebuggerState:
    """Return the state at the start of a recording (cursor -1).

    Raises: ArtifactInvalid where the artifact contradicts itself.
    """
    view = artifact if isinstance(artifact, ArtifactView) else ArtifactView.of(artifact)
    return DebuggerState(view=view, cursor=-1)


def apply_command(state: DebuggerState, command: JsonValue) -> tuple[DebuggerState, JsonObject]:
    """Return the state after `command`, and its response.

    Any value is answered: a wrong one with an `error`, cursor unmoved. `state` is not changed.
    Cost: of the action, plus one projection and its hash.
    """
    error: EngineError | None = None
    old_cursor = _start_cursor(state, command)
    try:
        checked = _checked(command)
        _check_cursor(state.view, checked)
        _check_hash(state.view, checked, old_cursor)
        answer = _ACTIONS[str(checked["action"])].apply(state.view, old_cursor, checked)
    except EngineError as mistake:
        error, answer = mistake, Answer(cursor=old_cursor)
    response = respond(
        state.view,
        action=action_of(command),
        old_cursor=old_cursor,
        answer=answer,
        error=error,
    )
    return replace(state, cursor=answer.cursor), response


def refuse_command(state: DebuggerState, error: EngineError) -> JsonObject:
    """Return the response to what never became a command (a line that is no JSON)."""
    answer = Answer(cursor=state.cursor)
    return respond(state.view, action=None, old_cursor=state.cursor, answer=answer, error=error)


def action_of(command: JsonValue) -> JsonValue:
    """Return the action that a command names, right or wrong; null where it names none."""
    return command.get("action") if isinstance(command, dict) else None


def _checked(command: JsonValue) -> JsonObject:
    """Return the command if it is an object with a known action and only keys of that action."""
    if not isinstance(command, dict):
        raise InvalidCommand('A command is a JSON object, like {"action": "step"}.')
    action = command.get("action")
    if not isinstance(action, str):
        raise InvalidCommand("A command needs `action`, a text.", {"actions": [*_ACTIONS]})
    if action in _SIMULATION_ACTIONS:
        raise SimulationNotSupported(
            f"{action!r} would simulate; a recording is evidence and is only read."
        )
    if action not in _ACTIONS:
        near: list[JsonValue] = [*get_close_matches(action, _ACTIONS)]
        raise UnknownAction(
            f"There is no action {action!r}. Known: {', '.join(_ACTIONS)}.", {"nearest": near}
        )
    allowed = _COMMON_KEYS | _ACTIONS[action].keys
    for key in command:
        if key not in allowed:
            raise InvalidCommand(
                f"{action!r} has no key {key!r}; it takes {', '.join(sorted(allowed))}.",
                {"key": key, "nearest": [*get_close_matches(key, allowed)]},
            )
    return command


def _start_cursor(state: DebuggerState, command: JsonValue) -> int:
    """Return where a command starts: its own cursor if that is one, else the state's."""
    cursor = command.get("cursor") if isinstance(command, dict) else None
    return cursor if type(cursor) is int and _in_recording(state.view, cursor) else state.cursor


def _check_cursor(view: ArtifactView, command: JsonObject) -> None:
    cursor = command.get("cursor", -1)
    if type(cursor) is not int or not _in_recording(view, cursor):
        raise EventUnavailable(
            f"`cursor` must be {_places(view)}.",
            {"cursor": cursor, "event_count": view.event_count},
        )


def _places(view: ArtifactView) -> str:
    """Return in words which cursors a recording has."""
    if not view.event_count:
        return "-1, the start: this recording has no events"
    return f"an integer from -1 (the start) to {view.event_count - 1}"


def _in_recording(view: ArtifactView, cursor: int) -> bool:
    return cursor == -1 or 0 <= cursor < view.event_count


def _check_hash(view: ArtifactView, command: JsonObject, cursor: int) -> None:
    expected = command.get("expected_hash")
    if expected is None:
        return
    if not isinstance(expected, str):
        raise InvalidCommand("`expected_hash` is a text, `sha256:...`.")
    found = determinism_hash(view, cursor, project(view, cursor))
    if found != expected:
        raise StaleHash(
            "The recording or the cursor is not the one you have seen; read the projection again.",
            {"expected_hash": expected, "determinism_hash": found, "cursor": cursor},
        )


# -- actions ---------------------------------------------------------------------------------------


def _step(view: ArtifactView, cursor: int, command: JsonObject, direction: Direction) -> Answer:
    unit = _choice(command, "unit", Unit, Unit.EVENT)
    stop = step(view, cursor, unit=unit, direction=direction)
    if stop.edge is not None:
        raise BoundaryOverrun(
            f"The cursor stands at the {stop.edge} of the recording already.",
            {"edge": stop.edge, "cursor": cursor},
        )
    return Answer(cursor=stop.cursor)


def _step_forward(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    return _step(view, cursor, command, Direction.FORWARD)


def _step_reverse(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    return _step(view, cursor, command, Direction.REVERSE)


def _continue_until(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    direction = _choice(command, "direction", Direction, Direction.FORWARD)
    until = command.get("until")
    if not isinstance(until, list) or not until:
        raise InvalidCommand("`until` is a list of one or more conditions.")
    stop = run(
        view, cursor, stops=[resolve(condition, view) for condition in until], direction=direction
    )
    matched = stop.matched[0] if stop.matched else None
    return Answer(cursor=stop.cursor, result={"matched": matched, "edge": stop.edge})


def _seek(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:  # noqa: ARG001
    targets = [key for key in command if key in _SEEKS]
    if len(targets) != 1:
        raise InvalidCommand(
            f"`seek` takes exactly one of {', '.join(_SEEKS)}.", {"given": [*targets]}
        )
    key = targets[0]
    return Answer(cursor=_SEEKS[key](view, command[key]))


def _seek_index(view: ArtifactView, value: JsonValue) -> int:
    if type(value) is not int:
        raise InvalidCommand("`event_index` is an integer.", {"event_index": value})
    if not -1 <= value < view.event_count:
        raise EventUnavailable(
            f"`event_index` must be {_places(view)}.",
            {"event_index": value, "event_count": view.event_count},
        )
    return value


def _seek_event(view: ArtifactView, value: JsonValue) -> int:
    name = _text_of("event_id", value)
    index = view.index_of(name)
    if index is None:
        raise EventUnavailable(f"No event has the id {name!r}.", {"event_id": name})
    return index


def _text_of(key: str, value: JsonValue) -> str:
    """Return the name of a place in the recording."""
    if not isinstance(value, str):
        raise EventUnavailable(f"`{key}` is a text.", {key: value})
    return value


def _seek_visit(view: ArtifactView, value: JsonValue) -> int:
    name = _text_of("visit_id", value)
    ordinal = view.ordinal_of(name)
    if ordinal is None:
        ids = [visit.visit_id for visit in view.visits]
        near: list[JsonValue] = [*get_close_matches(name, ids)]
        raise EventUnavailable(
            f"There is no visit {name!r} in this call; `list_visits` lists them.",
            {"visit_id": name, "nearest": near},
        )
    return view.visits[ordinal].entered_index


def _seek_clock(view: ArtifactView, value: JsonValue) -> int:
    if type(value) is not int:
        raise InvalidCommand("`clock_ms` is whole milliseconds.", {"clock_ms": value})
    return view.index_at_clock(value)


def _seek_finding(view: ArtifactView, value: JsonValue) -> int:
    name = _text_of("finding", value)
    for finding in view.findings:
        at = finding.get("at")
        if finding.get("finding_id") == name and type(at) is int:
            return at
    raise EventUnavailable(f"There is no finding {name!r} in this call.", {"finding": name})


def _seek_edge(view: ArtifactView, value: JsonValue) -> int:
    if value == "start":
        return -1
    if value == "end":
        return view.event_count - 1
    raise InvalidCommand("`edge` is `start` or `end`.", {"edge": value})


_SEEKS: dict[str, Callable[[ArtifactView, JsonValue], int]] = {
    "event_index": _seek_index,
    "event_id": _seek_event,
    "visit_id": _seek_visit,
    "clock_ms": _seek_clock,
    "finding": _seek_finding,
    "edge": _seek_edge,
}


def _list_visits(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    offset, limit = _page(command)
    visits = view.visits[offset : offset + limit]
    return _listing(
        cursor,
        items=[_visit_row(view, visit) for visit in visits],
        total=len(view.visits),
        offset=offset,
        evidence=[view.event_id(visit.entered_index) for visit in visits],
    )


def _visit_row(view: ArtifactView, visit: Visit) -> JsonObject:
    closed = visit.closed_index
    return {
        "visit_id": visit.visit_id,
        "state_id": visit.state_id,
        "occurrence": visit.occurrence,
        "parent_visit_id": view.visits[visit.parent].visit_id if visit.parent is not None else None,
        "via_edge": visit.via_edge,
        "entered_index": visit.entered_index,
        "entered_event_id": view.event_id(visit.entered_index),
        "entered_ms": view.clock_ms(visit.entered_index),
        "closed_index": closed,
        "closed_event_id": view.event_id(closed) if closed is not None else None,
        "closed_ms": view.clock_ms(closed) if closed is not None else None,
        "exit": {
            "edge_id": visit.exit_edge,
            "to": visit.exit_to,
            "label": visit.exit_label,
            "reason": visit.exit_reason,
        },
    }


def _inspect_variables(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    offset, limit = _page(command)
    found = slot_rows(view, cursor=cursor, visit=view.visit_at(cursor), offset=offset, limit=limit)
    writes = [event_id for row in found if (event_id := text(row, "write_event_id"))]
    return _listing(cursor, items=found, total=len(view.slots), offset=offset, evidence=writes)


def _slot_history(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    offset, limit = _page(command)
    name = command.get("slot")
    if not isinstance(name, str):
        raise InvalidCommand("`slot` is a text.", {"slot": name})
    names = [str(slot["slot"]) for slot in view.slots]
    if name not in names:
        raise InvalidCommand(
            f"There is no slot {name!r} in this call. It has: {', '.join(names) or 'none'}.",
            {"slot": name, "nearest": [*get_close_matches(name, names)]},
        )
    found = slot_history(view, name, offset=offset, limit=limit)
    return _listing(
        cursor,
        items=found,
        total=slot_write_count(view, name),
        offset=offset,
        evidence=[str(row["event_id"]) for row in found],
    )


def _fetch_audio_range(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    offset, limit = _page(command)
    found = audio_range(view, cursor, command)
    items, total = [*found.items[offset : offset + limit]], len(found.items)
    return _listing(cursor, items=items, total=total, offset=offset, evidence=[*found.evidence])


def _listing(
    cursor: int, *, items: list[JsonObject], total: int, offset: int, evidence: list[str]
) -> Answer:
    result: JsonObject = {"items": [*items], "total": total, "offset": offset}
    return Answer(cursor=cursor, result=result, evidence=tuple(evidence))


def _page(command: JsonObject) -> tuple[int, int]:
    """Return (offset, limit) of a list command."""
    offset, limit = command.get("offset", 0), command.get("limit", LIMIT_DEFAULT)
    if type(offset) is not int or not 0 <= offset <= INTEGER_MAX:
        raise InvalidCommand("`offset` is an integer from 0 to 2^53-1.", {"offset": offset})
    if type(limit) is not int or not 1 <= limit <= LIMIT_MAX:
        raise InvalidCommand(f"`limit` is an integer from 1 to {LIMIT_MAX}.", {"limit": limit})
    return offset, limit


_Choice = TypeVar("_Choice", bound=StrEnum)


def _choice(command: JsonObject, key: str, choices: type[_Choice], default: _Choice) -> _Choice:
    """Return the member of `choices` that the command names under `key`."""
    value = command.get(key, default.value)
    names = [choice.value for choice in choices]
    if value not in names:
        raise InvalidCommand(f"`{key}` is one of {', '.join(names)}.", {key: value})
    return choices(value)


_Apply: TypeAlias = Callable[[ArtifactView, int, JsonObject], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Action:
    apply: _Apply
    keys: frozenset[str]


_ACTIONS: dict[str, _Action] = {
    "list_visits": _Action(apply=_list_visits, keys=_PAGE_KEYS),
    "seek": _Action(apply=_seek, keys=frozenset(_SEEKS)),
    "step": _Action(apply=_step_forward, keys=frozenset({"unit"})),
    "reverse": _Action(apply=_step_reverse, keys=frozenset({"unit"})),
    "continue_until": _Action(apply=_continue_until, keys=frozenset({"direction", "until"})),
    "inspect_variables": _Action(apply=_inspect_variables, keys=_PAGE_KEYS),
    "slot_history": _Action(apply=_slot_history, keys=_PAGE_KEYS | {"slot"}),
    "fetch_audio_range": _Action(apply=_fetch_audio_range, keys=_PAGE_KEYS | AUDIO_RANGE_KEYS),
}
