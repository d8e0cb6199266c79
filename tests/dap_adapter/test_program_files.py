"""States that are written in a program: breakpoints in its file, frames that name it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]

FLOW = """schema: riff.flow/v1
flow_id: tiny
entry: a
states:
  a:
    source: {path: bots/bot.py, line: 3, end_line: 9}
    transitions:
      - {to: b}
  b:
    source: {path: bots/bot.py, line: 5, end_line: 7}
  c: {}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "bot.py").write_text("pass\n" * 20, encoding="utf-8")
    return tmp_path


@pytest.fixture
def call(script_call: Make) -> Any:
    return script_call(["enter a", "leave", "enter b", "leave", "enter c", "noise"], flow=FLOW)


def bind(driver: Any, path: str, *lines: int) -> list[dict]:
    wanted = [{"line": line} for line in lines]
    return driver.request("setBreakpoints", source={"path": path}, breakpoints=wanted)[
        "breakpoints"
    ]


@pytest.mark.parametrize("path", ["/elsewhere/bots/bot.py", "file:///x/bots/bot.py"])
def test_a_breakpoint_in_the_program_is_the_state_s_entry(
    new_driver: Make, call: Any, path: str
) -> None:
    driver = new_driver(call)
    driver.start()
    bound = bind(driver, path, 3, 5, 4, 6, 20)
    assert [item["verified"] for item in bound] == [True] * 5
    assert [item["line"] for item in bound] == [3, 5, 3, 5, 3]
    assert "Line 4 is a part of state 'a'" in bound[2]["message"]
    assert "nearest" in bound[4]["message"]


def test_it_stops_there_in_both_directions(new_driver: Make, call: Any, root: Path) -> None:
    driver = new_driver(call)
    driver.start(flowRoot=str(root))
    bind(driver, str(root / "bots" / "bot.py"), 5)
    driver.move("continue")
    [frame] = driver.stack()["stackFrames"][:1]
    assert (frame["name"], frame["line"]) == ("b#1", 5)
    assert frame["source"]["path"] == str(root / "bots" / "bot.py")
    there = driver.cursor
    driver.move("next")
    driver.move("reverseContinue")
    assert driver.cursor == there


def test_every_row_of_such_a_state_names_the_file(new_driver: Make, call: Any, root: Path) -> None:
    driver = new_driver(call)
    driver.start(flowRoot=str(root), stopAt="end")
    rows = {
        row["name"]: (row.get("source", {}).get("name"), row["line"])
        for row in driver.stack()["stackFrames"]
    }
    assert rows["b#1"] == ("bot.py", 5)
    assert rows["a#1"] == ("bot.py", 3)
    assert rows["c#1"][0] == "tiny.flow.yaml"


def test_without_the_file_frames_stay_in_the_flow(new_driver: Make, call: Any) -> None:
    driver = new_driver(call)
    driver.start(stopAt="end")
    sources = {row.get("source", {}).get("name") for row in driver.stack()["stackFrames"]}
    assert sources == {"tiny.flow.yaml", None}


def test_other_files_and_files_out_of_the_root_are_refused(
    new_driver: Make, script_call: Make, root: Path
) -> None:
    flow = FLOW.replace("bots/bot.py", "../secret.py")
    (root.parent / "secret.py").write_text("x", encoding="utf-8")
    driver = new_driver(script_call(["enter a"], flow=flow))
    driver.start(flowRoot=str(root), stopAt="end")
    assert driver.stack()["stackFrames"][0]["source"]["name"] == "tiny.flow.yaml"
    [other] = bind(driver, "/elsewhere/other.py", 3)
    assert not other["verified"]


def test_locations_are_the_lines_on_which_states_begin(new_driver: Make, call: Any) -> None:
    driver = new_driver(call)
    driver.start()
    source = {"path": "/p/bots/bot.py"}
    found = driver.request("breakpointLocations", source=source, line=1, endLine=9)
    assert [row["line"] for row in found["breakpoints"]] == [3, 5]
