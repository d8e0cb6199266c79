"""Where nodes stand in Python: by the syntax tree, never by running it."""

from pathlib import Path

import pytest

from engine.core.contract.errors import SessionInvalid
from engine.importers.langgraph.node_places import node_places

PROGRAM = """\
raise SystemExit("never executed")

def collect(state):
    return {}

async def think(state):
    return {}

class Tools:
    def __call__(self, state):
        return {}

def route(state):
    return "tools"

graph.add_node("collect", collect)
graph.add_node("agent", think)
graph.add_node("tools", Tools())
graph.add_node(Tools)
for name, run in (("confirm", route), ("other", make())):
    graph.add_node(name, run)
"""


def test_a_node_stands_where_its_function_is_defined(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(PROGRAM)
    places = node_places(path, shown_path="app/bot.py")
    lines = {name: (place["line"], place["end_line"]) for name, place in places.items()}
    assert lines["collect"] == (3, 4)
    assert lines["agent"] == (6, 7)
    assert lines["tools"] == (18, 18)
    assert lines["Tools"] == (9, 11)
    assert lines["confirm"] == (13, 14)
    assert lines["other"] == (20, 20)
    assert {place["path"] for place in places.values()} == {"app/bot.py"}


@pytest.mark.parametrize("content", [b"def (", b"\x00", b"(" * 100_000, b"\xff\xfe"])
def test_what_is_no_python_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_bytes(content)
    with pytest.raises(SessionInvalid) as caught:
        node_places(path, shown_path="bot.py")
    assert caught.value.detail == {"file": "bot.py", "kind": "NOT_PYTHON"}
