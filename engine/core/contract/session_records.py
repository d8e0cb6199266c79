"""Schemas of what a session directory holds: the record types, the manifest, audio references.

`RECORD_TYPES` is the contract's table: stream, beat and fields of every known record type. A field
without a default is required; a nullable field may be absent. Fields that are not listed are kept.
A record that does not fit its type is shown like any other and has no other effect.
"""

import re
from dataclasses import dataclass
from typing import Literal

import msgspec

from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.labels import Beat, Stream

SESSION_SCHEMA = "riff.session/v1"
SESSION_ID_PATTERN = re.compile(r"[a-z0-9]+:[A-Za-z0-9_-]{1,64}")

AUDIO_ENDS = ("audio_stopped", "audio_completed", "audio_interrupted", "audio_failed")
"""Types that end a playback span."""


class StateEntered(msgspec.Struct):
    """A visit begins."""

    state_id: str
    via_edge: str | None = None
    parent_visit_id: str | None = None


class GuardEvaluated(msgspec.Struct):
    """A guard of an edge was evaluated; a null verdict means that there was none."""

    edge_id: str
    verdict: bool | None = None
    slots_read: list[str] | None = None
    error: object = None


class TransitionRequested(msgspec.Struct):
    """The program asked for a transition that may have to wait."""

    request_id: str
    to: str
    edge_id: str | None = None
    waits_for: object = None


class TransitionTaken(msgspec.Struct):
    """The program moved; `request_id` where this answers a request."""

    to: str
    edge_id: str | None = None
    request_id: str | None = None


class StateExited(msgspec.Struct):
    """A visit ends."""

    state_id: str
    edge_id: str | None = None


class SeedRow(msgspec.Struct):
    """One slot of the seeded baseline."""

    slot: str
    safe_value: object = None
    availability: Literal["recorded", "redacted", "unavailable"] | None = None
    value_fingerprint: str | None = None
    writer: str | None = None


class SessionSlotsSeeded(msgspec.Struct):
    """The slots' values before the first state does work."""

    slots: list[SeedRow]
    session_id: str | None = None
    snapshot_fingerprint: str | None = None
    fingerprint_scheme: str | None = None


class SlotWrite(msgspec.Struct):
    """A slot was written; old and new are values of plain and routing slots, else safe forms."""

    slot: str
    kind: str | None = None
    writer: str | None = None
    old: object = None
    new: object = None
    availability: Literal["recorded", "redacted", "unavailable"] | None = None
    old_fingerprint: str | None = None
    new_fingerprint: str | None = None
    tool_call_id: str | None = None
    nested: object = None


class SlotFilled(msgspec.Struct):
    """A display note that a slot was filled; not evidence of a write."""

    slot: str


class PromptResolved(msgspec.Struct):
    """A state's prompt was filled in."""

    state_id: str
    slots_read: list[str] | None = None


class LlmRequested(msgspec.Struct):
    """A model run begins; `messages` only if snapshotted at that moment."""

    generation_id: str
    trigger: str | None = None
    context_size: int | None = None
    messages: list[dict[str, object]] | None = None


class LlmResponded(msgspec.Struct):
    """A model run ended."""

    generation_id: str


class AudioEvent(msgspec.Struct):
    """One step in the life of a playback."""

    playback_id: str
    state_id: str | None = None
    source_kind: str | None = None
    content_fingerprint: str | None = None
    request_event_id: str | None = None
    generation_id: str | None = None
    client_ack: dict[str, object] | None = None
    stop_reason: object = None
    reason: object = None
    planned: str | None = None
    heard: str | None = None


class DtmfReceived(msgspec.Struct):
    """The caller pressed a key."""

    digit: str


class InputSelected(msgspec.Struct):
    """A caller turn was committed, composed of these segments."""

    selected_source: str | None = None
    segment_event_ids: list[str] | None = None


