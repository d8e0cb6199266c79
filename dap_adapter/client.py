"""A small blocking client: starts an adapter, sends requests, keeps events in order.

Rules: for tests and the terminal; no thread. A wait ends with the wanted message or, after
`timeout_s`, with `ClientError`, never later. Nothing here knows what a recording is.
"""

import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from types import TracebackType

import msgspec

from dap_adapter.framing import FrameDecoder, framed
from engine.core.contract.json_types import JsonObject, mapping, text

_CHUNK_BYTES = 1 << 16


class ClientError(Exception):
    """The adapter went away or did not answer in time."""


class RequestFailed(Exception):
    """A request was answered with a failure; `response` is the whole answer."""

    def __init__(self, response: JsonObject) -> None:
        super().__init__(text(response, "message") or "the request failed")
        self.response = response


class DapClient:
    """One adapter process and the conversation with it; use it as a context manager."""

    def __init__(self, command: Sequence[str], *, timeout_s: float = 30.0) -> None:
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._timeout_s = timeout_s
        self._decoder = FrameDecoder()
        self._arrived: deque[JsonObject] = deque()
        self._seq = 0
        self.events: deque[JsonObject] = deque()
        self.messages: list[JsonObject] = []
        """Every message of both sides, in the order in which they were sent or read."""

    def __enter__(self) -> "DapClient":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The adapter's process."""
        return self._process

    # -- requests ----------------------------------------------------------------------------------

    def send(self, command: str, arguments: JsonObject | None = None) -> int:
        """Send a request without waiting for its answer; return its `seq`."""
        self._seq += 1
        request: JsonObject = {"seq": self._seq, "type": "request", "command": command}
        if arguments is not None:
            request["arguments"] = arguments
        self.messages.append(request)
        self.send_bytes(framed(msgspec.json.encode(request)))
        return self._seq

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are to the adapter's input."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
        except BrokenPipeError:
            raise ClientError("the adapter has ended") from None

    def response(self, seq: int) -> JsonObject:
        """Return the answer to request `seq`; events that come first are kept in `events`."""
        deadline = time.monotonic() + self._timeout_s
        while True:
            message = self._next(deadline)
            if message["type"] == "event":
                self.events.append(message)
            elif message.get("request_seq") == seq:
                return message
            else:
                raise ClientError(f"an answer nobody waits for: {message}")

    def request(self, command: str, arguments: JsonObject | None = None) -> JsonObject:
        """Send a request and return the body of its answer, empty where there is none.

        Raises: RequestFailed, ClientError.
        """
        response = self.response(self.send(command, arguments))
        if response["success"] is not True:
            raise RequestFailed(response)
        return mapping(response, "body")

    # -- events ------------------------------------------------------------------------------------

    def event(self, name: str) -> JsonObject:
        """Return the body of the next event of this name; earlier other events are dropped."""
        deadline = time.monotonic() + self._timeout_s
        while True:
            event = self.events.popleft() if self.events else self._next(deadline)
            if event.get("event") == name:
                return mapping(event, "body")

    def close(self) -> int:
        """End the conversation and return the adapter's exit status; kills what does not end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            return self._process.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._process.stdout.close()

    # -- inside ------------------------------------------------------------------------------------

    def _next(self, deadline: float) -> JsonObject:
        while not self._arrived:
            self._read(deadline)
        return self._arrived.popleft()

    def _read(self, deadline: float) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise ClientError(f"no answer within {self._timeout_s:g} s")
        chunk = os.read(descriptor, _CHUNK_BYTES)
        if not chunk:
            raise ClientError("the adapter has ended")
        for body in self._decoder.feed(chunk):
            message: JsonObject = msgspec.json.decode(body)
            self.messages.append(message)
            self._arrived.append(message)
