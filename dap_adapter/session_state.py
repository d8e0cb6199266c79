"""What a session knows between requests, and what handlers may do to it.

Rules: handlers change it and queue events here; sending belongs to `session.py`.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from dap_adapter import errors
from dap_adapter.breakpoints import Breakpoints
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.handles import Handles
from dap_adapter.opened import Opened

if TYPE_CHECKING:
    from pathlib import Path

    from dap_adapter.containers import Container, Frame
    from dap_adapter.protocol import Variable
    from engine.recording import Recording

THREAD_ID = 1
"""The call is the one thread of a session."""

Loader: TypeAlias = "Callable[[Path], Recording]"
Body: TypeAlias = msgspec.Struct | None
Job: TypeAlias = Generator[None, None, Body]
"""Work in slices; its value is the body of the response that waits for it."""


class Phase(StrEnum):
    """Where a session stands."""

    NEW = "new"
    READY = "ready"
    LOADING = "loading"
    OPEN = "open"
    STOPPED = "stopped"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What `initialize` said about the other side; lines and columns start at 0 or 1."""

    lines_start_at: int = 1
    columns_start_at: int = 1
    uses_uris: bool = False


class SessionState:
    """The state of one client's session."""

    def __init__(self, load: Loader) -> None:
        self.load = load
        self.phase = Phase.NEW
        self.client = Client()
        self.is_configured = False
        self.is_finished = False
        self.frames: Handles[Frame] = Handles()
        self.containers: Handles[Container] = Handles()
        self.slot_variables: dict[tuple[str, int, bool], Variable] = {}
        self.breakpoints = Breakpoints()
        self.maybe_opened: Opened | None = None
        self._queued: list[tuple[str, Body]] = []

    @property
    def opened(self) -> Opened:
        """The open recording. Raises: DapError `notStopped` while there is none."""
        if self.maybe_opened is None:
            raise DapError(
                ErrorNumber.WRONG_MOMENT, "No recording is open yet.", short=errors.NOT_STOPPED
            )
        return self.maybe_opened

    def emit(self, event: str, body: Body = None) -> None:
        """Queue an event; it is sent after the response of the request being served."""
        self._queued.append((event, body))

    def take_events(self) -> list[tuple[str, Body]]:
        """Return the queued events in order and forget them."""
        queued, self._queued = self._queued, []
        return queued

    def check_thread(self, thread_id: int) -> None:
        """Raise a DapError unless `thread_id` is the call's thread."""
        if thread_id != THREAD_ID:
            raise DapError(
                ErrorNumber.UNKNOWN_REFERENCE,
                f"There is no thread {thread_id}: a recording has the one thread {THREAD_ID}.",
            )
