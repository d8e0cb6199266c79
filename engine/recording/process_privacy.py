"""Keeping a recording process's memory, and with it the session's key, out of files and debuggers.

For the program that records, once, at its start: it changes the whole process, so the recorder does
not do it by itself.
"""

import sys

_PR_SET_DUMPABLE = 4


def keep_memory_private() -> bool:
    """Switch core dumps off; on Linux other processes of the same user cannot read the memory, too.

    Return whether all that this system offers was done. It cannot be undone by this process.
    """
    import ctypes  # noqa: PLC0415  readers do without
    import resource  # noqa: PLC0415

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sys.platform.startswith("linux"):
        return True
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
