"""Session directories: read whole, strictly, and never written to."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest
from support.records import (
    FLOW,
    FLOW_TEXT,
    entered,
    exited,
    file_of,
    line_of,
    manifest_of,
    noise,
    numbered,
    problem_codes,
    rows_of,
    write,
    write_session,
)

from engine.core.artifact import artifact_bytes
from engine.core.contract.errors import EngineError, FlowInvalid, SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.recording import build_session, read_session, stream_session

TRACE, *BUS = numbered([entered("a"), write("note", "x"), noise(visit_id="a#1")])


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A small sound session directory."""
    return write_session(tmp_path / "session", trace=[TRACE], bus=BUS)


def digest_of(directory: Path) -> str:
    """What a directory holds: names, bytes, modes."""
    digest = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        stat = path.lstat()
        digest.update(repr((path.name, stat.st_mode, stat.st_mtime_ns, content)).encode())
    return digest.hexdigest()


def refusal(directory: Path) -> JsonObject:
    """Build what must be refused, twice, and return the detail."""
    before = digest_of(directory)
    with pytest.raises(SessionInvalid) as refused:
        build_session(directory)
    with pytest.raises(SessionInvalid) as again:
        stream_session(directory)
    assert again.value.as_json() == refused.value.as_json()
    assert digest_of(directory) == before
    return refused.value.detail


def problems(artifact: JsonObject) -> list[tuple[JsonValue, JsonValue, JsonValue]]:
    return [(r["code"], r["stream"], r["line"]) for r in rows_of(artifact, "problems")]


def with_manifest(session: Path, **members: JsonValue) -> Path:
    (session / "manifest.json").write_bytes(line_of(manifest_of(**members)))
    return session


# -- what is read ----------------------------------------------------------------------------------


def test_a_sound_session(session: Path) -> None:
    before = digest_of(session)
    artifact = build_session(session)
    assert [event["owner"] for event in rows_of(artifact, "events")] == ["a#1"] * 3
    assert artifact["flow"] == FLOW
    assert artifact["session"] == manifest_of()
    assert problem_codes(artifact) == ["UNKNOWN_TYPE"]
    assert b"".join(artifact_bytes(stream_session(session).members())) == file_of(artifact)
    assert digest_of(session) == before


def test_the_same_session_elsewhere_gives_the_same_bytes(session: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "x"
    shutil.copytree(session, other)
    assert file_of(build_session(other)) == file_of(build_session(session))
    assert str(session).encode() not in file_of(build_session(session))


def test_read_session_gives_what_the_builder_takes(session: Path) -> None:
    found = read_session(session)
    assert found.manifest == manifest_of()
    assert [s.stream.value for s in found.streams] == ["trace", "bus", "transcript"]
    assert [*found.streams[1].records] == BUS
    assert found.audio_refs == []
    assert found.problems == ()


def test_progress_is_told(session: Path) -> None:
    told: list[str] = []
    stream_session(session, progress=lambda stage, done, total: told.append(stage))
    assert told


# -- files that are missing ------------------------------------------------------------------------


def test_no_manifest(session: Path) -> None:
    (session / "manifest.json").unlink()
    assert refusal(session) == {"file": "manifest.json", "kind": "FILE_MISSING"}


def test_no_flow(session: Path) -> None:
    (session / "flow" / "flow.yaml").unlink()
    assert refusal(session) == {"file": "flow/flow.yaml", "kind": "FILE_MISSING"}


@pytest.mark.parametrize(
    ("file", "stream"),
    [
        ("trace_events.jsonl", "trace"),
        ("bus_events.jsonl", "bus"),
        ("transcript.jsonl", "transcript"),
    ],
)
def test_a_missing_stream_is_read_as_empty(session: Path, file: str, stream: str) -> None:
    (session / file).unlink()
    artifact = build_session(session)
    (row,) = [r for r in rows_of(artifact, "problems") if r["code"] == "FILE_MISSING"]
    assert (row["stream"], row["line"], row["detail"]) == (stream, None, {"file": file})
    assert all(event["stream"] != stream for event in rows_of(artifact, "events"))


def test_missing_audio_references_are_none(session: Path) -> None:
    (session / "audio_refs.json").unlink()
    artifact = build_session(session)
    assert artifact["audio"] == []
    assert ("FILE_MISSING", None, None) in problems(artifact)


def test_an_empty_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path)["kind"] == "FILE_MISSING"


