"""`write_session`: a run as a session directory, made whole or not at all."""

from collections.abc import Sequence
from pathlib import Path

from engine.core.contract.errors import (
    EngineError,
    OutputRejected,
    RecordingFailed,
    RecordInvalid,
    SessionInvalid,
)
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.importers.frame import Imported
from engine.recording import (
    Identity,
    Recorder,
    SessionContext,
    SessionKey,
    seed_session_slots,
    slot_write_event,
)

IMPORT_SCHEMA = "riff.import/v1"
_NOT_STAMPED = "not stamped: the call was imported"


def write_session(
    imported: Imported, out: Path, *, about: JsonObject, key: SessionKey | None = None
) -> int:
    """Make the session directory `out` and return the count of its records.

    Args:
        imported: what an importer gave.
        out: must not be there; it appears with all that is in it, or not at all.
        about: what stands in the manifest's `import` besides the mapping: format, sources.
        key: the key of the fingerprints; None: a fresh one, so that they compare within this
            session only.

    Raises:
        OutputRejected: `out` is there already, or its folder cannot be written to.
        SessionInvalid: the source holds what no record can hold; FlowInvalid: the flow's file.
        RecordingFailed: the disk is full or failed.
    """
    import shutil  # noqa: PLC0415  opening a recording does without
    import tempfile  # noqa: PLC0415

    if out.exists() or out.is_symlink():
        raise OutputRejected(
            f"{out} is there already, and nothing is overwritten. Name a new folder.",
            {"path": str(out)},
        )
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{out.name}.part-", dir=out.parent))
    except OSError as error:
        raise OutputRejected(
            f"{out} cannot be made: {error.strerror}. Name a folder that can be written to.",
            {"path": str(out)},
        ) from error
    try:
        written = _fill(imported, part / "session", about, key)
        (part / "session").rename(out)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputRejected(f"{out} cannot be made: {reason}.", {"path": str(out)}) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return written


def _fill(imported: Imported, directory: Path, about: JsonObject, key: SessionKey | None) -> int:
    unavailable = {
        "engine_revision": _NOT_STAMPED,
        "runtime_lock": _NOT_STAMPED,
        **imported.unavailable,
    }
    told: JsonObject = {
        "schema": IMPORT_SCHEMA,
        **about,
        **imported.about,
        "mapping": [row.as_json() for row in imported.mapping],
        "notes": [*imported.notes],
    }
    recorder = Recorder.open(
        directory,
        session_id=imported.session_id,
        flow=imported.flow,
        identity=Identity(engine_revision=None, runtime_lock=None, unavailable=unavailable),
        call_start_epoch=imported.call_start_epoch,
        slot_classes=imported.slot_classes,
        about={"import": told},
        key=key,
    )
    try:
        written = _append_all(recorder, imported.records)
        for audio in imported.audio:
            name = text(audio.reference, "path") or audio.path.name
            (directory / name).write_bytes(audio.path.read_bytes())
            recorder.add_audio({**audio.reference, "path": name})
        recorder.close(ended=imported.ended)
    except BaseException:
        _abandon(recorder)
        raise
    return written


def _abandon(recorder: Recorder) -> None:
    """Close what is open; the directory goes away anyway."""
    try:
        recorder.close(ended="aborted")
    except EngineError:
        recorder.context.key.forget()


def _append_all(recorder: Recorder, records: Sequence[JsonObject]) -> int:
    written = 0
    for record in records:
        try:
            made = completed(record, recorder.context)
            if made is None:
                continue
            recorder.append(made)
        except RecordingFailed:
            raise
        except RecordInvalid as error:
            place = mapping(record, "source_record")
            raise SessionInvalid(
                f"{text(place, 'file') or 'The source'} holds a record that cannot be imported: "
                f"{error.message}",
                {**error.detail, **place, "kind": "NOT_RECORDABLE"},
            ) from error
        written += 1
    return written


def completed(record: JsonObject, context: SessionContext) -> JsonObject | None:
    """Return a record with what the slot ledger adds to it: old values, safe forms, fingerprints.

    None: a write of nothing to a slot that has nothing.
    Raises: RecordInvalid.
    """
    match record.get("type"):
        case "slot_write":
            change = slot_write_event(
                context,
                slot=text(record, "slot") or "",
                old=context.slots.get(text(record, "slot") or ""),
                new=record.get("new"),
                kind=text(record, "kind") or "imported",
                writer=text(record, "writer") or "",
            )
            if change is None:
                return None
            if record.get("availability") == "unavailable":
                change["availability"] = "unavailable"
            if text(record, "writer") is None:
                change = {name: value for name, value in change.items() if name != "writer"}
            return {**record, **change}
        case "session_slots_seeded":
            sources = [
                (text(row, "writer") or "", mapping(row, "slots")) for row in rows(record, "values")
            ]
            rest: dict[str, JsonValue] = {k: v for k, v in record.items() if k != "values"}
            return {**rest, **seed_session_slots(context, sources)}
        case _:
            return record
