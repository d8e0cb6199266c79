"""The dialogue stack and the patches that change it.

Patches are RFC 6902 documents on a list of frames. A patch is applied whole or not at all; the
stack given is never changed. Own code and not a library: decision 19 says why.
"""

import copy
import re
from collections.abc import Sequence

from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.strict_json import NotJson, decode_strict

OPERATIONS_MAX = 10_000
"""Most operations of one patch."""
FRAMES_MAX = 256
"""Deepest stack that is kept."""
_INDEX = re.compile("0|[1-9][0-9]{0,8}")


class PatchRefused(Exception):
    """A patch does not fit the stack; the text says why, as the end of a sentence."""


def patched(stack: Sequence[JsonValue], update: JsonValue) -> list[JsonValue]:
    """Return the stack after a patch, given as a list or as its JSON text.

    Cost: O(size of the stack + patch). Raises: PatchRefused.
    """
    patch = update
    if isinstance(update, str):
        try:
            patch = decode_strict(update.encode("utf-8", "surrogatepass"))
        except NotJson as error:
            raise PatchRefused(f"the patch {error.reason}") from error
    if not isinstance(patch, list):
        raise PatchRefused("the patch is no list of operations")
    if len(patch) > OPERATIONS_MAX:
        raise PatchRefused(f"the patch has more than {OPERATIONS_MAX} operations")
    document: JsonValue = copy.deepcopy(list(stack))
    for operation in patch:
        if not isinstance(operation, dict):
            raise PatchRefused("an operation is no object")
        document = _applied(document, operation)
    if not isinstance(document, list):
        raise PatchRefused("the patch makes the stack something else than a list")
    if len(document) > FRAMES_MAX:
        raise PatchRefused(f"the stack grows beyond {FRAMES_MAX} frames")
    return document


def _applied(document: JsonValue, operation: JsonObject) -> JsonValue:
    path = _parts(text(operation, "path"))
    match text(operation, "op"):
        case "add":
            return _added(document, path, _value(operation))
        case "remove":
            return _removed(document, path)[0]
        case "replace":
            value = _value(operation)
            return _added(_removed(document, path)[0], path, value) if path else value
        case "move":
            source = _parts(text(operation, "from"))
            if path[: len(source)] == source and path != source:
                raise PatchRefused("a value is moved into itself")
            rest, value = _removed(document, source)
            return _added(rest, path, value)
        case "copy":
            return _added(
                document, path, copy.deepcopy(_found(document, _parts(text(operation, "from"))))
            )
        case "test":
            if not _same(_found(document, path), _value(operation)):
                raise PatchRefused("a test of the patch fails")
            return document
        case _:
            raise PatchRefused("an operation has no known `op`")


def _value(operation: JsonObject) -> JsonValue:
    if "value" not in operation:
        raise PatchRefused("an operation has no `value`")
    return copy.deepcopy(operation["value"])


def _parts(pointer: str | None) -> list[str]:
    """Return the parts of a JSON pointer (RFC 6901)."""
    if pointer is None or (pointer and not pointer.startswith("/")):
        raise PatchRefused("an operation has no JSON pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _place(items: list[JsonValue], part: str, *, to_add: bool) -> int:
    if to_add and part == "-":
        return len(items)
    if not _INDEX.fullmatch(part):
        raise PatchRefused("a pointer has no number where the list needs one")
    place = int(part)
    if place > len(items) - (not to_add):
        raise PatchRefused("a pointer leads behind the end of a list")
    return place


def _found(document: JsonValue, path: Sequence[str]) -> JsonValue:
    for part in path:
        match document:
            case list():
                document = document[_place(document, part, to_add=False)]
            case dict() if part in document:
                document = document[part]
            case _:
                raise PatchRefused("a pointer leads to nothing")
    return document


def _added(document: JsonValue, path: Sequence[str], value: JsonValue) -> JsonValue:
    if not path:
        return value
    match _found(document, path[:-1]):
        case list() as items:
            items.insert(_place(items, path[-1], to_add=True), value)
        case dict() as members:
            members[path[-1]] = value
        case _:
            raise PatchRefused("a pointer leads to nothing")
    return document


def _removed(document: JsonValue, path: Sequence[str]) -> tuple[JsonValue, JsonValue]:
    """Return the document without the value at `path`, and the value."""
    if not path:
        return None, document
    match _found(document, path[:-1]):
        case list() as items:
            return document, items.pop(_place(items, path[-1], to_add=False))
        case dict() as members if path[-1] in members:
            return document, members.pop(path[-1])
        case _:
            raise PatchRefused("a pointer leads to nothing")


def _same(left: JsonValue, right: JsonValue) -> bool:
    """Return whether two JSON values are equal; true is not 1."""
    match left, right:
        case (list(), list()):
            return len(left) == len(right) and all(map(_same, left, right))
        case (dict(), dict()):
            return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
        case _:
            return left == right and isinstance(left, bool) == isinstance(right, bool)
