"""The values of plain words in YAML and of numbers in JSON: one table for both.

Rules: YAML 1.2 core schema, so `yes`, `no`, `on`, `1_0` and dates stay text, which matters where
callers say them. A number that a JSON reader would not give back exactly (beyond 2^53-1, infinite,
not a number) stays the text that was written; a whole number is an integer, however it is spelled.
"""

import math
import re
from typing import TypeAlias

from engine.core.contract.canonical import INTEGER_MAX

Scalar: TypeAlias = str | int | float | bool | None
"""A JSON value without parts."""

_WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DIGITS_MAX = 32
"""Longer integers are certainly beyond 2^53-1 or padded with zeros; both stay text."""


def plain_value(text: str) -> Scalar:
    """Return the value of a plain (unquoted) YAML scalar under the YAML 1.2 core schema.

    Cost: O(length). Source: YAML 1.2.2, section 10.3.2; design section 5.

    >>> [plain_value(word) for word in ("yes", "2026-01-01", "0o7", "~", "1e3", "0x1F")]
    ['yes', '2026-01-01', 7, None, 1000, 31]
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _OCTAL.fullmatch(text):
        return _integer(text, digits=text[2:], base=8)
    if _HEXADECIMAL.fullmatch(text):
        return _integer(text, digits=text[2:], base=16)
    return number_value(text)


def number_value(text: str) -> Scalar:
    """Return the number that `text` writes in decimal; `text` where it is none or not exact.

    Cost: O(length).
    """
    if _INTEGER.fullmatch(text):
        return _integer(text, digits=text, base=10)
    if _FLOAT.fullmatch(text) is None:
        return text
    value = float(text)
    if not math.isfinite(value):
        return text
    if value.is_integer():
        return int(value) if abs(value) <= INTEGER_MAX else text
    return value


def _integer(text: str, *, digits: str, base: int) -> int | str:
    """Return the integer, or `text` where it is beyond what JSON readers keep exact."""
    if len(digits) > _DIGITS_MAX:
        return text
    value = int(digits, base)
    return value if abs(value) <= INTEGER_MAX else text
