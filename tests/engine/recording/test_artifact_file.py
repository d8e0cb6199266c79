"""Artifact files: written whole or not at all, and never into a session directory."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.records import entered, file_of, numbered, write_session

from engine.core.artifact import Assembled, load_artifact
from engine.core.contract.errors import OutputRejected
from engine.recording import build_session, stream_session, write_artifact
from engine.recording.artifact_file import write_whole


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_session(tmp_path / "session", trace=numbered([entered("a")]))


@pytest.fixture
def assembled(session: Path) -> Assembled:
    return stream_session(session)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def test_the_file_is_the_artifact_and_its_hash_is_sha256sums(
    session: Path, assembled: Assembled, out: Path
) -> None:
    target = out / "a.json"
    found = write_artifact(assembled, target, session_directory=session)
    data = target.read_bytes()
    assert found == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert data == file_of(build_session(session))
    assert load_artifact(data) == build_session(session)
    assert [path.name for path in out.iterdir()] == ["a.json"]


def test_an_older_file_is_replaced(session: Path, assembled: Assembled, out: Path) -> None:
    target = out / "a.json"
    target.write_text("older and longer than nothing")
    write_artifact(assembled, target, session_directory=session)
    assert target.read_bytes() == file_of(build_session(session))


def test_its_mode_is_a_new_files(session: Path, assembled: Assembled, out: Path) -> None:
    write_artifact(assembled, out / "a.json", session_directory=session)
    (out / "plain").write_text("")
    modes = {stat.S_IMODE((out / name).stat().st_mode) for name in ("a.json", "plain")}
    assert len(modes) == 1


def rejected(assembled: Assembled, target: Path, session: Path) -> OutputRejected:
    before = sorted(path.name for path in session.rglob("*"))
    with pytest.raises(OutputRejected) as refused:
        write_artifact(assembled, target, session_directory=session)
    assert sorted(path.name for path in session.rglob("*")) == before
    assert refused.value.detail["path"] == str(target)
    return refused.value


@pytest.mark.parametrize(
    "name", ["a.json", "flow/a.json", "manifest.json", "../session/a.json", "new/a.json", "."]
)
def test_never_into_the_session_directory(session: Path, assembled: Assembled, name: str) -> None:
    manifest = (session / "manifest.json").read_bytes()
    rejected(assembled, session / name, session)
    assert (session / "manifest.json").read_bytes() == manifest


def test_nor_by_a_link(session: Path, assembled: Assembled, out: Path) -> None:
    (out / "folder").symlink_to(session)
    rejected(assembled, out / "folder" / "a.json", session)
    (out / "file").symlink_to(session / "manifest.json")
    rejected(assembled, out / "file", session)


def test_a_sibling_whose_name_begins_alike_is_elsewhere(
    session: Path, assembled: Assembled
) -> None:
    target = session.with_name("session.json")
    write_artifact(assembled, target, session_directory=session)
    assert target.is_file()


def test_a_link_is_followed(session: Path, assembled: Assembled, out: Path) -> None:
    real = out / "real.json"
    real.write_text("")
    (out / "link.json").symlink_to(real)
    write_artifact(assembled, out / "link.json", session_directory=session)
    assert (out / "link.json").is_symlink()
    assert real.read_bytes() == file_of(build_session(session))


def test_a_directory(session: Path, assembled: Assembled, out: Path) -> None:
    rejected(assembled, out, session)
    assert list(out.iterdir()) == []


def test_a_missing_parent(session: Path, assembled: Assembled, out: Path) -> None:
    rejected(assembled, out / "no" / "a.json", session)
    assert list(out.iterdir()) == []


def test_a_parent_that_is_a_file(session: Path, assembled: Assembled, out: Path) -> None:
    (out / "file").write_text("kept")
    rejected(assembled, out / "file" / "a.json", session)
    assert (out / "file").read_text() == "kept"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_what_is_no_regular_file_is_left_alone(
    session: Path, assembled: Assembled, out: Path
) -> None:
    fifo = out / "fifo"
    os.mkfifo(fifo)
    rejected(assembled, fifo, session)
    assert fifo.is_fifo()


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_name_that_cannot_be(session: Path, assembled: Assembled, out: Path, name: str) -> None:
    rejected(assembled, out / name, session)
    assert list(out.iterdir()) == []


def test_a_name_as_long_as_it_may_be(session: Path, assembled: Assembled, out: Path) -> None:
    write_artifact(assembled, out / ("x" * 250), session_directory=session)
    assert len(list(out.iterdir())) == 1


def test_a_link_to_itself(session: Path, assembled: Assembled, out: Path) -> None:
    (out / "loop").symlink_to("loop")
    rejected(assembled, out / "loop", session)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_older_file_and_nothing_else(
    session: Path,
    assembled: Assembled,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    target = out / "a.json"
    target.write_text("older")
    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    error = rejected(assembled, target, session)
    assert "No space left" in error.message
    assert target.read_text() == "older"
    assert [path.name for path in out.iterdir()] == ["a.json"]


def test_a_failure_on_the_way_leaves_nothing(out: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(out / "a", pieces())
    assert list(out.iterdir()) == []
