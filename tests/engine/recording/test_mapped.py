import os
from pathlib import Path

import pytest

from engine.recording.mapped import map_file


@pytest.mark.parametrize("data", [b"", b"x", b"\x00\xff" * 10_000])
def test_the_bytes_of_a_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    mapped = map_file(tmp_path / "f")
    assert bytes(mapped) == data
    assert len(mapped) == len(data)
    assert bytes(mapped[1:3]) == data[1:3]


def test_they_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    mapped = map_file(tmp_path / "f")
    assert isinstance(mapped, memoryview)
    assert mapped.readonly


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        map_file(tmp_path / "nothing")
    with pytest.raises(OSError, match="directory"):
        map_file(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    # With a writer at its other end, opening cannot wait: the test cannot hang.
    other_end = os.open(tmp_path / "fifo", os.O_RDWR)
    try:
        with pytest.raises(OSError, match="regular file"):
            map_file(tmp_path / "fifo")
    finally:
        os.close(other_end)
