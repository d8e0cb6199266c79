"""The exported graph as a flow, and what is grown beside it."""

import json
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.core.contract.errors import SessionInvalid
from engine.core.flow import parse_flow
from engine.importers.langgraph.program_graph import (
    CHOSEN,
    GROWN,
    flow_bytes,
    grown_graph,
    read_graph,
)

GRAPH = OURS / "langgraph" / "graph.json"


def test_the_flow_has_every_edge_and_no_guard_that_is_code() -> None:
    graph = read_graph(GRAPH)
    place = {"agent": {"path": "bot.py", "line": 3, "end_line": 9}}
    data = flow_bytes(graph, flow_id="call", spans=place, slot_classes={"time": "plain"})
    flow = parse_flow(data, path="graph.flow.json")
    assert flow.entry.text == "__start__"
    states = {state.state_id: state for state in flow.states}
    assert [edge.to.text for edge in states["agent"].edges] == ["confirm", "tools"]
    assert [(edge.when, edge.reason) for edge in states["agent"].edges] == [(None, CHOSEN)] * 2
    assert states["collect"].edges[0].when is not None
    assert [slot.name for slot in flow.slots] == ["time"]
    assert json.loads(data)["states"]["agent"]["source"] == place["agent"]


def test_what_ran_is_added_only_where_the_export_says_nothing() -> None:
    given = read_graph(GRAPH)
    graph = grown_graph(given, ["agent", "other"], [("agent", "other"), ("other", "agent")])
    assert graph.edge_id("agent", "other") is None, "the export knows `agent`, and has no such edge"
    assert graph.edge_id("other", "agent") == "other:0"
    assert [edge.reason for edge in graph.edges if edge.source == "other"] == [GROWN]
    assert graph.only_target("collect") == "agent"
    assert graph.only_target("agent") is None


def test_an_empty_run_still_has_a_flow() -> None:
    data = flow_bytes(grown_graph(None, [], []), flow_id="x", spans={}, slot_classes={})
    assert parse_flow(data, path="graph.flow.json").entry.text == "__start__"


@pytest.mark.parametrize("content", ["{}", "[]", '{"nodes": [{}], "edges": []}', '{"nodes": 3}'])
def test_other_json_is_no_graph(content: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(content)
    with pytest.raises(SessionInvalid) as caught:
        read_graph(path)
    assert caught.value.detail["kind"] == "NOT_A_GRAPH"
