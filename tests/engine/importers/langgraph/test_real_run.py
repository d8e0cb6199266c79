"""A run of LangGraph itself, where it is installed: what it stores today is what is read."""

import importlib.util
import re
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.importers import ImportOptions
from engine.importers.langgraph import LANGGRAPH

pytestmark = pytest.mark.frameworks
PROGRAM = OURS / "langgraph" / "make_samples.py"


def told(path: Path) -> list[tuple[object, ...]]:
    """The run without what differs from one run to the next: ids, times, an edge's number.

    LangGraph writes the routes of one step in the order of a set, which differs with the hash seed.
    """
    imported = LANGGRAPH.import_recording([path], ImportOptions())
    names = ("type", "state_id", "visit_id", "via_edge", "slot", "writer", "to", "edge_id", "next")
    return [
        tuple(re.sub(r":\d+\Z", "", str(record.get(name))) for name in names)
        for record in imported.records
    ]


def test_a_fresh_run_is_told_like_the_kept_one(tmp_path: Path) -> None:
    pytest.importorskip("langgraph.checkpoint.sqlite")
    spec = importlib.util.spec_from_file_location("make_samples", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    program.write(tmp_path / "parallel.sqlite")
    assert sorted(told(tmp_path / "parallel.sqlite")) == sorted(
        told(OURS / "langgraph" / "parallel.sqlite")
    )
