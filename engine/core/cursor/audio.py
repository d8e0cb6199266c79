"""`fetch_audio_range`: where in which audio file a span of the call is; metadata only.

Rules: no file is looked at, all comes from the artifact's `audio`. The first frame of a file stands
at its `media_start_offset_ms` on the call clock. Spans of milliseconds and of frames are half-open,
and milliseconds become frames by rounding down, so that spans that meet in time meet in the file.
Source: design sections 9 and 10, checklist SPD-143, `docs/guide/audio.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.errors import AudioRangeUnavailable, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue, integer, text, texts

AUDIO_RANGE_KEYS = frozenset({"audio_id", "channel", "start_ms", "end_ms"})
_NAMED_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioRange:
    """What a range holds of each audio file; `evidence` are the events that the range is from."""

    items: Sequence[JsonObject]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """Milliseconds [start, end) of the call clock; without an end, to the end of each file."""

    start_ms: int
    end_ms: int | None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extent:
    """How long a file is, and where on the call clock it starts."""

    offset_ms: int
    sample_rate: int
    frames: int
    measured: bool

    @property
    def end_ms(self) -> int:
        """The first millisecond of the call clock that has nothing of the file."""
        return min(self.offset_ms - (-self.frames * 1000 // self.sample_rate), INTEGER_MAX)


def frame_at(media_ms: int, sample_rate: int) -> int:
    """Return the frame that sounds at a millisecond of its file."""
    return media_ms * sample_rate // 1000


def media_ms_of(frame: int, sample_rate: int) -> int:
    """Return the millisecond of its file in which a frame begins."""
    return frame * 1000 // sample_rate


def audio_range(view: ArtifactView, cursor: int, command: JsonObject) -> AudioRange:
    """Return a row for each audio file asked for, in the artifact's order.

    The range is the command's; without one, that of the first playback audible at `cursor`, else of
    the visit there. Cost: O(audio files).

    Raises:
        InvalidCommand: half a range, an empty one, or an audio id or channel that is not there.
        AudioRangeUnavailable: no file has a frame in the range, or there is no range at `cursor`.
    """
    channel = command.get("channel")
    chosen = _chosen(view, command)
    span = _asked_span(command) or _span_at(view, cursor)
    items = [_item(row, span, channel if isinstance(channel, str) else None) for row in chosen]
    if all(item["start_frame"] is None for item in items):
        raise _nothing_there(span, items)
    return AudioRange(items=items, evidence=span.evidence)


def _chosen(view: ArtifactView, command: JsonObject) -> list[JsonObject]:
    """Return the audio rows that the command names by id or by channel; else all."""
    audio_id, channel = command.get("audio_id"), command.get("channel")
    if audio_id is not None and channel is not None:
        raise InvalidCommand("Give `audio_id` or `channel`, not both.")
    if audio_id is not None:
        ids = [name for row in view.audio if (name := text(row, "audio_id"))]
        _check_name("audio_id", audio_id, ids)
        return [row for row in view.audio if text(row, "audio_id") == audio_id]
    if channel is not None:
        names = [name for row in view.audio for name in texts(row, "channel_map")]
        _check_name("channel", channel, names)
        return [row for row in view.audio if channel in texts(row, "channel_map")]
    return [*view.audio]


def _check_name(key: str, value: JsonValue, names: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in names:
        known = list(dict.fromkeys(names))
        raise InvalidCommand(
            f"The call's audio has no {key} {value!r}. It has: {', '.join(known) or 'none'}.",
            {key: value, "nearest": [*get_close_matches(str(value), known)]},
        )


def _asked_span(command: JsonObject) -> _Span | None:
    """Return the command's own range, or None where it has none."""
    start, end = command.get("start_ms"), command.get("end_ms")
    if start is None and end is None:
        return None
    for key, value in (("start_ms", start), ("end_ms", end)):
        if type(value) is not int or not -INTEGER_MAX <= value <= INTEGER_MAX:
            raise InvalidCommand(f"`{key}` is whole milliseconds on the call clock.", {key: value})
    assert type(start) is int
    assert type(end) is int
    if start >= end:
        raise InvalidCommand(
            "`start_ms` comes before `end_ms`; the range does not include its end.",
            {"start_ms": start, "end_ms": end},
        )
    return _Span(start_ms=start, end_ms=end)


def _span_at(view: ArtifactView, cursor: int) -> _Span:
    """Return the range of the first playback audible at `cursor`, else of the visit there."""
    audible = view.columns.playing.open_at(cursor, limit=1)
    if audible:
        row = view.playback[audible[0][1]]
        ids = [text(row, "started_event_id"), text(row, "ended_event_id")]
        return _clocked("playback", integer(row, "start_ms"), integer(row, "end_ms"), ids)
    ordinal = view.visit_at(cursor)
    if ordinal == -1:
        raise AudioRangeUnavailable(
            "No visit has begun at this cursor; give `start_ms` and `end_ms`.", {"cursor": cursor}
        )
    visit = view.visits[ordinal]
    start, end = visit.entered_index, visit.closed_index
    return _clocked(
        "visit",
        view.clock_ms(start),
        view.clock_ms(end) if end is not None else None,
        [view.event_id(start), view.event_id(end) if end is not None else None],
    )


