import errno
import os
import stat

import pytest

from engine.recording.append_file import AppendFile


@pytest.fixture
def folder(tmp_path):
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def failing(monkeypatch, name, error, *, part=0):
    """Make the next call of `os.<name>` fail, or write `part` bytes only."""
    real, state = getattr(os, name), {"left": 1}

    def call(fd, *arguments):
        if state["left"]:
            state["left"] -= 1
            if part:
                return real(fd, arguments[0][:part])
            raise error
        return real(fd, *arguments)

    monkeypatch.setattr(os, name, call)


def test_lines_are_appended_and_counted(tmp_path, folder) -> None:
    file = AppendFile(folder, "a.jsonl")
    file.append(b"one\n", sync=False)
    file.append(b"two\n", sync=True)
    assert file.size == 8
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE((tmp_path / "a.jsonl").stat().st_mode) == 0o600
    file.sync()
    file.close()
    file.close()
    assert file.fd == -1


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder", "fifo"])
def test_what_is_there_is_never_opened(tmp_path, folder, kind) -> None:
    name = tmp_path / "a.jsonl"
    (tmp_path / "other").write_text("kept")
    match kind:
        case "file":
            name.write_text("kept")
        case "link":
            name.symlink_to(tmp_path / "other")
        case "dangling":
            name.symlink_to(tmp_path / "nowhere")
        case "folder":
            name.mkdir()
        case _:
            os.mkfifo(name)
    with pytest.raises(FileExistsError):
        AppendFile(folder, "a.jsonl")
    assert (tmp_path / "other").read_text() == "kept"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("part", [1, 3])
def test_a_short_write_goes_on(tmp_path, folder, monkeypatch, part) -> None:
    file = AppendFile(folder, "a.jsonl")
    failing(monkeypatch, "write", None, part=part)
    file.append(b"one\n", sync=False)
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\n"


def test_an_interrupted_write_is_tried_again(tmp_path, folder, monkeypatch) -> None:
    file = AppendFile(folder, "a.jsonl")
    failing(monkeypatch, "write", InterruptedError())
    file.append(b"one\n", sync=False)
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("part", [0, 2])
def test_a_failed_write_leaves_nothing_and_the_next_one_works(
    tmp_path, folder, monkeypatch, number, part
) -> None:
    file = AppendFile(folder, "a.jsonl")
    file.append(b"one\n", sync=False)
    real, calls = os.write, []

    def write(fd, data):
        calls.append(data)
        if len(calls) == 1 and part:
            return real(fd, data[:part])
        raise OSError(number, "no")

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="no"):
        file.append(b"two\n", sync=False)
    monkeypatch.undo()
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\n"
    file.append(b"three\n", sync=False)
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\nthree\n"


def test_a_system_that_writes_nothing_is_an_error(tmp_path, folder, monkeypatch) -> None:
    file = AppendFile(folder, "a.jsonl")
    monkeypatch.setattr(os, "write", lambda fd, data: 0)
    with pytest.raises(OSError, match="nothing"):
        file.append(b"one\n", sync=False)


def test_a_line_that_cannot_be_cut_back_is_cut_back_before_the_next(
    tmp_path, folder, monkeypatch
) -> None:
    file = AppendFile(folder, "a.jsonl")
    real = os.write
    broken = OSError(errno.EIO, "no")

    def half(fd, data):
        if len(data) == 4:
            return real(fd, data[:2])
        raise broken

    def refuse(*_):
        raise broken

    monkeypatch.setattr(os, "write", half)
    monkeypatch.setattr(os, "ftruncate", refuse)
    for _ in range(2):
        with pytest.raises(OSError, match="no"):
            file.append(b"one\n", sync=False)
    assert (tmp_path / "a.jsonl").read_bytes() == b"on"
    monkeypatch.undo()
    file.append(b"two\n", sync=False)
    assert (tmp_path / "a.jsonl").read_bytes() == b"two\n"


def test_what_interrupts_a_write_leaves_nothing(tmp_path, folder, monkeypatch) -> None:
    file = AppendFile(folder, "a.jsonl")
    real = os.write

    def write(fd, data):
        real(fd, data)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(KeyboardInterrupt):
        file.append(b"one\n", sync=False)
    assert (tmp_path / "a.jsonl").read_bytes() == b""


def test_bytes_that_went_missing_are_seen(tmp_path, folder) -> None:
    file = AppendFile(folder, "a.jsonl")
    file.append(b"one\n", sync=False)
    os.truncate(tmp_path / "a.jsonl", 2)
    with pytest.raises(OSError, match="2 bytes, 4 were written"):
        file.sync()
