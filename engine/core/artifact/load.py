"""From an artifact's bytes to the artifact, or one typed error.

An artifact is read only in its canonical form: its bytes are what `artifact_bytes` writes, so its
hash proves what is shown.
"""

from typing import Literal

import msgspec
import rfc8785

from engine.core.artifact.encode import ARTIFACT_KEYS, ARTIFACT_SCHEMA, LIST_KEYS
from engine.core.artifact.source import (
    Buffer,
    FileArtifact,
    MemoryArtifact,
    find_lines,
    not_canonical,
)
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Label, SlotClass, Unowned
from engine.core.contract.session_records import AudioReference, Manifest
from engine.core.contract.strict_json import DEPTH_MAX, NotJson, check_depth, decode_object


class _Event(msgspec.Struct, forbid_unknown_fields=True):
    event_id: str
    owner: str | None
    unowned: Unowned | None
    stream: Literal["trace", "bus", "transcript"]
    record: dict[str, object]


class _Exit(msgspec.Struct, forbid_unknown_fields=True):
    edge_id: str | None
    to: str | None
    label: Label
    reason: str | None


class _Visit(msgspec.Struct, forbid_unknown_fields=True):
    visit_id: str
    state_id: str
    occurrence: int
    parent_visit_id: str | None
    via_edge: str | None
    entered_index: int
    entered_event_id: str
    closed_index: int | None
    closed_event_id: str | None
    exit: _Exit


class _Slot(msgspec.Struct, forbid_unknown_fields=True, rename={"slot_class": "class"}):
    slot: str
    slot_class: SlotClass
    declared: bool
    seed_event_id: str | None
    write_count: int


class _Edge(msgspec.Struct):
    edge_id: str
    declaration_index: int
    to: str | None
    when: str | None
    reason: str | None
    sets: list[dict[str, object]]
    clears: list[str]


class _State(msgspec.Struct):
    edges: list[_Edge]


class _Flow(msgspec.Struct):
    path: str
    revision: str
    text: str
    states: dict[str, _State]
    slots: dict[str, dict[str, object]]
    source_path: str | None = None
    entry: str | None = None


class _Finding(msgspec.Struct):
    finding_id: str
    code: str
    at: int


_Anything = dict[str, object]
_MEMBER_TYPES: dict[str, object] = {
    "schema": Literal["riff.state_program_debugger/v1"],
    "session": Manifest,
    "flow": _Flow,
    "settings": _Anything,
    "slots": _Slot,
    "visits": _Visit,
    "playback": _Anything,
    "audio": AudioReference,
    "findings": _Finding,
    "problems": _Anything,
    "unowned_events": _Anything,
    "events": _Event,
}
"""What a member, or each element of a list member, must look like."""
_DECODERS: dict[str, msgspec.json.Decoder[object]] = {
    key: msgspec.json.Decoder(type_)  # pyright: ignore[reportArgumentType, reportCallIssue]
    for key, type_ in _MEMBER_TYPES.items()
}


def load_artifact(data: bytes) -> JsonObject:
    """Return the artifact whose file is `data`, whole in memory.

    Cost: O(size). Raises: ArtifactInvalid, with `kind` and, where known, `byte_offset`.
    """
    source = read_artifact(data)
    return {
        key: [*source.rows(key)] if key in LIST_KEYS else source.member(key)
        for key in ARTIFACT_KEYS
    }


def read_artifact(buffer: Buffer) -> FileArtifact:
    """Return the artifact whose file is `buffer`, checked line by line, decoded when looked at.

    Cost: O(size), memory of the lines' offsets. Raises: as `load_artifact`.
    """
    try:
        source = FileArtifact(buffer, find_lines(buffer))
        for key in ARTIFACT_KEYS:
            _check_member(source, key)
    except ArtifactInvalid as error:
        raise _better_reason(buffer, error) from error
    return source


