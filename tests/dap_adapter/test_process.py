"""The real process over stdio: the whole story, cut input, ends of every kind, a clean stdout."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_adapter.client import ClientError, DapClient, RequestFailed
from dap_adapter.framing import framed

COMMAND = [sys.executable, "-m", "dap_adapter.main"]


@pytest.fixture
def client(check_messages: Any) -> Iterator[DapClient]:
    with DapClient(COMMAND) as client:
        yield client
    check_messages(client.messages)


def start(client: DapClient, recording: Path, **launch: Any) -> dict:
    client.request("initialize", {"adapterID": "state-program"})
    client.request("launch", {"recording": str(recording), **launch})
    client.event("initialized")
    client.request("configurationDone")
    return client.event("stopped")


def move(client: DapClient, command: str) -> dict:
    client.request(command, {"threadId": 1})
    return client.event("stopped")


def body(seq: int, command: str, **arguments: Any) -> bytes:
    message = {"seq": seq, "type": "request", "command": command, "arguments": arguments}
    return framed(json.dumps(message, ensure_ascii=False).encode())


def exit_of(client: DapClient) -> int:
    return client.process.wait(20)


def test_the_whole_story(client: DapClient, racy: Path) -> None:
    assert start(client, racy)["description"] == "Start of recording"
    flow = {"path": str(racy / "flow/flow.yaml")}
    client.request("setBreakpoints", {"source": flow, "breakpoints": [{"line": 45}]})
    assert move(client, "continue")["description"].endswith("confirm")
    info = client.request("dataBreakpointInfo", {"name": "time"})
    client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"]}]})
    stops = [move(client, "reverseContinue") for _ in range(3)]
    assert [stop["reason"] for stop in stops] == ["data breakpoint", "data breakpoint", "entry"]
    assert stops[0]["text"] == "time: 19:00 → 18:00, written by tool:check_availability"
    forward = [move(client, "continue") for _ in range(4)]
    assert [stop["description"] for stop in forward] == [
        "▶ #99 00:16.5 get_time",
        "▶ #135 00:21.8 no_table",
        "▶ #142 00:21.8 confirm",
        "End of recording",
    ]
    client.request("terminate")
    assert client.event("exited") == {"exitCode": 0}
    client.event("terminated")
    client.request("disconnect")
    assert exit_of(client) == 0


def test_failures_leave_the_process_serving(client: DapClient, racy: Path, tmp_path: Path) -> None:
    client.request("initialize", {"adapterID": "x"})
    for recording in (tmp_path / "missing", tmp_path):
        with pytest.raises(RequestFailed) as failed:
            client.request("launch", {"recording": str(recording)})
        assert failed.value.response["body"]["error"]["showUser"] is True
    with pytest.raises(RequestFailed):
        client.request("nonsense")
    client.send_bytes(framed(b"not json") + framed(b"[1,2]"))
    client.request("launch", {"recording": str(racy)})


def test_one_byte_at_a_time(racy: Path) -> None:
    with DapClient(COMMAND) as client:
        data = body(1, "initialize", adapterID="七時 🙂") + body(2, "launch", recording=str(racy))
        for at in range(len(data)):
            client.send_bytes(data[at : at + 1])
        assert client.response(1)["success"]
        assert client.response(2)["success"]


def test_everything_in_one_chunk_with_odd_headers(racy: Path) -> None:
    with DapClient(COMMAND) as client:
        data = body(0, "initialize", adapterID="x") + body(2, "launch", recording=str(racy))
        data = data.replace(b"Content-Length", b"X-Mood: fine\r\ncontent-LENGTH")
        client.send_bytes(data + body(3, "configurationDone") + body(4, "threads"))
        for seq in (0, 3, 4, 2):
            assert client.response(seq)["success"]
        assert client.event("stopped")["reason"] == "entry"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Content-Le",
        b"Content-Length: 100\r\n\r\n{",
        body(1, "initialize", adapterID="x")[:-3],
    ],
)
def test_the_end_of_input_ends_the_process(data: bytes) -> None:
    client = DapClient(COMMAND)
    client.send_bytes(data)
    assert client.close() == 0


def test_the_end_of_input_in_a_session_ends_the_process(racy: Path) -> None:
    client = DapClient(COMMAND)
    start(client, racy)
    assert client.close() == 0


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
    ],
)
def test_input_that_is_no_stream_of_messages_ends_it_with_a_sentence(data: bytes) -> None:
    done = subprocess.run(COMMAND, input=data, capture_output=True, timeout=20, check=False)
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"spd-dap: ")
    assert b"Traceback" not in done.stderr


def test_a_client_that_does_not_read_leaves_no_process(racy: Path) -> None:
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stdin as pipe:
        pipe.write(body(1, "initialize", adapterID="x") + body(2, "launch", recording=str(racy)))
    assert process.wait(20) == 0
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_client_leaves_no_adapter(racy: Path) -> None:
    script = (
        "import subprocess, sys, time\n"
        "adapter = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(adapter.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, *COMMAND], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent.stdout as out:
        adapter = int(out.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait(20)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and _is_running(adapter):
        time.sleep(0.02)
    assert not _is_running(adapter)


def _is_running(pid: int) -> bool:
    """Whether the process is there and no zombie that waits for a reaper."""
    try:
        os.kill(pid, 0)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


STRAY = """
import os, sys
from pathlib import Path
from dap_adapter import main