@pytest.mark.parametrize("name", ["manifest.json", "flow/flow.yaml", "bus_events.jsonl"])
def test_a_directory_in_a_files_place(session: Path, name: str) -> None:
    (session / name).unlink()
    (session / name).mkdir()
    assert refusal(session)["kind"] == "UNREADABLE_FILE"


# -- the manifest ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "SYNTAX"),
        (b"{", "SYNTAX"),
        (b"[]", "NOT_AN_OBJECT"),
        (b'"x"', "NOT_AN_OBJECT"),
        (b"\xff", "NOT_UTF8"),
        (b"\xef\xbb\xbf{}", "BYTE_ORDER_MARK"),
        (b'{"a":NaN}', "NUMBER_RANGE"),
        (b'{"a":1,"a":1}', "DUPLICATE_KEY"),
        (b"[" * 100, "TOO_DEEP"),
        (b"{}", "FIELD_MISSING"),
        (line_of(manifest_of(flow={"source_path": "x"})), "FIELD_MISSING"),
        (line_of(manifest_of(flow="flow/flow.yaml")), "FIELD_MISSING"),
        (line_of(manifest_of(sequence="both")), "FIELD_INVALID"),
        (line_of(manifest_of(session_id="../x")), "FIELD_INVALID"),
        (line_of(manifest_of(schema="riff.session/v9")), "FIELD_INVALID"),
    ],
    ids=lambda x: repr(x)[:30],
)
def test_a_manifest_that_is_none(session: Path, data: bytes, kind: str) -> None:
    (session / "manifest.json").write_bytes(data)
    detail = refusal(session)
    assert (detail["file"], detail["kind"]) == ("manifest.json", kind)


def test_a_pretty_manifest_is_as_good(session: Path) -> None:
    artifact = build_session(session)
    text = '{\r\n  "ended": "completed",\n' + line_of(manifest_of()).decode()[1:].replace(
        '"ended":"completed",', ""
    )
    (session / "manifest.json").write_text(text)
    assert file_of(build_session(session)) == file_of(artifact)


# -- the flow's path -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["../flow.yaml", "/etc/hostname", "flow/../../flow.yaml", "..", "a\0b", "flow/\0"],
    ids=repr,
)
def test_a_flow_outside_of_the_session(session: Path, path: str) -> None:
    shutil.copy(session / "flow" / "flow.yaml", session.parent / "flow.yaml")
    detail = refusal(with_manifest(session, flow={"path": path}))
    assert (detail["file"], detail["kind"]) == ("manifest.json", "PATH_REJECTED")


def test_an_absolute_path_into_the_session_is_of_one_machine(session: Path) -> None:
    path = str(session / "flow" / "flow.yaml")
    assert refusal(with_manifest(session, flow={"path": path}))["kind"] == "PATH_REJECTED"


@pytest.mark.parametrize("path", ["", ".", "flow", "flow/nothing.yaml", "x" * 300])
def test_a_flow_that_is_no_file(session: Path, path: str) -> None:
    detail = refusal(with_manifest(session, flow={"path": path}))
    assert detail["kind"] in {"UNREADABLE_FILE", "FILE_MISSING", "PATH_REJECTED"}


def test_links_are_followed_before_they_are_judged(session: Path) -> None:
    outside = session.parent / "outside.yaml"
    outside.write_text(FLOW_TEXT)
    (session / "link.yaml").symlink_to(outside)
    assert refusal(with_manifest(session, flow={"path": "link.yaml"}))["kind"] == "PATH_REJECTED"
    (session / "inside.yaml").symlink_to(session / "flow" / "flow.yaml")
    artifact = build_session(with_manifest(session, flow={"path": "inside.yaml"}))
    flow = artifact["flow"]
    assert isinstance(flow, dict)
    assert flow["path"] == "inside.yaml"


def test_a_link_to_itself(session: Path) -> None:
    (session / "loop.yaml").symlink_to("loop.yaml")
    detail = refusal(with_manifest(session, flow={"path": "loop.yaml"}))
    assert detail["kind"] in {"PATH_REJECTED", "UNREADABLE_FILE"}


def test_a_flow_that_is_none(session: Path) -> None:
    (session / "flow" / "flow.yaml").write_bytes(b"states: [")
    with pytest.raises(FlowInvalid) as refused:
        build_session(session)
    assert refused.value.detail["file"] == "flow/flow.yaml"


