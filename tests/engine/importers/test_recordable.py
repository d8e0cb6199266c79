"""What a bot's text shows of what cannot be recorded; it is read, never run."""

from pathlib import Path

import pytest

from engine.core.contract.errors import SessionInvalid
from engine.importers import Limit, limits_of_bot


def limits(tmp_path: Path, text: str) -> list[Limit]:
    path = tmp_path / "bot.py"
    path.write_text(text, encoding="utf-8")
    return limits_of_bot(path)


def told(rows: list[Limit]) -> set[tuple[str, str, int | None]]:
    return {(row.what, row.verdict.value, row.line) for row in rows}


def test_a_bot_with_its_flow_as_data(tmp_path: Path) -> None:
    rows = limits(
        tmp_path,
        "from pipecat.flows import FlowManager\n"
        "from pipecat.audio import AudioBufferProcessor\n"
        "audio = AudioBufferProcessor()\n"
        "manager = FlowManager()\n"
        "manager.state['time'] = 1\n",
    )
    assert told(rows) == {("flow", "recorded", 1)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("async def node() -> tuple[str, NodeConfig]: ...", ("flow", "limited", 2)),
        ("def node() -> 'NodeConfig | None': ...", ("flow", "limited", 2)),
        ("manager.state['order']['time'] = 1", ("slot writes", "limited", 2)),
        ("manager.state['items'].append(1)", ("slot writes", "limited", 2)),
        ("manager.state['order']['count'] += 1", ("slot writes", "limited", 2)),
        ("tts = CartesiaTTSService()", ("text heard", "limited", 2)),
    ],
)
def test_what_is_limited(line: str, expected: tuple[str, str, int], tmp_path: Path) -> None:
    assert expected in told(limits(tmp_path, f"from pipecat.flows import *\n{line}\n"))


def test_the_old_package(tmp_path: Path) -> None:
    rows = limits(tmp_path, "import pipecat\nfrom pipecat_flows import FlowManager\n")
    assert ("flow", "unavailable", 2) in told(rows)


def test_a_bot_without_a_flow(tmp_path: Path) -> None:
    rows = limits(tmp_path, "from pipecat.pipeline import Pipeline\n")
    assert ("flow", "unavailable", None) in told(rows)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("app = builder.compile()", "unavailable"),
        ("app = builder.compile(checkpointer=saver)", "recorded"),
        ("app = builder.compile(**settings)", "recorded"),
        ("app = builder.compile(checkpointer=InMemorySaver())", "unavailable"),
        ("import re; re.compile('x')", None),
    ],
)
def test_graphs(line: str, verdict: str | None, tmp_path: Path) -> None:
    rows = limits(tmp_path, f"from langgraph.graph import StateGraph\n{line}\n")
    runs = [row for row in rows if row.what == "run"]
    assert [row.verdict.value for row in runs] == ([] if verdict is None else [verdict])


def test_neither_framework(tmp_path: Path) -> None:
    assert told(limits(tmp_path, "import os\n")) == {("framework", "unavailable", None)}


def test_nothing_of_it_is_run(tmp_path: Path) -> None:
    limits(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\nimport langgraph\n")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("text", ["def (", "\x00", "(" * 400])
def test_what_is_no_python_is_a_typed_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(SessionInvalid):
        limits(tmp_path, text)
