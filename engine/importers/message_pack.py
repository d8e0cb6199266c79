"""MessagePack streams: values one behind the other, each with its place.

The ends of values are found here, because the decoder takes one whole value; it also means that
depth and sizes are checked before anything is decoded. Nothing is executed: an extension type is
kept as a note of its size.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import msgspec

from engine.core.contract.json_types import JsonValue

DEPTH_MAX = 64
_FIXED = {
    **dict.fromkeys((0xC0, 0xC2, 0xC3), 0),
    **dict.fromkeys((0xCC, 0xD0), 1),
    **dict.fromkeys((0xCD, 0xD1), 2),
    **dict.fromkeys((0xCA, 0xCE, 0xD2), 4),
    **dict.fromkeys((0xCB, 0xCF, 0xD3), 8),
    0xD4: 2,
    0xD5: 3,
    0xD6: 5,
    0xD7: 9,
    0xD8: 17,
}
"""Bytes behind the first one, for values of a fixed size."""
_SIZED = {
    **dict.fromkeys((0xC4, 0xD9), (1, 0)),
    **dict.fromkeys((0xC5, 0xDA), (2, 0)),
    **dict.fromkeys((0xC6, 0xDB), (4, 0)),
    0xC7: (1, 1),
    0xC8: (2, 1),
    0xC9: (4, 1),
}
"""(bytes of the length, bytes that the length does not count) for texts, bytes and extensions."""
_CONTAINERS = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""(bytes of the count, values an item) for lists and mappings."""


class NotMessagePack(ValueError):
    """What stands at `offset` is no value: `kind` is `CUT_OFF`, `DAMAGED` or `TOO_DEEP`."""

    def __init__(self, offset: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.kind = kind
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """One value of a stream; `offset` and `length` in bytes of the unpacked source."""

    offset: int
    length: int
    value: JsonValue


def packed_values(data: bytes) -> Iterator[Packed]:
    """Yield the values of a stream in order. Cost: O(size).

    Raises: NotMessagePack, after the values before that place.
    """
    at = 0
    while at < len(data):
        end = value_end(data, at)
        try:
            value = cast("object", msgspec.msgpack.decode(memoryview(data)[at:end]))
        except (msgspec.DecodeError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise NotMessagePack(at, "DAMAGED", "holds a value that cannot be read") from error
        yield Packed(offset=at, length=end - at, value=as_json(value))
        at = end


def value_end(data: bytes, start: int) -> int:
    """Return the offset behind the value at `start`. Raises: NotMessagePack."""
    at, size = start, len(data)
    open_counts = [1]
    while open_counts:
        if open_counts[-1] == 0:
            open_counts.pop()
            continue
        open_counts[-1] -= 1
        if at >= size:
            raise NotMessagePack(start, "CUT_OFF", "ends inside a record")
        count, at = _step(data, at, start)
        if at > size:
            raise NotMessagePack(start, "CUT_OFF", "ends inside a record")
        if count:
            if len(open_counts) > DEPTH_MAX:
                raise NotMessagePack(at, "TOO_DEEP", f"nests deeper than {DEPTH_MAX} levels")
            open_counts.append(count)
    return at


def _step(data: bytes, at: int, start: int) -> tuple[int, int]:
    """Return how many values the one at `at` holds, and the offset behind its own bytes."""
    first = data[at]
    at += 1
    if first <= 0x7F or first >= 0xE0:
        return 0, at
    if first <= 0x8F:
        return 2 * (first & 0x0F), at
    if first <= 0x9F:
        return first & 0x0F, at
    if first <= 0xBF:
        return 0, at + (first & 0x1F)
    if first in _FIXED:
        return 0, at + _FIXED[first]
    if first in _SIZED:
        width, more = _SIZED[first]
        return 0, at + width + more + int.from_bytes(data[at : at + width], "big")
    if first in _CONTAINERS:
        width, each = _CONTAINERS[first]
        if at + width > len(data):
            raise NotMessagePack(start, "CUT_OFF", "ends inside a record")
        return each * int.from_bytes(data[at : at + width], "big"), at + width
    raise NotMessagePack(at - 1, "DAMAGED", "holds a byte that starts no value")


def as_json(value: object) -> JsonValue:
    """Return a decoded value with what JSON does not have as a text that says what it was."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case bytes():
            return f"<bytes len={len(value)}>"
        case list() | tuple():
            return [as_json(item) for item in cast("list[object]", value)]
        case dict():
            items = cast("dict[object, object]", value)
            return {
                key if isinstance(key, str) else str(key): as_json(item)
                for key, item in items.items()
            }
        case msgspec.msgpack.Ext():
            return f"<extension {value.code} len={memoryview(value.data).nbytes}>"
        case datetime():
            return value.isoformat()
        case _:
            return f"<{type(value).__name__}>"
