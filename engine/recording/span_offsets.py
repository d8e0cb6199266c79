"""Span offsets: where in the agent's audio each playback lies, in frames and milliseconds.

Written at the end of a recording into the audio's rows, by the declared offset and the file's own
frames; the rule is that of `fetch_audio_range`. A playback that no record says to have started has
no place; one without an end has a start only. Source: PBR-023, `docs/guide/audio.md`.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.core.artifact.playback import PlaybackSpans
from engine.core.contract.json_types import JsonObject, JsonValue, integer, text, texts
from engine.core.contract.labels import Stream
from engine.core.contract.session_records import AUDIO_TYPES, effective_type
from engine.core.cursor.audio import frame_at
from engine.recording.lines import LineRecords
from engine.recording.mapped import map_file

_AUDIO = re.compile(rb'"audio_(?:' + "|".join(k[6:] for k in AUDIO_TYPES).encode() + rb')"')


def audio_records(bus_file: Path) -> Iterator[JsonObject]:
    """Yield the playback records of a bus file; other lines are not decoded. Raises: OSError."""
    for record in LineRecords(map_file(bus_file), stream=Stream.BUS).holding(_AUDIO):
        if effective_type(record) in AUDIO_TYPES:
            yield record


def span_offsets(rows: list[JsonObject], records: Iterable[JsonObject]) -> list[JsonObject]:
    """Return measured audio rows; those of the agent's audio with `spans`.

    `records` are playback records in call order. A span is `{playback_id, start_frame, end_frame,
    start_ms, end_ms}`, half-open, in the file; its milliseconds are on the call clock. What the
    file does not hold is cut off, and a span of which it holds nothing is left out.
    """
    played = [row for row in rows if _is_agents(row)]
    if not played:
        return rows
    gathered = PlaybackSpans()
    for number, record in enumerate(records):
        gathered.add(str(record["type"]), record, str(number), None)
    spans = [span for span in gathered.rows() if isinstance(span, dict)]
    return [{**row, "spans": [*_offsets(row, spans)]} if _is_agents(row) else row for row in rows]


def _is_agents(row: JsonObject) -> bool:
    """Return whether a row is of a file that has the agent's sound at a known place."""
    known = all(integer(row, key) is not None for key in _PLACE)
    agent = row.get("role") == "agent_played" or "agent" in texts(row, "channel_map")
    return known and agent and row.get("availability") == "recorded"


_PLACE = ("media_start_offset_ms", "frames", "measured_sample_rate")


def _offsets(row: JsonObject, spans: list[JsonObject]) -> Iterator[JsonValue]:
    offset, frames, rate = (integer(row, key) or 0 for key in _PLACE)
    for span in spans:
        start_ms, end_ms = integer(span, "start_ms"), integer(span, "end_ms")
        if start_ms is None:
            continue
        start = max(frame_at(start_ms - offset, rate), 0)
        end = None if end_ms is None else min(frame_at(end_ms - offset, rate), frames)
        if start >= frames or (end is not None and end <= start):
            continue
        yield {
            "playback_id": text(span, "playback_id"),
            "start_frame": start,
            "end_frame": end,
            "start_ms": start_ms,
            "end_ms": end_ms,
        }
