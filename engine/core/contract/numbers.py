"""Numbers that survive: what a JSON reader on any machine would change is kept as text.

Source: contract, "File layout" (`NUMBER_KEPT_AS_TEXT`) and RFC 8785.
"""

from dataclasses import dataclass

import rfc8785

from engine.core.contract.canonical import INTEGER_MAX, is_plain
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptNumbers:
    """A record whose every number is exact, and the JSON pointers of those now kept as text."""

    record: JsonObject
    pointers: tuple[str, ...]


def keep_numbers(record: JsonObject) -> KeptNumbers:
    """Return `record` with integers beyond 2^53-1 (and floats of such value) as text.

    The record itself is returned when nothing changes. Cost: O(size).

    Raises:
        SessionInvalid: NaN or an infinity, which JSON does not have.
    """
    if is_plain(record):
        return KeptNumbers(record=record, pointers=())
    pointers: list[str] = []
    kept = {key: _kept(value, f"/{_token(key)}", pointers) for key, value in record.items()}
    return KeptNumbers(record=kept, pointers=tuple(pointers))


def _kept(value: JsonValue, pointer: str, pointers: list[str]) -> JsonValue:
    match value:
        case bool():
            return value
        case int() if not -INTEGER_MAX <= value <= INTEGER_MAX:
            pointers.append(pointer)
            return str(value)
        case float():
            return _kept_float(value, pointer, pointers)
        case list():
            return [_kept(item, f"{pointer}/{i}", pointers) for i, item in enumerate(value)]
        case dict():
            return {k: _kept(v, f"{pointer}/{_token(k)}", pointers) for k, v in value.items()}
        case _:
            return value


def _kept_float(value: float, pointer: str, pointers: list[str]) -> JsonValue:
    if value - value != 0.0:
        raise SessionInvalid(
            "A record holds NaN or an infinity, which JSON does not have: write null instead.",
            {"kind": "NUMBER_RANGE", "pointer": pointer},
        )
    if value.is_integer():
        if abs(value) > INTEGER_MAX:
            pointers.append(pointer)
            return rfc8785.dumps(value).decode("ascii")
        return int(value)
    return value


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
