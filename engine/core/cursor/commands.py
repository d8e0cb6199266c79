"""`open_debugger` and `apply_command`: the one command language of every face.

Rules: a command is an object with `action`, perhaps `cursor` (where to start; default: the state's)
and `expected_hash`, and the keys of its action. A mistake gives a response with `error` and leaves
the cursor where it was. Nothing is remembered but the cursor. Source: design section 10, contract.
"""

from dataclasses import dataclass, replace
from difflib import get_close_matches

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import (
    EngineError,
    EventUnavailable,
    InvalidCommand,
    SimulationNotSupported,
    StaleHash,
    UnknownAction,
)
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor.actions import ACTIONS
from engine.core.cursor.project import project
from engine.core.cursor.reading import places
from engine.core.cursor.response import Answer, determinism_hash, respond

_COMMON_KEYS = frozenset({"action", "cursor", "expected_hash"})
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
        answer = ACTIONS[str(checked["action"])].apply(state.view, old_cursor, checked)
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
        raise InvalidCommand("A command needs `action`, a text.", {"actions": [*ACTIONS]})
    if action in _SIMULATION_ACTIONS:
        raise SimulationNotSupported(
            f"{action!r} would simulate; a recording is evidence and is only read."
        )
    if action not in ACTIONS:
        near: list[JsonValue] = [*get_close_matches(action, ACTIONS)]
        raise UnknownAction(
            f"There is no action {action!r}. Known: {', '.join(ACTIONS)}.", {"nearest": near}
        )
    allowed = _COMMON_KEYS | ACTIONS[action].keys
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
            f"`cursor` must be {places(view)}.",
            {"cursor": cursor, "event_count": view.event_count},
        )


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
