"""Reading Pipecat's objects without importing Pipecat: attributes by name, classes by name."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import cast

import msgspec

from engine.core.contract.json_types import JsonObject, JsonValue

FrameHandler = Callable[[object], None]
_DEPTH_MAX = 60


def attribute(thing: object, name: str) -> object:
    """Return an attribute, None where there is none."""
    return cast("object", getattr(thing, name, None))


def text_of(thing: object, name: str) -> str | None:
    """Return an attribute that is a text, else None."""
    value = attribute(thing, name)
    return value if isinstance(value, str) else None


def number_of(thing: object, name: str) -> int | None:
    """Return an attribute that is a whole number, else None."""
    value = attribute(thing, name)
    return value if isinstance(value, int) else None


def stamp_ms(thing: object) -> int | None:
    """Return a frame's own time stamp in milliseconds since 1970, None where it has none."""
    written = text_of(thing, "timestamp")
    try:
        return None if written is None else int(datetime.fromisoformat(written).timestamp() * 1000)
    except ValueError:
        return None


def items_of(thing: object) -> list[object]:
    """Return the items of a list or tuple; empty for anything else."""
    if isinstance(thing, (list, tuple)):
        return list(cast("list[object]", thing))
    return []


def named_of(thing: object) -> dict[str, object]:
    """Return a mapping's items whose names are texts; empty for anything else."""
    if not isinstance(thing, Mapping):
        return {}
    items = cast("Mapping[object, object]", thing).items()
    return {name: value for name, value in items if isinstance(name, str)}


def is_a(thing: object, class_name: str) -> bool:
    """Return whether a class of this name is among the classes of `thing`."""
    return any(kind.__name__ == class_name for kind in type(thing).__mro__)


def processors_of(pipeline: object) -> Iterator[object]:
    """Yield the processors of a pipeline in order, those inside of others included."""
    for processor in items_of(attribute(pipeline, "processors")):
        yield processor
        yield from processors_of(processor)


def plain(value: object, depth: int = _DEPTH_MAX) -> JsonValue:
    """Return a copy of a value as JSON has it; what has no such form says so."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if depth > 0 and isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        return {str(name): plain(item, depth - 1) for name, item in named.items()}
    if depth > 0 and isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth - 1) for item in cast("list[object]", value)]
    try:
        return cast("JsonValue", msgspec.to_builtins(value, str_keys=True))
    except (TypeError, ValueError, RecursionError):
        return {"unavailable": f"a value of type {type(value).__name__} has no JSON form"}


def message_rows(messages: object) -> list[JsonObject]:
    """Return a model's messages as rows of role and text, copied at this moment.

    The text of a tool's call or result is not copied: its values stand, in safe form, on the
    records of that call.
    """
    rows: list[JsonObject] = []
    for message in items_of(messages):
        fields = named_of(message)
        role = fields.get("role")
        row: JsonObject = {"role": role if isinstance(role, str) else "unknown"}
        calls = items_of(fields.get("tool_calls"))
        if calls:
            row["tool_calls"] = [_called(call) for call in calls]
        if isinstance(tool_call_id := fields.get("tool_call_id"), str):
            row["tool_call_id"] = tool_call_id
        elif (said := _said(fields.get("content"))) is not None:
            row["text"] = said
        rows.append(row)
    return rows


def _called(call: object) -> JsonValue:
    name = named_of(named_of(call).get("function")).get("name")
    return name if isinstance(name, str) else None


def _said(content: object) -> str | None:
    if isinstance(content, str):
        return content
    parts = [named_of(part).get("text") for part in items_of(content)]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if texts else None
