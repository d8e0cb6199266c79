"""Canonical JSON (RFC 8785): the one encoder behind every byte and hash.

Rules: `rfc8785` defines the bytes. The fast encoder is used only for values where it is known to
give the same bytes (no float, integers within 2^53-1, no key outside the Basic Multilingual Plane);
a property test compares the two.
"""

import hashlib
from math import isfinite

import msgspec
import rfc8785

from engine.core.contract.json_types import JsonValue

INTEGER_MAX = 2**53 - 1
"""Largest integer that every JSON reader keeps exact (RFC 8785, section 3.2.2.3)."""

_fast_encode = msgspec.json.Encoder(order="sorted").encode


def canonical_bytes(value: JsonValue) -> bytes:
    """Return the RFC 8785 bytes of `value`.

    Cost: O(size). Raises: `rfc8785.CanonicalizationError` for NaN, infinities, integers beyond
    `INTEGER_MAX`, lone surrogates; callers that read outside data remove those first.
    """
    if is_plain(value):
        try:
            return _fast_encode(value)
        except UnicodeEncodeError:
            pass  # a lone surrogate: let the reference encoder name it
    try:
        return rfc8785.dumps(value)  # pyright: ignore[reportArgumentType]
    except UnicodeEncodeError as error:  # a lone surrogate in a key
        raise rfc8785.CanonicalizationError(str(error)) from error


def printable(value: JsonValue, *, depth: int = 32) -> JsonValue:
    """Return `value` as it can be printed: what RFC 8785 refuses is shown as text.

    For values that come from outside and are echoed, like the detail of an error.
    """
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case list():
            return [printable(item, depth=depth - 1) for item in value] if depth else "[...]"
        case dict():
            if not depth:
                return "{...}"
            return {
                str(printable(key)): printable(item, depth=depth - 1) for key, item in value.items()
            }
        case float():
            return value if isfinite(value) else str(value)
        case _:
            return value if is_plain(value) else str(value)


def is_plain(value: JsonValue) -> bool:
    """Return whether the fast encoder gives RFC 8785 bytes for `value` (text content aside)."""
    match value:
        case str() | None:
            return True
        case dict():
            for key, item in value.items():
                if not (key.isascii() or _sorts_alike(key)):
                    return False
                if not isinstance(item, str) and not is_plain(item):
                    return False
            return True
        case list():
            return all(map(is_plain, value))
        case bool():
            return True
        case int():
            return -INTEGER_MAX <= value <= INTEGER_MAX
        case float():
            return False


def _sorts_alike(key: str) -> bool:
    """Return whether code-point order and UTF-16 order agree for a key that is not empty."""
    return max(key) < "\ud800"


def sha256_of(data: bytes) -> str:
    """Return `sha256:` and the lowercase hexadecimal digest of `data`."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
