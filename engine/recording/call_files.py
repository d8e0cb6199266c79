"""The files of a session directory that is being recorded, in an order that is always readable.

The manifest comes last: a directory with one can be opened. The flow file is replaced in one step;
while it may still change, the manifest names no revision.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

from engine.core.contract.canonical import canonical_bytes, sha256_of
from engine.core.contract.errors import RecordingFailed, RecordInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import SlotClass, Stream
from engine.core.contract.session_records import SESSION_SCHEMA
from engine.core.contract.session_records import Manifest as SessionManifest
from engine.recording.append_file import AppendFile
from engine.recording.audio_references import measured_references
from engine.recording.fingerprints import FINGERPRINT_SCHEME
from engine.recording.identity import Identity
from engine.recording.lines import LineRecords
from engine.recording.mapped import map_file
from engine.recording.private_directory import PrivateDirectory
from engine.recording.session_directory import AUDIO_REFS_FILE, MANIFEST_FILE, STREAM_FILES

FLOW_FOLDER = "flow"
_NO_FLOW = b"""schema: riff.flow/v1
flow_id: not_recorded
entry: not_recorded
states:
  not_recorded: {}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFlow:
    """A flow file as it ran.

    Attributes:
        data: the exact bytes.
        file_name: its name in the session directory's `flow` folder.
        source_path: where its author keeps it, relative to the project, or null.
    """

    data: bytes
    file_name: str
    source_path: str | None = None

    @property
    def path(self) -> str:
        """Where it lies in the session directory."""
        return f"{FLOW_FOLDER}/{self.file_name}"


def placeholder_flow() -> RecordedFlow:
    """Return the flow that stands there until one is known."""
    return RecordedFlow(data=_NO_FLOW, file_name="not_recorded.yaml")


def flow_facts(flow: RecordedFlow) -> JsonObject:
    """Return the flow as the artifact will have it.

    Raises: FlowInvalid; RecordInvalid for a name that is no plain file name.
    """
    name = flow.file_name
    if not name or "/" in name or "\\" in name or name.startswith(".") or "\0" in name:
        raise RecordInvalid(
            "The flow's file_name must be a plain file name, such as flow.yaml.",
            {"kind": "FILE_NAME"},
        )
    from engine.core.flow import flow_metadata, parse_flow  # noqa: PLC0415  readers do without

    document = parse_flow(flow.data, path=flow.path)
    return flow_metadata(document, path=flow.path, source_path=flow.source_path)


@dataclass(slots=True, kw_only=True)
class Manifest:
    """What `manifest.json` says while the call runs; `is_final`: the flow will not change."""

    session_id: str
    call_start_epoch: int
    identity: Identity
    flow: RecordedFlow
    is_final: bool
    slot_classes: dict[str, SlotClass]
    about: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    def check(self) -> None:
        """Refuse members of `about` that are the recorder's own. Raises: RecordInvalid."""
        taken = sorted(self.about.keys() & frozenset(SessionManifest.__struct_fields__))
        if taken:
            raise RecordInvalid(
                f"The manifest's member {taken[0]} is the recorder's own.", {"kind": "ABOUT"}
            )

    def as_json(self, ended: Literal["completed", "aborted"] | None) -> JsonObject:
        """Return the file's content."""
        unavailable = dict(self.identity.unavailable)
        if self.flow.data == _NO_FLOW:
            unavailable["flow"] = unavailable["flow_revision"] = "the flow was not recorded"
        elif not self.is_final:
            unavailable["flow_revision"] = "the flow was still being gathered"
        return {
            **self.about,
            "schema": SESSION_SCHEMA,
            "session_id": self.session_id,
            "call_start_epoch": self.call_start_epoch,
            "sequence": "session",
            "ended": ended,
            "flow": {"path": self.flow.path, "source_path": self.flow.source_path},
            "flow_revision": None if "flow_revision" in unavailable else sha256_of(self.flow.data),
            "engine_revision": self.identity.engine_revision,
            "runtime_lock": self.identity.runtime_lock,
            "unavailable": {**unavailable},
            "slot_classes": {slot: kind.value for slot, kind in self.slot_classes.items()},
            "fingerprint_scheme": FINGERPRINT_SCHEME,
        }


