"""The TCP server: many clients on the loopback interface, each with a session of its own.

Rules: one thread and one loop. A port is open to every program and every web page of the machine,
so a stream that is not the protocol's own framing is closed unanswered, and a session serves next
to nothing until the token has come. A client that goes away takes its session with it; the server
ends when what started it closes its standard input (where that is a pipe) or interrupts it.
"""

import json
import os
import secrets
import selectors
import socket
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dap_adapter.framing import FrameDecoder, FramingError, framed
from dap_adapter.messages import Message, decoded, encoded
from dap_adapter.session import Session

HOST = "127.0.0.1"

CLIENTS_MAX = 64
"""Most clients at a time; more are closed at once."""

TOKEN_WAIT_S = 30.0
"""How long a client may stay without having brought the token."""

UNTRUSTED_BYTES_MAX = 1 << 16
"""Most bytes that are read of a client before it has brought the token."""

_BUDGET_MS = 10
_CHUNK_BYTES = 1 << 16
_UNSENT_BYTES_MAX = 64 << 20

NewSession = Callable[[str], Session]


@dataclass(slots=True, kw_only=True, eq=False)
class _Client:
    """A connection, its session, and what could not be sent yet."""

    connection: socket.socket
    session: Session
    connected_at: float
    decoder: FrameDecoder = field(default_factory=lambda: FrameDecoder(is_strict=True))
    unsent: bytearray = field(default_factory=bytearray)
    received: int = 0


def listen(port: int, new_session: NewSession) -> int:
    """Serve until interrupted or until the starter's pipe closes; return the exit status.

    Prints one line of JSON, `{"host", "port", "token"}`. Raises: OSError where the port is taken.
    """
    token = secrets.token_urlsafe(32)
    with socket.create_server((HOST, port), backlog=CLIENTS_MAX) as server:
        address: tuple[str, int] = server.getsockname()
        line = json.dumps({"host": address[0], "port": address[1], "token": token})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        os.dup2(2, 1)  # a stray print goes to standard error
        _Server(server, lambda: new_session(token)).serve()
    return 0


class _Server:
    """The loop over the listening socket, the clients and the starter's pipe."""

    def __init__(self, server: socket.socket, new_session: Callable[[], Session]) -> None:
        self._server = server
        self._new_session = new_session
        self._selector = selectors.DefaultSelector()
        self._clients: set[_Client] = set()
        self._is_over = False

    def serve(self) -> None:
        """Serve until the starter's pipe closes."""
        self._server.settimeout(0)
        self._selector.register(self._server, selectors.EVENT_READ, self._accept)
        if _is_pipe(0):
            self._selector.register(0, selectors.EVENT_READ, self._read_starter)
        while not self._is_over:
            for key, events in self._selector.select(self._patience()):
                data: _Client | Callable[[], None] = key.data
                if isinstance(data, _Client):
                    self._serve(data, events)
                else:
                    data()
            for client in [client for client in self._clients if client.session.busy]:
                self._send(client, client.session.run(_BUDGET_MS))
            self._close_untrusted()
        for client in [*self._clients]:
            self._close(client)

    def _patience(self) -> float | None:
        """Return how long the loop may wait: not at all while a session has work."""
        if any(client.session.busy for client in self._clients):
            return 0
        waits = any(not client.session.is_trusted for client in self._clients)
        return 1.0 if waits else None

    def _accept(self) -> None:
        try:
            connection, _ = self._server.accept()
        except OSError:
            return
        if len(self._clients) >= CLIENTS_MAX:
            connection.close()
            return
        connection.settimeout(0)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session = self._new_session()
        client = _Client(connection=connection, session=session, connected_at=time.monotonic())
        self._clients.add(client)
        self._selector.register(connection, selectors.EVENT_READ, client)

    def _read_starter(self) -> None:
        self._is_over = not os.read(0, _CHUNK_BYTES)

    def _serve(self, client: _Client, events: int) -> None:
        if events & selectors.EVENT_READ:
            self._read(client)
        if events & selectors.EVENT_WRITE and client in self._clients:
            self._flush(client)

    def _read(self, client: _Client) -> None:
        """Take what a client sent; what is no message, or too much of it, closes."""
        try:
            chunk = client.connection.recv(_CHUNK_BYTES)
            bodies = client.decoder.feed(chunk)
        except BlockingIOError:
            return
        except (FramingError, OSError):
            chunk, bodies = b"", []
        client.received += len(chunk)
        for body in bodies:
            if not client.session.is_finished:
                self._send(client, client.session.receive(decoded(body)))
        is_flood = not client.session.is_trusted and client.received > UNTRUSTED_BYTES_MAX
        if not chunk or is_flood:
            self._close(client)

    def _send(self, client: _Client, messages: list[Message]) -> None:
        if client in self._clients:
            for message in messages:
                client.unsent += framed(encoded(message))
            self._flush(client)

    def _flush(self, client: _Client) -> None:
        """Send what the connection takes; close one that has ended or reads nothing."""
        try:
            if client.unsent:
                sent = client.connection.send(client.unsent)
                del client.unsent[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self._close(client)
            return
        is_done = client.session.is_finished and not client.unsent
        if is_done or len(client.unsent) > _UNSENT_BYTES_MAX:
            self._close(client)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.unsent else 0)
        self._selector.modify(client.connection, events, client)

    def _close_untrusted(self) -> None:
        """Close the clients that have not brought the token in time."""
        now = time.monotonic()
        for client in [*self._clients]:
            if not client.session.is_trusted and now - client.connected_at > TOKEN_WAIT_S:
                self._close(client)

    def _close(self, client: _Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._selector.unregister(client.connection)
            client.connection.close()
            client.session.close()


def _is_pipe(descriptor: int) -> bool:
    """Return whether a descriptor is a pipe or socket, whose other end may close."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
