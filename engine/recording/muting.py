"""Muting: what was redacted in the words of a call is silenced in its audio, too.

A redacted part is sought by the times that its record has: `redacted_ms` (from the times of single
words), else the segment's `start_ms` and `end_ms`, else the playback's start and end. `PAD_MS` is
added at both ends. Where no record says when, nothing is guessed: the file is removed and its
reference says why. Source: PBR-020 to 022, design section 8.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.core.artifact.playback import PlaybackSpans
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, text
from engine.core.contract.session_records import AUDIO_TYPES
from engine.core.cursor.audio import media_ms_of
from engine.recording.placeholders import PLACEHOLDER
from engine.recording.wav import NotWav, SampleFormat, WavFacts, wav_facts

PAD_MS = 250
AUDIO_REDACTED = "AUDIO_REDACTED"
_SILENCE = {SampleFormat.PCM_U8: 0x80, SampleFormat.MULAW: 0xFF, SampleFormat.ALAW: 0xD5}
_CHUNK_FRAMES = 1 << 16
_SPEAKERS = ("caller", "agent")
_ROLES = {"caller": "caller", "agent_played": "agent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedPart:
    """A redacted part of what `speaker` said; times on the call clock, null where nobody says."""

    event_id: str | None
    speaker: str
    start_ms: float | None
    end_ms: float | None


def redacted_parts(records: Iterable[JsonObject]) -> list[RedactedPart]:
    """Return the redacted parts of transcript segments and playbacks, in order of their records."""
    parts: list[RedactedPart] = []
    spans, redacted = PlaybackSpans(), dict[str, str | None]()
    for number, record in enumerate(records):
        kind = text(record, "type") or ""
        if kind == "transcript_segment" and text(record, "speaker") in _SPEAKERS:
            parts += _of_segment(record)
        elif kind in AUDIO_TYPES:
            spans.add(kind, record, str(number), None)
            if PLACEHOLDER.search(f"{text(record, 'planned')} {text(record, 'heard')}"):
                redacted.setdefault(text(record, "playback_id") or "", text(record, "event_id"))
    return [*parts, *_of_playbacks(spans, redacted)]


def _of_segment(record: JsonObject) -> Iterator[RedactedPart]:
    times = record.get("redacted_ms")
    if not PLACEHOLDER.search(text(record, "text") or "") and times is None:
        return
    for pair in times if isinstance(times, list) and times else [None]:
        start, end = _pair(pair)
        whole = start is None or end is None
        yield RedactedPart(
            event_id=text(record, "event_id"),
            speaker=text(record, "speaker") or "",
            start_ms=_number(record.get("start_ms")) if whole else start,
            end_ms=_number(record.get("end_ms")) if whole else end,
        )


def _of_playbacks(
    spans: PlaybackSpans, redacted: Mapping[str, str | None]
) -> Iterator[RedactedPart]:
    """Yield the whole of each playback whose words were redacted; `redacted`: event by playback."""
    for span in spans.rows():
        row = mapping({"span": span}, "span")
        playback_id = text(row, "playback_id") or ""
        if playback_id not in redacted:
            continue
        start, end = integer(row, "start_ms"), integer(row, "end_ms")
        yield RedactedPart(
            event_id=redacted[playback_id],
            speaker="agent",
            start_ms=start,
            end_ms=math.inf if end is None and start is not None else end,
        )


def mute_redacted(
    directory: Path, references: Iterable[JsonObject], records: Iterable[JsonObject]
) -> list[JsonObject]:
    """Silence the redacted parts of each file; return the references, with `redacted_spans`.

    A span is `{event_id, start_frame, end_frame, start_ms, end_ms}`, end exclusive, milliseconds of
    the file. Cost: one read of the records, one write of the muted samples.
    Raises: OSError.
    """
    parts = redacted_parts(records)
    return [_muted(directory, dict(reference), parts) for reference in references]


def _muted(directory: Path, reference: JsonObject, parts: list[RedactedPart]) -> JsonObject:
    path = text(reference, "path")
    channels = _channels(reference)
    own = [part for part in parts if part.speaker in channels or not channels]
    if path is None or not own or not (directory / path).is_file():
        return reference
    file = directory / path
    offset = integer(reference, "media_start_offset_ms")
    try:
        spans = None if offset is None else _mute_file(file, own, channels, offset)
    except NotWav:
        spans = None
    if spans is None:
        file.unlink()
        return {
            **reference,
            "path": None,
            "availability": "unavailable",
            "code": AUDIO_REDACTED,
            "reason": "What was redacted cannot be placed in the audio, so the file was removed.",
        }
    return {**reference, "redacted_spans": spans}


def _mute_file(
    path: Path, parts: list[RedactedPart], channels: Mapping[str, int], offset: int
) -> list[JsonValue] | None:
    """Silence `parts` in a WAV, and return the spans; None where a part has no time."""
    with path.open("r+b") as file:
        facts = wav_facts(file)
        places: list[tuple[RedactedPart, int, int]] = []
        for part in parts:
            if part.start_ms is None or part.end_ms is None:
                return None
            start = _frame(part.start_ms - PAD_MS - offset, facts.sample_rate, facts.frames)
            end = _frame(part.end_ms + PAD_MS - offset, facts.sample_rate, facts.frames, up=True)
            places.append((part, start, end))
        for part, start, end in places:
            channel = channels.get(part.speaker) if facts.channels > 1 else None
            _mute(file, facts, channel, start, end)
        rate = facts.sample_rate
        return [
            {
                "event_id": part.event_id,
                "start_frame": start,
                "end_frame": end,
                "start_ms": media_ms_of(start, rate),
                "end_ms": -(-end * 1000 // rate),
            }
            for part, start, end in places
        ]


def _mute(file: BinaryIO, facts: WavFacts, channel: int | None, start: int, end: int) -> None:
    """Silence the frames [start, end) of a channel in place; of every one where it is null."""
    size, width = facts.frame_bytes, facts.frame_bytes // facts.channels
    silence = bytes([_SILENCE.get(facts.sample_format, 0)]) * width
    for at in range(start, end, _CHUNK_FRAMES):
        place = facts.data_offset + at * size
        file.seek(place)
        block = bytearray(file.read(min(_CHUNK_FRAMES, end - at) * size))
        _silence(block, size, width, channel, silence)
        file.seek(place)
        file.write(block)


def _silence(
    block: bytearray, frame_bytes: int, width: int, channel: int | None, silence: bytes
) -> None:
    """Silence one channel of whole frames in place; every channel where `channel` is null."""
    if channel is None:
        block[:] = silence * (len(block) // width)
        return
    count = len(block) // frame_bytes
    for byte in range(width):
        block[channel * width + byte :: frame_bytes] = silence[byte : byte + 1] * count


def _frame(ms: float, rate: int, frames: int, *, up: bool = False) -> int:
    if math.isinf(ms):
        return frames
    exact = ms * rate / 1000
    return min(max(math.ceil(exact) if up else math.floor(exact), 0), frames)


def _channels(reference: JsonObject) -> dict[str, int]:
    """Return the channel of each speaker by name; empty where nothing says who is in the file."""
    names = reference.get("channel_map")
    listed = names if isinstance(names, list) else []
    found = {name: at for at, name in enumerate(listed) if isinstance(name, str)}
    known = {name: found[name] for name in _SPEAKERS if name in found}
    role = _ROLES.get(text(reference, "role") or "")
    return known or ({role: 0} if role else {})


def _pair(value: JsonValue) -> tuple[float | None, float | None]:
    if isinstance(value, list) and len(value) == 2:
        return _number(value[0]), _number(value[1])
    return None, None


def _number(value: JsonValue) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
