"""The bytes of a recording's audio: only files of the session directory, or the reason why not."""

from pathlib import Path

import pytest

from engine.core.contract.errors import AudioRangeUnavailable, EventUnavailable
from engine.core.contract.json_types import JsonObject
from engine.recording.audio_bytes import audio_path, audio_piece, audio_row

RECORDED: JsonObject = {"audio_id": "a", "availability": "recorded", "path": "a.wav"}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    directory = tmp_path / "session"
    directory.mkdir()
    (directory / "a.wav").write_bytes(bytes(range(100)))
    (tmp_path / "secret.wav").write_bytes(b"no")
    return directory


def test_a_recorded_file_is_found_and_read_in_pieces(session: Path) -> None:
    path = audio_path(audio_row([RECORDED], "a"), session)
    assert path == (session / "a.wav").resolve()
    assert audio_piece(path, offset=98, length=9) == b"\x62\x63"
    assert audio_piece(path, offset=500, length=9) == b""


def test_an_unknown_id_names_the_known_ones() -> None:
    with pytest.raises(EventUnavailable, match="It has: a"):
        audio_row([RECORDED], "b")
    with pytest.raises(EventUnavailable, match="It has: none"):
        audio_row([], "b")


@pytest.mark.parametrize("path", ["../secret.wav", "/etc/hosts", "gone.wav", ".", "link.wav"])
def test_nothing_outside_is_read(session: Path, tmp_path: Path, path: str) -> None:
    (session / "link.wav").symlink_to(tmp_path / "secret.wav")
    with pytest.raises(AudioRangeUnavailable, match="any more"):
        audio_path({**RECORDED, "path": path}, session)


def test_what_was_not_recorded_says_why(session: Path) -> None:
    row: JsonObject = {**RECORDED, "availability": "unavailable", "reason": "capture was off"}
    with pytest.raises(AudioRangeUnavailable, match="capture was off"):
        audio_path(row, session)
    with pytest.raises(AudioRangeUnavailable, match="was not recorded"):
        audio_path({**RECORDED, "path": None}, session)
    with pytest.raises(AudioRangeUnavailable, match="session directory"):
        audio_path(RECORDED, None)


def test_a_file_that_went_away_is_one_error(session: Path) -> None:
    with pytest.raises(AudioRangeUnavailable, match="cannot be read"):
        audio_piece(session / "gone.wav", offset=0, length=1)
