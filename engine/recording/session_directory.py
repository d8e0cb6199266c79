"""Session directories, `riff.session/v1`: read whole, strictly, and never written to.

`manifest.json` and the flow file must be there and right; a missing stream or `audio_refs.json` is
read as empty with problem `FILE_MISSING`. Source: design section 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.artifact import (
    Assembled,
    Progress,
    StreamInput,
    assemble,
    no_progress,
)
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.core.contract.labels import Stream
from engine.core.contract.problems import Problem
from engine.core.contract.strict_json import NotJson, decode_strict
from engine.recording.lines import read_lines
from engine.recording.mapped import lies_within, map_file

MANIFEST_FILE = "manifest.json"
AUDIO_REFS_FILE = "audio_refs.json"
FILE_BYTES_MAX = 64 << 20
"""For files that are read whole: manifest, flow, audio references."""
STREAM_FILES = {
    Stream.TRACE: "trace_events.jsonl",
    Stream.BUS: "bus_events.jsonl",
    Stream.TRANSCRIPT: "transcript.jsonl",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a session directory holds, as the builder takes it."""

    manifest: JsonObject
    streams: tuple[StreamInput, ...]
    flow: JsonObject
    audio_refs: list[JsonObject]
    problems: tuple[Problem, ...]


def read_session(directory: Path) -> Session:
    """Return what the session directory holds.

    Raises:
        SessionInvalid: no manifest or flow there, or a file is not what it claims to be; `detail`
            has `file`, `kind` and, where known, `line` and `byte_offset`.
        FlowInvalid: the flow file cannot be read as a flow.
    """
    if not directory.is_dir():
        raise SessionInvalid(
            f"There is no session directory at {directory}: name the folder that holds "
            f"{MANIFEST_FILE}.",
            {"path": str(directory), "kind": "NOT_FOUND"},
        )
    manifest = _json(directory, MANIFEST_FILE)
    if not isinstance(manifest, dict):
        raise _invalid(MANIFEST_FILE, "NOT_AN_OBJECT", "must hold a JSON object")
    problems: list[Problem] = []
    streams = [_stream(directory, stream, file, problems) for stream, file in STREAM_FILES.items()]
    return Session(
        manifest=manifest,
        streams=tuple(streams),
        flow=_flow(directory, manifest),
        audio_refs=_audio_refs(directory, streams, problems),
        problems=tuple(problems),
    )


def build_session(directory: Path) -> JsonObject:
    """Return the artifact of a session directory, whole in memory. Raises: as `read_session`."""
    return _assembled(directory, keep=True, progress=no_progress).as_object()


def stream_session(directory: Path, *, progress: Progress = no_progress) -> Assembled:
    """Return the artifact of a session directory with its events decoded when looked at.

    The same bytes as `build_session`, in memory of the header's rows (visits, playbacks) and some
    dozens of bytes an event.
    Raises: as `read_session`.
    """
    return _assembled(directory, keep=False, progress=progress)


def _assembled(directory: Path, *, keep: bool, progress: Progress) -> Assembled:
    session = read_session(directory)
    return assemble(
        manifest=session.manifest,
        streams=session.streams,
        flow_metadata=session.flow,
        audio_refs=session.audio_refs,
        problems=session.problems,
        keep=keep,
        progress=progress,
    )


def refuse_problems(problems: Sequence[JsonObject]) -> None:
    """Raise SessionInvalid if there is any problem; `detail.problems` has the first 20 rows."""
    if not problems:
        return
    codes = sorted({str(problem["code"]) for problem in problems})
    raise SessionInvalid(
        f"The recording has {len(problems)} problems ({', '.join(codes)}), and --strict allows "
        "none. Without --strict it is built and they are listed in it.",
        {"kind": "STRICT", "problems": [*problems[:20]], "total": len(problems)},
    )


def _invalid(file: str, kind: str, what: str, byte_offset: int | None = None) -> SessionInvalid:
    detail: JsonObject = {"file": file, "kind": kind}
    if byte_offset is not None:
        detail["byte_offset"] = byte_offset
    return SessionInvalid(f"{file} {what}.", detail)


def _bytes(directory: Path, file: str) -> bytes:
    """Return a file's bytes; what the file system refuses is a typed error."""
    path = directory / file
    try:
        size = path.stat().st_size
        if size > FILE_BYTES_MAX:
            what = f"has {size:,} bytes; this file may have {FILE_BYTES_MAX:,}"
            raise _invalid(file, "TOO_LARGE", what)
        return path.read_bytes()
    except FileNotFoundError as error:
        what = "is missing: this is no session directory, or it was copied in part"
        raise _invalid(file, "FILE_MISSING", what) from error
    except (OSError, ValueError) as error:
        raise _invalid(file, "UNREADABLE_FILE", f"cannot be read: {error}") from error


def _mapped(directory: Path, file: str) -> bytes | memoryview:
    """Return a file's bytes, mapped so that no more of them is in memory than is looked at."""
    try:
        return map_file(directory / file)
    except (OSError, ValueError) as error:
        raise _invalid(file, "UNREADABLE_FILE", f"cannot be read: {error}") from error


def _json(directory: Path, file: str) -> JsonValue:
    try:
        return decode_strict(_bytes(directory, file))
    except NotJson as error:
        raise _invalid(file, error.kind, error.reason, error.byte_offset) from error


def _stream(directory: Path, stream: Stream, file: str, problems: list[Problem]) -> StreamInput:
    if not (directory / file).exists():
        problems.append(Problem(code="FILE_MISSING", stream=stream, detail={"file": file}))
        return StreamInput(stream=stream, records=())
    return read_lines(_mapped(directory, file), stream=stream, file=file)


def _audio_refs(
    directory: Path, streams: Sequence[StreamInput], problems: list[Problem]
) -> list[JsonObject]:
    if not (directory / AUDIO_REFS_FILE).exists():
        problems.append(Problem(code="FILE_MISSING", detail={"file": AUDIO_REFS_FILE}))
        return []
    listed = _json(directory, AUDIO_REFS_FILE)
    if not isinstance(listed, list):
        raise _invalid(AUDIO_REFS_FILE, "NOT_A_LIST", "must hold a list of audio references")
    rows: list[JsonObject] = []
    for row in listed:
        if not isinstance(row, dict):
            raise _invalid(AUDIO_REFS_FILE, "NOT_AN_OBJECT", "must list objects only")
        rows.append(row)
    if not rows:
        return []
    from engine.recording.anchors import sound_anchors  # noqa: PLC0415  cached: never measured
    from engine.recording.audio import measure_audio  # noqa: PLC0415

    measured, differences = measure_audio(directory, rows, sound_anchors(streams))
    problems += differences
    return measured


def _flow(directory: Path, manifest: JsonObject) -> JsonObject:
    """Return the flow that ran, as the artifact holds it."""
    reference = mapping(manifest, "flow")
    path = text(reference, "path")
    if path is None:
        raise _invalid(MANIFEST_FILE, "FIELD_MISSING", "must name the flow's file in `flow.path`")
    if not lies_within(directory, path):
        what = f"must name the flow by a path within the session directory, not {path!r}"
        raise _invalid(MANIFEST_FILE, "PATH_REJECTED", what)
    from engine.core.flow import flow_metadata, parse_flow  # noqa: PLC0415  cached: never parsed

    document = parse_flow(_bytes(directory, path), path=path)
    return flow_metadata(document, path=path, source_path=text(reference, "source_path"))