def test_a_flow_with_numbers_that_json_has_not(session: Path) -> None:
    for number in (".nan", "-.inf", "1e400", "123456789012345678901", "1e300", "0.5"):
        flow = FLOW_TEXT.replace("when: always}", f"when: always, sets: {{note: {number}}}}}", 1)
        (session / "flow" / "flow.yaml").write_text(flow)
        try:
            artifact = build_session(session)
        except EngineError:
            continue
        assert file_of(artifact)


# -- streams ---------------------------------------------------------------------------------------


def test_unreadable_and_torn_lines_are_events(session: Path) -> None:
    with (session / "bus_events.jsonl").open("ab") as file:
        file.write(b'\n{"name":"SECRET"\r\n{"type":"x","seq":9}')
    artifact = build_session(session)
    events = [e for e in rows_of(artifact, "events") if e["stream"] == "bus"]
    assert [e["event_id"] for e in events] == ["bus:1", "bus:2", "bus:4", "bus:5"]
    assert problems(artifact)[1:] == [
        ("SEQUENCE_BROKEN", "bus", 4),
        ("UNREADABLE_RECORD", "bus", 4),
        ("SEQUENCE_GAP", "bus", 5),
        ("TORN_LAST_LINE", "bus", 5),
        ("UNKNOWN_TYPE", "bus", 5),
    ]
    assert b"SECRET" not in file_of(artifact)
    assert b"".join(artifact_bytes(stream_session(session).members())) == file_of(artifact)


def test_line_ends_do_not_matter(session: Path) -> None:
    artifact = build_session(session)
    path = session / "bus_events.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\n")
    assert file_of(build_session(session)) == file_of(artifact)


@pytest.mark.parametrize("file", ["trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl"])
def test_a_file_of_garbage(session: Path, file: str) -> None:
    (session / file).write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    detail = refusal(session)
    assert (detail["file"], detail["line"], detail["kind"]) == (file, 1, "NOT_UTF8")
    assert detail["byte_offset"] == 0


def test_empty_streams(session: Path) -> None:
    for file in ("trace_events.jsonl", "bus_events.jsonl"):
        (session / file).write_bytes(b"")
    artifact = build_session(session)
    assert artifact["events"] == []
    assert problem_codes(artifact) == []


def test_a_visit_left_open_by_a_torn_call(session: Path) -> None:
    artifact = build_session(with_manifest(session, ended=None))
    (visit,) = rows_of(artifact, "visits")
    exit_ = visit["exit"]
    assert isinstance(exit_, dict)
    assert exit_["reason"] == "truncated"
    with (session / "trace_events.jsonl").open("ab") as file:
        file.write(line_of(exited("a", seq=9, edge_id="a:0")) + b"\n")
    (visit,) = rows_of(build_session(session), "visits")
    exit_ = visit["exit"]
    assert isinstance(exit_, dict)
    assert (exit_["label"], exit_["to"]) == ("recorded", "b")


# -- audio references ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"{}", "NOT_A_LIST"),
        (b"null", "NOT_A_LIST"),
        (b"[1]", "NOT_AN_OBJECT"),
        (b"[[]]", "NOT_AN_OBJECT"),
        (b"[", "SYNTAX"),
        (b"", "SYNTAX"),
        (b"[{}]", "FIELD_INVALID"),
        (b'[{"audio_id":"a","duration_ms":"long"}]', "FIELD_INVALID"),
    ],
)
def test_audio_references_of_a_wrong_shape(session: Path, data: bytes, kind: str) -> None:
    (session / "audio_refs.json").write_bytes(data)
    detail = refusal(session)
    assert (detail["file"], detail["kind"]) == ("audio_refs.json", kind)


# -- originals -------------------------------------------------------------------------------------


def test_the_fixtures_stay_as_they_are(root: Path) -> None:
    for name in ("booking_racy", "booking_clean"):
        directory = root / "fixtures" / name
        before = digest_of(directory)
        build_session(directory)
        assert digest_of(directory) == before


@pytest.mark.skipif(os.name != "posix", reason="POSIX modes")
def test_a_read_only_session_is_read(session: Path) -> None:
    for path in [*session.rglob("*"), session]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert build_session(session)
    finally:
        for path in [session, *session.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
