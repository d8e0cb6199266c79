"""The order of a session: what is answered when, what a failed launch leaves, how it ends."""

import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_adapter.capabilities import CAPABILITIES
from dap_adapter.messages import decoded, encoded
from dap_adapter.protocol import Capabilities
from dap_adapter.session import Session
from dap_adapter.wires import LIFECYCLE
from engine.core.artifact import artifact_bytes
from engine.recording import build_session

Make = Callable[..., Any]

CLAIMS = {
    "supports_configuration_done_request": "configurationDone",
    "supports_step_back": "reverseContinue",
    "supports_evaluate_for_hovers": "evaluate",
    "supports_function_breakpoints": "setFunctionBreakpoints",
    "supports_conditional_breakpoints": "setBreakpoints",
    "supports_hit_conditional_breakpoints": "setBreakpoints",
    "supports_log_points": "setBreakpoints",
    "supports_breakpoint_locations_request": "breakpointLocations",
    "supports_data_breakpoints": "setDataBreakpoints",
    "exception_breakpoint_filters": "setExceptionBreakpoints",
    "supports_exception_filter_options": "setExceptionBreakpoints",
    "supports_exception_info_request": "exceptionInfo",
    "supports_stepping_granularity": "next",
    "supports_restart_frame": "restartFrame",
    "supports_goto_targets_request": "gotoTargets",
    "supports_restart_request": "restart",
    "supports_completions_request": "completions",
    "completion_trigger_characters": "completions",
    "supports_loaded_sources_request": "loadedSources",
    "supports_cancel_request": "cancel",
    "supports_delayed_stack_trace_loading": "stackTrace",
    "supports_terminate_request": "terminate",
    "supports_clipboard_context": "evaluate",
}


def test_every_claim_is_served_and_nothing_else_is_claimed() -> None:
    claimed = {
        name for name in Capabilities.__struct_fields__ if getattr(CAPABILITIES, name) is not None
    }
    assert claimed == set(CLAIMS)
    assert set(CLAIMS.values()) <= set(LIFECYCLE)


