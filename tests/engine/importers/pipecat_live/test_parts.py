"""The recorder's parts, without Pipecat: settings, graphs, places, slots, sound, failures."""

import json
import wave
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from support.recorded import recorder_in

from engine.core.flow import parse_flow
from engine.importers.pipecat_live import SETUP_FILE, setup_file
from engine.importers.pipecat_live.attach import attach
from engine.importers.pipecat_live.graphs import GrownGraph, Place, declared_graph
from engine.importers.pipecat_live.live_call import Hook, LiveCall, Reason, ToolCall
from engine.importers.pipecat_live.program_text import ProgramText
from engine.importers.pipecat_live.redacting import CallRedactor
from engine.importers.pipecat_live.seen import message_rows, plain
from engine.importers.pipecat_live.settings import read_settings
from engine.importers.pipecat_live.slot_state import SlotState
from engine.importers.pipecat_live.sound import SoundHooks


@pytest.fixture
def call(tmp_path: Path) -> LiveCall:
    return LiveCall(recorder_in(tmp_path / "call"), zero=0.0, ids=set())


def written(call: LiveCall) -> list[dict]:
    path = call.recorder.directory / "bus_events.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_setup_file_is_the_module_that_pipecat_loads() -> None:
    assert SETUP_FILE.is_file()
    assert Path(setup_file.__file__) == SETUP_FILE


def test_a_worker_that_is_none_is_left_alone() -> None:
    attach(object())
    attach(None)


# -- settings --------------------------------------------------------------------------------------


def test_settings_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = read_settings({})
    assert settings.recordings == tmp_path / "recordings"
    assert (settings.slot_classes, settings.flow, settings.redacts) == ({}, None, True)


def test_a_class_that_is_none_is_remarked_on_and_the_slot_stays_personal() -> None:
    settings = read_settings({"SPD_SLOT_CLASSES": "time=plain, name=open,alone,=plain"})
    assert {slot: kind.value for slot, kind in settings.slot_classes.items()} == {"time": "plain"}
    assert len(settings.remarks) == 3


# -- graphs ----------------------------------------------------------------------------------------


@dataclass
class Function:
    name: str
    transition_to: object = None


@dataclass
class Branch:
    cases: dict[str, str]
    default: str | None = None


@dataclass
class Node:
    functions: list[Function]


@dataclass
class Config:
    nodes: dict[str, Node]
    global_functions: list[Function] = field(default_factory=list)


def test_edges_are_numbered_like_the_flow_s_reader_numbers_them() -> None:
    config = Config(
        nodes={
            "a": Node(
                [
                    Function("f", Branch({"ok": "b", "no": "a"}, "c")),
                    Function("g"),
                    Function("h", "c"),
                ]
            )
        },
        global_functions=[Function("leave", "c")],
    )  # fmt: skip
    graph = declared_graph(config)
    source = {
        "initial_node": "a",
        "nodes": {
            "a": {
                "task_messages": [],
                "functions": [
                    {"name": "f", "transition_to": {"field": "s", "cases": {"ok": "b", "no": "a"},
                                                    "default": "c"}},
                    {"name": "g"},
                    {"name": "h", "transition_to": "c"},
                ],
            },
            "b": {"task_messages": []},
            "c": {"task_messages": []},
        },
        "global_functions": [{"name": "leave", "transition_to": "c"}],
    }  # fmt: skip
    state = parse_flow(json.dumps(source).encode(), path="f.json").states[0]
    mine = [found for (node, *_), found in graph.edges.items() if node == "a"]
    assert mine == [(edge.edge_id, edge.to.text) for edge in state.edges]
    assert graph.edge("a", "f", "other", "c") == "a:2"
    assert graph.edge("a", "f", "ok", "c") is None


def test_a_grown_graph_is_a_flow_that_is_read_back() -> None:
    graph = GrownGraph(flow_id="python_flow")
    graph.visit("a", Place(path="bot.py", line=3, end_line=9))
    assert [graph.edge("a", "f", None, to) for to in ("b", "c", "b")] == ["a:0", "a:1", "a:0"]
    flow = parse_flow(graph.written().data, path="flow.json")
    assert flow.entry.text == "a"
    assert [state.state_id for state in flow.states] == ["a", "b", "c"]
    assert [edge.to.text for edge in flow.states[0].edges] == ["b", "c"]
    assert flow.states[0].program is not None
    assert not graph.is_new


def test_a_node_s_place_is_the_only_function_that_writes_its_name(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "def one():\n    return {'name': 'a', 'x': 1}\n"
        "def two():\n    return NodeConfig(name='b')\n"
        "def three():\n    return {'name': 'c'}\n"
        "def four():\n    return {'name': 'c'}\n"
        "LOOSE = {'name': 'd'}\nraise SystemExit('never run')\n",
        encoding="utf-8",
    )
    program = ProgramText()
    program.add(bot)
    places = {node: program.place_of(node) for node in "abcde"}
    assert [places["a"].line, places["b"].line] == [1, 3]
    assert [places[node] for node in "cde"] == [None] * 3


@pytest.mark.parametrize("data", [b"def (", b"\0", b"\xff\xfe", b""])
def test_a_file_that_is_no_python_has_no_nodes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bot.py").write_bytes(data)
    program = ProgramText()
    program.add(tmp_path / "bot.py")
    program.add(tmp_path / "none.py")
    assert program.place_of("a") is None


