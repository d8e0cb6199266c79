"""Opening: whatever a user points at is a recording or one typed error."""

import os
from pathlib import Path

import pytest
from support.records import entered, file_of, manifest_of, noise, numbered, write_session

from engine.core.contract.errors import ArtifactInvalid, EngineError, FlowInvalid, SessionInvalid
from engine.recording import build_session, open_recording


@pytest.fixture
def session(tmp_path: Path) -> Path:
    records = numbered([entered("a"), noise()])
    return write_session(tmp_path / "session", bus=records)


def refusal(path: Path) -> EngineError:
    with pytest.raises(EngineError) as refused:
        open_recording(path)
    assert "Traceback" not in refused.value.message
    return refused.value


def test_a_session_directory(session: Path) -> None:
    recording = open_recording(session)
    assert recording.session_directory == session
    assert recording.view.event_count == 2


def test_an_artifact_file_gives_the_same_recording(session: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(file_of(build_session(session)))
    recording = open_recording(path)
    assert recording.session_directory is None
    assert recording.view.artifact_hash == open_recording(session).view.artifact_hash
    for index in range(2):
        assert recording.view.payload(index) == open_recording(session).view.payload(index)


def test_progress_is_told_while_a_session_is_built(tmp_path: Path) -> None:
    told: list[str] = []
    records = numbered([entered("a", turn_id="only here")])
    session = write_session(tmp_path / "s", bus=records)
    open_recording(session, progress=lambda stage, done, total: told.append(stage))
    assert told


def test_opening_changes_nothing(session: Path) -> None:
    before = {p: p.read_bytes() for p in session.rglob("*") if p.is_file()}
    open_recording(session)
    assert {p: p.read_bytes() for p in session.rglob("*") if p.is_file()} == before


def test_nothing_there(tmp_path: Path) -> None:
    error = refusal(tmp_path / "nothing")
    assert isinstance(error, SessionInvalid)
    assert error.detail == {"path": str(tmp_path / "nothing"), "kind": "NOT_FOUND"}


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"", "SYNTAX"), (b"x", "SYNTAX"), (b"{}", "UNKNOWN_SCHEMA"), (b"\x00\xff", "NOT_UTF8")],
)
def test_a_file_that_is_no_artifact(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    error = refusal(path)
    assert isinstance(error, ArtifactInvalid)
    assert error.detail["kind"] == kind
    assert error.detail["path"] == str(path)
    assert str(path) in error.message
    assert path.read_bytes() == data


def test_a_manifest_is_no_recording(session: Path) -> None:
    error = refusal(session / "manifest.json")
    assert isinstance(error, ArtifactInvalid)
    assert error.detail["kind"] == "UNKNOWN_SCHEMA"


def test_a_directory_that_is_no_session(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert isinstance(error, SessionInvalid)
    assert error.detail["kind"] == "FILE_MISSING"


def test_a_directory_that_is_no_session_is_not_read_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "big.bin").write_bytes(b"x")
    opened: list[Path] = []
    true_open = Path.open

    def watch(self: Path, *arguments: object, **more: object) -> object:
        opened.append(self)
        return true_open(self, *arguments, **more)  # pyright: ignore[reportCallIssue, reportUnknownVariableType, reportArgumentType]

    monkeypatch.setattr(Path, "open", watch)
    refusal(tmp_path)
    assert tmp_path / "big.bin" not in opened


def test_a_session_whose_flow_is_none(session: Path) -> None:
    (session / "flow" / "flow.yaml").write_bytes(b"\xff")
    assert isinstance(refusal(session), FlowInvalid)


def test_a_session_whose_manifest_is_wrong(session: Path) -> None:
    (session / "manifest.json").write_text("{}")
    assert isinstance(refusal(session), SessionInvalid)
    assert manifest_of()


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_name_that_cannot_be(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name).detail["path"] == str(tmp_path / name)


def test_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    refusal(tmp_path / "loop")


def test_an_error_of_ours_is_not_the_recordings(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*_: object, **__: object) -> None:
        raise ValueError("our bug")

    monkeypatch.setattr("engine.recording.open.stream_session", bug)
    (session / "transcript.jsonl").write_bytes(b'{"type":"never seen before"}\n')
    with pytest.raises(ValueError, match="our bug"):
        open_recording(session)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_is_no_recording(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    other_end = os.open(tmp_path / "fifo", os.O_RDWR)
    try:
        refusal(tmp_path / "fifo")
    finally:
        os.close(other_end)
