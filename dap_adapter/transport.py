"""The stdio loop: bytes to the session and back, in one thread, in one order.

Rules: one writer, which is this loop; the end of input ends the process, half a message or not;
while a job runs, input is read between its slices.
"""

import os
import select
import sys
from collections.abc import Callable, Sequence

import msgspec

from dap_adapter.framing import FrameDecoder, FramingError, framed
from dap_adapter.messages import Message, decoded, encoded
from dap_adapter.session import Session

BUDGET_MS = 20
"""How long a job runs before input is looked at again."""

_CHUNK_BYTES = 1 << 16


class Pipes(msgspec.Struct, frozen=True, kw_only=True):
    """File descriptors of the client's side."""

    input: int
    output: int


def protected_stdio() -> Pipes:
    """Return private copies of standard input and output.

    Afterwards a stray print goes to standard error, and nothing else can read the client's bytes.
    """
    pipes = Pipes(input=os.dup(0), output=os.dup(1))
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists on Windows only

        msvcrt.setmode(pipes.input, os.O_BINARY)
        msvcrt.setmode(pipes.output, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return pipes


def serve(session: Session, pipes: Pipes, log: Callable[[str], None] | None = None) -> int:
    """Serve until the client disconnects or goes away; return the exit status.

    0 at the end of input and after `disconnect`, 1 where the input was no framed stream.
    """
    decoder = FrameDecoder()
    try:
        while not session.is_finished:
            if session.busy:
                _send(pipes.output, session.run(BUDGET_MS), log)
                if not _has_input(pipes.input):
                    continue
            chunk = os.read(pipes.input, _CHUNK_BYTES)
            if not chunk:
                break
            for body in decoder.feed(chunk):
                _receive(session, body, pipes.output, log)
    except FramingError as error:
        if log is not None:
            log(f"the input is no stream of messages: {error}")
        sys.stderr.write(f"spd-dap: the input is no stream of messages: {error}\n")
        return 1
    except BrokenPipeError:
        return 0  # the client has gone, and with it the session
    finally:
        session.close()
    return 0


def _receive(session: Session, body: bytes, output: int, log: Callable[[str], None] | None) -> None:
    if session.is_finished:
        return
    if log is not None:
        log(f"<- {body.decode(errors='replace')}")
    _send(output, session.receive(decoded(body)), log)


def _send(output: int, messages: Sequence[Message], log: Callable[[str], None] | None) -> None:
    """Write messages in one piece, so that a response and its events arrive together."""
    if not messages:
        return
    bodies = [encoded(message) for message in messages]
    if log is not None:
        for body in bodies:
            log(f"-> {body.decode()}")
    rest = memoryview(b"".join(framed(body) for body in bodies))
    while rest:
        rest = rest[os.write(output, rest) :]


def _has_input(descriptor: int) -> bool:
    """Return whether a read would not wait; False where the system cannot tell (Windows pipes)."""
    if sys.platform == "win32":
        return False
    return bool(select.select([descriptor], [], [], 0)[0])
