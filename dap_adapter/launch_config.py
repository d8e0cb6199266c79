"""Launch arguments: the keys that this adapter reads, and what is wrong with a value.

Rules: unknown keys are ignored (clients pass their own through); null reads as absent; a wrong
value is an error that tells the user what to write instead.
"""

import re
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from dap_adapter.errors import DapError, ErrorNumber
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Direction, Unit


class SourcePolicy(StrEnum):
    """Which flow file the client is shown."""

    WORKSPACE = "workspace"
    RECORDED = "recorded"


class PathMapping(msgspec.Struct, frozen=True, kw_only=True):
    """Where the flow files of a folder that the recorder saw lie on this machine."""

    local_root: Path
    remote_root: str


class LaunchConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a launch asks for. `stop_at` is a `seek` of the core; None is the first finding."""

    recording: Path
    session: Path | None
    flow_root: Path | None
    path_mappings: tuple[PathMapping, ...]
    stop_at: JsonObject | None
    step_unit: Unit
    direction: Direction
    source_policy: SourcePolicy
    no_debug: bool


_Member = TypeVar("_Member", bound=StrEnum)

NOT_THERE = {
    "format": "'format' names an importer, and this version has none: leave it out and set"
    " 'recording' to a session directory or an artifact file",
    "slotClasses": "'slotClasses' belongs to importers, which this version has not got: leave it"
    " out; the recording names the classes of its slots",
}
"""What is said where a key of the design is used that does not work yet."""

_Arguments: TypeAlias = dict[str, object]

_POSITION = re.compile(r"#(-?\d{1,15})")
_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,5}):(\d{1,2})(?:\.(\d{1,3}))?")
_decode = msgspec.json.Decoder(dict[str, object]).decode


def launch_config(arguments: bytes) -> LaunchConfig:
    """Return the configuration in the raw JSON arguments of `launch`.

    Raises: DapError naming the key, with `show_user`.
    """
    try:
        keys = _decode(arguments)
    except msgspec.DecodeError:
        raise _wrong("launch takes an object with the key 'recording'") from None
    recording = _text(keys, "recording")
    if not recording:
        raise _wrong("'recording' is missing: set it to a session directory or to an artifact file")
    for key in ("format", "slotClasses"):
        if keys.get(key) is not None:
            raise _wrong(NOT_THERE[key])
    return LaunchConfig(
        recording=Path(recording).expanduser(),
        session=_folder(keys, "session"),
        flow_root=_folder(keys, "flowRoot"),
        path_mappings=_path_mappings(keys),
        stop_at=stop_position(_text(keys, "stopAt") or "start"),
        step_unit=_member(keys, "stepUnit", Unit, Unit.EVENT),
        direction=_member(keys, "direction", Direction, Direction.FORWARD),
        source_policy=_member(keys, "sourcePolicy", SourcePolicy, SourcePolicy.WORKSPACE),
        no_debug=keys.get("noDebug") is True,
    )


def stop_position(text: str) -> JsonObject | None:
    """Return the seek that a place means: an edge, a position, a time, else a visit id.

    None is the first finding.

    >>> stop_position("#812"), stop_position("01:42.300"), stop_position("confirm#1")
    ({'event_index': 812}, {'clock_ms': 102300}, {'visit_id': 'confirm#1'})
    """
    if text == "firstFinding":
        return None
    if text in ("start", "end"):
        return {"edge": text}
    if position := _POSITION.fullmatch(text):
        return {"event_index": int(position[1])}
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = int(clock[1] or 0), int(clock[2]), int(clock[3])
        milliseconds = int((clock[4] or "").ljust(3, "0"))
        return {"clock_ms": ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds}
    return {"visit_id": text}


def stop_at_nowhere(config: LaunchConfig, *, last: int) -> DapError:
    """Return the error for a `stopAt` that is not in the recording, whose last event is `last`."""
    [given] = (config.stop_at or {"": "firstFinding"}).values()
    return _wrong(
        f"'stopAt' is {given!r}, which is nowhere in this call: use start, end, an event from #0 to"
        f" #{last}, a time like 01:42.300 or a visit id"
    )


def _text(keys: _Arguments, key: str) -> str | None:
    value = keys.get(key)
    if value is None or (isinstance(value, str) and "\0" not in value):
        return value
    raise _wrong(f"'{key}' must be a text")


def _folder(keys: _Arguments, key: str) -> Path | None:
    value = _text(keys, key)
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise _wrong(f"'{key}' is {value!r}: there is no such folder")
    return folder


def _path_mappings(keys: _Arguments) -> tuple[PathMapping, ...]:
    try:
        rows = msgspec.convert(keys.get("pathMappings") or [], list[_MappingRow])
    except msgspec.ValidationError:
        raise _wrong("'pathMappings' is a list of {localRoot, remoteRoot}, both texts") from None
    folders = [_folder({"pathMappings": row.local_root}, "pathMappings") for row in rows]
    return tuple(
        PathMapping(local_root=folder, remote_root=row.remote_root)
        for row, folder in zip(rows, folders, strict=True)
        if folder is not None
    )


class _MappingRow(msgspec.Struct, frozen=True, rename="camel"):
    local_root: str
    remote_root: str


def _member(keys: _Arguments, key: str, kind: type[_Member], default: _Member) -> _Member:
    value = _text(keys, key)
    if value is None:
        return default
    for member in kind:
        if member.value == value:
            return member
    choices = ", ".join(member.value for member in kind)
    raise _wrong(f"'{key}' is '{value}': use one of {choices}")


def _wrong(sentence: str) -> DapError:
    return DapError(ErrorNumber.LAUNCH_VALUE, f"Launch: {sentence}.", show_user=True)
