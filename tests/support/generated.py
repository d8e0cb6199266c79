"""Generated session directories and their truth, where the generator lies beside the checkout.

A session is made once per (events, seed, sequence) and test process, in a temporary folder that
goes with the process. Tests that need one skip where there is no generator.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from engine.core.contract.json_types import JsonObject

GENERATOR = Path(__file__).resolve().parents[3] / "shared" / "tools" / "make_session.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedSession:
    """A session directory, and what is true of it (see the generator's own words)."""

    directory: Path
    truth: JsonObject


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """The folder that holds what this process generates; removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="generated-sessions-")


@cache
def generated_session(
    *, events: int, seed: int = 1, sequence: str = "session", plain: bool = False
) -> GeneratedSession:
    """Return the session of these arguments; skips the test where there is no generator."""
    if not GENERATOR.is_file():
        pytest.skip("no session generator beside the checkout")
    out = Path(_folder().name) / f"{sequence}-{events}-{seed}{'-plain' if plain else ''}"
    command = [sys.executable, str(GENERATOR), str(events), str(out)]
    command += ["--seed", str(seed), "--sequence", sequence, *(["--plain"] if plain else [])]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
    truth: JsonObject = json.loads(
        out.with_name(out.name + ".truth.json").read_text(encoding="utf-8")
    )
    return GeneratedSession(directory=out, truth=truth)
