"""The server on a port: the token, what a stranger gets (nothing), and what is left behind."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_adapter.framing import FrameDecoder, framed

COMMAND = [sys.executable, "-m", "dap_adapter.main", "--listen", "0"]
WAIT_S = 20


class Server:
    """A listening adapter and what it said about itself."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdout is not None
        self.announced = json.loads(self.process.stdout.readline())
        self.peers: list[Peer] = []

    @property
    def token(self) -> str:
        return self.announced["token"]

    def connect(self) -> "Peer":
        self.peers.append(Peer(self.announced["host"], self.announced["port"]))
        return self.peers[-1]

    def end(self) -> bytes:
        """Close the starter's pipe; return what else was printed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(WAIT_S) == 0
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        rest = self.process.stdout.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return rest


class Peer:
    """One connection."""

    def __init__(self, host: str, port: int) -> None:
        self.socket = socket.create_connection((host, port), timeout=WAIT_S)
        self.decoder = FrameDecoder()
        self.messages: list[dict] = []
        self.sent: list[dict] = []

    def send(self, command: str, **arguments: Any) -> None:
        message = {
            "seq": len(self.sent) + 1,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        self.sent.append(message)
        self.socket.sendall(framed(json.dumps(message).encode()))

    def next(self) -> dict:
        while not self.messages:
            chunk = self.socket.recv(1 << 16)
            if not chunk:
                raise EOFError
            self.messages += [json.loads(body) for body in self.decoder.feed(chunk)]
        return self.messages.pop(0)

    def request(self, command: str, **arguments: Any) -> dict:
        self.send(command, **arguments)
        while (message := self.next())["type"] == "event":
            pass
        assert message["request_seq"] == len(self.sent)
        return message

    def event(self, name: str) -> dict:
        while (message := self.next()).get("event") != name:
            pass
        return message["body"]

    def everything(self) -> bytes:
        """All bytes until the other side closes."""
        got = b""
        try:
            while chunk := self.socket.recv(1 << 16):
                got += chunk
        except ConnectionResetError:
            pass
        return got

    def start(self, recording: Path, token: str, request: str = "launch") -> dict:
        assert self.request("initialize", adapterID="x")["success"]
        assert self.request(request, recording=str(recording), token=token)["success"]
        self.send("configurationDone")
        return self.event("stopped")


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    for peer in server.peers:
        peer.socket.close()
    if server.process.poll() is None:
        server.end()


def test_one_line_is_printed_and_nothing_else(server: Server, racy: Path) -> None:
    assert set(server.announced) == {"host", "port", "token"}
    assert server.announced["host"] == "127.0.0.1"
    assert len(server.token) >= 32
    server.connect().start(racy, server.token)
    assert server.end() == b""


def test_many_clients_each_have_their_own_session(server: Server, racy: Path) -> None:
    peers = [server.connect() for _ in range(4)]
    for place, peer in enumerate(peers):
        request = "attach" if place % 2 else "launch"
        assert peer.start(racy, server.token, request)["reason"] == "entry"
    for steps, peer in enumerate(peers):
        for _ in range(steps):
            peer.send("next", threadId=1)
            peer.event("stopped")
    for steps, peer in enumerate(peers):
        peer.send("next", threadId=1)
        assert f"#{steps} " in peer.event("stopped")["description"] + " "
    assert peers[0].request("disconnect")["success"]
    peers[0].everything()
    assert peers[1].request("threads")["success"]


@pytest.mark.parametrize(
    "token", [{}, {"token": ""}, {"token": "x" * 43}, {"token": 7}, {"token": None}]
)
@pytest.mark.parametrize("request_name", ["launch", "attach"])
def test_a_wrong_or_missing_token_gets_nothing(
    server: Server, racy: Path, token: dict, request_name: str
) -> None:
    peer = server.connect()
    assert peer.request("initialize", adapterID="x")["success"]
    peer.send(request_name, recording=str(racy), **token)
    assert peer.everything() == b""
    assert server.connect().start(racy, server.token)["reason"] == "entry"


def test_before_the_token_little_is_served(server: Server) -> None:
    peer = server.connect()
    assert peer.request("initialize", adapterID="x")["success"]
    assert peer.request("cancel", requestId=99)["success"]
    assert peer.request("disconnect")["success"]
    peer.everything()
    for command in ("threads", "evaluate", "setBreakpoints", "source", "terminate", "nonsense"):
        peer = server.connect()
        peer.send(command, expression="x")
        assert peer.everything() == b""


@pytest.mark.parametrize(
    "data",
    [
        (
            b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n"
            b"Content-Type: text/plain\r\nContent-Length: 70\r\n\r\n"
            b'Content-Length: 20\r\n\r\n{"seq":1,"type":"request","command":"initialize"}'
        ),
        b"GET / HTTP/1.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"CONNECT x:1 HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"X-Mood: fine\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\nOrigin: http://evil.example\r\n\r\n{}",
        b"Content-Length: 2\r\nHost : x\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"{}",
    ],
)
def test_a_stream_that_is_not_the_protocol_s_gets_nothing(server: Server, data: bytes) -> None:
    peer = server.connect()
    peer.socket.sendall(data)
    assert peer.everything() == b""


def test_headers_in_any_case_and_one_byte_at_a_time(server: Server) -> None:
    peer = server.connect()
    body = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'
    head = b"CONTENT-TYPE: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    for byte in head + body:
        peer.socket.sendall(bytes([byte]))
    assert peer.next()["success"]


def test_a_flood_before_the_token_closes(server: Server) -> None:
    peer = server.connect()
    try:
        peer.socket.sendall(b"Content-Length: 10000000\r\n\r\n" + b"x" * 2_000_000)
    except (BrokenPipeError, ConnectionResetError):
        return
    assert peer.everything() == b""


def test_half_messages_and_lost_clients_leave_the_others_alone(server: Server, racy: Path) -> None:
    other = server.connect()
    other.start(racy, server.token)
    for data in (b"Content-Le", b"Content-Length: 100\r\n\r\n{"):
        lost = server.connect()
        lost.socket.sendall(data)
        lost.socket.close()
    loading = server.connect()
    loading.send("initialize", adapterID="x")
    loading.send("launch", recording=str(racy), token=server.token)
    loading.socket.close()
    other.send("next", threadId=1)
    assert other.event("stopped")["reason"] == "step"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_killed_server_is_gone(server: Server, racy: Path, sign: signal.Signals) -> None:
    peer = server.connect()
    peer.start(racy, server.token)
    os.kill(server.process.pid, sign)
    server.process.wait(WAIT_S)
    assert peer.everything() == b""
    for stream in (server.process.stdin, server.process.stdout, server.process.stderr):
        assert stream is not None
        stream.close()


def test_a_port_in_use_is_said(server: Server) -> None:
    port = str(server.announced["port"])
    done = subprocess.run(
        [*COMMAND[:-1], port], capture_output=True, timeout=WAIT_S, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert port in done.stderr


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_wrong_port_is_a_usage_error(port: str) -> None:
    done = subprocess.run([*COMMAND[:-1], port], capture_output=True, timeout=WAIT_S, check=False)
    assert done.returncode == 2


PAGE = """<!doctype html><title>page</title><p id=out>waiting</p><script>
const message = {seq: 1, type: 'request', command: 'initialize', arguments: {adapterID: 'x'}};
const body = 'Content-Length: 75\\r\\n\\r\\n' + JSON.stringify(message);
const tries = [['no-cors', 'text/plain'], ['cors', 'text/plain'], ['cors', 'application/json']];
Promise.all(tries.map(([mode, type]) =>
  fetch('http://127.0.0.1:%d/', {method: 'POST', mode, body, headers: {'Content-Type': type}})
    .then(() => 'answered', () => 'nothing'))).then(all => {
      document.getElementById('out').textContent = 'got:' + all.join(','); });
</script>"""


def test_a_web_page_gets_nothing(server: Server, racy: Path, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    page = tmp_path / "page.html"
    page.write_text(PAGE % server.announced["port"], encoding="utf-8")
    done = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000",
            f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert "got:nothing,nothing,nothing" in done.stdout, done.stdout + done.stderr[-2000:]
    assert server.connect().start(racy, server.token)["reason"] == "entry"


def test_an_idle_server_waits_without_working(server: Server, racy: Path) -> None:
    server.connect().start(racy, server.token)
    stat = Path(f"/proc/{server.process.pid}/stat")
    if not stat.exists():
        pytest.skip("no /proc here")

    def ticks() -> int:
        return sum(map(int, stat.read_text().rsplit(")", 1)[1].split()[11:13]))

    seen = -1
    while seen != (seen := ticks()):  # what is loaded behind the first stop
        time.sleep(0.3)
    before = ticks()
    time.sleep(0.5)
    assert ticks() - before <= 2
