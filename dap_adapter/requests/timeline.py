"""The requests of a timeline page, beside the protocol's: query, seek, peaks, audio.

Rules: thin. A query is one of the core's that only read; a seek is the core's `seek`, answered,
then `continued` and `stopped` as a move from the console; peaks are read in slices. No event is
sent that the protocol does not know. Texts of the call are made safe to show (decision 15).
"""

import base64
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dap_adapter.convert import safe_text
from dap_adapter.errors import DapError, ErrorNumber, of_response
from dap_adapter.jobs import Advance, Job
from dap_adapter.loading import in_slices
from dap_adapter.requests.stops import emit_continued, emit_stop
from dap_adapter.session_state import SessionState
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, text, texts
from engine.core.contract.labels import Direction
from engine.core.contract.strict_json import NotJson, decode_strict

if TYPE_CHECKING:
    from engine.recording import Peaks

QUERIES = (
    "clock_table",
    "conversation",
    "inspect_clocks",
    "inspect_evidence",
    "inspect_exits",
    "inspect_pending",
    "inspect_state",
    "inspect_variables",
    "list_findings",
    "playback",
    "search",
    "timeline",
)
"""The actions of the core that `stateProgram/query` passes on."""

BIN_MS = 50
BIN_MS_LONG = 500
LONG_MS = 2 * 3_600_000
"""Audio beyond this length gets the wider bins."""


class QueryArguments(msgspec.Struct, frozen=True, kw_only=True):
    """A query of the core, one object; without a `cursor`, at the session's."""

    command: msgspec.Raw


class QueryResponseBody(msgspec.Struct, frozen=True, kw_only=True):
    """What the query returned, and where the session stands."""

    result: JsonObject
    cursor: int
    direction: str


class SeekArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place, by any key of the core's `seek` that a page has."""

    event_index: int | None = None
    clock_ms: int | None = None
    finding: str | None = None
    visit_id: str | None = None
    edge: str | None = None


class SeekResponseBody(msgspec.Struct, frozen=True, kw_only=True):
    """Where the cursor stands after the seek."""

    cursor: int


class PeaksArguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An audio file by its id."""

    audio_id: str


class ChannelPeaks(msgspec.Struct, frozen=True, kw_only=True):
    """The lowest and highest sample of each bin: 16 bit, little endian, base64."""

    name: str
    lows: str
    highs: str


class PeaksResponseBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Peaks of all channels; bin 0 starts at `offsetMs` of the call clock."""

    audio_id: str
    bin_ms: int
    offset_ms: int
    channels: list[ChannelPeaks]


class AudioArguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A piece of an audio file; with `length` 0, only where and how long the file is."""

    audio_id: str
    offset: msgspec.UnsetType | int = 0
    length: msgspec.UnsetType | int = 0


class AudioResponseBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A piece of an audio file, base64; `path` is on the adapter's machine."""

    audio_id: str
    path: str
    size: int
    data: str


def query(state: SessionState, arguments: QueryArguments) -> QueryResponseBody:
    """Answer one of the core's queries."""
    opened = state.opened
    command = _command_in(bytes(arguments.command))
    action = command.get("action")
    if action not in QUERIES:
        raise DapError(
            ErrorNumber.INVALID_ARGUMENTS,
            f"'stateProgram/query' serves {', '.join(QUERIES)}, not {safe_text(str(action))!r}.",
        )
    at = command.get("cursor", opened.cursor)
    if type(at) is not int or not -1 <= at <= opened.last:
        raise DapError(ErrorNumber.INVALID_ARGUMENTS, f"`cursor` is from -1 to {opened.last}.")
    result = opened.query(at, command)
    return QueryResponseBody(
        result={key: _safe(value) for key, value in result.items()},
        cursor=opened.cursor,
        direction=opened.direction.value,
    )


