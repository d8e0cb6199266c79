"""From an artifact's bytes to the artifact, or one typed error.

An artifact is read only in its canonical form: its bytes are what `artifact_bytes` writes, so its
hash proves what is shown.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec
import rfc8785

from engine.core.artifact.encode import ARTIFACT_KEYS, ARTIFACT_SCHEMA, artifact_bytes
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Label, SlotClass, Unowned
from engine.core.contract.session_records import AudioReference, Manifest
from engine.core.contract.strict_json import NotJson, check_depth, decode_object


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


class _Artifact(msgspec.Struct, forbid_unknown_fields=True):
    schema: Literal["riff.state_program_debugger/v1"]
    session: Manifest
    flow: _Flow
    settings: dict[str, object]
    slots: list[_Slot]
    visits: list[_Visit]
    playback: list[dict[str, object]]
    audio: list[AudioReference]
    findings: list[_Finding]
    problems: list[dict[str, object]]
    unowned_events: list[dict[str, object]]
    events: list[_Event]


def load_artifact(data: bytes) -> JsonObject:
    """Return the artifact whose file is `data`.

    Cost: O(size). Raises: ArtifactInvalid, with `kind` and, for a syntax error, `byte_offset`.
    """
    artifact = _decode(data)
    schema = artifact.get("schema")
    if schema != ARTIFACT_SCHEMA:
        raise ArtifactInvalid(
            f"The file is JSON, but no recording: its `schema` is {schema!r}, not "
            f"{ARTIFACT_SCHEMA!r}. Build one with `spd build SESSION --out FILE`.",
            {"kind": "UNKNOWN_SCHEMA"},
        )
    try:
        msgspec.convert(artifact, _Artifact)
    except msgspec.ValidationError as error:
        raise ArtifactInvalid(
            f"The artifact does not fit its schema: {error}. Build it again with `spd build`.",
            {"kind": "SCHEMA"},
        ) from error
    _check_canonical(artifact, data)
    return artifact


def _decode(data: bytes) -> JsonObject:
    """Return the object in `data`; what is wrong with it is found by the strict reader.

    The fast decoder is enough here, since only canonical bytes pass `_check_canonical`.
    """
    try:
        check_depth(data)
        return _FAST_DECODER.decode(data)  # pyright: ignore[reportReturnType]
    except (msgspec.DecodeError, NotJson):
        pass
    try:
        return decode_object(data)
    except NotJson as error:
        raise ArtifactInvalid(
            f"The file {error.reason}. Build it again with `spd build SESSION --out FILE`.",
            {"kind": error.kind, "byte_offset": error.byte_offset},
        ) from error


_FAST_DECODER = msgspec.json.Decoder(dict[str, object])


def _check_canonical(artifact: JsonObject, data: bytes) -> None:
    """Refuse an artifact that `artifact_bytes` would write differently."""
    assert set(artifact) == set(ARTIFACT_KEYS)
    at = 0
    for piece in _pieces(artifact):
        if data[at : at + len(piece)] != piece:
            raise ArtifactInvalid(
                "The artifact was edited or reformatted after it was built, so its hash proves "
                "nothing. Build it again with `spd build SESSION --out FILE`.",
                {"kind": "NOT_CANONICAL", "byte_offset": at},
            )
        at += len(piece)
    if at != len(data):
        raise ArtifactInvalid(
            "There is more after the artifact's end. Build it again with `spd build`.",
            {"kind": "NOT_CANONICAL", "byte_offset": at},
        )


def _pieces(artifact: JsonObject) -> Iterator[bytes]:
    try:
        yield from artifact_bytes(artifact)
    except rfc8785.CanonicalizationError as error:
        raise ArtifactInvalid(
            f"The artifact holds a number that no artifact has ({error}). Build it again.",
            {"kind": "NUMBER_RANGE"},
        ) from error
