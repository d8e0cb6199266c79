"""Real runs: unmodified bots with scripted services, recorded by one line of the environment.

All bots run at once, each in a process of its own; every test looks at what they left.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.core.contract.json_types import JsonObject, text
from engine.importers.pipecat_live import SETUP_FILE
from engine.recording import Recording, open_recording

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.skipif(find_spec("pipecat") is None, reason="pipecat-ai is not installed"),
]

BOTS = Path(__file__).parent / "bots"
FIXTURES = Path(__file__).parents[4] / "fixtures"
PLAIN = "time=plain,party_size=plain,alternatives=plain"
RUNS = {
    "racy": ("booking_bot.py", "racy", {"SPD_REDACT": "off", "SPD_SLOT_CLASSES": PLAIN}),
    "hung_up": ("booking_bot.py", "hung_up", {}),
    "crash": ("booking_bot.py", "crash", {}),
    "ten": ("booking_bot.py", "ten", {}),
    "full_disk": ("booking_bot.py", "hung_up", {"SPD_RECORDINGS": "/dev/full/recordings"}),
    "python": ("python_bot.py", "", {"SPD_REDACT": "off", "SPD_SLOT_CLASSES": "order=plain"}),
}


class Run:
    """What a bot's process left behind."""

    def __init__(self, root: Path, process: subprocess.CompletedProcess[str]) -> None:
        self.code = process.returncode
        self.log = process.stdout
        self.calls = sorted((root / "recordings").glob("*"))

    @property
    def call(self) -> Path:
        [call] = self.calls
        return call


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    started: dict[str, tuple[Path, subprocess.Popen[str]]] = {}
    for name, (bot, mode, extra) in RUNS.items():
        root = tmp_path_factory.mktemp(name)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SPD_")}
        environment = {**kept, "PIPECAT_SETUP_FILES": str(SETUP_FILE), **extra}
        process = subprocess.Popen(
            [sys.executable, str(BOTS / bot), mode],
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started[name] = root, process
    found: dict[str, Run] = {}
    for name, (root, process) in started.items():
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        done = subprocess.CompletedProcess(RUNS[name], process.returncode, out)
        found[name] = Run(root, done)
    return found


def opened(call: Path) -> Recording:
    return open_recording(call)


def records(call: Path) -> list[JsonObject]:
    lines = [
        json.loads(line)
        for stream in ("bus_events", "trace_events", "transcript")
        for line in (call / f"{stream}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return sorted(lines, key=lambda record: record["seq"])


def of(call: Path, *types: str) -> list[JsonObject]:
    return [record for record in records(call) if record["type"] in types]


def manifest(call: Path) -> JsonObject:
    return json.loads((call / "manifest.json").read_text(encoding="utf-8"))


def picked(call: Path, kind: str, *names: str) -> list[tuple[object, ...]]:
    return [tuple(record.get(name) for name in names) for record in of(call, kind)]


BOOKING = FIXTURES / "booking_racy"


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("state_entered", ("state_id", "visit_id", "via_edge", "turn_id")),
        ("state_exited", ("state_id", "visit_id", "edge_id", "turn_id")),
        ("transition_requested", ("from_node", "to", "edge_id", "function", "turn_id")),
        ("transition_taken", ("from_node", "to", "edge_id", "function", "turn_id")),
        ("guard_evaluated", ("edge_id", "verdict", "turn_id")),
        ("slot_write", ("slot", "old", "new", "kind", "writer", "turn_id", "tool_call_id")),
        ("tool_called", ("tool", "tool_call_id", "generation_id", "turn_id")),
        ("tool_result", ("tool", "tool_call_id", "ok", "turn_id")),
        ("llm_requested", ("generation_id", "trigger", "turn_id", "node", "context_size", "tools")),
        ("llm_responded", ("generation_id", "interrupted", "text", "tool_calls")),
        ("audio_requested", ("planned", "generation_id", "state_id", "turn_id")),
        ("audio_completed", ("heard", "generation_id", "state_id", "turn_id")),
        ("audio_interrupted", ("heard", "generation_id", "state_id", "turn_id")),
        ("assistant_turn", ("content", "interrupted", "generation_id")),
        ("transcript_segment", ("speaker", "text", "final")),
    ],
)
def test_the_call_is_that_of_the_fixture(
    runs: dict[str, Run], kind: str, names: tuple[str, ...]
) -> None:
    assert picked(runs["racy"].call, kind, *names) == picked(BOOKING, kind, *names)


def test_turns_are_composed_of_the_same_segments(runs: dict[str, Run]) -> None:
    def turns(call: Path) -> list[tuple[object, ...]]:
        said = {record["event_id"]: record["text"] for record in of(call, "transcript_segment")}
        return [
            (turn["turn_id"], turn["content"], [said[name] for name in turn["segment_event_ids"]])
            for turn in of(call, "input_selected")
        ]

    assert turns(runs["racy"].call) == turns(BOOKING)


def test_the_causes_are_the_same_chain(runs: dict[str, Run]) -> None:
    def causes(call: Path) -> Counter[tuple[object, object]]:
        listed = records(call)
        kinds = {record["event_id"]: record["type"] for record in listed}
        wanted = {
            "state_entered", "state_exited", "transition_requested", "transition_taken",
            "slot_write", "tool_called", "llm_requested", "audio_requested", "audio_started",
        }  # fmt: skip
        return Counter(
            (record["type"], kinds.get(record.get("caused_by")))
            for record in listed
            if record["type"] in wanted
        )

    assert causes(runs["racy"].call) == causes(BOOKING)


def test_the_flow_is_the_file_that_ran_byte_by_byte(runs: dict[str, Run]) -> None:
    call = runs["racy"].call
    assert (call / "flow" / "flow.yaml").read_bytes() == (BOTS / "flow.yaml").read_bytes()
    assert manifest(call)["flow"] == {"path": "flow/flow.yaml", "source_path": "flow.yaml"}


def test_it_opens_with_no_problem_but_unknown_types(runs: dict[str, Run]) -> None:
    for name in ("racy", "python", "hung_up"):
        view = opened(runs[name].call).view
        assert {row["code"] for row in view.problems} <= {"UNKNOWN_TYPE"}, name


def test_the_findings_of_the_racy_call_are_found(runs: dict[str, Run]) -> None:
    found = {row["code"] for row in opened(runs["racy"].call).view.findings}
    assert {"TURN_MERGED_SEGMENTS", "SLOT_OVERWRITTEN_UNSUPPORTED", "SPEECH_CUT_BY_CALLER"} <= found


def test_the_model_input_is_that_of_its_moment(runs: dict[str, Run]) -> None:
    runs_of_model = of(runs["racy"].call, "llm_requested")
    sizes = [len(run["messages"]) for run in runs_of_model]
    assert sizes == [run["context_size"] for run in runs_of_model]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert all("content_hash" in m for run in runs_of_model for m in run["messages"] if "text" in m)


def test_both_sides_are_heard_on_the_clock_of_the_events(runs: dict[str, Run]) -> None:
    call = runs["racy"].call
    rows = json.loads((call / "audio_refs.json").read_text(encoding="utf-8"))
    assert [(row["role"], row["channel_map"], row["availability"]) for row in rows] == [
        ("caller", ["caller"], "recorded"),
        ("agent_played", ["agent"], "recorded"),
    ]
    import soundfile

    started = [record["clock_ms"] for record in of(call, "audio_started")]
    sound, rate = soundfile.read(call / "audio_agent_played.wav", dtype="int16")
    loud = abs(sound.astype("int32")) > 500
    onsets = [at * 1000 // rate for at in range(1, len(loud)) if loud[at]
              and not loud[max(0, at - rate // 4) : at].any()]  # fmt: skip
    assert len(onsets) == len(started)


def test_a_caller_who_hangs_up_mid_sentence_leaves_an_aborted_call(runs: dict[str, Run]) -> None:
    call = runs["hung_up"].call
    assert manifest(call)["ended"] == "aborted"
    [_, cut] = of(call, "audio_requested")
    ends = {row["playback_id"] for row in of(call, "audio_completed", "audio_interrupted")}
    assert cut["playback_id"] not in ends


def test_a_bot_that_dies_leaves_what_it_had_and_says_no_end(runs: dict[str, Run]) -> None:
    run = runs["crash"]
    assert run.code == 9
    assert manifest(run.call)["ended"] is None
    view = opened(run.call).view
    assert [visit.visit_id for visit in view.visits] == ["greet#1", "get_time#1"]
    rows = {row["audio_id"]: row for row in view.audio}
    assert rows["caller"]["measured_duration_ms"] > 500


def test_ten_calls_at_once_are_ten_recordings_that_share_nothing(runs: dict[str, Run]) -> None:
    calls = runs["ten"].calls
    assert len(calls) == 10
    playbacks: list[str] = []
    for call in calls:
        assert [record["seq"] for record in records(call)] == [*range(len(records(call)))]
        assert picked(call, "state_entered", "visit_id") == [("greet#1",), ("get_time#1",)]
        assert len(of(call, "slot_write")) == 1
        own = {record["event_id"] for record in records(call)}
        assert all(r.get("caused_by") is None or r["caused_by"] in own for r in records(call))
        playbacks += [str(row["playback_id"]) for row in of(call, "audio_requested")]
    assert len(set(playbacks)) == len(playbacks) == 20


def test_without_a_word_slots_are_personal(runs: dict[str, Run]) -> None:
    [write] = of(runs["hung_up"].call, "slot_write")
    assert write["availability"] == "redacted"
    assert write["new"] == "<int>"


def test_a_bot_whose_recording_cannot_be_written_goes_on(runs: dict[str, Run]) -> None:
    run = runs["full_disk"]
    assert run.code == 0
    assert run.calls == []
    assert "Traceback" not in run.log


def test_no_bot_says_an_error(runs: dict[str, Run]) -> None:
    for name, run in runs.items():
        assert " | ERROR" not in run.log, (name, run.log[-2000:])
        assert not of(run.calls[0], "recorder_missed") if run.calls else True
        assert run.code == (9 if name == "crash" else 0), name


def test_the_graph_of_a_python_flow_is_grown_with_places_in_the_file(runs: dict[str, Run]) -> None:
    flow = json.loads((runs["python"].call / "flow" / "flow.json").read_text(encoding="utf-8"))
    assert flow["entry"] == "menu"
    assert {
        node: [(edge["to"], edge["reason"]) for edge in state["transitions"]]
        for node, state in flow["states"].items()
    } == {
        "menu": [("extras", "choose_dish")],
        "extras": [("goodbye", "finish")],
        "goodbye": [],
    }
    lines = (BOTS / "python_bot.py").read_text(encoding="utf-8").splitlines()
    for node, state in flow["states"].items():
        assert state["source"]["path"] == "python_bot.py"
        body = lines[state["source"]["line"] - 1 : state["source"]["end_line"]]
        assert body[0].startswith("def create_")
        assert any(f'"{node}"' in line for line in body)


def test_what_stood_before_is_the_baseline_and_nested_writes_have_their_writer(
    runs: dict[str, Run],
) -> None:
    call = runs["python"].call
    [seed] = of(call, "session_slots_seeded")
    assert [(row["slot"], row["writer"]) for row in seed["slots"]] == [
        ("table", "before_recording")
    ]
    assert picked(call, "slot_write", "slot", "writer", "new", "nested") == [
        ("order", "tool:choose_dish", {"dish": "soup", "extras": []}, None),
        ("order", "tool:add_extra", {"dish": "soup", "extras": ["bread"]}, True),
    ]


def test_every_visit_of_the_python_bot_is_entered_by_its_edge(runs: dict[str, Run]) -> None:
    assert picked(runs["python"].call, "state_entered", "visit_id", "via_edge") == [
        ("menu#1", None),
        ("extras#1", "menu:0"),
        ("goodbye#1", "extras:0"),
    ]
    assert text(manifest(runs["python"].call), "ended") == "completed"


# -- in the debugger -------------------------------------------------------------------------------


def stops(call: Path, root: Path, file: Path, line: int) -> list[tuple[str, int, str]]:
    """Break on a line, go there, one step on and two back, then back to the breakpoint."""
    from dap_adapter.client import DapClient

    seen: list[tuple[str, int, str]] = []
    with DapClient([sys.executable, "-m", "dap_adapter.main"]) as client:
        client.request("initialize", {"adapterID": "spd"})
        client.request("launch", {"recording": str(call), "flowRoot": str(root), "stopAt": "start"})
        client.event("initialized")
        bound = client.request(
            "setBreakpoints", {"source": {"path": str(file)}, "breakpoints": [{"line": line}]}
        )
        assert bound["breakpoints"][0]["line"] == line
        client.request("configurationDone", {})
        client.event("stopped")
        for command in ("continue", "next", "stepBack", "stepBack", "continue"):
            client.request(command, {"threadId": 1})
            client.event("stopped")
            frame = client.request("stackTrace", {"threadId": 1})["stackFrames"][0]
            seen.append((frame["name"], frame["line"], frame["source"]["name"]))
    return seen


def test_the_declared_flow_breaks_on_its_line_and_steps_both_ways(runs: dict[str, Run]) -> None:
    flow = BOTS / "flow.yaml"
    line = next(
        number
        for number, text_ in enumerate(flow.read_text(encoding="utf-8").splitlines(), 1)
        if text_ == "  no_table:"
    )
    seen = stops(runs["racy"].call, BOTS, flow, line)
    assert seen[0] == seen[4] == ("no_table#1", line, "flow.yaml")
    assert seen[2] == seen[0]
    assert seen[3][0] != "no_table#1"


def test_the_python_flow_breaks_on_the_node_s_function_and_steps_both_ways(
    runs: dict[str, Run],
) -> None:
    bot = BOTS / "python_bot.py"
    lines = bot.read_text(encoding="utf-8").splitlines()
    line = 1 + next(at for at, said in enumerate(lines) if "def create_extras_node" in said)
    seen = stops(runs["python"].call, BOTS, bot, line)
    assert seen[0] == seen[4] == ("extras#1", line, "python_bot.py")
    assert seen[2] == seen[0]
    assert seen[3][0].startswith("menu#1")
