"""The browser module in real Chromium with real audio, through the ledger to the artifact."""

import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from support.recorded import recorder_in

from engine.core.contract.errors import EngineError
from engine.recording import PlaybackLedger, browser_module, build_session, write_wav
from engine.runtime.voices import AGENT, VoiceKind, speak

pytestmark = pytest.mark.ide
HERE = Path(__file__).resolve().parent
MODULES = HERE.parents[2] / "build/ide"
ALLOWED = "no-user-gesture-required"
BLOCKED = "document-user-activation-required"
RATE = 48_000
LASTS_MS = 2_145
"""Of the tone that is played."""
SLACK_MS = 400
"""By how much a browser's own clocks may make sound shorter; a machine under load only delays."""


class Call:
    """A recorded call with a ledger, and what the page may fetch."""

    def __init__(self, folder: Path) -> None:
        self.directory = folder / "call"
        self.recorder = recorder_in(self.directory)
        self.ledger = PlaybackLedger(self.recorder)
        self.recorder.append({"type": "state_entered", "state_id": "menu", "clock_ms": 0})
        self.begun = time.monotonic()
        self.refused: list[str] = []
        samples = speak(
            "good evening and hello there", voice=AGENT, kind=VoiceKind.TONES, sample_rate=RATE
        )
        write_wav(folder / "tone.wav", np.stack([samples, samples], axis=1), RATE)
        self.tone = (folder / "tone.wav").read_bytes()
        write_wav(folder / "long.wav", np.tile(np.stack([samples, samples], axis=1), (8, 1)), RATE)
        self.long = (folder / "long.wav").read_bytes()
        self.stalled = threading.Event()
        """Set when the client has said that it stalls: then the rest of the file is sent."""
        self.told = threading.Condition()
        """Notified of each acknowledgement."""
        self.ids: dict[str, str] = {}

    def clock_ms(self) -> int:
        return int((time.monotonic() - self.begun) * 1000)

    def ask(self, name: str) -> None:
        self.ids[name] = self.ledger.request(
            state_id="menu",
            visit_id="menu#1",
            source_kind="static_asset",
            content=name,
            clock_ms=self.clock_ms(),
        )

    def acknowledge(self, body: bytes) -> int:
        try:
            message = json.loads(body)
            self.ledger.acknowledge(message, received_clock_ms=self.clock_ms())
            with self.told:
                self.told.notify_all()
            if message["kind"] == "stalled":
                self.stalled.set()
        except EngineError as error:
            self.refused.append(error.message)
            return 400
        return 204

    def wait_for_the_end_of(self, playback_id: str) -> None:
        def is_over() -> bool:
            return all(name.partition(".")[0] != playback_id for name in self.ledger.unended())

        with self.told:
            self.told.wait_for(is_over, timeout=30)


