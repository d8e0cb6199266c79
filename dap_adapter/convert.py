"""Engine values to the texts that a client shows, and nothing back.

Rules: text of a call is data, so control and direction characters are shown as escapes (decision
15); a text is at most `TEXT_LENGTH_MAX` characters long; every function is pure.
"""

import re

import msgspec

from engine.core.contract.json_types import JsonValue

TEXT_LENGTH_MAX = 4096
"""Longest value text that is sent; the full value is what `evaluate` copies to the clipboard."""

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_encode = msgspec.json.Encoder().encode


def safe_text(text: str) -> str:
    r"""Return `text` with every character that could steer a screen as an escape.

    >>> safe_text("a\x1b[31m")
    'a\\u001b[31m'
    """
    return _UNSAFE.sub(_escape, text) if _UNSAFE.search(text) else text


def json_text(value: JsonValue) -> str:
    """Return the JSON of `value` in full, made safe to show."""
    try:
        return safe_text(_encode(value).decode())
    except UnicodeEncodeError:
        return safe_text(repr(value))


def value_text(value: JsonValue) -> str:
    """Return `value` as JSON without quotes around a string, bounded.

    >>> value_text("18:00"), value_text(None), value_text(["a", 1])
    ('18:00', 'null', '["a",1]')
    """
    text = json_text(value)
    return bounded(text[1:-1] if isinstance(value, str) and text.startswith('"') else text)


def bounded(text: str) -> str:
    """Return `text`, or its head and its length where it is too long to show."""
    if len(text) <= TEXT_LENGTH_MAX:
        return text
    return f"{text[:TEXT_LENGTH_MAX]}… ({len(text)} characters)"


def json_type(value: JsonValue) -> str:
    """Return the JSON name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "list"
        case dict():
            return "object"


def clock_text(clock_ms: int, *, digits: int = 3) -> str:
    """Return a time on the call clock as minutes, seconds and a fraction.

    >>> clock_text(102_345), clock_text(102_345, digits=1), clock_text(-40)
    ('01:42.345', '01:42.3', '-00:00.040')
    """
    minutes, rest = divmod(abs(clock_ms), 60_000)
    seconds, milliseconds = divmod(rest, 1000)
    sign = "-" if clock_ms < 0 else ""
    return f"{sign}{minutes:02d}:{seconds:02d}.{f'{milliseconds:03d}'[:digits]}"


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
