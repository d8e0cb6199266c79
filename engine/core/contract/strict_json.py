"""Strict JSON: bytes -> value, or a typed reason with its place.

Refused, beyond the grammar: a byte order mark, invalid UTF-8, duplicate keys, NaN and infinities,
floats that overflow, lone surrogates, nesting deeper than `DEPTH_MAX`. Integers keep every digit. A
reason never quotes what was read: it may be personal.
Source: RFC 8259, RFC 7493 (I-JSON).
"""

import json
import re
from math import isfinite

import msgspec

from engine.core.contract.json_types import JsonObject, JsonValue

DEPTH_MAX = 64
"""Levels of arrays and objects; an artifact of this project has fewer than ten."""


class NotJson(Exception):
    """Why bytes are not strict JSON.

    Attributes:
        kind: `SYNTAX`, `NOT_UTF8`, `DUPLICATE_KEY`, ...
        reason: what is wrong, as the end of a sentence that begins with what was read.
        byte_offset: from the start of the bytes, 0-based; 0 where the place is not known.
    """

    def __init__(self, kind: str, reason: str, byte_offset: int) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.byte_offset = byte_offset


def decode_strict(data: bytes) -> JsonValue:
    """Return the value that `data` spells.

    Cost: O(size). Raises: NotJson.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        raise NotJson("BYTE_ORDER_MARK", "starts with a byte order mark: save it as plain UTF-8", 0)
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson("NOT_UTF8", "is not UTF-8", error.start) from error
    check_depth(data)
    try:
        value: JsonValue = _DECODER.decode(source)
    except json.JSONDecodeError as error:
        offset = len(source[: error.pos].encode())
        raise NotJson("SYNTAX", f"is not JSON: {error.msg}", offset) from error
    except _Refused as error:
        raise NotJson(error.kind, error.reason, 0) from error
    if "\\u" in source:
        _check_surrogates(value)
    return value


def decode_line(line: bytes) -> JsonValue:
    """Return what `decode_strict` returns, fast for a line in its writer's canonical form."""
    return decode_line_noting(line)[0]


def decode_line_noting(line: bytes) -> tuple[JsonValue, bool]:
    """Return what `decode_line` returns, and whether `decode_again` may decode the line later.

    A line that decodes and encodes to itself holds nothing that the strict decoder refuses.
    """
    try:
        value = _FAST_DECODER.decode(line)
        if _FAST_ENCODER.encode(value) == line and line.count(b"{") + line.count(b"[") <= DEPTH_MAX:
            return value, True
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass
    return decode_strict(line), False


def decode_again(line: bytes) -> JsonValue:
    """Return the value of a line of which `decode_line_noting` said that this is safe."""
    return _FAST_DECODER.decode(line)


def decode_object(data: bytes) -> JsonObject:
    """Return the object that `data` spells. Raises: NotJson, also for any other JSON value."""
    value = decode_strict(data)
    if not isinstance(value, dict):
        raise NotJson("NOT_AN_OBJECT", "is JSON, but not an object", 0)
    return value


class _Refused(Exception):
    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("DUPLICATE_KEY", "has a key twice in one object")
    return value


def _float(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise _Refused("NUMBER_RANGE", "holds a number so large that no reader can keep it")
    return value


def _int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError as error:  # longer than this interpreter converts
        raise _Refused("NUMBER_RANGE", f"holds a number of {len(digits)} digits") from error


def _constant(name: str) -> float:
    raise _Refused("NUMBER_RANGE", f"holds {name}, which JSON does not have")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant
)
_STRUCTURE = re.compile(rb'[{}\[\]]|"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_FAST_DECODER = msgspec.json.Decoder()
_FAST_ENCODER = msgspec.json.Encoder()


def check_depth(data: bytes, *, levels: int = DEPTH_MAX) -> None:
    """Refuse nesting beyond `levels` before any recursive reader sees it."""
    if data.count(b"{") + data.count(b"[") <= levels:
        return
    depth = 0
    for token in _STRUCTURE.finditer(data):
        byte = token[0]
        if byte in {b"{", b"["}:
            depth += 1
            if depth > levels:
                reason = f"nests deeper than {levels} levels"
                raise NotJson("TOO_DEEP", reason, token.start())
        elif byte in {b"}", b"]"}:
            depth -= 1


def _check_surrogates(value: JsonValue) -> None:
    """Refuse text that UTF-8 cannot hold."""
    match value:
        case str():
            if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
                raise NotJson("LONE_SURROGATE", "holds half of a surrogate pair", 0)
        case list():
            for item in value:
                _check_surrogates(item)
        case dict():
            for key, item in value.items():
                _check_surrogates(key)
                _check_surrogates(item)
        case _:
            pass
