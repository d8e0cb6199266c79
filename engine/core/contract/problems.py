"""Problems: flaws of a recording, kept beside it and never fatal to a build.

A problem says where the flaw stands (stream, line, event id) and in `detail` what exactly it is.
Codes are stable; each has a row in `docs/guide/problems.md`.
"""

from dataclasses import dataclass, field

from engine.core.contract.canonical import canonical_bytes, printable
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import STREAM_RANK, Stream

PROBLEM_CODES: dict[str, str] = {
    "AUDIO_AVAILABILITY_DIFFERS": "An audio file is not there or empty, or there against its word.",
    "AUDIO_CHANNELS_DIFFER": "An audio file has not as many channels as its channel map names.",
    "AUDIO_DURATION_DIFFERS": "An audio file is longer or shorter than its reference says.",
    "AUDIO_HASH_DIFFERS": "An audio file is not the one whose hash its reference has.",
    "AUDIO_ID_REPEATED": "Two audio references have the same id.",
    "AUDIO_PATH_REJECTED": "An audio reference leads out of the session directory; not followed.",
    "AUDIO_RATE_DIFFERS": "An audio file has another sample rate than its reference says.",
    "CLOCK_NOT_INTEGER": "`clock_ms` was not a whole number of milliseconds and was floored.",
    "EVENT_ID_REPEATED": "The event id was used before; this event got its default id.",
    "FIELD_INVALID": "A field has the wrong type; the record is shown and has no other effect.",
    "FIELD_MISSING": "A required field is missing; the record is shown and has no other effect.",
    "FILE_MISSING": "A file of the session directory is missing; it was read as empty.",
    "FLOW_REVISION_DIFFERS": "The manifest's `flow_revision` is not the hash of the flow file.",
    "NUMBER_KEPT_AS_TEXT": "A number beyond 2^53-1 is kept as text.",
    "RAW_PERSONAL_VALUE": "A raw value stood in a personal slot and was replaced by its safe form.",
    "SEQUENCE_BROKEN": "`seq` was missing or repeated; the record stands behind its predecessor.",
    "SEQUENCE_GAP": "Sequence numbers are missing before this record.",
    "TORN_LAST_LINE": "The last line of the stream does not end with a line feed.",
    "UNKNOWN_TYPE": "The record's type is not in the contract; it is kept as `work`.",
    "UNREADABLE_RECORD": "The line is not a JSON object; its place and hash are kept.",
    "VISIT_ID_DIFFERS": "The recorded visit id differs from the computed one and is an alias.",
    "WAV_HEADER_MISMATCH": "A WAV header claims other lengths than the file has.",
}
"""Every problem code with its meaning, in code order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One flaw. `line` is the 1-based physical line in the stream's file."""

    code: str
    stream: Stream | None = None
    line: int | None = None
    event_id: str | None = None
    detail: JsonObject = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a code that the contract does not know."""
        assert self.code in PROBLEM_CODES, self.code

    def as_json(self) -> JsonObject:
        """Return the artifact's row."""
        return {
            "code": self.code,
            "stream": None if self.stream is None else self.stream.value,
            "line": self.line,
            "event_id": self.event_id,
            "detail": printable(self.detail),
        }

    @property
    def place(self) -> tuple[Stream, int] | None:
        """Stream and line, or None where the flaw is not on a line."""
        if self.stream is None or self.line is None:
            return None
        return self.stream, self.line

    @property
    def sort_key(self) -> tuple[int, int, str, bytes]:
        """Order of the artifact's list: stream rank (no stream first), line, code, detail."""
        rank = -1 if self.stream is None else STREAM_RANK[self.stream]
        return rank, self.line or 0, self.code, canonical_bytes(printable(self.detail))
