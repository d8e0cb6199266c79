"""Golden transcripts: a session as a client sees it, ids and paths stabilised.

Reverse stepping has its own set. A missing golden fails; `--update-golden` writes.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]
Golden = Callable[[str, str], None]


def transcript(driver: Any) -> str:
    """The conversation as lines: requests, answers, events; without counters, paths and hashes."""
    return "".join(f"{_line(message)}\n" for message in driver.log)


def _line(message: dict) -> str:
    if message["type"] == "request":
        return f"\n>>> {message['command']} {_text(message.get('arguments'))}".rstrip()
    if message["type"] == "event":
        return f"    event {message['event']} {_text(message.get('body'))}".rstrip()
    if not message["success"]:
        error = message["body"]["error"]
        return f"<<< failed {error['id']}: {message['message']}"
    return f"<<< {_text(message.get('body'))}".rstrip()


def _text(value: object) -> str:
    if value is None:
        return ""
    rows = (
        next((v for v in value.values() if isinstance(v, list) and v), None)
        if isinstance(value, dict)
        else None
    )
    if rows is not None and isinstance(rows[0], dict):
        rest = {key: item for key, item in value.items() if item is not rows}
        head = _stable(json.dumps(rest, ensure_ascii=False)) if rest else ""
        return head + "".join(
            f"\n      - {_stable(json.dumps(r, ensure_ascii=False))}" for r in rows
        )
    return _stable(json.dumps(value, ensure_ascii=False))


def _stable(text: str) -> str:
    text = re.sub(r'"/[^"]*/(fixtures|flow)/', r'"…/\1/', text)
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", text)
    return re.sub(r', "presentationHint": {"attributes": \["readOnly"\], "kind": "data"}', "", text)


FLOW = {"path": "/proj/fixtures/flow.yaml"}


def test_from_launch_to_disconnect(new_driver: Make, racy_recording: Any, golden: Golden) -> None:
    driver = new_driver(racy_recording)
    driver.start("fixtures/booking_racy")
    driver.request("threads")
    driver.stack()
    driver.send("setBreakpoints", {"source": FLOW, "breakpoints": [{"line": 45}, {"line": 1}]})
    driver.move("continue")
    frame = driver.stack(levels=20)["stackFrames"][0]["id"]
    scopes = driver.request("scopes", frameId=frame)["scopes"]
    for scope in scopes:
        if scope["name"] != "Findings":  # their sentences are the core's
            driver.children(scope["variablesReference"])
    driver.request("evaluate", expression="time", frameId=frame, context="hover")
    driver.send("evaluate", {"expression": "time > 5"})
    driver.send("setVariable", {"variablesReference": 1, "name": "time", "value": "20:00"})
    driver.send("terminate")
    driver.send("disconnect")
    golden("launch_to_disconnect", transcript(driver))


def test_reverse_to_the_writes_of_a_slot(
    new_driver: Make, racy_recording: Any, golden: Golden
) -> None:
    driver = new_driver(racy_recording)
    driver.start("fixtures/booking_racy", stopAt="confirm#1")
    driver.request("dataBreakpointInfo", name="time")
    driver.request("setDataBreakpoints", breakpoints=[{"dataId": "slot:time"}])
    driver.move("reverseContinue")
    [slot] = [row for row in driver.scope("Slots") if row["name"] == "time"]
    parts = driver.children(slot["variablesReference"])
    [only] = driver.children(parts[-1]["variablesReference"])
    driver.children(only["variablesReference"], start=0, count=100)
    for _ in range(3):
        driver.move("reverseContinue")
    golden("reverse_to_the_writes", transcript(driver))


@pytest.mark.parametrize("unit", ["event", "beat", "visit"])
def test_back_twice_at_the_start_and_on_twice_at_the_end(
    new_driver: Make, racy_recording: Any, golden: Golden, unit: str
) -> None:
    driver = new_driver(racy_recording)
    driver.start("fixtures/booking_racy", stepUnit=unit, stopAt="greet#1")
    for command in ("next", "stepBack", "stepBack", "stepBack", "stepBack", "reverseContinue"):
        driver.move(command)
    for command in ("stepOut", "stepOut", "stepOut", "continue", "next", "stepOut", "continue"):
        driver.move(command)
    golden(f"reverse_edges_{unit}", transcript(driver))


CALL = [
    "enter a", "prompt", "guard", "write open_slot one", "edge_set", "edge_clear", "request",
    "take", "nest b", "noise", "leave", "guard", "leave", "enter b", "write hidden_slot secret",
]  # fmt: skip
TINY = {"path": "/proj/flow/flows/tiny.flow.yaml"}


def through(driver: Any, command: str) -> None:
    """Repeat a run to its end and once more."""
    for _ in range(20):
        body = driver.move(command)
        if "hitBreakpointIds" not in body:
            break
    driver.move(command)


def test_breakpoints_of_every_kind_both_ways(
    new_driver: Make, script_call: Make, golden: Golden
) -> None:
    driver = new_driver(script_call(CALL))
    driver.start("flow/tiny")
    driver.request("breakpointLocations", source=TINY, line=1, endLine=30)
    wanted = [
        {"line": 8},
        {"line": 9},
        {"line": 12, "column": 15},
        {"line": 15, "condition": 'slots.open_slot == "x"'},
        {"line": 17, "hitCondition": "last"},
        {"line": 18, "logMessage": "{event.type} {slots.open_slot}"},
        {"line": 8, "logMessage": "{visit.visit_id} begins"},
        {"line": 20, "condition": "slots.open"},
        {"line": 21, "hitCondition": "sometimes"},
    ]
    driver.send("setBreakpoints", {"source": TINY, "breakpoints": wanted})
    driver.request("setFunctionBreakpoints", breakpoints=[{"name": "b"}, {"name": "guard:a:*"}])
    driver.request(
        "setDataBreakpoints",
        breakpoints=[
            {"dataId": "slot:open_slot"},
            {"dataId": "slot:open_slot", "accessType": "read", "condition": "true"},
            {"dataId": "slot:hidden_slot", "accessType": "readWrite", "hitCondition": "%2"},
        ],
    )
    driver.request("setExceptionBreakpoints", filters=["TRANSITION_DROPPED"], filterOptions=[])
    through(driver, "continue")
    through(driver, "reverseContinue")
    golden("breakpoints_both_ways", transcript(driver))


def test_the_console_both_ways(new_driver: Make, script_call: Make, golden: Golden) -> None:
    driver = new_driver(script_call(CALL))
    driver.start("flow/tiny", stopAt="end")
    driver.request("setDataBreakpoints", breakpoints=[{"dataId": "slot:open_slot"}])
    driver.request("completions", text="wh", column=3)
    for line in (
        "help", "back", "rin", "last open_slot", "why open_slot", "rout", "mark here", "end",
        "rc", "rc", "rc", "history open_slot", "pending", "goto here", "rc", "start", "back",
        "last open_slot", "dir reverse", "end", 'find event.type == "noise"', "dir forward",
        "unit beat", 'find slots.open_slot == "never"', "goto nowhere",
        "1 + size(slots.open_slot)",
    ):  # fmt: skip
        driver.send("evaluate", {"expression": line, "context": "repl"})
    golden("console_both_ways", transcript(driver))


def test_navigation_both_ways(new_driver: Make, script_call: Make, golden: Golden) -> None:
    driver = new_driver(script_call(CALL))
    driver.start("flow/tiny")
    driver.request("loadedSources")
    driver.request("source", sourceReference=0, source=TINY)
    driver.send("exceptionInfo", {"threadId": 1})
    targets = driver.request("gotoTargets", source=TINY, line=19)["targets"]
    for target in targets:
        driver.move("goto", targetId=target["id"])
    for frame in driver.stack()["stackFrames"]:
        driver.send("restartFrame", {"frameId": frame["id"]})
    driver.send("pause", {"threadId": 1})
    driver.send("cancel", {"requestId": 1})
    driver.move("stepIn")
    driver.send("restart")
    driver.send("attach", {"recording": "x"})
    golden("navigation_both_ways", transcript(driver))


def test_every_request_stands_in_a_transcript() -> None:
    from pathlib import Path

    from dap_adapter.wires import LIFECYCLE

    folder = Path(__file__).parent / "golden"
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.txt"))
    seen = set(re.findall(r"^>>> (\w+)", text, re.MULTILINE))
    assert set(LIFECYCLE) <= seen
