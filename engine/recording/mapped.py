"""Files as bytes that the system pages in when they are looked at."""

import mmap
from pathlib import Path


def map_file(path: Path) -> bytes | memoryview:
    """Return the bytes of a file, mapped read-only; an empty file gives empty bytes.

    Raises: OSError as `open` does.
    """
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
