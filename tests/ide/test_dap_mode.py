"""Stock Emacs dap-mode drives the whole story, backwards and forwards."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.ide

DRIVER = Path(__file__).with_name("dap_mode.el")


@pytest.fixture
def told(emacs: str, adapter: Path, call: Any, tmp_path: Path) -> list[list[str]]:
    environment = {
        "ADAPTER": str(adapter),
        "RECORDING": str(call.recording),
        "FLOW": str(call.flow),
        "LINE": str(call.line),
        "SLOT": call.slot,
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [emacs, "--batch", "-l", str(DRIVER)],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "done"
    return [line.split("|") for line in lines if "|" in line]


def test_the_story_both_ways(told: list[list[str]], call: Any) -> None:
    launch, *moves = told
    assert launch[1].startswith("end#1")
    back, ahead, steps = moves[:4], moves[4:8], moves[8:]
    assert [row[1] for row in back] == [
        "confirm#1",
        "no_table#1",
        "get_time#1",
        "start of recording",
    ]
    assert back[0][2] == str(call.line)
    assert "time=18:00" in back[1][4]
    assert "time=19:00" in back[2][4]
    assert [row[1:] for row in ahead[:3]] == [row[1:] for row in back[2::-1]]
    assert ahead[3][1:] == launch[1:]
    assert [row[0] for row in steps] == ["stepBack", "next"]
    assert steps[1][1:] == ahead[3][1:]
    for row in moves:
        assert row[2] == row[3], "the buffer stands on the frame's line"
