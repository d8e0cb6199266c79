"""Evaluate: a slot, at any frame, in any context; nothing else."""

from typing import Any

import pytest


@pytest.fixture
def driver(new_driver: Any, racy_recording: Any) -> Any:
    driver = new_driver(racy_recording)
    driver.start(stopAt="confirm#1")
    return driver


@pytest.mark.parametrize(
    "expression", ["time", " time ", 'slots["time"]', "slots['time']", "slots.time"]
)
@pytest.mark.parametrize("context", [None, "watch", "hover", "repl", "variables"])
def test_spellings_of_a_slot(driver: Any, expression: str, context: str | None) -> None:
    extra = {} if context is None else {"context": context}
    got = driver.request("evaluate", expression=expression, **extra)
    assert (got["result"], got["type"]) == ("18:00", "recorded string")
    assert driver.children(got["variablesReference"])


def test_at_a_past_frame(driver: Any) -> None:
    frames = {f["name"]: f["id"] for f in driver.stack()["stackFrames"]}
    got = driver.request("evaluate", expression="time", frameId=frames["get_time#1"])
    assert got["result"] == "19:00"
    at_label = driver.request("evaluate", expression="time", frameId=frames["earlier visits"])
    assert at_label["result"] == "18:00"


def test_clipboard_gives_json(driver: Any) -> None:
    got = driver.request("evaluate", expression="time", context="clipboard")
    assert got["result"] == '"18:00"'
    assert got["variablesReference"] == 0


@pytest.mark.parametrize(
    "expression",
    ["tme", "18:00", "slots", 'slots["x"]', 'slots["\\q"]', "time + 1", "", "x" * 5000],
)
def test_anything_else_says_what_can_be_evaluated(driver: Any, expression: str) -> None:
    failed = driver.send("evaluate", {"expression": expression, "context": "hover"})[0]
    assert not failed["success"]
    text = failed["message"]
    assert 'slots["name"]' in text
    assert len(text) < 300
    assert ("time" in text) == (expression in ("tme", "time + 1"))
