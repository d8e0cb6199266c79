"""What LangGraph stored of a value, as plain JSON: no class of the recorded program is ever made.

LangGraph writes msgpack whose extension types name a module and a class to call. Here they are
taken apart and the class is left alone: a message becomes `{role, text, ...}`, a dataclass or model
its fields, a set a list. What cannot be read becomes an opaque value that says why; pickles and
encrypted values are never opened. Nothing here fails on hostile bytes.
"""

from datetime import datetime
from math import isfinite

import msgspec

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text, texts

DEPTH_MAX = 32
"""Deepest nesting that is kept; what lies deeper is an opaque value."""
MESSAGE_KINDS = frozenset(
    {
        "human", "HumanMessageChunk", "ai", "AIMessageChunk", "system", "SystemMessageChunk",
        "tool", "ToolMessageChunk", "function", "chat", "remove", "developer",
    }
)  # fmt: skip
"""`type` of LangChain's messages."""
_KIND_OF_CLASS = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "ToolMessage": "tool",
    "SystemMessage": "system",
}
"""Roles of the messages that older savers kept as JSON with the class's name."""

_NUMPY, _DELTA = 6, 7
_CALLS = frozenset(range(6))
"""Extension codes whose payload is `(module, class, argument...)`."""


def opaque(what: str, size: int | None = None) -> JsonObject:
    """Return what stands for a value that is not shown: what it is, and its size in bytes."""
    return {"opaque": what} if size is None else {"opaque": what, "bytes": size}


def is_opaque(value: JsonValue) -> bool:
    """Return whether a value stands for one that could not be read."""
    return isinstance(value, dict) and isinstance(value.get("opaque"), str)


def stored_value(kind: str | None, data: bytes | None) -> JsonValue:
    """Return the JSON value of a stored `(type, bytes)` pair. Cost: O(size)."""
    match kind:
        case "null" | "empty":
            return None
        case None if data is None:
            return None
        case "msgpack" if data is not None:
            return _unpacked(data, DEPTH_MAX)
        case "json" if data is not None:
            return _json(data)
        case "bytes" | "bytearray":
            return opaque("bytes", len(data or b""))
        case _:
            name = "untyped value" if kind is None else f"{kind[:40]} value, not opened"
            return opaque(name, len(data or b""))


def plain(value: object, depth: int = DEPTH_MAX) -> JsonValue:  # noqa: PLR0911 - one a type
    """Return decoded data as JSON; a dictionary in a message's shape becomes the plain message."""
    if depth <= 0:
        return opaque("nested too deep")
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case datetime():
            return value.isoformat()
        case bytes():
            return opaque("bytes", len(value))
        case dict():
            entries = _entries(value)  # pyright: ignore[reportUnknownArgumentType]
            fields = {_name(key): plain(item, depth - 1) for key, item in entries}
            return plain_message(fields) or fields
        case list() | tuple() | set() | frozenset():
            items = _items(value)  # pyright: ignore[reportUnknownArgumentType]
            return [plain(item, depth - 1) for item in items]
        case _Called():
            return _called(value, depth)
        case _:
            return opaque(type(value).__name__)


def objects_of(value: JsonValue) -> list[JsonObject]:
    """Return the objects of a list, or the one object that a value is; else none."""
    items: list[JsonValue] = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def plain_message(fields: JsonObject) -> JsonObject | None:
    """Return `{role, text, ...}` of a LangChain message's fields; None where they are none.

    `role` is the message's own `type`. A text in several parts is joined; parts that are no text
    are counted in `other_parts`.
    """
    if "lc" in fields and fields.get("type") == "constructor":
        named = texts(fields, "id")[-1:]
        kind = _KIND_OF_CLASS.get(named[0]) if named else None
        return None if kind is None else plain_message({**mapping(fields, "kwargs"), "type": kind})
    kind = text(fields, "type")
    if kind not in MESSAGE_KINDS or "content" not in fields:
        return None
    said, others = _said(fields["content"])
    message: JsonObject = {"role": kind, "text": said, "id": text(fields, "id")}
    if others:
        message["other_parts"] = others
    for name in ("name", "tool_call_id", "status"):
        if fields.get(name) is not None:
            message[name] = fields[name]
    calls = rows(fields, "tool_calls")
    if calls:
        message["tool_calls"] = [
            {"id": text(call, "id"), "name": text(call, "name"), "args": call.get("args")}
            for call in calls
        ]
    return message


class _Called:
    """A class and its arguments, as the extension type names them."""

    def __init__(self, module: str, name: str, argument: object) -> None:
        self.module, self.name, self.argument = module, name, argument


def _unpacked(data: bytes, depth: int) -> JsonValue:
    hook = _Hook(depth)
    try:
        return plain(msgspec.msgpack.decode(data, ext_hook=hook.read), depth)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError, OverflowError):
        return opaque("damaged msgpack", len(data))


class _Hook:
    """Reads extension values, one level deeper than the value they stand in."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def read(self, code: int, payload: memoryview) -> object:
        """Return what an extension value stands for; see the module's rules."""
        data = bytes(payload)
        if self._depth <= 1:
            return opaque("nested too deep", len(data))
        if code == _NUMPY:
            return opaque("numpy array", len(data))
        if code == _DELTA:
            return _unpacked(data, self._depth - 1)
        if code not in _CALLS:
            return opaque(f"msgpack extension {code}", len(data))
        inner = _Hook(self._depth - 1)
        parts: object = msgspec.msgpack.decode(data, ext_hook=inner.read)
        if not isinstance(parts, list):
            return opaque(f"msgpack extension {code}", len(data))
        items: list[object] = [*_items(parts)]  # pyright: ignore[reportUnknownArgumentType]
        if len(items) < 3 or not isinstance(items[0], str) or not isinstance(items[1], str):
            return opaque(f"msgpack extension {code}", len(data))
        return _Called(items[0], items[1], items[2])


def _called(value: _Called, depth: int) -> JsonValue:
    argument = plain(value.argument, depth - 1)
    match value.module, value.name, argument:
        case ("langgraph.types", "Send", [str() as node, *rest]):
            return {"send_to": node, "arg": rest[0] if rest else None}
        case ("datetime", "date", [int() as year, int() as month, int() as day]):
            return f"{year:04}-{month:02}-{day:02}"
        case _:
            return argument


def _json(data: bytes) -> JsonValue:
    try:
        return plain(msgspec.json.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return opaque("damaged JSON", len(data))


def _said(content: JsonValue) -> tuple[str, int]:
    """Return a message's text and how many of its parts are no text."""
    if isinstance(content, str):
        return content, 0
    if not isinstance(content, list):
        return "", 0 if content is None else 1
    told: list[str] = []
    others = 0
    for part in content:
        said = part if isinstance(part, str) else text(mapping({"part": part}, "part"), "text")
        if said is None:
            others += 1
        else:
            told.append(said)
    return "".join(told), others


def _name(key: object) -> str:
    return key if isinstance(key, str) else str(plain(key, 2))


def _entries(value: dict[object, object]) -> list[tuple[object, object]]:
    return list(value.items())


def _items(
    value: "list[object] | tuple[object, ...] | set[object] | frozenset[object]",
) -> list[object]:
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return list(value)
