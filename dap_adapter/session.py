"""The session: requests in, responses and events out, without input or output of its own.

Rules: every request is answered exactly once, and its events follow its response (law 6), because a
handler only queues events. `receive` works for milliseconds; what may take longer is a job that
`run` advances, and that `pause`, `cancel` and the end of the session can stop between two slices.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from dap_adapter import errors
from dap_adapter.errors import DapError
from dap_adapter.jobs import Body, Job
from dap_adapter.messages import Event, Message, Request, Response, Unreadable
from dap_adapter.progress import Progress
from dap_adapter.protocol import CancelArguments, ErrorMessage, ErrorResponseBody
from dap_adapter.session_state import Loader, SessionState
from dap_adapter.wires import served
from engine.core.contract.errors import EngineError

if TYPE_CHECKING:
    from dap_adapter.error_links import Link

ENDING = ("terminate", "disconnect")
"""Requests that give up what every job is doing."""

OPENING = ("launch", "attach", "restart")
"""Requests that open a recording."""

BEFORE_TOKEN = ("initialize", "disconnect", "cancel")
"""What is served on a guarded session before the token has come."""

CANCELLABLE = frozenset({"launch", "attach", "restart", "evaluate", "continue", "reverseContinue"})
"""Requests that a `cancel` read before them stops."""

_CANCELLED_AHEAD_MAX = 64


class _Work(msgspec.Struct, kw_only=True, eq=False):
    """A job, the request that started it, and whether that request still waits for its answer."""

    job: Job
    request: Request
    is_waited_for: bool
    progress: Progress


class Session:
    """One client's debug session on one recording.

    With a `token`, only `BEFORE_TOKEN` is served until a launch or attach has brought it.
    """

    def __init__(
        self, *, load: Loader, log: Callable[[str], None] | None = None, token: str | None = None
    ) -> None:
        self._state = SessionState(load, serves_attach=token is not None)
        self._log_to = log
        self._token = token
        self._works: list[_Work] = []
        self._cancelled_ahead: set[int] = set()
        self._newest = -1
        self._progress_count = 0
        self._seq = 0

    # -- the two ways in ---------------------------------------------------------------------------

    def receive(self, message: Request | Unreadable) -> list[Message]:
        """Return the answer to a message and what follows from it; empty while a job has it."""
        if isinstance(message, Unreadable):
            self._log(f"unreadable message: {message.error.text}")
            if message.seq is None:
                return []
            return [self._failure(message.seq, message.command, message.error)]
        self._newest = max(self._newest, message.seq)
        if self._token is not None and not self._lets_pass(message, self._token):
            return []
        if message.seq in self._cancelled_ahead:
            self._cancelled_ahead.discard(message.seq)
            if message.command in CANCELLABLE:
                return [self._failure(message.seq, message.command, errors.cancelled())]
        given_up = self._all_given_up() if message.command in ENDING else []
        answered = self._answered(message, lambda: self._served(message))
        return [*given_up, *answered, *self._stopped_as_asked()]

    @property
    def is_finished(self) -> bool:
        """Whether the client has disconnected: send what is left and end."""
        return self._state.is_finished

    @property
    def is_trusted(self) -> bool:
        """Whether the client may do everything: there is no token, or it has come."""
        return self._token is None

    @property
    def busy(self) -> bool:
        """Whether a job waits for `run`."""
        return bool(self._works)

    def run(self, budget_ms: int) -> list[Message]:
        """Advance the first job for about `budget_ms` and return what it has to say; may be empty.

        A slice is never cut.
        """
        if not self._works:
            return []
        work = self._works[0]
        deadline = time.monotonic() + budget_ms / 1000
        messages: list[Message] = []
        while work in self._works:
            try:
                advance = next(work.job.steps)
            except StopIteration as done:
                return [*messages, *self._finished(work, _returning(done.value))]
            except Exception as error:  # noqa: BLE001 - told to the client where the answer is made
                _drop(work.job)
                return [*messages, *self._finished(work, _raising(error))]
            if not work.is_waited_for:
                messages += self._flushed()
            now = time.monotonic()
            if self._state.client.shows_progress:
                messages += self._events(work.progress.advanced(advance, now))
            if now >= deadline:
                break
        return messages

    def close(self) -> None:
        """Give up every job: the client has gone."""
        self._all_given_up()

    # -- inside ------------------------------------------------------------------------------------

    def _lets_pass(self, request: Request, token: str) -> bool:
        """Return whether a guarded session serves this request; a wrong token finishes it."""
        if request.command in BEFORE_TOKEN:
            return True
        import hmac  # noqa: PLC0415 - start-up

        if request.command in ("launch", "attach") and hmac.compare_digest(
            _token_in(bytes(request.arguments)), token.encode()
        ):
            self._token = None
            return True
        self._state.is_finished = True
        return False

    def _served(self, request: Request) -> Body | Job:
        return served(self._state, request.command, bytes(request.arguments))

    def _answered(self, request: Request, work: Callable[[], Body | Job]) -> list[Message]:
        """Return the response that `work` leads to and the queued events behind it."""
        try:
            outcome = work()
            if isinstance(outcome, Job):
                self._start(request, outcome, is_waited_for=True)
                return []
            response = Response(
                seq=self._next_seq(),
                request_seq=request.seq,
                success=True,
                command=request.command,
                body=outcome,
            )
        except DapError as error:
            response = self._told(request, error)
        except EngineError as error:
            response = self._told(request, errors.of_engine(error))
        except Exception:  # noqa: BLE001 - a mistake of ours: answered and logged, session alive
            from traceback import format_exc  # noqa: PLC0415 - start-up

            self._log(format_exc())
            response = self._failure(request.seq, request.command, errors.internal(request.command))
        for job in self._state.take_spawned():
            self._start(request, job, is_waited_for=False)
        return [response, *self._flushed()]

    def _start(self, request: Request, job: Job, *, is_waited_for: bool) -> None:
        self._progress_count += 1
        progress = Progress(
            f"progress-{self._progress_count}",
            title=job.title,
            request_seq=request.seq,
            started=time.monotonic(),
        )
        self._works.append(
            _Work(job=job, request=request, is_waited_for=is_waited_for, progress=progress)
        )

    def _finished(self, work: _Work, result: Callable[[], Body]) -> list[Message]:
        """Return what a job that has ended leads to: its progress ends before anything else."""
        self._works.remove(work)
        ended = self._events(work.progress.ended())
        if work.is_waited_for:
            return [*ended, *self._answered(work.request, result)]
        try:
            result()
        except Exception:  # noqa: BLE001 - nobody waits for an answer: logged, session alive
            from traceback import format_exc  # noqa: PLC0415 - start-up

            self._log(format_exc())
        for job in self._state.take_spawned():
            self._start(work.request, job, is_waited_for=False)
        return [*ended, *self._flushed()]

    # -- giving up ---------------------------------------------------------------------------------

    def _stopped_as_asked(self) -> list[Message]:
        """Return what follows from a `pause` or `cancel` that was just served."""
        state = self._state
        messages: list[Message] = []
        if state.wants_pause:
            state.wants_pause = False
            for work in [work for work in self._works if work.job.is_run]:
                messages += self._dropped(work)
        if (cancel := state.wants_cancel) is not None:
            state.wants_cancel = None
            found = [work for work in self._works if _is_meant(work, cancel)]
            for work in found:
                messages += self._dropped(work)
            if not found:
                self._remember(cancel.request_id)
        return messages

    def _remember(self, request_id: int | None) -> None:
        """Keep the number of a request that is cancelled before it is read."""
        if request_id is not None and request_id > self._newest:
            if len(self._cancelled_ahead) >= _CANCELLED_AHEAD_MAX:
                self._cancelled_ahead.discard(min(self._cancelled_ahead))
            self._cancelled_ahead.add(request_id)

    def _dropped(self, work: _Work) -> list[Message]:
        """Return the end of a job that was given up: progress, failure, what `dropped` queued."""
        self._works.remove(work)
        work.job.steps.close()
        messages: list[Message] = [*self._events(work.progress.ended())]
        if work.is_waited_for:
            messages.append(
                self._failure(work.request.seq, work.request.command, errors.cancelled())
            )
        _drop(work.job)
        return [*messages, *self._flushed()]

    def _all_given_up(self) -> list[Message]:
        """Return the answers to the requests that jobs were to answer; every job is dropped."""
        messages: list[Message] = []
        for work in self._works:
            work.job.steps.close()
            messages += self._events(work.progress.ended())
            if work.is_waited_for:
                messages.append(
                    self._failure(work.request.seq, work.request.command, errors.cancelled())
                )
        self._works.clear()
        self._state.take_events()
        return messages

    # -- messages ----------------------------------------------------------------------------------

    def _told(self, request: Request, error: DapError) -> Response:
        """Return the failure of a request, with the next step that a launch's client offers."""
        if request.command not in OPENING:
            return self._failure(request.seq, request.command, error)
        from dap_adapter.error_links import next_step  # noqa: PLC0415 - start-up

        link = next_step(bytes(request.arguments), error)
        return self._failure(request.seq, request.command, error, link)

    def _failure(
        self, request_seq: int, command: str, error: DapError, link: "Link | None" = None
    ) -> Response:
        self._state.take_events()
        self._state.take_spawned()
        shown = errors.as_format(error.text)
        return Response(
            seq=self._next_seq(),
            request_seq=request_seq,
            success=False,
            command=command,
            message=error.short,
            body=ErrorResponseBody(
                error=ErrorMessage(
                    id=error.number,
                    format=shown.format,
                    variables=shown.variables,
                    show_user=error.show_user,
                    url=link.url if link is not None else None,
                    url_label=link.label if link is not None else None,
                )
            ),
        )

    def _flushed(self) -> list[Message]:
        return self._events(self._state.take_events())

    def _events(self, events: Sequence[tuple[str, Body]]) -> list[Message]:
        return [Event(seq=self._next_seq(), event=event, body=body) for event, body in events]

    def _log(self, line: str) -> None:
        if self._log_to is not None:
            self._log_to(line)

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq


def _drop(job: Job) -> None:
    if job.dropped is not None:
        job.dropped()


def _returning(body: Body) -> Callable[[], Body]:
    return lambda: body


def _raising(error: Exception) -> Callable[[], Body]:
    def raise_() -> Body:
        raise error

    return raise_


def _is_meant(work: _Work, cancel: CancelArguments) -> bool:
    if cancel.request_id is not None and cancel.request_id == work.request.seq:
        return work.is_waited_for or work.job.is_run
    return cancel.progress_id is not None and cancel.progress_id == work.progress.progress_id


class _Token(msgspec.Struct, frozen=True):
    token: str = ""


def _token_in(arguments: bytes) -> bytes:
    """Return the bytes of the token that a launch or attach carries; empty where there is none."""
    try:
        return msgspec.json.decode(arguments, type=_Token).token.encode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return b""