def _clocked(
    what: str, start_ms: int | None, end_ms: int | None, ids: Sequence[str | None]
) -> _Span:
    """Return the range from one event to another; a second id of None is an end yet to come."""
    if start_ms is None or (end_ms is None and ids[1] is not None):
        raise AudioRangeUnavailable(
            f"The {what} at this cursor has no clock; give `start_ms` and `end_ms`.",
            {"event_ids": [*ids]},
        )
    evidence = tuple(event_id for event_id in ids if event_id is not None)
    return _Span(start_ms=start_ms, end_ms=end_ms, evidence=evidence)


def _item(row: JsonObject, span: _Span, channel: str | None) -> JsonObject:
    """Return what `span` holds of one audio file; frames are null where it holds nothing."""
    item: JsonObject = {
        "audio_id": text(row, "audio_id"),
        "role": text(row, "role"),
        "path": text(row, "path"),
        "channel_index": _channel_index(row, channel),
    }
    availability = text(row, "availability") or "unavailable"
    if availability != "recorded":
        reason = text(row, "reason") or "No audio was recorded."
        return {**item, **_no_frames(availability, text(row, "code"), reason)}
    extent = _extent(row)
    if isinstance(extent, str):
        return {**item, **_no_frames("unavailable", AudioRangeUnavailable.code, extent)}
    end_ms = extent.end_ms if span.end_ms is None else min(span.end_ms, extent.end_ms)
    start_ms = max(span.start_ms, extent.offset_ms)
    start = frame_at(start_ms - extent.offset_ms, extent.sample_rate)
    end = min(frame_at(end_ms - extent.offset_ms, extent.sample_rate), extent.frames)
    if start >= end:
        there = f"The file holds {extent.offset_ms} to {extent.end_ms} ms of the call."
        return {**item, **_no_frames("unavailable", AudioRangeUnavailable.code, there)}
    return {
        **item,
        "availability": "recorded",
        "code": None,
        "reason": None,
        "start_ms": start_ms,
        "end_ms": end_ms,
        "start_frame": start,
        "end_frame": end,
        "sample_rate": extent.sample_rate,
        "measured": extent.measured,
        **_bytes(row, start, end),
    }


def _channel_index(row: JsonObject, channel: str | None) -> int | None:
    """Return the place of a channel in each frame; None if the map does not fit the file."""
    names, count = texts(row, "channel_map"), integer(row, "measured_channels")
    if channel is None or count not in {None, len(names)}:
        return None
    return names.index(channel)


def _extent(row: JsonObject) -> _Extent | str:
    """Return the extent of a recorded file: measured, else as declared; else why there is none."""
    offset = integer(row, "media_start_offset_ms")
    if offset is None:
        return "Its `media_start_offset_ms` was not recorded: its place in the call is not known."
    frames, rate = integer(row, "frames"), integer(row, "measured_sample_rate")
    measured = frames is not None and rate is not None
    if not measured:
        rate, duration = integer(row, "sample_rate"), integer(row, "duration_ms")
        frames = frame_at(duration, rate) if duration is not None and rate is not None else None
    if frames is None or rate is None or rate <= 0 or not 0 < frames <= INTEGER_MAX:
        return "Its length is neither measured nor declared."
    return _Extent(offset_ms=offset, sample_rate=rate, frames=frames, measured=measured)


def _no_frames(availability: JsonValue, code: str | None, reason: str) -> JsonObject:
    return {
        "availability": availability,
        "code": code,
        "reason": reason,
        "start_ms": None,
        "end_ms": None,
        "start_frame": None,
        "end_frame": None,
        "sample_rate": None,
        "measured": None,
        "byte_offset": None,
        "byte_length": None,
    }


def _bytes(row: JsonObject, start: int, end: int) -> JsonObject:
    """Return where in the file frames [start, end) lie; nulls where that was not measured."""
    offset, width = integer(row, "data_offset"), integer(row, "frame_bytes")
    if offset is None or width is None or not 0 <= offset + end * width <= INTEGER_MAX:
        return {"byte_offset": None, "byte_length": None}
    return {"byte_offset": offset + start * width, "byte_length": (end - start) * width}


def _nothing_there(span: _Span, items: Sequence[JsonObject]) -> AudioRangeUnavailable:
    keys = ("audio_id", "availability", "code", "reason")
    return AudioRangeUnavailable(
        "No audio file of the call has anything in this range; `detail.audio` says why of each.",
        {
            "start_ms": span.start_ms,
            "end_ms": span.end_ms,
            "audio": [{key: item[key] for key in keys} for item in items[:_NAMED_MAX]],
        },
    )
