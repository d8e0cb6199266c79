"""Evaluate: slots and CEL at any frame, in any context; what is neither says so."""

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
    ["tme", "18:00", "event", 'slots["x"]', 'slots["\\q"]', "slots.tme == 1", "", "x" * 5000],
)
def test_anything_else_says_what_can_be_evaluated(driver: Any, expression: str) -> None:
    failed = driver.send("evaluate", {"expression": expression, "context": "hover"})[0]
    assert not failed["success"]
    text = failed["message"]
    assert 'slots["name"]' in text
    assert len(text) < 500
    assert "'time'" in text or "time?" in text or "tme" not in expression


@pytest.mark.parametrize(
    ("expression", "result", "type_"),
    [
        ('slots.time == "18:00"', "true", "boolean"),
        ("size(slots.alternatives) + 1", "3", "number"),
        ("visit.state_id", "confirm", "string"),
        ("slots.alternatives[1]", "20:30", "string"),
        ("event.event_index", "142", "number"),
        ("null", "null", "null"),
    ],
)
def test_cel_at_the_cursor(driver: Any, expression: str, result: str, type_: str) -> None:
    got = driver.request("evaluate", expression=expression, context="watch")
    assert (got["result"], got["type"], got["variablesReference"]) == (result, type_, 0)
    assert "readOnly" in got["presentationHint"]["attributes"]


def test_cel_at_a_past_frame(driver: Any) -> None:
    frames = {f["name"]: f["id"] for f in driver.stack()["stackFrames"]}
    got = driver.request(
        "evaluate", expression='slots.time == "19:00"', frameId=frames["get_time#1"]
    )
    assert got["result"] == "true"


def test_members_of_a_value_and_the_whole_of_it(driver: Any) -> None:
    expression = '[slots.alternatives, [1, {"a": slots.time}]]'
    got = driver.request("evaluate", expression=expression)
    rows = driver.children(got["variablesReference"])
    assert [row["name"] for row in rows] == ["[0]", "[1]"]
    inner = driver.children(driver.children(rows[1]["variablesReference"])[1]["variablesReference"])
    assert [(row["name"], row["value"]) for row in inner] == [("a", "18:00")]
    again = driver.request("evaluate", expression=inner[0]["evaluateName"], context="variables")
    assert again["result"] == "18:00"
    copied = driver.request("evaluate", expression=expression, context="clipboard")
    assert copied["result"] == '[["18:00","20:30"],[1,{"a":"18:00"}]]'


def test_a_member_of_a_slot_has_an_expression_of_its_own(driver: Any) -> None:
    slots = {row["name"]: row for row in driver.scope("Slots")}
    [value] = [
        row
        for row in driver.children(slots["alternatives"]["variablesReference"])
        if row["name"] == "value"
    ]
    second = driver.children(value["variablesReference"])[1]
    assert second["evaluateName"] == 'slots["alternatives"][1]'
    assert driver.request("evaluate", expression=second["evaluateName"])["result"] == "20:30"
