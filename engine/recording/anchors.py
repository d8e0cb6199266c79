"""Anchors: the times on the call clock at which, by the records, sound began.

Of the agent: the starts of its playbacks. A recorder may note the moment at which its transport
hands over the first sample (`speech.bot_speech_started`) beside `audio_started`; of the two the
kind that the call has more of is taken, the former on a tie. Of the caller: where transcript
segments say that speech began (`start_ms`), never where they were recognised. Other lines are not
decoded.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.core.artifact import StreamInput
from engine.core.contract.json_types import JsonObject, integer, text
from engine.core.contract.labels import Stream
from engine.recording.lines import LineRecords

_STARTS = ("speech.bot_speech_started", "audio_started")
_START = re.compile(rb'"(?:speech\.bot_speech_started|audio_started)"')
_SEGMENT = re.compile(rb'"transcript_segment"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """Times on the call clock in milliseconds, by who speaks."""

    agent: tuple[int, ...] = ()
    caller: tuple[int, ...] = ()


def sound_anchors(streams: Sequence[StreamInput]) -> Anchors:
    """Return the anchors of a call. Cost: one search over the bytes of bus and transcript."""
    starts: dict[str, list[int]] = {kind: [] for kind in _STARTS}
    for record in _holding(streams, Stream.BUS, _START):
        kind, clock_ms = text(record, "type"), integer(record, "clock_ms")
        if kind in starts and clock_ms is not None:
            starts[kind].append(clock_ms)
    heard = [
        start_ms
        for record in _holding(streams, Stream.TRANSCRIPT, _SEGMENT)
        if text(record, "speaker") == "caller"
        and (start_ms := integer(record, "start_ms")) is not None
    ]
    return Anchors(agent=tuple(max(starts.values(), key=len)), caller=tuple(heard))


def _holding(
    streams: Sequence[StreamInput], stream: Stream, pattern: re.Pattern[bytes]
) -> Iterator[JsonObject]:
    for source in streams:
        if source.stream is stream and isinstance(source.records, LineRecords):
            yield from source.records.holding(pattern)
