"""Audio facts: what the files that `audio_refs.json` names really hold.

Each reference gets the facts measured on its file, and an availability that is true: `recorded`
only where there are frames. Where reference and file differ, the recorded value stays and a problem
says both. Nothing is decoded here and no float appears. Source: design section 9, contract
`audio[]`; the rules are told in `docs/guide/audio.md`.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import msgspec

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.problems import Problem
from engine.core.contract.session_records import MEASURED_AUDIO_KEYS, AudioReference
from engine.recording.anchors import Anchors
from engine.recording.mapped import lies_within
from engine.recording.wav import NotWav, WavFacts, wav_facts

_CODES = {
    "agent_played": "AGENT_PLAYED_AUDIO_UNAVAILABLE",
    "caller": "CALLER_AUDIO_UNAVAILABLE",
}
_OTHER_CODE = "AUDIO_UNAVAILABLE"
_NO_FRAMES = ("EMPTY_FILE", "NO_DATA")
"""Kinds of file that hold no frame, rather than being no WAV."""
_DURATION_ROUNDING_MS = 1
"""A recorder may round a duration up; ours is rounded down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A WAV that was read."""

    facts: WavFacts
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _NoFile:
    """Why a reference leads to no WAV; `reason` is a sentence."""

    kind: str
    reason: str


def measure_audio(
    directory: Path, refs: Sequence[JsonObject], anchors: Anchors | None = None
) -> tuple[list[JsonObject], list[Problem]]:
    """Return the references with what was measured on their files, and where the two differ.

    Same order and count as `refs`, which are not changed. A reference that does not fit its schema
    comes back as it is: the builder refuses it. Never raises for what a file or reference holds.
    With `anchors`, also the alignment of each file with the call clock. Cost: one read of each
    file; a second one where it has enough anchors.
    """
    rows: list[JsonObject] = []
    problems: list[Problem] = []
    looked: dict[str, _File | _NoFile] = {}
    used: set[str] = set()
    for row in refs:
        reference = _reference(row)
        if reference is None:
            rows.append(row)
            continue
        if reference.path is not None and reference.path not in looked:
            looked[reference.path] = _look(directory, reference.path)
        found = _NO_PATH if reference.path is None else looked[reference.path]
        aligned = _aligned(directory, reference, found, anchors)
        rows.append(_row(row, reference, found, aligned))
        problems += _problems(reference, found)
        if reference.audio_id in used:
            problems.append(_problem("AUDIO_ID_REPEATED", reference, {}))
        used.add(reference.audio_id)
    return rows, problems


def hash_file(file: BufferedReader) -> str:
    """Return the SHA-256 of the whole file in hex. Cost: one read, constant memory."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()


_NO_PATH = _NoFile(kind="NO_PATH", reason="The reference names no file.")


def _reference(row: JsonObject) -> AudioReference | None:
    try:
        return msgspec.convert(row, AudioReference)
    except msgspec.ValidationError:
        return None


def _look(directory: Path, path: str) -> _File | _NoFile:
    """Return what the file at `path` is; its reason is the same on every machine."""
    if not lies_within(directory, path):
        return _NoFile(
            kind="PATH_REJECTED", reason="The path does not lead into the session directory."
        )
    try:
        if not (directory / path).exists():
            return _NoFile(kind="FILE_MISSING", reason="The file is not there.")
        if not (directory / path).is_file():
            return _NoFile(kind="NOT_A_FILE", reason="The path leads to no regular file.")
        with (directory / path).open("rb") as file:
            return _File(facts=wav_facts(file), sha256=hash_file(file))
    except NotWav as refusal:
        return _NoFile(kind=refusal.kind, reason=f"The file {refusal.reason}.")
    except (OSError, ValueError):
        return _NoFile(kind="UNREADABLE_FILE", reason="The file cannot be read.")


def _row(
    row: JsonObject, reference: AudioReference, found: _File | _NoFile, aligned: JsonObject
) -> JsonObject:
    """Return the artifact's row: the reference, made true, with the measured facts.

    The recorder's own code and reason stay where its availability was true.
    """
    true = _availability(reference, found)
    said = reference if reference.availability == true else None
    return {
        **{key: value for key, value in row.items() if key not in MEASURED_AUDIO_KEYS},
        "availability": true,
        "code": (said and said.code) or _code(reference, true),
        "reason": (said and said.reason) or _reason(found),
        **_measured(found, aligned),
    }


