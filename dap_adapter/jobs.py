"""Work in slices: what may take longer than a few milliseconds, and how far it has come.

Rules: a slice is short and yields; between two slices the session reads its input, so work can be
paused, cancelled and watched. A job that is given up leaves no trace but what `dropped` does.
"""

from collections.abc import Callable, Generator
from typing import TypeAlias

import msgspec


class Advance(msgspec.Struct, frozen=True, gc=False):
    """How far a job has come; `total` 0 where nobody knows; `stage` names the part it is at."""

    done: int
    total: int
    stage: str | None = None


Body: TypeAlias = msgspec.Struct | None
Steps: TypeAlias = Generator[Advance | None, None, Body]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Work in slices; its value is the body of the response that waits for it, if one does.

    Attributes:
        title: what the user sees while it runs.
        steps: the slices.
        is_run: whether it moves the cursor, so that `pause` stops it.
        dropped: called when it is given up or fails; None where nothing is left behind.
    """

    title: str
    steps: Steps
    is_run: bool = False
    dropped: Callable[[], None] | None = None
