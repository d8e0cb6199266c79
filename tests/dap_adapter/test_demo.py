"""The demo: the true story, nothing canned, any recording, any terminal."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.core.artifact import artifact_bytes
from engine.recording import build_session

HASH = re.compile(r"\b[0-9a-f]{12}\b")


def run_demo(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "dap_adapter.demo", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**{k: v for k, v in os.environ.items() if k != "COLUMNS"}, **environment},
    )


def test_the_story_of_booking_racy(racy: Path, golden: Callable[[str, str], None]) -> None:
    done = run_demo(racy)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout
    golden("demo_booking_racy", HASH.sub("·" * 12, done.stdout))


def test_the_values_come_from_the_recording(racy: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(racy, copy)
    for path in copy.glob("*.jsonl"):
        path.write_text(path.read_text().replace("19:00", "19:15"))
    done = run_demo(copy)
    assert done.returncode == 0
    assert "time: 19:15 → 18:00" in done.stdout
    assert "19:00" not in done.stdout


def test_an_artifact_tells_the_same_as_its_session(racy: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"".join(artifact_bytes(build_session(racy))))
    assert run_demo(path).stdout == run_demo(racy).stdout


@pytest.mark.parametrize("kind", ["empty", "no visit", "no slot", "one event"])
def test_any_recording_works_or_says_what_is_missing(racy: Path, tmp_path: Path, kind: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(racy, copy)

    def keep(name: str, wanted: Callable[[str], bool]) -> None:
        path = copy / name
        path.write_text(
            "".join(line for line in path.read_text().splitlines(keepends=True) if wanted(line))
        )

    if kind in ("empty", "no visit"):
        keep("trace_events.jsonl", lambda _line: False)
    if kind == "empty":
        keep("bus_events.jsonl", lambda _line: False)
        keep("transcript.jsonl", lambda _line: False)
    if kind == "no slot":
        keep("bus_events.jsonl", lambda line: '"slot_write"' not in line)
    if kind == "one event":
        keep("trace_events.jsonl", lambda line: '"e0004"' in line)
        keep("bus_events.jsonl", lambda _line: False)
        keep("transcript.jsonl", lambda _line: False)
    done = run_demo(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("No state was entered" in done.stdout) == (kind in ("empty", "no visit"))
    assert ("No slot was written" in done.stdout) == (kind in ("empty", "no slot", "one event"))


def test_a_missing_recording_and_a_missing_argument(tmp_path: Path) -> None:
    missing = run_demo(tmp_path / "nothing")
    assert missing.returncode == 1
    assert "no recording" in missing.stdout
    assert "Traceback" not in missing.stderr
    assert run_demo().returncode == 2


def test_a_poor_terminal(racy: Path) -> None:
    done = run_demo(racy, PYTHONIOENCODING="ascii", TERM="dumb", COLUMNS="40")
    assert done.returncode == 0