class ToolCalled(msgspec.Struct):
    """A tool was called; `args_fingerprint` compares arguments that are not shown."""

    tool: str
    tool_call_id: str
    args_safe: object = None
    args_fingerprint: str | None = None


class ToolResult(msgspec.Struct):
    """A tool answered; `ok` is null where that was not recorded."""

    tool_call_id: str
    ok: bool | None = None
    result_safe: object = None
    error: object = None


class TranscriptSegment(msgspec.Struct):
    """A piece of the transcript."""

    speaker: str
    text: str
    source: str | None = None
    start_ms: int | float | None = None
    end_ms: int | float | None = None
    final: bool | None = None


class UnreadableRecord(msgspec.Struct):
    """Stands in the place of a line that is not a JSON object; its bytes are not kept."""

    offset: int
    length: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordType:
    """A row of the contract's table of record types."""

    stream: Stream
    beat: Beat
    schema: type[msgspec.Struct]


def _row(stream: Stream, beat: Beat, schema: type[msgspec.Struct]) -> RecordType:
    return RecordType(stream=stream, beat=beat, schema=schema)


RECORD_TYPES: dict[str, RecordType] = {
    "state_entered": _row(Stream.TRACE, Beat.ENTRY, StateEntered),
    "guard_evaluated": _row(Stream.TRACE, Beat.GUARDS, GuardEvaluated),
    "transition_requested": _row(Stream.TRACE, Beat.EXIT, TransitionRequested),
    "transition_taken": _row(Stream.TRACE, Beat.EXIT, TransitionTaken),
    "state_exited": _row(Stream.TRACE, Beat.EXIT, StateExited),
    "session_slots_seeded": _row(Stream.BUS, Beat.ENTRY, SessionSlotsSeeded),
    "slot_write": _row(Stream.BUS, Beat.WORK, SlotWrite),
    "slot_filled": _row(Stream.BUS, Beat.WORK, SlotFilled),
    "prompt_resolved": _row(Stream.BUS, Beat.AGENT_OUTPUT, PromptResolved),
    "llm_requested": _row(Stream.BUS, Beat.AGENT_OUTPUT, LlmRequested),
    "llm_responded": _row(Stream.BUS, Beat.AGENT_OUTPUT, LlmResponded),
    "audio_requested": _row(Stream.BUS, Beat.AGENT_OUTPUT, AudioEvent),
    "audio_generated": _row(Stream.BUS, Beat.AGENT_OUTPUT, AudioEvent),
    "audio_started": _row(Stream.BUS, Beat.AGENT_OUTPUT, AudioEvent),
    **{end: _row(Stream.BUS, Beat.AGENT_OUTPUT, AudioEvent) for end in AUDIO_ENDS},
    "dtmf_received": _row(Stream.BUS, Beat.CALLER_INPUT, DtmfReceived),
    "input_selected": _row(Stream.BUS, Beat.CALLER_INPUT, InputSelected),
    "tool_called": _row(Stream.BUS, Beat.WORK, ToolCalled),
    "tool_result": _row(Stream.BUS, Beat.WORK, ToolResult),
    "transcript_segment": _row(Stream.TRANSCRIPT, Beat.WORK, TranscriptSegment),
    "unreadable_record": _row(Stream.BUS, Beat.WORK, UnreadableRecord),
}
"""Known types. The beat of a transcript segment depends on its speaker: see `beat_of`."""

TRACE_TYPES = frozenset(k for k, row in RECORD_TYPES.items() if row.stream is Stream.TRACE)
AUDIO_TYPES = ("audio_requested", "audio_generated", "audio_started", *AUDIO_ENDS)
_SPEAKER_BEATS = {"caller": Beat.CALLER_INPUT, "agent": Beat.AGENT_OUTPUT}


def beat_of(record: JsonObject) -> Beat:
    """Return the beat that `record` is evidence of; unknown types are `work`."""
    kind = text(record, "type") or ""
    if kind == "transcript_segment":
        return _SPEAKER_BEATS.get(text(record, "speaker") or "", Beat.WORK)
    row = RECORD_TYPES.get(kind)
    return row.beat if row else Beat.WORK


