"""Rows of `audio_refs.json` while a call is recorded: checked at first, measured at the end."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.core.contract.errors import RecordInvalid
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Stream
from engine.core.contract.session_records import MEASURED_AUDIO_KEYS, AudioReference
from engine.recording.mapped import lies_within
from engine.recording.session_directory import STREAM_FILES


def checked_reference(
    reference: JsonObject, listed: Sequence[JsonObject], directory: Path
) -> JsonObject:
    """Return a row as it may be listed behind those that are; a path without a word is `recorded`.

    Raises: RecordInvalid: not as the contract has it, an id that is listed, or a path that leads
        out of the session directory.
    """
    path = text(reference, "path")
    row = dict(reference)
    row.setdefault("availability", "unavailable" if path is None else "recorded")
    try:
        msgspec.convert(row, AudioReference)
    except msgspec.ValidationError:
        raise _invalid("is not as the contract has it") from None
    if any(row["audio_id"] == other["audio_id"] for other in listed):
        raise _invalid("has an audio_id that is listed already")
    if path is not None and not lies_within(directory, path):
        raise _invalid("has a path that leads out of the session directory")
    return row


def _invalid(what: str) -> RecordInvalid:
    return RecordInvalid(f"The audio reference {what}. It was not added.", {"kind": "AUDIO"})


def measured_references(directory: Path, references: list[JsonObject]) -> list[JsonObject]:
    """Return the rows with what their files really hold, under the names that references have.

    The agent's audio also gets the places of the playbacks in it. Raises: OSError.
    """
    from engine.recording.audio import measure_audio  # noqa: PLC0415  at the end only
    from engine.recording.span_offsets import audio_records, span_offsets  # noqa: PLC0415

    rows, _ = measure_audio(directory, references)
    bus_file = directory / STREAM_FILES[Stream.BUS]
    return [_declared(row) for row in span_offsets(rows, audio_records(bus_file))]


def _declared(row: JsonObject) -> JsonObject:
    known: JsonObject = {
        "sample_rate": row.get("measured_sample_rate", row.get("sample_rate")),
        "duration_ms": row.get("measured_duration_ms", row.get("duration_ms")),
        "sha256": row.get("measured_sha256", row.get("sha256")),
    }
    kept = {name: value for name, value in row.items() if name not in MEASURED_AUDIO_KEYS}
    return {**kept, **known}
