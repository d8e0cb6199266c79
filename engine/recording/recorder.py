"""The recorder: writes one call into a session directory while it happens.

Rules: what `append` has returned for is kept, whatever happens to the process afterwards; the
directory can be read from the first moment on; a personal value is never written. One lock makes
every method safe to call from any thread. Source: design sections 4 and 8.
"""

import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from engine.core.contract.errors import EngineError, RecordingFailed, RecordInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import SlotClass, Stream
from engine.core.contract.session_records import SESSION_ID_PATTERN
from engine.recording.append_file import AppendFile
from engine.recording.audio_references import checked_reference
from engine.recording.call_files import (
    CallFiles,
    Manifest,
    RecordedFlow,
    flow_facts,
    placeholder_flow,
)
from engine.recording.fingerprints import SessionKey
from engine.recording.identity import Identity
from engine.recording.outgoing import check_record, not_recordable, spelt, stream_of
from engine.recording.private_records import private_record
from engine.recording.safe_values import Redactor, safe_slot_value
from engine.recording.session_context import SessionContext
from engine.recording.slot_ledger import (
    SeedSources,
    commit,
    planned_seed,
    planned_write,
)

Ended = Literal["completed", "aborted"]


class Durability(StrEnum):
    """What an acknowledged record survives."""

    PROCESS = "process"
    """The death of the process; the cost is one system call a record."""
    DEVICE = "device"
    """The death of the machine, too; each record waits for the device."""


