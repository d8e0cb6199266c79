"""Calls of LangGraph and Rasa in an IDE: breakpoints on the user's own lines, both directions."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.import_samples import OURS

from engine.core.contract.labels import SlotClass
from engine.importers import ImportOptions, format_of, write_session
from engine.recording import open_recording

Make = Callable[..., Any]
PLAIN = dict.fromkeys(("time", "notes", "available"), SlotClass.PLAIN)
CASES = {
    "langgraph": (["langgraph/parallel.sqlite", "langgraph/make_samples.py"], "make_samples.py"),
    "rasa": (["rasa/tracker_calm.synthetic.json", "rasa/flows_calm.yml"], "flows_calm.yml"),
}


def opened(tmp_path: Path, files: Sequence[str]) -> tuple[Any, Path]:
    """Import copies of the files; return the recording and the folder of the user's program."""
    program = tmp_path / "program"
    program.mkdir()
    sources = [Path(shutil.copy(OURS / name, program)) for name in files]
    importer = format_of(sources[0])
    assert importer is not None
    imported = importer.import_recording(sources, ImportOptions(slot_classes=PLAIN))
    write_session(imported, tmp_path / "call", about={})
    return open_recording(tmp_path / "call"), program


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def stops(driver: Any, command: str) -> list[str]:
    """Run to the edge; return the names of the frames where it stopped before."""
    found: list[tuple[int, str]] = []
    while len(found) < 2 or found[-1][0] != found[-2][0]:
        driver.move(command)
        found.append((driver.cursor, driver.stack(levels=1)["stackFrames"][0]["name"]))
    return [name for _, name in found[:-2]]


@pytest.mark.parametrize(
    ("case", "text", "states"),
    [
        ("langgraph", "def look_up_prices", ["look_up_prices#1"]),
        ("langgraph", "def ask_time", ["timing/ask_time#1"]),
        ("rasa", "- id: ask_time", ["book_table/ask_time#1", "book_table/ask_time#2"]),
        ("rasa", "- action: utter_full", ["book_table/3_utter_full#1"]),
    ],
)
def test_a_breakpoint_on_a_line_of_the_program_stops_both_ways(
    case: str, text: str, states: list[str], new_driver: Make, tmp_path: Path
) -> None:
    files, name = CASES[case]
    recording, program = opened(tmp_path, files)
    driver = new_driver(recording)
    driver.start(stopAt="start", flowRoot=str(program))
    path = program / name
    wanted = line_of(path, text)
    [answer] = driver.request(
        "setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": wanted}]
    )["breakpoints"]
    assert (answer["verified"], answer["line"]) == (True, wanted)
    assert stops(driver, "continue") == states
    assert stops(driver, "reverseContinue") == states[::-1]


@pytest.mark.parametrize("case", CASES)
def test_frames_name_the_lines_of_the_program(case: str, new_driver: Make, tmp_path: Path) -> None:
    files, name = CASES[case]
    recording, program = opened(tmp_path, files)
    driver = new_driver(recording)
    driver.start(stopAt="end", flowRoot=str(program))
    shown = set[str]()
    for _ in range(12):
        driver.move("stepBack")
        for frame in driver.stack()["stackFrames"]:
            shown.add(frame.get("source", {}).get("path", ""))
    assert str(program / name) in shown


@pytest.mark.parametrize("case", CASES)
def test_a_step_back_restores_what_was_shown(case: str, new_driver: Make, tmp_path: Path) -> None:
    files, _ = CASES[case]
    recording, program = opened(tmp_path, files)
    driver = new_driver(recording)
    driver.start(stopAt="start", flowRoot=str(program))
    shown = []
    for _ in range(15):
        shown.append(driver.shown())
        driver.move("stepIn")
    for before in reversed(shown):
        driver.move("stepBack")
        assert driver.shown() == before
