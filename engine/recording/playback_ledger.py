"""The playback ledger: what became of each piece of the agent's audio, by the client's own word.

A playback has its id before it is sent to the client; the client acknowledges what it really did,
and each acknowledgement becomes a record, in the order received. Records say what sounded: a pause
or stall ends a span (`audio_stopped`), and what sounds afterwards is a further span that names the
same request. Nothing is inferred: what the client never said stays unsaid. Source: PBR-010 to
PBR-013, checklist 6.11; told in `docs/guide/playback.md`.
"""

import threading
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from math import floor, isfinite
from typing import Annotated, Literal

import msgspec

from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.errors import RecordInvalid
from engine.core.contract.json_types import JsonObject
from engine.recording.recorder import Recorder
from engine.recording.safe_values import content_fingerprint

ACKNOWLEDGEMENTS_MAX = 100_000
"""Of one call: a client that says more is refused, so that it cannot fill disk and memory."""


class SourceKind(StrEnum):
    """What made the audio; the value stands in records as `source_kind`."""

    STATIC_ASSET = "static_asset"
    MODEL_AUDIO = "model_audio"
    ENTRY_LINE = "entry_line"
    NUDGE = "nudge"
    UNKNOWN = "unknown"


_Kind = Literal["started", "resumed", "paused", "stalled", "ended", "interrupted", "failed"]
_Id = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
_Word = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]{1,64}$")]


