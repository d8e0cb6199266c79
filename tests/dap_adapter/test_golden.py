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


FLOW = {"path": "/work/fixtures/flow.yaml"}


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
