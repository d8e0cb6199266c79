"""Runs of `spd debug` as a process, and a session in this process for properties."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
COMMAND = [sys.executable, "-c", "from engine.faces.cli.main import main; main()", "debug"]


def debug_process(
    *arguments: object, lines: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run `spd debug` with `lines` piped in; standard error is kept apart."""
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=lines,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**kept, **environment},
    )


@pytest.fixture(scope="session")
def debug() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    return debug_process


@pytest.fixture
def golden_session(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a session with a golden file; a missing one fails, `--update-golden` writes."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("update_golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest tests/dap_adapter --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return check
