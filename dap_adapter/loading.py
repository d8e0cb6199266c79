"""Opening a recording in slices: the reader works in a thread while the session reads its input.

Rules: the thread shares nothing with the session but its result; giving up ends it at its next
report of progress, and it never keeps the process alive.
"""

import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from dap_adapter.jobs import Advance

if TYPE_CHECKING:
    from engine.recording import Recording

Report: TypeAlias = Callable[[str, int, int], None]
Open: TypeAlias = "Callable[[Path, Report], Recording]"
_Result = TypeVar("_Result")

SLICE_S = 0.01
"""How long one slice waits for the thread."""


class _GivenUp(Exception):
    """Raised in the thread where nobody wants its result any more."""


class _Reader(threading.Thread, Generic[_Result]):
    """Does one piece of reading."""

    def __init__(self, work: Callable[[Report], _Result], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._work = work
        self._is_given_up = False
        self.advance: Advance | None = None
        self.results: list[_Result] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Do the work; keep what it returns or what went wrong."""
        try:
            self.results.append(self._work(self._report))
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
    return (yield from _watched(_Reader(lambda report: open_(path, report), "open recording")))


def in_slices(work: Callable[[], _Result]) -> Generator[Advance | None, None, _Result]:
    """Yield while `work` reads in a thread; return what it returns. Raises: what it raises."""
    return (yield from _watched(_Reader(lambda _: work(), "read audio")))


def _watched(reader: _Reader[_Result]) -> Generator[Advance | None, None, _Result]:
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
    [result] = reader.results
    return result