def effective_type(record: JsonObject) -> str | None:
    """Return the record's type if the contract knows it and the record fits it, else None."""
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in RECORD_TYPES:
        return None
    try:
        msgspec.convert(record, RECORD_TYPES[kind].schema)
    except msgspec.ValidationError:
        return None
    return kind


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFlaw:
    """Why a record does not fit its type."""

    code: Literal["FIELD_MISSING", "FIELD_INVALID"]
    detail: JsonObject


def record_flaw(record: JsonObject) -> RecordFlaw | None:
    """Return what keeps a record of a known type from having its effect, or None.

    All missing fields are named at once; of fields with a wrong type, the first.
    """
    kind = record.get("type")
    if not isinstance(kind, str):
        return RecordFlaw(code="FIELD_MISSING", detail={"fields": ["type"]})
    row = RECORD_TYPES.get(kind)
    if row is None:
        return None
    try:
        msgspec.convert(record, row.schema)
    except msgspec.ValidationError:
        missing = [name for name in _required(row.schema) if name not in record]
        if missing:
            return RecordFlaw(code="FIELD_MISSING", detail={"fields": [*missing]})
        return RecordFlaw(code="FIELD_INVALID", detail={"reason": _reason(record, row.schema)})
    return None


def _reason(record: JsonObject, schema: type[msgspec.Struct]) -> str:
    """Return what is wrong with the first wrong field by name, whatever the record's key order."""
    try:
        msgspec.convert(_sorted(record), schema)
    except msgspec.ValidationError as error:
        return str(error)
    raise AssertionError(record)


def _sorted(value: JsonValue) -> JsonValue:
    """Return `value` with the keys of every object in order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _required(schema: type[msgspec.Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(schema) if field.required]


class FlowReference(msgspec.Struct):
    """Where the flow's bytes lie in the session directory, and where they came from."""

    path: str
    source_path: str | None = None


class Manifest(msgspec.Struct):
    """`manifest.json` of a session directory; other members are kept as they are."""

    schema: Literal["riff.session/v1"]
    session_id: str
    sequence: Literal["session", "per_stream"]
    flow: FlowReference
    call_start_epoch: int | None = None
    ended: Literal["completed", "aborted"] | None = None
    flow_revision: str | None = None
    engine_revision: str | None = None
    runtime_lock: str | None = None
    unavailable: dict[str, str] | None = None
    slot_classes: dict[str, Literal["personal", "routing", "plain"]] | None = None
    fingerprint_scheme: str | None = None


class AudioFacts(msgspec.Struct, kw_only=True):
    """What is measured on an audio file; all absent where no WAV was read."""

    frames: int | None = None
    header_frames: int | None = None
    measured_duration_ms: int | None = None
    measured_sample_rate: int | None = None
    measured_channels: int | None = None
    measured_sha256: str | None = None
    sample_format: str | None = None
    data_offset: int | None = None
    frame_bytes: int | None = None
    offset_ms: int | None = None
    drift_ppm: int | None = None
    drift_error_ppm: int | None = None
    residual_ms: int | None = None
    alignment_anchors: int | None = None
    alignment_reason: str | None = None


MEASURED_AUDIO_KEYS = frozenset(AudioFacts.__struct_fields__)
"""The keys of an artifact's `audio` that are never taken from `audio_refs.json`."""


class AudioReference(AudioFacts, kw_only=True):
    """One row of `audio_refs.json`: an audio file of the call, or why there is none."""

    audio_id: str
    role: str | None = None
    path: str | None = None
    availability: Literal["recorded", "unavailable", "empty_capture"] = "unavailable"
    code: str | None = None
    reason: str | None = None
    call_start_epoch: int | None = None
    media_start_offset_ms: int | None = None
    sample_rate: int | None = None
    channel_map: list[str] | None = None
    duration_ms: int | None = None
    sha256: str | None = None