@dataclass(slots=True, kw_only=True)
class CallFiles:
    """The open files of one recording; `sync`: each change waits for the device."""

    directory: PrivateDirectory
    streams: Mapping[Stream, AppendFile]
    sync: bool

    @classmethod
    def make(cls, path: Path, manifest: Manifest, *, sync: bool) -> Self:
        """Make a session directory that can be opened. Raises: OutputRejected, RecordingFailed."""
        directory = PrivateDirectory(path)
        streams: dict[Stream, AppendFile] = {}
        try:
            directory.make_folder(FLOW_FOLDER)
            directory.put(manifest.flow.path, manifest.flow.data, sync=sync)
            directory.put(AUDIO_REFS_FILE, b"[]\n", sync=sync)
            for stream, name in STREAM_FILES.items():
                streams[stream] = directory.lines(name)
            made = canonical_bytes(manifest.as_json(None)) + b"\n"
            directory.put(MANIFEST_FILE, made, sync=sync)
            if sync:
                directory.sync(manifest.flow.path)
        except OSError as error:
            for file in streams.values():
                file.close()
            directory.discard()
            raise RecordingFailed(
                f"The session directory {path} cannot be written: {error.strerror}.",
                {"kind": "IO", "errno": error.errno, "path": str(path)},
            ) from error
        return cls(directory=directory, streams=streams, sync=sync)

    def put_manifest(
        self, manifest: Manifest, ended: Literal["completed", "aborted"] | None
    ) -> None:
        """Put the manifest in place. Raises: OSError."""
        data = canonical_bytes(manifest.as_json(ended)) + b"\n"
        self.directory.put(MANIFEST_FILE, data, sync=self.sync)

    def replace_flow(self, manifest: Manifest, flow: RecordedFlow) -> None:
        """Put another flow in place; the directory can be opened at every moment.

        Raises: OSError; then `manifest` is as before.
        """
        before = replace(manifest)
        try:
            if manifest.is_final and flow.path == manifest.flow.path:
                manifest.is_final = False
                self.put_manifest(manifest, None)
            self.directory.put(flow.path, flow.data, sync=self.sync)
            manifest.is_final, manifest.flow = False, flow
            if flow.path != before.flow.path or flow.source_path != before.flow.source_path:
                self.put_manifest(manifest, None)
        except OSError:
            manifest.is_final, manifest.flow = False, before.flow
            raise
        if flow.path != before.flow.path:
            with suppress(OSError):  # it is only in nobody's way
                self.directory.remove(before.flow.path)

    def put_audio(self, rows: list[JsonObject]) -> None:
        """Put the audio references in place. Raises: OSError."""
        self.directory.put(AUDIO_REFS_FILE, canonical_bytes([*rows]) + b"\n", sync=self.sync)

    def finish(
        self,
        manifest: Manifest,
        audio: list[JsonObject],
        ended: Literal["completed", "aborted"] | None,
        *,
        mutes: bool = False,
    ) -> None:
        """Write what is known at the end, the manifest last; `mutes`: audio of redacted words.

        Raises: OSError.
        """
        self.sync = True
        for file in self.streams.values():
            file.sync()
        if audio:
            if mutes:
                from engine.recording.muting import mute_redacted  # noqa: PLC0415  at the end

                audio = mute_redacted(self.directory.path, audio, self._records())
            rows = measured_references(self.directory.path, audio)
            for row in rows:
                self._make_private(row)
            self.put_audio(rows)
        self.directory.sync(manifest.flow.path, AUDIO_REFS_FILE)
        manifest.is_final = True
        self.put_manifest(manifest, ended)
        self.directory.sync()

    def _records(self) -> Iterator[JsonObject]:
        """Yield what was said and played, stream by stream."""
        for stream in (Stream.BUS, Stream.TRANSCRIPT):
            file = self.directory.path / STREAM_FILES[stream]
            yield from LineRecords(map_file(file), stream=stream)

    def _make_private(self, row: JsonObject) -> None:
        path = row.get("path")
        if isinstance(path, str) and row.get("availability") != "unavailable":
            self.directory.make_private(path)

    def close(self) -> None:
        """Close every descriptor."""
        for file in self.streams.values():
            file.close()
        self.directory.close()