def _aligned(
    directory: Path, reference: AudioReference, found: _File | _NoFile, anchors: Anchors | None
) -> JsonObject:
    """Return the measured alignment of a file; only its reason where nothing can be measured."""
    if anchors is None or isinstance(found, _NoFile) or not found.facts.frames:
        return {}
    times = {"agent": anchors.agent, "agent_played": anchors.agent, "caller": anchors.caller}
    names = reference.channel_map or [reference.role or reference.audio_id]
    heard = [(place, times[name]) for place, name in enumerate(names) if name in times]
    if not heard or len(names) != found.facts.channels or reference.path is None:
        return {"alignment_reason": "channels_unknown"}
    from engine.recording.alignment import align  # noqa: PLC0415  where there is audio only

    channel, told = max(heard, key=lambda pair: len(pair[1]))
    near_ms = reference.media_start_offset_ms or 0
    try:
        with (directory / reference.path).open("rb") as file:
            figures = align(file, found.facts, channel=channel, anchors=told, near_ms=near_ms)
    except OSError:
        return {"alignment_reason": "unreadable_file"}
    return {
        "offset_ms": figures.offset_ms,
        "drift_ppm": figures.drift_ppm,
        "drift_error_ppm": figures.drift_error_ppm,
        "residual_ms": figures.residual_ms,
        "alignment_anchors": figures.anchors,
        "alignment_reason": figures.reason,
    }


def _availability(reference: AudioReference, found: _File | _NoFile) -> str:
    """Return the true availability. Without a path, the recorder's word that there is none."""
    if isinstance(found, _File):
        return "recorded" if found.facts.frames else "empty_capture"
    if found.kind == "NO_PATH" and reference.availability == "empty_capture":
        return "empty_capture"
    return "empty_capture" if found.kind in _NO_FRAMES else "unavailable"


def _code(reference: AudioReference, availability: str) -> str | None:
    """Return the code of audio that is not there, by its role."""
    if availability != "unavailable":
        return None
    role = reference.audio_id if reference.role is None else reference.role
    return _CODES.get(role, _OTHER_CODE)


def _reason(found: _File | _NoFile) -> str | None:
    """Return why there are no frames; None where there are."""
    if isinstance(found, _NoFile):
        return found.reason
    return None if found.facts.frames else "The file holds no frame."


def _measured(found: _File | _NoFile, aligned: JsonObject) -> JsonObject:
    """Return the measured facts; none where there is no WAV."""
    if isinstance(found, _NoFile):
        return {}
    facts = found.facts
    measured: JsonObject = {
        "frames": facts.frames,
        "header_frames": facts.header_frames,
        "measured_duration_ms": facts.duration_ms,
        "measured_sample_rate": facts.sample_rate,
        "measured_channels": facts.channels,
        "measured_sha256": found.sha256,
        "sample_format": facts.sample_format.value,
        "data_offset": facts.data_offset,
        "frame_bytes": facts.frame_bytes,
        **aligned,
    }
    assert measured.keys() <= MEASURED_AUDIO_KEYS
    return measured


def _problems(reference: AudioReference, found: _File | _NoFile) -> Iterator[Problem]:
    """Yield each difference between a reference and its file."""
    true = _availability(reference, found)
    if isinstance(found, _NoFile) and found.kind == "PATH_REJECTED":
        yield _problem("AUDIO_PATH_REJECTED", reference, {"path": reference.path})
    elif true != reference.availability:
        kind = found.kind if isinstance(found, _NoFile) else None
        differs: JsonObject = {"declared": reference.availability, "measured": true, "kind": kind}
        yield _problem("AUDIO_AVAILABILITY_DIFFERS", reference, differs)
    if isinstance(found, _NoFile):
        return
    facts = found.facts
    if facts.lie is not None:
        lie: JsonObject = {
            "kind": facts.lie.value,
            "frames": facts.frames,
            "header_frames": facts.header_frames,
        }
        yield _problem("WAV_HEADER_MISMATCH", reference, lie)
    for code, declared, measured in _declared_facts(reference, found):
        yield _problem(code, reference, {"declared": declared, "measured": measured})


def _declared_facts(
    reference: AudioReference, found: _File
) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """Yield (code, declared, measured) of each declared fact that is not the file's."""
    facts = found.facts
    rate = reference.sample_rate
    if rate is not None and rate != facts.sample_rate:
        yield "AUDIO_RATE_DIFFERS", rate, facts.sample_rate
    names = reference.channel_map
    if names is not None and len(names) != facts.channels:
        yield "AUDIO_CHANNELS_DIFFER", len(names), facts.channels
    duration = reference.duration_ms
    if duration is not None and abs(duration - facts.duration_ms) > _DURATION_ROUNDING_MS:
        yield "AUDIO_DURATION_DIFFERS", duration, facts.duration_ms
    declared = reference.sha256
    if declared is not None and declared.removeprefix("sha256:").lower() != found.sha256:
        yield "AUDIO_HASH_DIFFERS", declared, found.sha256


def _problem(code: str, reference: AudioReference, detail: JsonObject) -> Problem:
    return Problem(code=code, detail={"audio_id": reference.audio_id, **detail})
