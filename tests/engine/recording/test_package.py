import ast
import subprocess
import sys
from pathlib import Path

import pytest

import engine.recording

SOURCE = Path(str(engine.recording.__file__)).read_text(encoding="utf-8")
LOADED = """
import sys
import engine.recording
print(sorted({"engine.recording.recorder", "engine.recording.wav", "numpy"} & sys.modules.keys()))
"""


def test_every_public_name_is_there() -> None:
    for name in engine.recording.__all__:
        assert getattr(engine.recording, name) is not None


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = engine.recording.nothing_like_it


def test_what_the_type_checker_sees_is_what_is_loaded() -> None:
    (branch,) = [node for node in ast.parse(SOURCE).body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes: dict[str, str] = engine.recording._HOMES
    assert seen == {name: f"engine.recording.{module}" for name, module in homes.items()}
    assert set(seen) <= set(engine.recording.__all__)


def test_who_reads_does_not_load_what_writes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