# -- slots -----------------------------------------------------------------------------------------


def tool(call: LiveCall, name: str) -> ToolCall:
    made = ToolCall(
        tool_call_id=name, tool=name, turn=1, generation_id=None, event_id=None, is_running=True
    )
    call.tool_calls[name] = made
    return made


def test_the_state_behaves_like_a_dict_and_records_each_write(call: LiveCall) -> None:
    state, model = SlotState(call, {}), dict[str, object]()
    for target in (state, model):
        target["site"] = 1
        target.update({"site": 2}, route="rent")
        target |= {"time": "18:00"}
        assert target.setdefault("site", 9) == 2
        assert target.pop("none", 5) == 5
        assert target.pop("site") == 2
        assert target.popitem() == ("time", "18:00")
        with pytest.raises(KeyError):
            del target["none"]
    assert state == model
    assert isinstance(state, dict)
    assert [row["slot"] for row in written(call)] == [
        "site", "site", "route", "time", "site", "time",
    ]  # fmt: skip
    state.clear()
    assert dict(state) == {}


def test_a_nested_change_has_the_only_handler_as_its_writer(call: LiveCall) -> None:
    state = SlotState(call, {})
    state["time"] = ["18:00"]
    tool(call, "one")
    state["time"].append("19:00")
    state.find_changes()
    state.find_changes()
    assert [(row["writer"], row.get("nested")) for row in written(call)] == [
        ("unknown", None),
        ("tool:one", True),
    ]


def test_a_nested_change_while_two_handlers_run_is_nobody_s(call: LiveCall) -> None:
    state = SlotState(call, {})
    state["time"] = []
    tool(call, "one")
    tool(call, "two")
    state["time"].append(1)
    state.find_changes()
    last = written(call)[-1]
    assert (last["writer"], last["nested"]) == ("unknown", {"one_of": ["one", "two"]})


def test_a_value_that_json_has_not_does_not_stop_the_bot(call: LiveCall) -> None:
    state = SlotState(call, {})
    loop: list[object] = []
    loop.append(loop)
    for value in (object(), loop, {1: {2, 3}}, float("nan"), b"x"):
        state["site"] = value
        assert state["site"] is value
    assert plain(object())["unavailable"].startswith("a value of type object")


# -- failures --------------------------------------------------------------------------------------


class Frame:
    def __init__(self, number: int) -> None:
        self.id = number


class SubFrame(Frame):
    pass


def test_a_hook_that_fails_is_said_once_and_reaches_nobody(call: LiveCall) -> None:
    def fail(_frame: object) -> None:
        raise ZeroDivisionError

    hook = Hook(call, "test", {"Frame": fail})
    for number in range(3):
        hook(None, SubFrame(number))
    hook(None, object())
    assert [row["type"] for row in written(call)] == ["recorder_missed"]
    assert call.lost == 3


def test_a_record_that_cannot_be_written_is_lost_and_counted(call: LiveCall) -> None:
    assert call.write({"type": "tool_called"}) is None
    assert call.lost == 1
    call.recorder.close(ended="completed")
    assert call.write({"type": "noise"}) is None
    assert call.lost == 2


def test_what_a_task_of_another_call_carries_is_nothing(call: LiveCall, tmp_path: Path) -> None:
    other = LiveCall(recorder_in(tmp_path / "other"), zero=0.0, ids=set())
    call.why.put(Reason(turn=1))
    assert other.reason_now() is None
    assert call.reason_now() == Reason(turn=1)


def test_ids_are_not_redacted() -> None:
    redactor = CallRedactor(lambda said: f"<{len(said)}>")
    redactor.ids.add("g01")
    assert (redactor("g01"), redactor("g02 ")) == ("g01", "<4>")


def test_messages_are_copied_without_what_tools_were_given_or_said() -> None:
    rows = message_rows(
        [
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"text": "b"}]},
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{1}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "secret"},
            object(),
        ]
    )
    assert rows == [
        {"role": "user", "text": "a\nb"},
        {"role": "assistant", "tool_calls": ["f"]},
        {"role": "tool", "tool_call_id": "c1"},
        {"role": "unknown"},
    ]


# -- sound -----------------------------------------------------------------------------------------


@dataclass
class Piece:
    audio: bytes
    sample_rate: int = 8000
    num_channels: int = 1


def test_pieces_stand_where_the_clock_stood(
    call: LiveCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0
    monkeypatch.setattr(call, "clock_ms", lambda: now)
    sound = SoundHooks(call, call_start_epoch=0)
    loud = np.full(160, 1000, "<i2").tobytes()
    for now in (120, 145, 155, 500):  # noqa: B007  the clock reads it
        sound.agent.add(Piece(loud))
    sound.agent.add(Piece(loud, sample_rate=16_000))
    sound.agent.add(Piece(b"\0"))
    sound.agent.add(Piece(np.full(320, 500, "<i2").tobytes(), num_channels=2))
    sound.close()
    with wave.open(str(call.recorder.directory / "audio_agent_played.wav")) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    loud_at = [int(at) for at in np.flatnonzero(samples == 1000)]
    assert loud_at == [*range(800, 1280), *range(3840, 4000)]
    assert len(samples) == 4160
    rows = json.loads((call.recorder.directory / "audio_refs.json").read_text(encoding="utf-8"))
    assert {row["role"]: row["availability"] for row in rows} == {
        "agent_played": "recorded",
        "caller": "unavailable",
    }