class Recorder:
    """One call being recorded. Make one with `Recorder.open`."""

    def __init__(
        self,
        files: CallFiles,
        context: SessionContext,
        *,
        manifest: Manifest,
        durability: Durability = Durability.PROCESS,
        redactor: Redactor | None = None,
    ) -> None:
        """Take what `open` has made."""
        self.context = context
        self.directory = files.directory.path
        self._files = files
        self._manifest = manifest
        self._sync = durability is Durability.DEVICE
        self._redactor = redactor
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._next_seq = 0
        self._event_ids = set[str]()
        self._audio: list[JsonObject] = []
        self._is_writing = False
        self._closing = False
        self._closed = False
        self._release = weakref.finalize(self, _let_go, files, context.key)

    @classmethod
    def open(  # noqa: PLR0913  each is a fact of the call
        cls,
        directory: Path,
        *,
        session_id: str,
        flow: RecordedFlow | None,
        identity: Identity,
        call_start_epoch: int,
        slot_classes: Mapping[str, SlotClass] | None = None,
        durability: Durability = Durability.PROCESS,
        redactor: Redactor | None = None,
        about: Mapping[str, JsonValue] | None = None,
        key: SessionKey | None = None,
    ) -> Self:
        """Make the session directory and return its recorder.

        Args:
            directory: must not be there, or be empty.
            session_id: as the contract has it, such as `v3:call-17`.
            flow: the exact bytes that run; None: not known yet, see `set_flow`.
            identity: what `stamp_identity` gave.
            call_start_epoch: milliseconds since 1970 at the call clock's zero.
            slot_classes: of slots of which the flow does not say a class.
            durability: what an acknowledged record survives.
            redactor: applied to free text before it is written.
            about: further members of the manifest.
            key: for fixtures whose bytes must repeat.

        Raises:
            RecordInvalid: a wrong session id, or a member of `about` that is the recorder's.
            FlowInvalid: the flow cannot be read; nothing was made.
            OutputRejected: the directory cannot be had.
            RecordingFailed: the first files cannot be written.
        """
        if not SESSION_ID_PATTERN.fullmatch(session_id):
            raise RecordInvalid(
                "A session id is a lowercase word, a colon, and 1 to 64 letters, digits, _ or -, "
                "such as v3:call-17.",
                {"kind": "SESSION_ID"},
            )
        ran = placeholder_flow() if flow is None else flow
        facts = flow_facts(ran)
        classes = dict(slot_classes or {})
        context = SessionContext(session_id, slot_classes=classes, flow=facts, key=key)
        manifest = Manifest(
            session_id=session_id,
            call_start_epoch=call_start_epoch,
            identity=identity,
            flow=ran,
            is_final=flow is not None,
            slot_classes=classes,
            about=dict(about or {}),
        )
        manifest.check()
        files = CallFiles.make(directory, manifest, sync=durability is Durability.DEVICE)
        return cls(files, context, manifest=manifest, durability=durability, redactor=redactor)

    def append(self, record: JsonObject, *, stream: Stream | None = None) -> str:
        """Write a record and return its event id: from then on it is kept.

        `stream` is for unknown types; a known type has its own. The recorder gives `seq`, and an
        `event_id` unless the record has one. Values of personal slots and tool arguments are
        written as safe forms. Cost: some microseconds; one system call.

        Raises:
            RecordInvalid: the record is not what its type asks for; nothing was written.
            RecordingFailed: the system does not take it; nothing of it is left, and the next
                append may work.
        """
        check_record(record)
        target = stream_of(record, stream)
        with self._lock:
            self._check_open()
            safe = private_record(record, self.context, self._redactor)
            return self._write(safe, self._files.streams[target])

    def _write(self, record: JsonObject, file: AppendFile) -> str:
        seq = self._next_seq
        event_id = self._event_id(record, seq)
        line = spelt({**record, "event_id": event_id, "seq": seq})
        size = file.size
        if self._is_writing:
            raise RecordingFailed(
                "A signal handler cannot record while a record is being written: let it set a "
                "mark, and record later.",
                {"kind": "BUSY"},
            )
        self._is_writing = True
        try:
            file.append(line, sync=self._sync)
        except OSError as error:
            raise _failed("The record was not written", error) from error
        finally:
            if file.size != size:
                self._next_seq = seq + 1
                self._event_ids.add(event_id)
            self._is_writing = False
        return event_id

    def _event_id(self, record: JsonObject, seq: int) -> str:
        own = record.get("event_id")
        if isinstance(own, str):
            if own in self._event_ids:
                what = "has an event id that was used before in this call"
                raise not_recordable(record, "EVENT_ID_REPEATED", what)
            return own
        event_id = f"e{seq:06d}"
        while event_id in self._event_ids:
            event_id += "x"
        return event_id

    def seed(
        self,
        sources: SeedSources,
        *,
        clock_ms: int | None,
        visit_id: str | None = None,
        turn_id: str | None = None,
        caused_by: str | None = None,
    ) -> str:
        """Seed the slots from their sources, kept apart; return the event's id.

        Raises: as `append`.
        """
        with self._lock:
            self._check_open()
            change = planned_seed(self.context, sources)
            event_id = self.append(
                _with(
                    change.record,
                    clock_ms=clock_ms,
                    visit_id=visit_id,
                    turn_id=turn_id,
                    caused_by=caused_by,
                )
            )
            commit(self.context, change)
            return event_id

    def write_slot(  # noqa: PLR0913  each is a field of the record
        self,
        *,
        slot: str,
        new: JsonValue,
        kind: str,
        writer: str,
        clock_ms: int | None,
        visit_id: str | None = None,
        turn_id: str | None = None,
        caused_by: str | None = None,
        tool_call_id: str | None = None,
        nested: JsonValue = None,
    ) -> str | None:
        """Change a slot through the ledger; return the event's id, None if nothing was to clear.

        Where the record cannot be kept, the slot keeps its old value in the ledger.
        Raises: as `append`.
        """
        with self._lock:
            self._check_open()
            old = self.context.slots.get(slot)
            change = planned_write(
                self.context, slot=slot, old=old, new=new, kind=kind, writer=writer
            )
            if change is None:
                return None
            row = dict(change.record)
            if nested is not None:
                row["nested"] = nested
            if tool_call_id is not None:
                row["tool_call_id"] = tool_call_id
            event_id = self.append(
                _with(
                    row, clock_ms=clock_ms, visit_id=visit_id, turn_id=turn_id, caused_by=caused_by
                )
            )
            commit(self.context, change)
            return event_id

    def safe_value(self, slot: str, value: JsonValue) -> JsonValue:
        """Return what may be shown of a slot's value: the value, or its safe form."""
        return safe_slot_value(self.context, slot, value).shown

    def set_flow(self, flow: RecordedFlow) -> None:
        """Put a flow in the place of the one that stands there; the last one is the flow that ran.

        Raises: FlowInvalid, RecordInvalid, RecordingFailed; then the old one stands.
        """
        facts = flow_facts(flow)
        with self._lock:
            self._check_open()
            self.context.check_flow(facts, self._manifest.slot_classes)
            try:
                self._files.replace_flow(self._manifest, flow)
            except OSError as error:
                raise _failed("The flow was not written", error) from error
            self.context.take_flow(facts, self._manifest.slot_classes)

    def add_audio(self, reference: JsonObject) -> None:
        """Add a row of `audio_refs.json`; what can be measured is filled in at the close.

        Raises: RecordInvalid, RecordingFailed.
        """
        with self._lock:
            self._check_open()
            row = checked_reference(reference, self._audio, self.directory)
            try:
                self._files.put_audio([*self._audio, row])
            except OSError as error:
                raise _failed("The audio reference was not written", error) from error
            self._audio.append(row)

    def close(self, *, ended: Ended | None) -> Path:
        """End the recording and return its directory; a second call does nothing.

        The audio's facts are measured, everything is brought to the device, and the manifest that
        says how the call ended comes last. The key is overwritten first.

        Raises: RecordingFailed: the directory is readable as it is and says no end; `close` may be
            called again.
        """
        with self._lock:
            if self._closed:
                return self.directory
            if os.getpid() != self._pid:
                raise _other_process()
            self._closing = True
            self.context.key.forget()
            try:
                mutes = self._redactor is not None
                self._files.finish(self._manifest, self._audio, ended, mutes=mutes)
            except OSError as error:
                raise _failed("The recording was not closed", error) from error
            self._closed = True
            self._release()
            return self.directory

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.close(ended="completed")
            return
        try:
            self.close(ended="aborted")
        except EngineError as flaw:
            error.add_note(flaw.message)

    def __repr__(self) -> str:
        return f"Recorder({str(self.directory)!r})"

    def _check_open(self) -> None:
        if self._closing:
            raise RecordingFailed(
                "The recording is closed: nothing more can be added.", {"kind": "CLOSED"}
            )
        if self.context.key.is_forgotten:
            raise _other_process()


def _with(
    record: JsonObject,
    *,
    clock_ms: int | None,
    visit_id: str | None,
    turn_id: str | None,
    caused_by: str | None,
) -> JsonObject:
    """Return the record with those of the common fields that are known."""
    common: Iterable[tuple[str, JsonValue]] = (
        ("clock_ms", clock_ms),
        ("visit_id", visit_id),
        ("turn_id", turn_id),
        ("caused_by", caused_by),
    )
    return {**record, **{name: value for name, value in common if value is not None}}


def _other_process() -> RecordingFailed:
    """Return the error for a child process: it has the open files, but no key."""
    return RecordingFailed(
        "A child process does not record into its parent's call: open a recorder there.",
        {"kind": "OTHER_PROCESS"},
    )


def _failed(what: str, error: OSError) -> RecordingFailed:
    reason = error.strerror or type(error).__name__
    return RecordingFailed(f"{what}: {reason}.", {"kind": "IO", "errno": error.errno})


def _let_go(files: CallFiles, key: SessionKey) -> None:
    """Forget the key and close what is open, also when a recorder is dropped without `close`."""
    key.forget()
    files.close()