def load(path):
    print("stray print")
    os.write(1, b"stray write\\n")
    sys.stdin.read()
    from engine.recording import open_recording
    yield
    return open_recording(path)

main._load = load
sys.exit(main.main([]))
"""


def test_stray_prints_go_to_standard_error(
    racy: Path, capfd: pytest.CaptureFixture[str], check_messages: Any
) -> None:
    with DapClient([sys.executable, "-c", STRAY]) as client:
        assert start(client, racy)["reason"] == "entry"
    check_messages(client.messages)
    shown = capfd.readouterr()
    assert (shown.out, "stray print" in shown.err, "stray write" in shown.err) == ("", True, True)


def test_the_log_holds_every_message(racy: Path, tmp_path: Path) -> None:
    log = tmp_path / "adapter.log"
    with DapClient([*COMMAND, "--log", str(log)]) as client:
        start(client, racy)
    lines = log.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("<- ") for line in lines) == 3
    assert sum(line.startswith("-> ") for line in lines) == 5
    assert json.loads(lines[0][3:])["command"] == "initialize"


@pytest.mark.parametrize(("option", "words"), [("--help", "recording"), ("--version", "spd-dap ")])
def test_options(option: str, words: str) -> None:
    done = subprocess.run(
        [*COMMAND, option], capture_output=True, text=True, timeout=20, check=True
    )
    assert words in done.stdout


def test_a_wrong_option_is_a_usage_error() -> None:
    done = subprocess.run([*COMMAND, "--nope"], capture_output=True, timeout=20, check=False)
    assert done.returncode == 2


HEAVY = (
    "click", "rich", "yaml", "tree_sitter", "tree_sitter_json", "pydantic", "asyncio", "numpy",
    "argparse", "importlib.metadata", "logging", "engine.recording", "engine.core.flow",
    "engine.core.cursor", "hmac", "cel",
)  # fmt: skip


def test_starting_imports_nothing_heavy() -> None:
    script = f"import sys, dap_adapter.main; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout.strip() == "[]"


# -- the client ------------------------------------------------------------------------------------


def test_the_client_says_when_the_adapter_is_gone_or_silent() -> None:
    with DapClient([sys.executable, "-c", "pass"]) as gone:
        gone.process.wait(20)
        with pytest.raises(ClientError, match="ended"):
            gone.request("initialize")
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with (
        DapClient(silent, timeout_s=0.2) as waiting,
        pytest.raises(ClientError, match="within"),
    ):
        waiting.request("initialize")