def seek(state: SessionState, arguments: SeekArguments) -> SeekResponseBody:
    """Move the cursor to a place, as the console's `goto` does; nowhere: it stays."""
    from engine.core.cursor import apply_command, open_debugger  # noqa: PLC0415 - start-up

    opened = state.opened
    asked = {
        key: value for key, value in msgspec.to_builtins(arguments).items() if value is not None
    }
    command: JsonObject = {"action": "seek", "cursor": opened.cursor, **asked}
    response = apply_command(open_debugger(opened.view), command)[1]
    if response["error"] is not None:
        error = mapping(response, "error")
        raise of_response(text(error, "code") or "", text(error, "message") or "")
    cursor = integer(response, "new_cursor")
    assert cursor is not None
    if cursor != opened.cursor:
        direction = Direction.REVERSE if cursor < opened.cursor else Direction.FORWARD
        opened.cursor = cursor
        emit_continued(state)
        emit_stop(state, direction, reason="goto")
    return SeekResponseBody(cursor=cursor)


def peaks(state: SessionState, arguments: PeaksArguments) -> Job:
    """Answer with the peaks of an audio file, once they are measured or found in the cache."""
    from engine.recording import audio_path, audio_row  # noqa: PLC0415 - start-up

    opened = state.opened
    row = audio_row([*opened.view.audio], arguments.audio_id)
    path = audio_path(row, opened.session_directory)
    return Job(title="Reading the waveform", steps=_peaks(row, path))


def _peaks(row: JsonObject, path: Path) -> Generator[Advance | None, None, PeaksResponseBody]:
    from engine.recording import waveform_peaks  # noqa: PLC0415 - start-up

    length_ms = integer(row, "measured_duration_ms") or 0
    bin_ms = BIN_MS if length_ms <= LONG_MS else BIN_MS_LONG
    digest = text(row, "measured_sha256") or text(row, "sha256") or "unknown"
    found = yield from in_slices(lambda: waveform_peaks(path, sha256=digest, bin_ms=bin_ms))
    names = texts(row, "channel_map")
    return PeaksResponseBody(
        audio_id=str(row["audio_id"]),
        bin_ms=bin_ms,
        offset_ms=integer(row, "media_start_offset_ms") or 0,
        channels=[_channel(found, number, names) for number in range(len(found.lows))],
    )


def _channel(found: "Peaks", number: int, names: list[str]) -> ChannelPeaks:
    name = names[number] if number < len(names) else f"channel {number + 1}"
    return ChannelPeaks(
        name=safe_text(name), lows=_packed(found.lows[number]), highs=_packed(found.highs[number])
    )


def _packed(values: "memoryview[int]") -> str:
    from array import array  # noqa: PLC0415 - start-up
    from sys import byteorder  # noqa: PLC0415 - start-up

    column = array("h", values)
    if byteorder == "big":
        column.byteswap()
    return base64.b64encode(column.tobytes()).decode()


def audio(state: SessionState, arguments: AudioArguments) -> AudioResponseBody:
    """Answer with a piece of an audio file."""
    from engine.recording import (  # noqa: PLC0415 - start-up
        PIECE_BYTES_MAX,
        audio_path,
        audio_piece,
        audio_row,
    )

    opened = state.opened
    row = audio_row([*opened.view.audio], arguments.audio_id)
    path = audio_path(row, opened.session_directory)
    offset, length = arguments.offset, arguments.length
    if not isinstance(offset, int) or not isinstance(length, int) or min(offset, length) < 0:
        raise DapError(ErrorNumber.INVALID_ARGUMENTS, "`offset` and `length` are bytes, from 0 on.")
    data = audio_piece(path, offset=offset, length=min(length, PIECE_BYTES_MAX))
    return AudioResponseBody(
        audio_id=arguments.audio_id,
        path=str(path),
        size=path.stat().st_size,
        data=base64.b64encode(data).decode(),
    )


def _command_in(raw: bytes) -> JsonObject:
    """Return a command's object. Raises: DapError where it is none."""
    try:
        value = decode_strict(raw)
    except NotJson:
        value = None
    if not isinstance(value, dict):
        raise DapError(ErrorNumber.INVALID_ARGUMENTS, "`command` is an object, as the core has it.")
    return value


def _safe(value: JsonValue) -> JsonValue:
    """Return a value with every text in it made safe to show; lists of numbers stay as they are."""
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, list):
        return value if value and type(value[0]) is int else [_safe(item) for item in value]
    if isinstance(value, dict):
        return {key: _safe(item) for key, item in value.items()}
    return value