class Acknowledgement(msgspec.Struct, kw_only=True):
    """What a client sends; members that are not listed are ignored.

    `client_clock_ms` is on the client's own clock. `play_id` tells plays of one playback apart;
    `reason` is one word; `media_ms` is the place in the audio.
    """

    playback_id: _Id
    client_event_id: _Id
    kind: _Kind
    client_clock_ms: int | float
    play_id: _Id | None = None
    reason: _Word | None = None
    media_ms: int | float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What an acknowledgement becomes: a record type, and the field that has its reason."""

    record_type: str
    reason_field: str = "reason"
    reason: str | None = None


_LIFECYCLE: dict[str, _Row] = {
    "started": _Row(record_type="audio_started"),
    "resumed": _Row(record_type="audio_started"),
    "paused": _Row(record_type="audio_stopped", reason_field="stop_reason", reason="paused"),
    "stalled": _Row(record_type="audio_stopped", reason_field="stop_reason", reason="stalled"),
    "ended": _Row(record_type="audio_completed"),
    "interrupted": _Row(record_type="audio_interrupted", reason_field="stop_reason"),
    "failed": _Row(record_type="audio_failed", reason="unknown"),
}


@dataclass(slots=True, kw_only=True, eq=False)
class _Span:
    """One stretch of sound under its own playback id."""

    playback_id: str
    started: bool = False
    ended: bool = False


@dataclass(slots=True, kw_only=True)
class _Playback:
    """One playback that was sent to a client.

    `spans` has every span of it; `plays` the current one of each of the client's plays.
    """

    common: JsonObject
    request_event_id: str
    spans: list[_Span]
    plays: dict[str | None, _Span] = field(default_factory=dict[str | None, _Span])


class PlaybackLedger:
    """The playbacks of one call; its methods may be called from any thread."""

    def __init__(self, recorder: Recorder) -> None:
        """Write into `recorder`, which stays its owner's to close."""
        self._recorder = recorder
        self._lock = threading.Lock()
        self._playbacks: dict[str, _Playback] = {}
        self._answered: dict[str, str] = {}
        """Event id of each client event id that was taken."""
        self._count = 0
        self._finished = False

    def request(  # noqa: PLR0913  each is a field of the record
        self,
        *,
        state_id: str | None,
        visit_id: str | None,
        source_kind: SourceKind | str,
        content: bytes | str | None,
        planned: str | None = None,
        clock_ms: int | None,
        turn_id: str | None = None,
        generation_id: str | None = None,
        caused_by: str | None = None,
    ) -> str:
        """Record that audio is asked for and return its playback id: send nothing before.

        `content` is what the agent says, as words or sound, for the fingerprint alone; None where
        it is not known. Raises: RecordInvalid, RecordingFailed; then there is no such playback.
        """
        if source_kind not in [*SourceKind]:
            raise _not_taken("SOURCE_KIND", "The playback has a source_kind that is none of ours")
        fingerprint = (
            None if content is None else content_fingerprint(self._recorder.context, content)
        )
        common = _present(
            {
                "state_id": state_id,
                "visit_id": visit_id,
                "source_kind": str(source_kind),
                "content_fingerprint": fingerprint,
                "turn_id": turn_id,
                "generation_id": generation_id,
            }
        )
        extra = _present({"planned": planned, "clock_ms": clock_ms, "caused_by": caused_by})
        with self._lock:
            return self._add({**common, **extra}, common, None)

    def dispatch_again(self, playback_id: str, *, clock_ms: int | None) -> str:
        """Record that one request is sent to the client once more; return the new playback id.

        Raises: RecordInvalid: no such playback; RecordingFailed.
        """
        with self._lock:
            known = self._known(playback_id)
            first = known.request_event_id
            extra = _present({"clock_ms": clock_ms, "request_event_id": first})
            return self._add({**known.common, **extra}, known.common, first)

    def generated(
        self, playback_id: str, *, clock_ms: int | None, generation_id: str | None = None
    ) -> str:
        """Record that the audio of a playback has been made; return the event id.

        Raises: RecordInvalid: no such playback; RecordingFailed.
        """
        with self._lock:
            known = self._known(playback_id)
            own = _present(
                {
                    "playback_id": playback_id,
                    "clock_ms": clock_ms,
                    "request_event_id": known.request_event_id,
                    "generation_id": generation_id,
                }
            )
            return self._recorder.append({"type": "audio_generated", **known.common, **own})

    def acknowledge(
        self,
        message: JsonObject,
        *,
        received_clock_ms: int,
        caused_by: str | None = None,
        heard: str | None = None,
    ) -> str:
        """Record a client's acknowledgement and return the event id.

        The record's `clock_ms` is the time of receipt: the client's clock is kept beside it, and
        no relation between the two is assumed. A `client_event_id` that was taken before is
        answered with its event id and written once. A start of what has started already is a
        client's replay: a span with its own playback id that names the same request.

        Args:
            message: an `Acknowledgement` as JSON; nothing in it is trusted.
            received_clock_ms: the call clock at receipt.
            caused_by: the event that made the engine stop it, such as the caller's speech.
            heard: the words that sounded, where they are known.

        Raises: RecordInvalid: not an acknowledgement, of no playback, or too many; nothing was
            written. RecordingFailed: not kept; the client may send it again.
        """
        told = _told(message)
        with self._lock:
            if told.client_event_id in self._answered:
                return self._answered[told.client_event_id]
            if self._finished:
                raise _not_taken("LEDGER_FINISHED", "The acknowledgement came after the call's end")
            known = self._known(told.playback_id)
            if len(self._answered) >= ACKNOWLEDGEMENTS_MAX:
                what = f"The call has {ACKNOWLEDGEMENTS_MAX:,} acknowledgements, which is the most"
                raise _not_taken("ACKNOWLEDGEMENTS_MAX", what)
            span, origin = _place(known, told)
            received: JsonObject = {"received_clock_ms": received_clock_ms}
            own = _present({"clock_ms": received_clock_ms, "caused_by": caused_by, "heard": heard})
            record = {**_record(known, span, told, received), **origin, **own}
            event_id = self._recorder.append(record)
            _commit(known, span, told)
            self._answered[told.client_event_id] = event_id
            return event_id

    def unended(self) -> tuple[str, ...]:
        """Return the ids of spans of which no end is known, in order of their playbacks."""
        with self._lock:
            spans = [span for known in self._playbacks.values() for span in known.spans]
            return tuple(dict.fromkeys(span.playback_id for span in spans if not span.ended))

    def finish(self) -> tuple[str, ...]:
        """Take no further acknowledgement; return what `unended` does. Nothing is written.

        A playback without an end stays without one: the finding `PLAYBACK_CAPTURE_GAP` says so.
        """
        with self._lock:
            self._finished = True
        return self.unended()

    def _add(self, fields: JsonObject, common: JsonObject, first: str | None) -> str:
        playback_id = f"p{self._count + 1:06d}"
        event_id = self._recorder.append(
            {"type": "audio_requested", "playback_id": playback_id, **fields}
        )
        self._count += 1
        self._playbacks[playback_id] = _Playback(
            common=common,
            request_event_id=event_id if first is None else first,
            spans=[_Span(playback_id=playback_id)],
        )
        return playback_id

    def _known(self, playback_id: str) -> _Playback:
        known = self._playbacks.get(playback_id)
        if known is None:
            raise _not_taken(
                "PLAYBACK_UNKNOWN", "The call has no playback of the id that was named"
            )
        return known


