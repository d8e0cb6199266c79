"""Files of a recording: paths that stay inside it, bytes that are paged in when looked at."""

import errno
import mmap
import stat
from pathlib import Path


def map_file(path: Path) -> bytes | memoryview:
    """Return the bytes of a file, mapped read-only; an empty file gives empty bytes.

    Raises: OSError as `open` does.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(
            errno.EINVAL, "it is a directory, a pipe or a device, no regular file", str(path)
        )
    with path.open("rb") as file:
        if not status.st_size:
            return b""
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def lies_within(directory: Path, path: str) -> bool:
    """Return whether a relative path leads to something inside the directory, links followed."""
    if Path(path).is_absolute():
        return False
    try:
        return (directory / path).resolve().is_relative_to(directory.resolve())
    except (OSError, RuntimeError, ValueError):
        return False
