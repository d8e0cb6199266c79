"""A record on its way to disk: checked, and spelt as one line.

What an engine hands over is checked as strictly as a reader will: a recorded directory opens
without a problem. An error quotes nothing of the record, which may be personal.
"""

import re
from math import isfinite
from typing import cast

import msgspec

from engine.core.contract.errors import RecordInvalid
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Stream
from engine.core.contract.numbers import keep_numbers
from engine.core.contract.session_records import RECORD_TYPES, record_flaw
from engine.core.contract.strict_json import DEPTH_MAX, NotJson, check_depth
from engine.recording.lines import LINE_BYTES_MAX

_TEXT_FIELDS = ("event_id", "visit_id", "turn_id", "caused_by")
_PLACE = re.compile(r"`(\$[^`]*)`")
_LONG_NUMBER = re.compile(rb"[:,\[]-?(?:[0-9]{16}|[0-9.]+e)")
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def stream_of(record: JsonObject, asked: Stream | None) -> Stream:
    """Return the stream that a record belongs to: its type's, else `asked`, else the bus.

    Raises: RecordInvalid: its type belongs to another one than asked.
    """
    row = RECORD_TYPES.get(text(record, "type") or "")
    if row is None:
        return asked or Stream.BUS
    if asked is not None and asked is not row.stream:
        what = f"belongs to the stream {row.stream.value}, not {asked.value}"
        raise not_recordable(record, "STREAM", what)
    return row.stream


def check_record(record: JsonObject) -> None:
    """Refuse a record that a reader would not take for what it says. Raises: RecordInvalid."""
    flaw = record_flaw(record)
    if flaw is not None:
        place = _PLACE.search(text(flaw.detail, "reason") or "")
        detail = flaw.detail if place is None else {"field": place[1]}
        named = "lacks a field" if flaw.code == "FIELD_MISSING" else "has a field of a wrong type"
        raise not_recordable(record, flaw.code, named, detail)
    if "seq" in record:
        raise not_recordable(record, "FIELD_INVALID", "has a `seq`, which only the recorder gives")
    clock = record.get("clock_ms")
    if clock is not None and type(clock) is not int:
        what = "has a `clock_ms` that is no whole number"
        raise not_recordable(record, "FIELD_INVALID", what)
    for name in _TEXT_FIELDS:
        value = record.get(name)
        if value is not None and not isinstance(value, str):
            raise not_recordable(record, "FIELD_INVALID", f"has a `{name}` that is no text")


def spelt(record: JsonObject) -> bytes:
    """Return a record's line, its line feed included.

    A number that not every reader keeps is written as text, as a reader would show it.
    Raises: RecordInvalid: what a line of JSON cannot hold.
    """
    try:
        line = _encode(record)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _spelt_slowly(record)
    if (
        _LONG_NUMBER.search(line)
        or line.count(b"{") + line.count(b"[") > DEPTH_MAX
        or len(line) > LINE_BYTES_MAX
        or _decode(line) != record
    ):
        return _spelt_slowly(record)
    return line + b"\n"


def _spelt_slowly(record: JsonObject) -> bytes:
    """Return the line of a record that has long numbers, or say what is wrong with it."""
    if not _is_json(record, DEPTH_MAX):
        raise not_recordable(record, "NOT_JSON", "holds what JSON does not have, or is too deep")
    try:
        line = _encode(keep_numbers(record).record)
        check_depth(line)
    except (TypeError, ValueError, OverflowError, NotJson):
        what = "cannot be written as a line of JSON"
        raise not_recordable(record, "NOT_JSON", what) from None
    if len(line) > LINE_BYTES_MAX:
        raise not_recordable(record, "TOO_LARGE", f"has more than {LINE_BYTES_MAX:,} bytes")
    return line + b"\n"


def _is_json(value: object, depth: int) -> bool:
    if isinstance(value, dict):
        items = cast("dict[object, object]", value)
        return depth > 0 and all(
            isinstance(name, str) and _is_json(item, depth - 1) for name, item in items.items()
        )
    if isinstance(value, list):
        listed = cast("list[object]", value)
        return depth > 0 and all(_is_json(item, depth - 1) for item in listed)
    if isinstance(value, float):
        return isfinite(value)
    return value is None or type(value) in {str, int, bool}


def not_recordable(
    record: JsonObject, kind: str, what: str, detail: JsonObject | None = None
) -> RecordInvalid:
    """Return the error for a record; of the record it names a known type alone."""
    name = record.get("type")
    shown = name if isinstance(name, str) and name in RECORD_TYPES else None
    named = f"The record {shown}" if shown else "A record"
    return RecordInvalid(
        f"{named} {what}. Nothing of it was written.",
        {"type": shown, "kind": kind, **(detail or {})},
    )