def browser_module() -> bytes:
    """Return the ES module that makes acknowledgements in a browser, for a server to serve."""
    return (files("engine.recording") / "browser/playback-reporter.mjs").read_bytes()


def _told(message: JsonObject) -> Acknowledgement:
    """Return a message as an acknowledgement. Raises: RecordInvalid."""
    try:
        told = msgspec.convert(message, Acknowledgement)
    except msgspec.ValidationError:
        what = "The message is not an acknowledgement as docs/guide/playback.md describes it"
        raise _not_taken("ACKNOWLEDGEMENT", what) from None
    for number in (told.client_clock_ms, told.media_ms or 0):
        if not isfinite(number) or abs(number) > INTEGER_MAX:
            raise _not_taken("ACKNOWLEDGEMENT", "The acknowledgement has a time that is no time")
    return told


def _place(known: _Playback, told: Acknowledgement) -> tuple[_Span, JsonObject]:
    """Return the span that an acknowledgement is about, and where a new one comes from.

    A play that is new begins with the first span if nobody has it, else with a further one. It goes
    on in its last span, until something starts that has started before. Without a `play_id` it is
    the last span of the playback.
    """
    span = known.plays.get(told.play_id)
    if span is None and (told.play_id is None or not known.plays):
        span = known.spans[-1]
    if span is None:
        return _next(known), {"replays": known.spans[0].playback_id}
    if told.kind == "started" and span.started:
        return _next(known), {"replays": known.spans[0].playback_id}
    if told.kind == "resumed" and span.started and span.ended:
        return _next(known), {"resumes": span.playback_id}
    return span, {}


def _next(known: _Playback) -> _Span:
    """Return a span that is not in the ledger yet."""
    return _Span(playback_id=f"{known.spans[0].playback_id}.{len(known.spans) + 1}")


def _record(
    known: _Playback, span: _Span, told: Acknowledgement, received: JsonObject
) -> JsonObject:
    row = _LIFECYCLE[told.kind]
    reason = told.reason or row.reason
    why: JsonObject = {} if reason is None else {row.reason_field: reason}
    where: JsonObject = {} if told.media_ms is None else {"media_ms": floor(told.media_ms)}
    return {
        "type": row.record_type,
        "playback_id": span.playback_id,
        **known.common,
        "request_event_id": known.request_event_id,
        **why,
        **where,
        "client_ack": {
            "client_event_id": told.client_event_id,
            "client_clock_ms": floor(told.client_clock_ms),
            **received,
        },
    }


def _commit(known: _Playback, span: _Span, told: Acknowledgement) -> None:
    """Take what was recorded into the ledger."""
    if span not in known.spans:
        known.spans.append(span)
    known.plays[told.play_id] = span
    if _LIFECYCLE[told.kind].record_type == "audio_started":
        span.started = True
    else:
        span.ended = True


def _present(fields: JsonObject) -> JsonObject:
    """Return the fields that are known."""
    return {name: value for name, value in fields.items() if value is not None}


def _not_taken(kind: str, what: str) -> RecordInvalid:
    return RecordInvalid(f"{what}. Nothing of it was written.", {"kind": kind})
