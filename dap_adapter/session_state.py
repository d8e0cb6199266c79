"""What a session knows between requests, and what handlers may do to it.

Rules: handlers change it and queue events here; sending belongs to `session.py`.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from dap_adapter import errors
from dap_adapter.breakpoints import Breakpoints
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.handles import Handles
from dap_adapter.jobs import Advance, Body, Job
from dap_adapter.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from dap_adapter.containers import Container, Frame
    from dap_adapter.protocol import CancelArguments, Variable
    from engine.recording import Recording

THREAD_ID = 1
"""The call is the one thread of a session."""

Loader: TypeAlias = "Callable[[Path], Generator[Advance | None, None, Recording]]"
"""Opens a recording in slices."""


class Phase(StrEnum):
    """Where a session stands."""

    NEW = "new"
    READY = "ready"
    LOADING = "loading"
    OPEN = "open"
    STOPPED = "stopped"
    RUNNING = "running"
    ENDED = "ended"


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """What `initialize` said about the other side; lines and columns start at 0 or 1."""

    lines_start_at: int = 1
    columns_start_at: int = 1
    uses_uris: bool = False
    shows_progress: bool = False


class SessionState:
    """The state of one client's session."""

    def __init__(self, load: Loader, *, serves_attach: bool = False) -> None:
        self.load = load
        self.serves_attach = serves_attach
        self.phase = Phase.NEW
        self.client = Client()
        self.is_configured = False
        self.is_finished = False
        self.frames: Handles[Frame] = Handles()
        self.containers: Handles[Container] = Handles()
        self.slot_variables: dict[tuple[str, int, bool], Variable] = {}
        self.breakpoints = Breakpoints()
        self.maybe_opened: Opened | None = None
        self.marks: dict[str, int] = {}
        self.targets: Handles[int] = Handles()
        self.met_codes: tuple[str, ...] = ()
        self.wants_pause = False
        self.wants_cancel: CancelArguments | None = None
        self._queued: list[tuple[str, Body]] = []
        self._spawned: list[Job] = []

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

    def spawn(self, job: Job) -> None:
        """Start work that no response waits for; it begins when the request has been answered."""
        self._spawned.append(job)

    def take_spawned(self) -> list[Job]:
        """Return the work that was started and forget it."""
        spawned, self._spawned = self._spawned, []
        return spawned

    def check_thread(self, thread_id: int) -> None:
        """Raise a DapError unless `thread_id` is the call's thread."""
        if thread_id != THREAD_ID:
            raise DapError(
                ErrorNumber.UNKNOWN_REFERENCE,
                f"There is no thread {thread_id}: a recording has the one thread {THREAD_ID}.",
            )
