"""The core touches nothing outside its values while it works: an audit hook watches it.

A fresh interpreter builds an artifact from values in memory and runs commands on it, under a hook
that refuses every file, socket and process whose nearest caller is a module of the core. Modules
that are imported on first use are exempt: the import system opens their files, not the core.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

WATCH = '''
import sys

WATCHED = ("open", "socket.", "os.", "subprocess.", "shutil.", "tempfile.", "glob.", "pathlib.",
           "sqlite3.", "urllib.", "ctypes.", "mmap.")
found = []

def core_caller(core):
    """The module of the core that asked, or None where the import system or nobody of it did."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if "importlib._bootstrap" in name:
            return None
        if name.startswith(core):
            return f"{name[len(core):]}:{frame.f_lineno}"
        frame = frame.f_back
    return None

def watch(core):
    def hook(event, arguments):
        if event.startswith(WATCHED):
            caller = core_caller(core)
            if caller is not None:
                found.append(f"{caller}: {event} {arguments!r}")
    sys.addaudithook(hook)
'''

WORK = """
import json

from engine.core.artifact import ArtifactView, artifact_bytes, artifact_hash
from engine.core.artifact import build_state_program_artifact
from engine.core.cursor import apply_command, open_debugger
from engine.core.flow import flow_metadata, parse_flow

inputs = json.load(sys.stdin)
watch(sys.argv[1])
flow = flow_metadata(
    parse_flow(inputs["flow"].encode(), path="flow.yaml"), path="flow.yaml", source_path=None
)
artifact = build_state_program_artifact(
    manifest=inputs["manifest"],
    flow_metadata=flow,
    trace_events=inputs["trace"],
    bus_events=inputs["bus"],
    transcript_events=inputs["transcript"],
    audio_refs=[],
)
assert b"".join(artifact_bytes(artifact))
assert artifact_hash(artifact)
assert ArtifactView.of(artifact).event_count == 5
state = open_debugger(artifact)
done = []
for command in inputs["commands"]:
    state, response = apply_command(state, command)
    done.append(response["error"] is None)
"""

FLOW = """\
schema: riff.flow/v1
flow_id: small
entry: ask
slots:
  time: {type: text, class: plain}
states:
  ask:
    prompt: "When? {{time}}"
    transitions:
      - {to: done, when: "slot_set:time", reason: told}
  done:
    prompt: "Bye."
"""

INPUTS = {
    "flow": FLOW,
    "manifest": {
        "schema": "riff.session/v1",
        "session_id": "test:small",
        "call_start_epoch": 0,
        "sequence": "session",
        "ended": "completed",
        "flow": {"path": "flow/flow.yaml", "source_path": None},
        "flow_revision": None,
        "engine_revision": None,
        "runtime_lock": None,
        "unavailable": {},
        "slot_classes": {},
        "fingerprint_scheme": None,
    },
    "trace": [
        {
            "type": "state_entered",
            "seq": 1,
            "clock_ms": 0,
            "state_id": "ask",
            "via_edge": None,
            "parent_visit_id": None,
        },
        {
            "type": "guard_evaluated",
            "seq": 3,
            "clock_ms": 20,
            "edge_id": "ask:0",
            "verdict": True,
            "slots_read": ["time"],
            "error": None,
        },
        {"type": "transition_taken", "seq": 4, "clock_ms": 30, "edge_id": "ask:0", "to": "done"},
        {
            "type": "state_entered",
            "seq": 5,
            "clock_ms": 30,
            "state_id": "done",
            "via_edge": "ask:0",
            "parent_visit_id": None,
        },
    ],
    "bus": [
        {
            "type": "slot_write",
            "seq": 2,
            "clock_ms": 10,
            "slot": "time",
            "kind": "tool_result",
            "writer": "tool:check",
            "old": None,
            "new": "19:00",
            "availability": "recorded",
            "old_fingerprint": None,
            "new_fingerprint": None,
        },
    ],
    "transcript": [],
    "commands": [
        {"action": "list_visits"},
        {"action": "seek", "edge": "end"},
        {"action": "step"},
        {"action": "seek", "event_index": 1},
        {"action": "step", "unit": "visit"},
        {"action": "reverse", "unit": "beat"},
        {"action": "inspect_variables"},
        {"action": "slot_history", "slot": "time"},
        {"action": "continue_until", "until": [{"state_enter": "done"}]},
        {"action": "continue_until", "direction": "reverse", "until": [{"slot_write": "time"}]},
        {"action": "no_such_action"},
    ],
}


def run_watched(work: str, core: Path, stdin: str = "") -> dict[str, list[object]]:
    """Run `work` in a fresh interpreter and return what it did and what the hook saw."""
    end = '\nprint(json.dumps({"done": globals().get("done", []), "found": found}))'
    result = subprocess.run(
        [sys.executable, "-c", WATCH + "import json\n" + work + end, str(core)],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


def test_the_core_opens_nothing() -> None:
    answer = run_watched(WORK, ROOT / "engine" / "core", json.dumps(INPUTS))
    assert answer["found"] == []
    # One command steps past the end and one is unknown: typed errors are built purely, too.
    assert answer["done"] == [True, True, False, *[True] * 7, False]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def work():\n    open(__file__).close()", "open"),
        ("import os\ndef work():\n    os.listdir('.')", "os.listdir"),
        ("import socket\ndef work():\n    socket.socket().close()", "socket.__new__"),
        ("import subprocess\ndef work():\n    subprocess.run(['true'])", "subprocess.Popen"),
        ("from pathlib import Path\ndef work():\n    Path(__file__).read_bytes()", "open"),
        ("def work():\n    import colorsys\n    assert colorsys", None),
        ("def work():\n    return sum(range(9))", None),
    ],
)
def test_the_hook_can_fail(tmp_path: Path, body: str, expected: str | None) -> None:
    core = tmp_path / "core"
    core.mkdir()
    (core / "room.py").write_text(body)
    work = "sys.path.insert(0, sys.argv[1])\nimport room\nwatch(sys.argv[1])\nroom.work()\n"
    found = run_watched(work, core)["found"]
    assert any(str(expected) in str(line) for line in found) is (expected is not None)
