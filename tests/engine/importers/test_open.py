"""`open_any`: our own recordings as ever; a known format through the cache; the rest refused."""

import shutil
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.core.contract.errors import ArtifactInvalid, EngineError, SessionInvalid
from engine.importers import open_any
from engine.importers.open import IMPORTS_FOLDER
from engine.recording import build_session, open_recording, stream_session, write_artifact

PIPECAT = OURS / "pipecat"
RACY = OURS.parent / "booking_racy"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_ours_are_opened_as_ever(tmp_path: Path, folder: Path) -> None:
    expected = open_recording(RACY).view.artifact_hash
    assert open_any(RACY).view.artifact_hash == expected
    out = tmp_path / "artifact.json"
    write_artifact(stream_session(RACY), out, session_directory=RACY)
    assert open_any(out).view.artifact_hash == expected
    assert not (folder / IMPORTS_FOLDER).exists()


def test_a_known_format_is_imported_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = open_any(PIPECAT / "booking_racy.whisk.gz")
    [made] = (folder / IMPORTS_FOLDER).iterdir()
    assert first.session_directory == made

    def fail(*_: object) -> None:
        raise AssertionError("imported again")

    monkeypatch.setattr("engine.importers.named_sources.write_session", fail)
    assert open_any(PIPECAT / "booking_racy.whisk.gz").view.artifact_hash == (
        first.view.artifact_hash
    )


def test_the_flow_beside_it_is_used_and_its_change_seen(tmp_path: Path) -> None:
    source = Path(shutil.copy(PIPECAT / "booking_racy.whisk.gz", tmp_path))
    without = open_any(source).view
    assert not without.visits
    shutil.copy(PIPECAT / "flow.yaml", tmp_path)
    with_flow = open_any(source).view
    assert len(with_flow.visits) == 5


def test_the_source_is_left_alone(tmp_path: Path) -> None:
    source = Path(shutil.copy(PIPECAT / "booking_racy.whisk.gz", tmp_path / "a.whisk.gz"))
    before = source.read_bytes()
    open_any(source)
    assert source.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"a.whisk.gz", "cache"}


def test_without_a_cache_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPD_CACHE", "off")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    recording = open_any(PIPECAT / "booking_clean.whisk.gz")
    assert recording.session_directory is None
    assert len(recording.view.visits) == 5
    assert not list(tmp_path.iterdir())


def test_a_cached_import_is_a_sound_session(folder: Path) -> None:
    recording = open_any(PIPECAT / "booking_clean.whisk.gz")
    assert recording.session_directory is not None
    build_session(recording.session_directory)


@pytest.mark.parametrize(
    ("content", "guess"),
    [
        (b'{"call_id": "c", "transcript_object": [], "x": {"events": 1}}', "a Retell call"),
        (b'{"vcon": "0.4", "dialog": []}', "a vCon"),
        (b'{"initial_node": "a", "nodes": {}}', "a Pipecat flow"),
        (b'{"events": [{"eventId": 1}]}', "a Temporal history"),
        (b"RIFF\x00\x00\x00\x00WAVE", "a WAV file"),
    ],
)
def test_what_is_known_by_sight_is_named(content: bytes, guess: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SessionInvalid, match=guess) as caught:
        open_any(path)
    assert caught.value.detail["kind"] == "UNKNOWN_FORMAT"
    assert "pipecat" in caught.value.message


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"schema":"riff.session/v1"}'])
def test_anything_else_is_no_artifact(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ArtifactInvalid):
        open_any(path)


def test_a_broken_source_is_one_typed_error(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "call.whisk"
    path.write_bytes(b"\x81\xa4type\xa5other")
    with pytest.raises(EngineError) as caught:
        open_any(path)
    assert caught.value.detail["file"] == "call.whisk"
    assert not [*(folder / IMPORTS_FOLDER).glob("*")]
