"""A record without what is personal in it: safe forms, fingerprints, redacted free text.

Raw values of personal slots and of tool arguments become safe forms here, whoever made the record.
Free text, and every text of a type or field that the contract does not know, goes through the
redactor, if there is one.
"""

import re

from engine.core.artifact import redact, safe_form
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.core.contract.session_records import RECORD_TYPES
from engine.recording.fingerprints import message_fingerprint
from engine.recording.outgoing import not_recordable
from engine.recording.safe_values import (
    Redactor,
    SpanRedactor,
    is_shown,
    redact_strings,
    redact_text,
    safe_arguments,
    safe_arguments_fingerprint,
)
from engine.recording.session_context import SessionContext

_FINGERPRINTS = ("old_fingerprint", "new_fingerprint", "value_fingerprint", "args_fingerprint")
_FINGERPRINT = re.compile(r"hmac-sha256:[0-9a-f]{64}")
_COMMON = frozenset({"type", "event_id", "seq", "clock_ms", "visit_id", "turn_id", "caused_by"})
_AUDIO_TEXT = frozenset({"planned", "heard", "reason", "stop_reason"})
_FREE_TEXT: dict[str, frozenset[str]] = {
    "transcript_segment": frozenset({"text"}),
    "llm_requested": frozenset({"messages"}),
    "tool_called": frozenset({"args_safe"}),
    "tool_result": frozenset({"result_safe", "error"}),
    "guard_evaluated": frozenset({"error"}),
    "transition_requested": frozenset({"waits_for"}),
    **{kind: _AUDIO_TEXT for kind in RECORD_TYPES if kind.startswith("audio_")},
}
"""The contract's fields that may hold what somebody said."""
_STRUCTURED: dict[str, frozenset[str]] = {
    kind: _COMMON
    | (frozenset(row.schema.__struct_fields__) - _FREE_TEXT.get(kind, frozenset()))
    | ({"overridden"} if kind == "session_slots_seeded" else set[str]())
    for kind, row in RECORD_TYPES.items()
}
"""The fields of each known type that the redactor leaves alone."""


def private_record(
    record: JsonObject, context: SessionContext, redactor: Redactor | None
) -> JsonObject:
    """Return a checked record as it may be written; the record itself where nothing changes.

    Raises: RecordInvalid: a fingerprint that is none; RecordingFailed: the session is closed.
    """
    match record["type"]:
        case "slot_write" | "slot_filled":
            record, _ = redact(record, context.classes)
            _check_fingerprints(record, record)
        case "session_slots_seeded":
            record = _safe_seeds(record, context)
        case "tool_called":
            record = _safe_call(record, context)
        case "tool_result":
            if "result_safe" in record:
                result = safe_arguments(context, record["result_safe"])
                record = {**record, "result_safe": result}
        case "llm_requested":
            record = _with_hashes(record, context)
        case _:
            pass
    return record if redactor is None else _redacted(record, redactor)


def _safe_seeds(record: JsonObject, context: SessionContext) -> JsonObject:
    record, _ = redact(record, context.classes)
    for row in rows(record, "slots"):
        _check_fingerprints(record, row)
        for other in rows(row, "overridden"):
            value = other.get("safe_value")
            hidden = not is_shown(context.classes, text(row, "slot") or "")
            if hidden and safe_form(value) != value:
                raise not_recordable(record, "FIELD_INVALID", "has a raw value in `overridden`")
            _check_fingerprints(record, other)
    return record


def _safe_call(record: JsonObject, context: SessionContext) -> JsonObject:
    given = record.get("args_safe")
    safe = safe_arguments(context, given)
    if safe == given:
        _check_fingerprints(record, record)
        return record
    fingerprint = safe_arguments_fingerprint(context, text(record, "tool") or "", given)
    return {**record, "args_safe": safe, "args_fingerprint": fingerprint}


def _with_hashes(record: JsonObject, context: SessionContext) -> JsonObject:
    """Return a model request whose messages each have a `content_hash`, of the text as it was."""
    messages = rows(record, "messages")
    if not messages:
        return record
    listed: list[JsonValue] = []
    for message in messages:
        said = text(message, "text")
        if said is None or "content_hash" in message:
            listed.append(message)
        else:
            listed.append({**message, "content_hash": message_fingerprint(context.key, said)})
    return {**record, "messages": listed}


def _check_fingerprints(record: JsonObject, row: JsonObject) -> None:
    for name in _FINGERPRINTS:
        value = row.get(name)
        if value is not None and not (isinstance(value, str) and _FINGERPRINT.fullmatch(value)):
            raise not_recordable(record, "FIELD_INVALID", f"has a `{name}` that is no fingerprint")


def _redacted(record: JsonObject, redactor: Redactor) -> JsonObject:
    if record.get("type") == "transcript_segment" and "words" in record:
        record = _without_redacted_words(record, redactor)
    left_alone = _STRUCTURED.get(text(record, "type") or "", _COMMON)
    return {
        name: value if name in left_alone else _redacted_field(name, value, redactor)
        for name, value in record.items()
    }


def _redacted_field(name: str, value: JsonValue, redactor: Redactor) -> JsonValue:
    if name != "messages" or not isinstance(value, list):
        return redact_strings(value, redactor)
    return [
        {
            key: item if key in {"role", "content_hash"} else redact_strings(item, redactor)
            for key, item in mapping({"message": message}, "message").items()
        }
        for message in value
    ]


def _without_redacted_words(record: JsonObject, redactor: Redactor) -> JsonObject:
    """Return a segment with its single words only where the redactor leaves its text alone.

    A word by itself ("five") tells the redactor nothing; the text that it belongs to does.
    """
    words = rows(record, "words")
    said = " ".join(text(word, "text") or "" for word in words)
    if redact_text(said, redactor) == said:
        return record
    return _without_words(record, _redacted_times(words, redactor))


def _redacted_times(words: list[JsonObject], redactor: Redactor) -> list[tuple[float, float]]:
    """Return when the redacted words were said; empty where redactor or words do not tell."""
    if not isinstance(redactor, SpanRedactor):
        return []
    said = " ".join(text(word, "text") or "" for word in words)
    spans = redactor.spans(said)
    times: list[tuple[float, float]] = []
    at = 0
    for word in words:
        end = at + len(text(word, "text") or "")
        if any(start < end and at < stop for start, stop in spans):
            first, last = word.get("start_ms"), word.get("end_ms")
            if not (isinstance(first, (int, float)) and isinstance(last, (int, float))):
                return []
            times.append((first, last))
        at = end + 1
    return times


def _without_words(record: JsonObject, times: list[tuple[float, float]] | None) -> JsonObject:
    """Return a segment whose text was redacted without the texts of its single `words`.

    `times`: of the redacted words, where they are known; else the whole segment counts.
    """
    words: list[JsonValue] = [
        {name: value for name, value in word.items() if name in ("start_ms", "end_ms")}
        for word in rows(record, "words")
    ]
    spans: list[JsonValue] = [[start, end] for start, end in times or ()]
    return {**record, "words": words, **({"redacted_ms": spans} if spans else {})}