def _check_member(source: FileArtifact, key: str) -> None:
    """Check that each of the member's lines fits its schema and is in canonical form."""
    line, count = source.lines.keys[key]
    last_key = key == ARTIFACT_KEYS[-1]
    if key not in LIST_KEYS:
        _check_line(source, line, key, end=b",\n", skip=len(key) + 3 + (line == 0))
        return
    for element in range(1, count + 1):
        _check_line(source, line + element, key, end=b"\n" if element == count else b",\n", skip=0)
    closing = source.line(line + count + 1 if count else line)
    expected = b"]}\n" if last_key else b"],\n"
    if not closing.endswith(expected) or (count and closing != expected):
        raise not_canonical(source.lines.offsets[line])


def _check_line(source: FileArtifact, line: int, key: str, *, end: bytes, skip: int) -> None:
    raw = source.line(line)
    offset = source.lines.offsets[line]
    if not raw.endswith(end):
        raise not_canonical(offset)
    value = raw[skip : len(raw) - len(end)]
    try:
        check_depth(value, levels=DEPTH_MAX + 1)  # a record stands one level deeper in its event
        _DECODERS[key].decode(value)
        canonical = canonical_bytes(msgspec.json.decode(value))
    except (msgspec.ValidationError, rfc8785.CanonicalizationError) as error:
        raise _unfit(key, str(error)) from error
    except (msgspec.DecodeError, NotJson, RecursionError) as error:
        raise not_canonical(offset) from error
    if canonical != value:
        raise not_canonical(offset)


def _better_reason(buffer: Buffer, error: ArtifactInvalid) -> ArtifactInvalid:
    """Return what is wrong with a refused file: no JSON, another schema, else `error`."""
    try:
        artifact = decode_object(bytes(buffer))
    except NotJson as reason:
        return ArtifactInvalid(
            f"The file {reason.reason}. Build it again with `spd build SESSION --out FILE`.",
            {"kind": reason.kind, "byte_offset": reason.byte_offset},
        )
    schema = artifact.get("schema")
    if schema != ARTIFACT_SCHEMA:
        return ArtifactInvalid(
            f"The file is JSON, but no recording: its `schema` is {schema!r}, not "
            f"{ARTIFACT_SCHEMA!r}. Build one with `spd build SESSION --out FILE`.",
            {"kind": "UNKNOWN_SCHEMA"},
        )
    return _schema_fault(artifact) or error


def _schema_fault(artifact: JsonObject) -> ArtifactInvalid | None:
    """Return the first member that is missing, unknown or does not fit its schema."""
    for key in (*artifact, *ARTIFACT_KEYS):
        if key not in artifact or key not in _MEMBER_TYPES:
            return _unfit(key, "it is missing" if key in _MEMBER_TYPES else "it is unknown")
        type_ = _MEMBER_TYPES[key]
        try:
            msgspec.convert(artifact[key], list[type_] if key in LIST_KEYS else type_)  # pyright: ignore[reportArgumentType, reportCallIssue, reportInvalidTypeForm]
        except msgspec.ValidationError as fault:
            return _unfit(key, str(fault))
    return None


def _unfit(key: str, fault: str) -> ArtifactInvalid:
    return ArtifactInvalid(
        f"`{key}` does not fit its schema: {fault}. Build the artifact again with `spd build`.",
        {"kind": "SCHEMA", "member": key},
    )


def hold_artifact(artifact: JsonObject) -> MemoryArtifact:
    """Return an artifact that the builder made as a source.

    Raises: ArtifactInvalid for an object that lacks a member.
    """
    for key in ARTIFACT_KEYS:
        if key not in artifact or isinstance(artifact[key], list) != (key in LIST_KEYS):
            raise ArtifactInvalid(
                f"The object is no artifact: `{key}` is missing or of another type.",
                {"kind": "SCHEMA", "member": key},
            )
    return MemoryArtifact(artifact)