class Handler(BaseHTTPRequestHandler):
    call: Call

    def do_GET(self) -> None:
        files = {
            "/": ("text/html", (HERE / "page.html").read_bytes()),
            "/gone": ("text/html", b"<title>gone</title>"),
            "/over": ("text/plain", b"over"),
            "/playback-reporter.mjs": ("text/javascript", browser_module()),
            "/tone.wav": ("audio/wav", self.call.tone),
            "/long.wav": ("audio/wav", self.call.long),
            "/slow.wav": ("audio/wav", self.call.long),
            "/garbage.wav": ("audio/wav", b"no sound" * 100),
        }
        path, _, query = self.path.partition("?")
        if path == "/over":
            self.call.wait_for_the_end_of(query.removeprefix("id="))
        if path not in files:
            self.send_error(404)
            return
        kind, data = files[path]
        first = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if first is None:
            self.send_response(200)
        else:  # without ranges a browser cannot seek
            start, size = int(first[1]), len(data)
            data = data[start:]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if path == "/slow.wav":
            cut = len(data) // 4
            self.wfile.write(data[:cut])
            self.wfile.flush()
            self.call.stalled.wait(timeout=30)
            data = data[cut:]
        with suppress(ConnectionError):
            self.wfile.write(data)

    def do_POST(self) -> None:
        status = self.call.acknowledge(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


@contextmanager
def served(call: Call) -> Iterator[str]:
    handler = type("CallHandler", (Handler,), {"call": call})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("Chromium is not installed: apt-get install chromium")


def browsed(folder: Path, policy: str, names: list[str]) -> tuple[Call, dict]:
    """Run cases of the page in Chromium and return the call and its artifact."""
    program = chromium()
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed: https://nodejs.org, or apt-get install nodejs npm")
    if not (MODULES / "node_modules/playwright-core").is_dir():
        pytest.skip("playwright-core is not installed: make test-ide installs it with npm")
    call = Call(folder)
    for name in names:
        call.ask(name)
    with served(call) as url:
        asked = json.dumps(call.ids)
        command = ["node", str(HERE / "drive.mjs"), str(MODULES), program, url, policy, asked]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert call.refused == []
    call.ledger.finish()
    call.recorder.close(ended="completed")
    artifact = build_session(call.directory)
    assert artifact["problems"] == []
    return call, artifact


@pytest.fixture(scope="module")
def allowed(tmp_path_factory) -> tuple[Call, dict]:
    names = [
        *("element_plays", "element_paused", "element_seeks", "element_stalls", "element_missing"),
        *("element_garbage", "element_stopped", "element_twice", "element_again"),
        *("element_unloads", "node_plays", "node_later", "node_suspended", "node_stopped"),
    ]
    return browsed(tmp_path_factory.mktemp("allowed"), ALLOWED, names)


@pytest.fixture(scope="module")
def blocked(tmp_path_factory) -> tuple[Call, dict]:
    return browsed(tmp_path_factory.mktemp("blocked"), BLOCKED, ["element_blocked", "node_blocked"])


def records(made, name: str) -> list[dict]:
    """The records of one case's playback, its request aside."""
    call, artifact = made
    own = call.ids[name]
    found = [event["record"] for event in artifact["events"]]
    found = [row for row in found if str(row.get("playback_id")).partition(".")[0] == own]
    return [row for row in found if row["type"] != "audio_requested"]


def told(made, name: str) -> list[tuple[str, str | None]]:
    return [
        (row["type"].removeprefix("audio_"), row.get("stop_reason") or row.get("reason"))
        for row in records(made, name)
    ]


def spans(made, name: str) -> list[dict]:
    call, artifact = made
    own = call.ids[name]
    return [row for row in artifact["playback"] if row["playback_id"].partition(".")[0] == own]


def client_ms(made, name: str) -> list[int]:
    return [row["client_ack"]["client_clock_ms"] for row in records(made, name)]


@pytest.mark.parametrize("name", ["element_plays", "node_plays", "node_later"])
def test_a_whole_playback(allowed, name) -> None:
    assert told(allowed, name) == [("started", None), ("completed", None)]
    start, end = client_ms(allowed, name)
    assert end - start > LASTS_MS - SLACK_MS
    (span,) = spans(allowed, name)
    acknowledged = [row["client_ack"]["received_clock_ms"] for row in records(allowed, name)]
    assert [span["start_ms"], span["end_ms"]] == acknowledged
    assert span["acknowledged"] is True


@pytest.mark.parametrize(
    ("name", "reason"), [("element_paused", "paused"), ("node_suspended", "suspended")]
)
def test_a_pause(allowed, name, reason) -> None:
    assert told(allowed, name) == [
        ("started", None),
        ("stopped", reason),
        ("started", None),
        ("completed", None),
    ]
    start, paused, resumed, end = client_ms(allowed, name)
    assert start < paused < resumed < end
    assert (paused - start) + (end - resumed) > LASTS_MS - SLACK_MS
    assert [span["end_type"] for span in spans(allowed, name)] == [
        "audio_stopped",
        "audio_completed",
    ]


def test_a_seek(allowed) -> None:
    assert told(allowed, "element_seeks") == [
        ("started", None),
        ("stopped", "seek"),
        ("started", None),
        ("completed", None),
    ]
    resumed = records(allowed, "element_seeks")[2]
    assert resumed["media_ms"] >= 1_190
    _, paused, resumed_at, end = client_ms(allowed, "element_seeks")
    assert resumed_at >= paused
    assert end - resumed_at > LASTS_MS - 1_200 - SLACK_MS


def test_a_stall(allowed) -> None:
    found = told(allowed, "element_stalls")
    assert found[:3] == [("started", None), ("stopped", "waiting"), ("started", None)]
    assert found[-1] == ("interrupted", "enough")


@pytest.mark.parametrize("name", ["element_missing", "element_garbage"])
def test_what_cannot_be_played(allowed, name) -> None:
    assert told(allowed, name) == [("failed", "MEDIA_ERR_SRC_NOT_SUPPORTED")]
    (span,) = spans(allowed, name)
    assert (span["start_ms"], span["end_type"]) == (None, "audio_failed")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("element_stopped", "barge_in"), ("node_stopped", "stopped"), ("element_unloads", "unload")],
)
def test_what_is_cut(allowed, name, reason) -> None:
    assert told(allowed, name) == [("started", None), ("interrupted", reason)]
    start, end = client_ms(allowed, name)
    assert start < end


@pytest.mark.parametrize(("name", "overlaps"), [("element_twice", True), ("element_again", False)])
def test_what_the_client_plays_twice(allowed, name, overlaps) -> None:
    first, second = spans(allowed, name)
    assert (second["start_ms"] < first["end_ms"]) is overlaps
    found = [row for row in allowed[1]["findings"] if row["code"] == "DUPLICATE_AGENT_PLAYBACK"]
    found = [row for row in found if row["detail"]["first_playback_id"] == allowed[0].ids[name]]
    assert [row["mechanism"] for row in found] == ["client_replay"]


def test_only_what_was_played_twice_is_a_duplicate(allowed) -> None:
    found = [row for row in allowed[1]["findings"] if row["code"] == "DUPLICATE_AGENT_PLAYBACK"]
    assert len(found) == 2
    assert not any(row["code"] == "PLAYBACK_CAPTURE_GAP" for row in allowed[1]["findings"])


def test_blocked_audio_never_started(blocked) -> None:
    assert told(blocked, "element_blocked") == [("failed", "NotAllowedError")]
    assert told(blocked, "node_blocked") == [("interrupted", "unload")]
    for name in ("element_blocked", "node_blocked"):
        (span,) = spans(blocked, name)
        assert span["start_ms"] is None
        assert span["acknowledged"] is False
