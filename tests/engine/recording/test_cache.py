"""The cache: made anew when missing or damaged, never believed when it is wrong."""

import os
import shutil
from pathlib import Path

import pytest
from support.records import entered, file_of, noise, numbered, write, write_session

from engine.core.artifact import artifact_hash
from engine.core.contract.errors import ArtifactInvalid
from engine.recording import build_session, open_recording, stream_session
from engine.recording.cache import (
    Cache,
    cache_folder,
    session_key,
    view_file,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this test's own."""
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    records = numbered([entered("a"), write("note", "recorded text"), noise()])
    return write_session(tmp_path / "session", bus=records)


def true_hash(session: Path) -> str:
    return artifact_hash(build_session(session))


# -- where it lies ---------------------------------------------------------------------------------


def test_the_folder_is_made(folder: Path) -> None:
    assert cache_folder() == folder
    assert folder.is_dir()


def test_off_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPD_CACHE", "off")
    assert cache_folder() is None


def test_without_a_name_it_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SPD_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    found = cache_folder()
    assert found is not None
    assert found.is_relative_to(tmp_path)


def test_a_folder_that_cannot_be_made_means_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "file" / "cache"))
    assert cache_folder() is None


def test_a_session_is_kept_under_its_key(session: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.view_of_session("key") is None
    assert cache.store_session("key", stream_session(session))
    view = cache.view_of_session("key")
    assert view is not None
    assert view.artifact_hash == true_hash(session)
    assert cache.artifact(true_hash(session)).is_file()
    assert not Cache(tmp_path / "nowhere").store_session("key", stream_session(session))


@pytest.mark.parametrize("noted", ["", "sha256:", "sha256:../../x", "sha256:" + "0" * 64, "\xff"])
def test_a_note_that_names_nothing(session: Path, tmp_path: Path, noted: str) -> None:
    cache = Cache(tmp_path)
    cache.store_session("key", stream_session(session))
    (tmp_path / "key.session").write_text(noted, encoding="latin-1")
    assert cache.view_of_session("key") is None


# -- the key of a session --------------------------------------------------------------------------


def test_the_key_is_of_names_sizes_and_contents(session: Path, tmp_path: Path) -> None:
    key = session_key(session)
    shutil.copytree(session, tmp_path / "copy")
    assert session_key(tmp_path / "copy") == key
    os.utime(tmp_path / "copy" / "manifest.json", (1, 1))
    assert session_key(tmp_path / "copy") == key
    bus = tmp_path / "copy" / "bus_events.jsonl"
    bus.write_bytes(bus.read_bytes().replace(b"recorded", b"recordee"))
    changed = session_key(tmp_path / "copy")
    assert changed != key
    bus.rename(bus.with_name("other.jsonl"))
    assert session_key(tmp_path / "copy") not in {key, changed}


# -- opening through the cache ---------------------------------------------------------------------


def test_the_first_opening_fills_it_and_the_second_reads_it(session: Path, folder: Path) -> None:
    first = open_recording(session).view
    names = sorted(path.name for path in folder.iterdir())
    times = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(names) >= 2
    second = open_recording(session).view
    assert first.artifact_hash == second.artifact_hash == true_hash(session)
    assert [second.payload(i) for i in range(3)] == [first.payload(i) for i in range(3)]
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == times


def test_without_a_cache_the_recording_is_the_same(
    session: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPD_CACHE", "off")
    assert open_recording(session).view.artifact_hash == true_hash(session)
    assert not folder.exists()


def test_a_cache_that_cannot_be_written(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.recording.cache.write_whole", fail)
    assert open_recording(session).view.artifact_hash == true_hash(session)


def fail(*_: object) -> str:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("damage", ["cut", "garbage", "empty", "gone", "spaces", "bit"])
@pytest.mark.parametrize("what", ["artifact", "index"])
def test_a_damaged_cache_is_made_anew(session: Path, folder: Path, what: str, damage: str) -> None:
    open_recording(session)
    for path in folder.iterdir():
        if (path.suffix == ".index") is (what == "index"):
            spoil(path, damage)
    view = open_recording(session).view
    assert view.artifact_hash == true_hash(session)
    assert view.record(1)["new"] == "recorded text"
    assert list(view.postings("slot_write", "note")) == [1]


def spoil(path: Path, damage: str) -> None:
    data = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "garbage":
            path.write_bytes(b"\xff" * len(data))
        case "empty":
            path.write_bytes(b"")
        case "gone":
            path.unlink()
        case "spaces":
            path.write_bytes(data + b"  \n")
        case _:
            at = data.find(b"recorded text")
            at = at if at >= 0 else len(data) - 12
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


def test_a_changed_session_is_built_anew(session: Path) -> None:
    open_recording(session)
    bus = session / "bus_events.jsonl"
    bus.write_bytes(bus.read_bytes().replace(b"recorded text", b"another text"))
    view = open_recording(session).view
    assert view.record(1)["new"] == "another text"
    assert view.artifact_hash == true_hash(session)


# -- artifact files --------------------------------------------------------------------------------


def test_an_artifact_file_is_viewed_with_and_without_its_index(
    session: Path, tmp_path: Path, folder: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(file_of(build_session(session)))
    first = view_file(path)
    assert [p.suffix for p in folder.iterdir()] == [".index"]
    second = view_file(path)
    assert first.artifact_hash == second.artifact_hash == true_hash(session)
    assert first.event_count == second.event_count == 3
    assert [visit.visit_id for visit in second.visits] == ["a#1"]


def test_a_reformatted_artifact_gets_no_index_of_another(session: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(file_of(build_session(session)))
    view_file(path)
    path.write_bytes(path.read_bytes().replace(b'"slot":"note"', b'"slot": "note"', 1))
    with pytest.raises(ArtifactInvalid):
        view_file(path)


def test_an_edited_artifact_has_its_own_hash_and_index(session: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(file_of(build_session(session)))
    view_file(path)
    path.write_bytes(path.read_bytes().replace(b'"slot":"note","type"', b'"slot":"else","type"'))
    view = view_file(path)
    assert view.artifact_hash != true_hash(session)
    assert list(view.postings("slot_write", "note")) == []
    assert list(view.postings("slot_write", "else")) == [1]


def test_a_file_that_is_no_artifact_leaves_no_index(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"{}")
    with pytest.raises(ArtifactInvalid):
        view_file(path)
    assert not folder.exists() or list(folder.iterdir()) == []
