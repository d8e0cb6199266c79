"""Microsoft's DebugClient drives the whole story, backwards and forwards."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.ide

DRIVER = Path(__file__).with_name("debug_client.mjs")


@pytest.fixture
def told(modules: Path, adapter: Path, call: Any) -> list[dict[str, Any]]:
    command = ["node", DRIVER, modules, sys.executable, adapter]
    done = subprocess.run(
        [*map(str, command), str(call.recording), str(call.flow), str(call.line), call.slot],
        capture_output=True,
        encoding="utf-8",
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_story_both_ways(told: list[dict[str, Any]]) -> None:
    assert told[0]["stepBack"] is True
    assert told[1]["verified"] is True
    back, ahead, steps = told[2:6], told[6:10], told[10:15]
    assert told[15:] == [{"command": "stop"}]
    assert [stop["reason"] for stop in back] == [
        "breakpoint",
        "data breakpoint",
        "data breakpoint",
        "entry",
    ]
    assert back[0]["frames"][0][0] == "confirm#1"
    assert back[1]["text"].startswith("time: 19:00 → 18:00")
    assert back[1]["frames"][0][0] == "no_table#1"
    assert back[2]["text"].startswith("time: null → 19:00")
    assert back[3]["description"] == "Start of recording"
    assert ahead[3]["description"] == "End of recording"

    def place(stop: dict[str, Any]) -> tuple[object, ...]:
        return stop["cursor"], stop["hash"], stop["frames"], stop["slots"]

    assert [place(stop) for stop in ahead[:3]] == [place(stop) for stop in back[2::-1]]
    assert [place(stop) for stop in (steps[2], steps[3])] == [place(steps[0]), place(ahead[3])]
    assert place(steps[4]) == place(ahead[3]), "the end is a stop, and the session lives on"
