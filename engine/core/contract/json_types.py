"""JSON values that cross the core's boundary, and typed reads of their members.

`JsonObject` is what a decoder yields. The readers below narrow a member by its JSON type and give
None where it is absent or of another type; they never convert.
"""

from typing import TypeAlias, Union

JsonValue: TypeAlias = Union[str, int, float, bool, "list[JsonValue]", "dict[str, JsonValue]", None]
JsonObject: TypeAlias = dict[str, JsonValue]


def text(record: JsonObject, key: str) -> str | None:
    """Return the member `key` if it is a string."""
    value = record.get(key)
    return value if isinstance(value, str) else None


def integer(record: JsonObject, key: str) -> int | None:
    """Return the member `key` if it is an integer (a boolean is none)."""
    value = record.get(key)
    return value if type(value) is int else None


def rows(record: JsonObject, key: str) -> list[JsonObject]:
    """Return the objects of the list member `key`, in order; empty where there are none."""
    value = record.get(key)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def texts(record: JsonObject, key: str) -> list[str]:
    """Return the strings of the list member `key`, in order; empty where there are none."""
    value = record.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def mapping(record: JsonObject, key: str) -> JsonObject:
    """Return the object member `key`, or an empty object."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}
