"""Playback spans: the life of each agent playback, from request to end.

Source: design section 9, contract `playback[]`. A span ends at its first end record; what no record
says stays null.
"""

from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, JsonValue, integer, text
from engine.core.contract.session_records import AUDIO_ENDS, AUDIO_TYPES

_FIRST_SEEN = ("state_id", "source_kind", "content_fingerprint", "generation_id")


@dataclass(slots=True, kw_only=True)
class _Span:
    """What the records of one playback id say, first record first."""

    visit_id: str | None
    first_seen: dict[str, str | None] = field(default_factory=lambda: dict.fromkeys(_FIRST_SEEN))
    event_ids: dict[str, str] = field(default_factory=dict[str, str])
    end_type: str | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    acknowledged: bool = False

    def add(self, kind: str, record: JsonObject, event_id: str) -> None:
        for name in _FIRST_SEEN:
            if self.first_seen[name] is None:
                self.first_seen[name] = text(record, name)
        stage = "ended" if kind in AUDIO_ENDS else kind.removeprefix("audio_")
        if stage in self.event_ids:
            return
        self.event_ids[stage] = event_id
        if stage == "started":
            self.start_ms = integer(record, "clock_ms")
            self.acknowledged = bool(record.get("client_ack"))
        elif stage == "ended":
            self.end_type = kind
            self.end_ms = integer(record, "clock_ms")

    def as_json(self, playback_id: str) -> JsonObject:
        return {
            "playback_id": playback_id,
            "visit_id": self.visit_id,
            **self.first_seen,
            "requested_event_id": self.event_ids.get("requested"),
            "generated_event_id": self.event_ids.get("generated"),
            "started_event_id": self.event_ids.get("started"),
            "ended_event_id": self.event_ids.get("ended"),
            "end_type": self.end_type,
            "start_ms": self.start_ms,
            "end_ms": self.end_ms,
            "acknowledged": self.acknowledged,
        }


class PlaybackSpans:
    """Gathers the artifact's `playback`, in order of each playback's first event."""

    def __init__(self) -> None:
        """Start without spans."""
        self._spans: dict[str, _Span] = {}

    def add(self, kind: str, record: JsonObject, event_id: str, owner: str | None) -> None:
        """Take one event of a known type, in call order; `owner` is its visit id."""
        if kind not in AUDIO_TYPES:
            return
        playback_id = text(record, "playback_id")
        assert playback_id is not None
        span = self._spans.setdefault(playback_id, _Span(visit_id=owner))
        span.add(kind, record, event_id)

    def rows(self) -> list[JsonValue]:
        """Return the spans gathered so far."""
        return [span.as_json(playback_id) for playback_id, span in self._spans.items()]
