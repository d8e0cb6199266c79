"""A file that only grows by whole lines: appended with the kernel, or not at all.

A line is acknowledged when the kernel has all of it: from then on the death of the process does not
lose it. After a failure the file is cut back to the last whole line, so the next append works.
"""

import errno
import os
import sys
from contextlib import suppress

APPEND_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
FILE_MODE = 0o600
INTERRUPTIONS_MAX = 100


class AppendFile:
    """An open file of lines."""

    __slots__ = ("_fd", "_is_torn", "size")

    def __init__(self, directory_fd: int, name: str) -> None:
        """Make the file, which must not be there, in an open directory. Raises: OSError."""
        self._fd = os.open(name, APPEND_FLAGS, FILE_MODE, dir_fd=directory_fd)
        os.fchmod(self._fd, FILE_MODE)
        self.size = 0
        """Bytes of the whole lines."""
        self._is_torn = False

    @property
    def fd(self) -> int:
        """The file's descriptor; -1 once it is closed."""
        return self._fd

    def append(self, line: bytes, *, sync: bool) -> None:
        """Append a line, its line feed included; `sync`: bring it to the device, too.

        Raises: OSError, or what interrupts it; then the line is not there.
        """
        if self._is_torn:
            self.cut_back()
        try:
            if write(self._fd, line) != len(line):
                raise AssertionError(len(line))
            if sync:
                sync_data(self._fd)
        except BaseException:
            self._is_torn = True
            self._try_to_cut_back()
            raise
        self.size += len(line)

    def cut_back(self) -> None:
        """Remove what stands behind the last whole line. Raises: OSError."""
        os.ftruncate(self._fd, self.size)
        self._is_torn = False

    def _try_to_cut_back(self) -> None:
        with suppress(OSError):  # tried again before the next line
            self.cut_back()

    def sync(self) -> None:
        """Bring the file to the device and see that all of it is there. Raises: OSError."""
        if self._is_torn:
            self.cut_back()
        os.fsync(self._fd)
        found = os.fstat(self._fd).st_size
        if found != self.size:
            raise OSError(errno.EIO, f"the file has {found} bytes, {self.size} were written")

    def close(self) -> None:
        """Close the descriptor; a second call does nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def sync_data(fd: int) -> None:
    """Bring a file's bytes to the device. Raises: OSError."""
    if sys.platform == "darwin":
        os.fsync(fd)
    else:
        os.fdatasync(fd)


def write(fd: int, data: bytes) -> int:
    """Write all of `data` and return its length. Raises: OSError, with any part of it written."""
    done = _write_some(fd, data)
    while done < len(data):
        done += _write_some(fd, data[done:])
    return done


def _write_some(fd: int, data: bytes) -> int:
    for _ in range(INTERRUPTIONS_MAX):
        try:
            count = os.write(fd, data)
        except InterruptedError:
            continue
        if count <= 0 and data:
            raise OSError(errno.EIO, "the system wrote nothing")
        return count
    raise InterruptedError(errno.EINTR, "the write was interrupted again and again")