def test_the_usual_order(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    assert driver.request("initialize", adapterID="x")["supportsStepBack"] is True
    launched = driver.send("launch", {"recording": "x"})
    assert [m.get("event") for m in launched] == [None, "initialized"]
    configured = driver.send("configurationDone")
    assert [m.get("event") for m in configured] == [None, "stopped"]
    assert configured[1]["body"] == {
        "reason": "entry",
        "description": "Start of recording",
        "text": "▶ #-1",
        "threadId": 1,
        "allThreadsStopped": True,
    }


@pytest.mark.parametrize(
    "order",
    [
        order
        for order in itertools.permutations(["launch", "lines", "filters", "done"])
        if order.index("lines") < order.index("done")
    ],
    ids="-".join,
)
def test_any_order_of_configuration_hits_the_first_breakpoint(
    new_driver: Make, racy_recording: Any, order: tuple[str, ...]
) -> None:
    driver = new_driver(racy_recording)
    requests = {
        "launch": ("launch", {"recording": "x"}),
        "lines": (
            "setBreakpoints",
            {"source": {"path": "/x/flow.yaml"}, "breakpoints": [{"line": 3}]},
        ),
        "filters": ("setExceptionBreakpoints", {"filters": []}),
        "done": ("configurationDone", None),
    }
    driver.request("initialize", adapterID="x")
    sent = [m for step in order for m in driver.send(*requests[step])]
    stopped = [i for i, m in enumerate(sent) if m.get("event") == "stopped"]
    assert len(stopped) == 1
    assert sum(m.get("event") == "initialized" for m in sent) == 1
    for command in ("launch", "configurationDone"):
        [at] = [i for i, m in enumerate(sent) if m.get("command") == command]
        assert at < stopped[0]
    early = order.index("lines") < order.index("launch")
    verified = [m for m in sent if m.get("event") == "breakpoint"]
    assert len(verified) == early
    assert all(m["body"]["breakpoint"]["verified"] for m in verified)
    assert driver.move("continue")["hitBreakpointIds"] == [1]
    assert driver.cursor == 3


def test_what_kate_and_dap_mode_send(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    sent = driver.raw(
        b'{"seq":0,"type":"request","command":"initialize","arguments":'
        b'{"adapterID":"x","path":"path","linesStartAt1":true,"locale":null}}'
    )
    assert sent[0]["request_seq"] == 0
    driver.request("launch", recording="x")
    assert driver.request("setExceptionBreakpoints", filters=[]) == {"breakpoints": []}
    sent = driver.raw(b'{"seq":3,"type":"request","command":"configurationDone","arguments":null}')
    assert sent[0]["success"]
    driver.seq = 3
    assert driver.raw(b'{"seq":4,"type":"request","command":"threads","arguments":null}')[0][
        "success"
    ]
    assert driver.stack(levels=0)["totalFrames"] == 1


BROKEN = [("manifest.json", "{"), ("manifest.json", None), ("flow/flow.yaml", "states: [")]


@pytest.mark.parametrize(("name", "content"), BROKEN)
def test_a_broken_session_is_a_typed_error_and_the_session_goes_on(
    new_driver: Make, racy: Path, tmp_path: Path, name: str, content: str | None
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(racy, broken)
    (broken / name).unlink()
    if content is not None:
        (broken / name).write_text(content)
    driver = new_driver()
    driver.request("initialize", adapterID="x")
    sent = driver.send("launch", {"recording": str(broken)})
    assert len(sent) == 1
    error = sent[0]["body"]["error"]
    assert error["id"] in (3001, 3003)
    assert error["showUser"]
    assert driver.request("threads") == {"threads": []}
    driver.request("launch", recording=str(racy))
    driver.request("configurationDone")
    assert driver.stack()["totalFrames"] == 1


@pytest.mark.parametrize(
    ("content", "number"),
    [(None, 3001), (b"", 3002), (b"\x00\xff", 3002), (b'{"schema":"x"}', 3002)],
)
def test_a_missing_file_and_files_that_are_no_artifact(
    new_driver: Make, tmp_path: Path, content: bytes | None, number: int
) -> None:
    path = tmp_path / "a{b}.json"
    if content is not None:
        path.write_bytes(content)
    driver = new_driver()
    driver.request("initialize", adapterID="x")
    error = driver.send("launch", {"recording": str(path)})[0]["body"]["error"]
    assert error["id"] == number
    assert error["format"] == "{text}"
    assert "a{b}.json" in error["variables"]["text"]


@pytest.mark.parametrize("stop_at", ["#192", "#-2", "nowhere#1", "01:xx"])
def test_a_stop_at_that_is_nowhere(new_driver: Make, racy_recording: Any, stop_at: str) -> None:
    driver = new_driver(racy_recording)
    driver.request("initialize", adapterID="x")
    failed = driver.send("launch", {"recording": "x", "stopAt": stop_at})[0]
    assert not failed["success"]
    assert "stopAt" in failed["message"]
    assert "#191" in failed["message"]
    driver.request("launch", recording="x", stopAt="#191")


@pytest.mark.parametrize(
    ("stop_at", "cursor", "reason"),
    [
        ("start", -1, "entry"),
        ("end", 191, "pause"),
        ("#107", 107, "entry"),
        ("00:16.592", 107, "entry"),
        ("no_table#1", 107, "entry"),
    ],
)
def test_stop_at(
    new_driver: Make, racy_recording: Any, stop_at: str, cursor: int, reason: str
) -> None:
    driver = new_driver(racy_recording)
    assert driver.start(stopAt=stop_at)["reason"] == reason
    assert driver.cursor == cursor


def test_sticky_direction(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="confirm#1", direction="reverse")
    assert driver.move("next")["description"].startswith("◀ #141")
    assert driver.move("stepOut")["description"].startswith("◀ #107")
    assert driver.move("stepIn")["description"].startswith("◀ #106")
    assert driver.move("continue")["description"] == "Start of recording"
    assert driver.values("Position")["direction"] == "reverse"


# -- wrong requests --------------------------------------------------------------------------------

WRONG = [
    ("noSuchRequest", {}, 1002),
    ("setVariable", {"variablesReference": 1, "name": "time", "value": "x"}, 1002),
    ("disassemble", {"memoryReference": "0", "instructionCount": 1}, 1002),
    ("goto", {"threadId": 1, "targetId": 1}, 4001),
    ("goto", {"threadId": 2, "targetId": 1}, 4001),
    ("restartFrame", {"frameId": 999}, 4001),
    ("exceptionInfo", {"threadId": 1}, 4004),
    ("setFunctionBreakpoints", {"breakpoints": [{}]}, 1004),
    ("cancel", {"requestId": "1"}, 1004),
    ("restart", {"arguments": {}}, 2001),
    ("restart", {"arguments": 1}, 2001),
    ("initialize", {"adapterID": "x"}, 1003),
    ("launch", {"recording": "x"}, 1003),
    ("next", None, 1004),
    ("next", {"threadId": "1"}, 1004),
    ("next", [1], 1004),
    ("next", {"threadId": 1, "granularity": "page"}, 1004),
    ("next", {"threadId": 2}, 4001),
    ("continue", {"threadId": 0}, 4001),
    ("stackTrace", {"threadId": 9}, 4001),
    ("pause", {"threadId": 9}, 4001),
    ("scopes", {"frameId": 999}, 4001),
    ("scopes", {"frameId": -1}, 4001),
    ("scopes", {}, 1004),
    ("variables", {"variablesReference": 999}, 4001),
    ("variables", {"variablesReference": 0}, 4001),
    ("variables", {"variablesReference": 1.5}, 1004),
    ("evaluate", {"expression": "time", "frameId": 999}, 4001),
    ("evaluate", {"expression": ""}, 4002),
    ("evaluate", {"expression": "1 +"}, 4002),
    ("evaluate", {"expression": "rc", "context": "watch"}, 4002),
    ("evaluate", {"expression": "goto nowhere", "context": "repl"}, 4002),
    ("evaluate", {"expression": "why", "context": "repl"}, 4002),
    ("source", {"sourceReference": 7}, 4003),
    ("setBreakpoints", {"breakpoints": [{"line": 1}]}, 1004),
    ("setDataBreakpoints", {"breakpoints": [{}]}, 1004),
]


@pytest.mark.parametrize(("command", "arguments", "number"), WRONG)
def test_a_wrong_request_is_answered_once_and_changes_nothing(
    at_start: Any, command: str, arguments: object, number: int
) -> None:
    before = at_start.shown()
    [answer] = at_start.send(command, arguments)
    assert answer["success"] is False
    assert answer["body"]["error"]["id"] == number
    assert at_start.shown() == before


def test_every_request_is_answered_in_every_phase(new_driver: Make, racy_recording: Any) -> None:
    def fresh(phase: str) -> Any:
        driver = new_driver(racy_recording)
        steps = {"new": [], "ready": ["initialize"], "open": ["initialize", "launch"]}.get(
            phase, ["initialize", "launch", "configurationDone"]
        )
        for step in [*steps, *(["terminate"] if phase == "ended" else [])]:
            driver.request(
                step,
                **{"initialize": {"adapterID": "x"}, "launch": {"recording": "x"}}.get(step, {}),
            )
        return driver

    for phase in ("new", "ready", "open", "stopped", "ended"):
        for command in [*LIFECYCLE, "unknown"]:
            answer = fresh(phase).send(command, {"threadId": 1})[0]
            assert answer["type"] == "response"
            if phase in ("new", "ready", "open") and command in ("next", "stackTrace", "scopes"):
                assert not answer["success"]
            if phase == "open" and command == "stackTrace":
                assert answer["message"] == "notStopped"


def test_a_mistake_of_ours_is_answered_logged_and_survived(racy_recording: Any) -> None:
    lines: list[str] = []
    opened = [RuntimeError("boom"), racy_recording]

    def load(_path: Path) -> Iterator[None]:
        yield
        item = opened.pop(0)
        if isinstance(item, Exception):
            raise item
        return item

    session = Session(load=load, log=lines.append)

    def send(command: str, arguments: dict) -> dict:
        body = {"seq": 1, "type": "request", "command": command, "arguments": arguments}
        out = session.receive(decoded(json.dumps(body).encode()))
        while session.busy:
            out += session.run(1)
        return json.loads(encoded(out[0]))

    send("initialize", {"adapterID": "x"})
    failed = send("launch", {"recording": "x"})
    assert failed["body"]["error"]["id"] == 1005
    assert "boom" not in json.dumps(failed)
    assert any("RuntimeError: boom" in line for line in lines)
    assert send("launch", {"recording": "x"})["success"]


# -- the end ---------------------------------------------------------------------------------------


def test_terminate_then_disconnect(at_start: Any) -> None:
    ended = at_start.send("terminate")
    assert [m.get("event") for m in ended] == [None, "exited", "terminated"]
    assert ended[1]["body"] == {"exitCode": 0}
    assert not at_start.session.is_finished
    assert at_start.send("next", {"threadId": 1})[0]["success"] is False
    assert len(at_start.send("terminate")) == 1
    assert len(at_start.send("disconnect")) == 1
    assert at_start.session.is_finished


def test_disconnect_at_once(new_driver: Make) -> None:
    driver = new_driver()
    ended = driver.send("disconnect", {"restart": None})
    assert [m.get("event") for m in ended] == [None, "exited", "terminated"]
    assert driver.session.is_finished


@pytest.mark.parametrize("ending", ["terminate", "disconnect"])
def test_an_end_while_loading_answers_both(racy_recording: Any, ending: str) -> None:
    def load(_path: Path) -> Iterator[None]:
        yield
        return racy_recording

    session = Session(load=load)

    def receive(seq: int, command: str, arguments: dict) -> list[dict]:
        body = {"seq": seq, "type": "request", "command": command, "arguments": arguments}
        return [json.loads(encoded(m)) for m in session.receive(decoded(json.dumps(body).encode()))]

    receive(1, "initialize", {"adapterID": "x"})
    assert receive(2, "launch", {"recording": "x"}) == []
    assert session.busy
    assert receive(3, "launch", {"recording": "x"})[0]["success"] is False
    sent = receive(4, ending, {})
    answers = [(m["request_seq"], m["success"]) for m in sent if m["type"] == "response"]
    assert answers == [(2, False), (4, True)]
    assert sent[0]["message"] == "cancelled"
    assert not session.busy
    assert session.run(1) == []


def test_attach_is_refused_and_says_what_to_do(new_driver: Make) -> None:
    driver = new_driver()
    driver.request("initialize", adapterID="x")
    failed = driver.send("attach", {"recording": "x"})[0]
    assert "'launch'" in failed["message"]


def test_pause_when_stopped_succeeds_without_a_second_stop(at_start: Any) -> None:
    assert len(at_start.send("pause", {"threadId": 1})) == 1


def test_an_artifact_file_opens_like_its_session(
    new_driver: Make, racy: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"".join(artifact_bytes(build_session(racy))))
    one, other = new_driver(), new_driver()
    one.start(racy, stopAt="confirm#1")
    other.start(path, stopAt="confirm#1")
    assert one.values("Position") == other.values("Position")
    assert other.stack()["stackFrames"][0]["source"]["sourceReference"] > 0
    third = new_driver()
    third.start(path, session=str(racy), stopAt="confirm#1")
    assert third.stack() == one.stack()
