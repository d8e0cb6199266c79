"""A session directory as its recorder holds it: made, locked, and written to by nobody else.

Everything goes through the open directory, so a path that is moved or replaced meanwhile changes
nothing. The lock is on the directory itself; no file of it lies about.
"""

import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.core.contract.errors import OutputRejected
from engine.recording.append_file import FILE_MODE, AppendFile, write

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
DIRECTORY_MODE = 0o700
PART_SUFFIX = ".part"
"""Ends the name of a file that is not whole yet."""


class PrivateDirectory:
    """An open, locked directory of mode 0700 whose files have mode 0600."""

    __slots__ = ("fd", "path", "was_there")

    def __init__(self, path: Path) -> None:
        """Make the directory, or take an empty one.

        Raises: OutputRejected: it holds something, is a link, or another recorder has it.
        """
        self.path = path
        self.fd = -1
        try:
            self.was_there = _is_there(path)
            with suppress(FileExistsError):
                path.mkdir(mode=DIRECTORY_MODE, parents=True)
            self.fd = os.open(path, _DIRECTORY_FLAGS)
            self._take()
        except OutputRejected:
            self.close()
            raise
        except (OSError, ValueError) as error:
            self.close()
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise OutputRejected(
                f"The session directory {path} cannot be made: {reason}.", {"path": str(path)}
            ) from error

    def _take(self) -> None:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._rejected("is being recorded into by another recorder") from None
        if os.listdir(self.fd):  # noqa: PTH208  the open one, whatever the path leads to now
            raise self._rejected("holds something already")
        os.fchmod(self.fd, DIRECTORY_MODE)

    def _rejected(self, what: str) -> OutputRejected:
        return OutputRejected(
            f"The folder {self.path} {what}: a session directory is made anew for each call. "
            "Name one that is not there yet.",
            {"path": str(self.path)},
        )

    def make_folder(self, name: str) -> None:
        """Make a folder of mode 0700. Raises: OSError."""
        os.mkdir(name, DIRECTORY_MODE, dir_fd=self.fd)
        os.chmod(name, DIRECTORY_MODE, dir_fd=self.fd)

    def lines(self, name: str) -> AppendFile:
        """Return a new, empty file of lines. Raises: OSError."""
        return AppendFile(self.fd, name)

    def put(self, name: str, data: bytes, *, sync: bool) -> None:
        """Put a file under its name in one step, in place of one of that name.

        `name` may lie in a folder. `sync`: its bytes are on the device before it has the name; the
        name itself is with `sync` below. Raises: OSError; then nothing has changed.
        """
        with self._folder_of(name) as (folder, base):
            part = base + PART_SUFFIX
            with suppress(FileNotFoundError):
                os.unlink(part, dir_fd=folder)
            try:
                self._write_part(folder, part, data, sync=sync)
                os.rename(part, base, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(part, dir_fd=folder)
                raise

    def _write_part(self, folder: int, part: str, data: bytes, *, sync: bool) -> None:
        fd = os.open(part, _NEW_FILE_FLAGS, FILE_MODE, dir_fd=folder)
        try:
            os.fchmod(fd, FILE_MODE)
            write(fd, data)
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)

    @contextmanager
    def _folder_of(self, name: str) -> Generator[tuple[int, str]]:
        folder, _, base = name.rpartition("/")
        if not folder:
            yield self.fd, base
            return
        fd = os.open(folder, _DIRECTORY_FLAGS, dir_fd=self.fd)
        try:
            yield fd, base
        finally:
            os.close(fd)

    def remove(self, name: str) -> None:
        """Remove a file. Raises: OSError."""
        os.unlink(name, dir_fd=self.fd)

    def make_private(self, name: str) -> None:
        """Give a regular file that somebody else wrote here mode 0600. Raises: OSError."""
        fd = os.open(name, _READ_FLAGS, dir_fd=self.fd)
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                os.fchmod(fd, FILE_MODE)
        finally:
            os.close(fd)

    def discard(self) -> None:
        """Remove what was made here, as far as the system lets us, and let go."""
        with suppress(OSError):
            _empty(self.fd)
            if not self.was_there:
                self.path.rmdir()
        self.close()

    def sync(self, *names: str) -> None:
        """Bring the named files with their names, and the directory, to the device.

        Raises: OSError.
        """
        for name in names:
            with self._folder_of(name) as (folder, base):
                fd = os.open(base, _READ_FLAGS, dir_fd=folder)
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)
                os.fsync(folder)
        os.fsync(self.fd)

    def close(self) -> None:
        """Let go of the directory; a second call does nothing."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _empty(directory_fd: int) -> None:
    """Remove all that lies in an open directory; folders are as deep as the recorder makes them."""
    for name in os.listdir(directory_fd):
        try:
            os.unlink(name, dir_fd=directory_fd)
        except (IsADirectoryError, PermissionError):
            folder = os.open(name, _DIRECTORY_FLAGS, dir_fd=directory_fd)
            try:
                _empty(folder)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=directory_fd)
