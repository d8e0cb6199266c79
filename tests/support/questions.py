"""Asking a recording one question of the core, and calls that hold what the questions are about."""

from support.small_calls import artifact_of, bus, fixture_view, segment, trace

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue, mapping
from engine.core.cursor import apply_command, open_debugger


def view_of(*records: tuple[str, JsonObject]) -> ArtifactView:
    """Return the view of a call of these (stream, record) pairs, in this order."""
    return ArtifactView.of(artifact_of([*records]))


def answered(view: ArtifactView, command: JsonObject) -> JsonObject:
    """Return the response to a command; the cursor is the end unless the command has one."""
    at_end: JsonObject = {"cursor": view.event_count - 1}
    _, response = apply_command(open_debugger(view), {**at_end, **command})
    return response


def asked(view: ArtifactView, action: str, **keys: JsonValue) -> JsonObject:
    """Return the result of a query, having checked that it moved nothing."""
    response = answered(view, {"action": action, **keys})
    assert response["error"] is None, response["error"]
    assert response["old_cursor"] == response["new_cursor"]
    return mapping(response, "result")


def code_of(view: ArtifactView, action: str, **keys: JsonValue) -> JsonValue:
    """Return the code of the error that a query gives."""
    return mapping(answered(view, {"action": action, **keys}), "error").get("code")


def booking(name: str = "racy") -> ArtifactView:
    """Return the view of one of the two booking calls."""
    return fixture_view(f"booking_{name}")


__all__ = ["answered", "asked", "booking", "bus", "code_of", "segment", "trace", "view_of"]
