"""Opening a recording in slices: the reader works in a thread while the session reads its input.

Rules: the thread shares nothing with the session but its result; giving up ends it at its next
report of progress, and it never keeps the process alive.
"""

import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dap_adapter.jobs import Advance

if TYPE_CHECKING:
    from engine.recording import Recording

Report: TypeAlias = Callable[[str, int, int], None]
Open: TypeAlias = "Callable[[Path, Report], Recording]"

SLICE_S = 0.01
"""How long one slice waits for the thread."""


class _GivenUp(Exception):
    """Raised in the thread where nobody wants its result any more."""


class _Reader(threading.Thread):
    """Opens one recording."""

    def __init__(self, open_: Open, path: Path) -> None:
        super().__init__(name="open recording", daemon=True)
        self._open, self._path = open_, path
        self._is_given_up = False
        self.advance: Advance | None = None
        self.recording: Recording | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Open the recording; keep it or what went wrong."""
        try:
            self.recording = self._open(self._path, self._report)
        except BaseException as error:  # noqa: BLE001 - raised again where the result is taken
            self.error = error

    def give_up(self) -> None:
        """End at the next report."""
        self._is_given_up = True

    def _report(self, stage: str, done: int, total: int) -> None:
        if self._is_given_up:
            raise _GivenUp
        self.advance = Advance(done, total, stage)


def loaded_in_slices(open_: Open, path: Path) -> "Generator[Advance | None, None, Recording]":
    """Yield while `open_` works; return its recording. Raises: what it raises."""
    reader = _Reader(open_, path)
    reader.start()
    try:
        reader.join(SLICE_S)
        while reader.is_alive():
            yield reader.advance
            reader.join(SLICE_S)
    finally:
        reader.give_up()
    if reader.error is not None:
        raise reader.error
    assert reader.recording is not None, "a reader that has ended has a result or an error"
    return reader.recording
