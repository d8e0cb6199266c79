"""The graph of the program as a flow of ours: from `graph.json`, else grown from what ran.

Rules: routing functions are code, so an edge that one chooses has no guard here; its verdict was
not recorded. A grown graph holds what was seen in this run and says so on each edge.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.contract.json_types import JsonObject, JsonValue, rows, text
from engine.importers.sources import source_error as refused
from engine.importers.sources import source_json

START, END = "__start__", "__end__"
CHOSEN = "chosen by a routing function of the program"
GROWN = "seen in this run"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """One possible way from a node to another."""

    source: str
    target: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramGraph:
    """Nodes and edges in the order of the file, or of the run; `is_given`: it was exported."""

    nodes: Sequence[str]
    edges: Sequence[GraphEdge]
    is_given: bool

    def edge_id(self, source: str, target: str) -> str | None:
        """Return the id of the edge between two nodes; null where there is none."""
        leaving = [edge.target for edge in self.edges if edge.source == source]
        return f"{source}:{leaving.index(target)}" if target in leaving else None

    def only_target(self, source: str) -> str | None:
        """Return the target of a node with exactly one edge."""
        leaving = [edge.target for edge in self.edges if edge.source == source]
        return leaving[0] if len(leaving) == 1 else None


def looks_like_graph(value: JsonValue) -> bool:
    """Return whether a JSON value has the shape of an exported graph."""
    if not isinstance(value, dict):
        return False
    nodes, edges = rows(value, "nodes"), value.get("edges")
    return bool(nodes) and isinstance(edges, list) and all("id" in node for node in nodes)


def read_graph(path: Path) -> ProgramGraph:
    """Return the graph of a `get_graph().to_json()` export. Raises: SessionInvalid."""
    value = source_json(path)
    if not looks_like_graph(value) or not isinstance(value, dict):
        raise refused(
            path,
            "is no graph: an object with `nodes` and `edges` is needed, as "
            "`app.get_graph().to_json()` gives it.",
            "NOT_A_GRAPH",
        )
    nodes = [name for node in rows(value, "nodes") if (name := text(node, "id")) is not None]
    edges = [
        GraphEdge(source=source, target=target, reason=CHOSEN if edge.get("conditional") else None)
        for edge in rows(value, "edges")
        if (source := text(edge, "source")) and (target := text(edge, "target"))
    ]
    return ProgramGraph(nodes=list(dict.fromkeys(nodes)), edges=_once(edges), is_given=True)


def grown_graph(
    given: ProgramGraph | None, nodes: Iterable[str], ways: Iterable[tuple[str, str]]
) -> ProgramGraph:
    """Return the given graph with what else was seen; edges of a given node are not added to."""
    known = list(given.nodes) if given is not None else []
    edges = list(given.edges) if given is not None else []
    own = set(known)
    for node in nodes:
        if node not in known:
            known.append(node)
    for source, target in ways:
        if source not in own:
            edges.append(GraphEdge(source=source, target=target, reason=GROWN))
        if target not in known:
            known.append(target)
    return ProgramGraph(nodes=known, edges=_once(edges), is_given=given is not None)


def _once(edges: Iterable[GraphEdge]) -> list[GraphEdge]:
    return list({(edge.source, edge.target): edge for edge in edges}.values())


def flow_bytes(
    graph: ProgramGraph,
    *,
    flow_id: str,
    spans: Mapping[str, JsonObject],
    slot_classes: Mapping[str, str],
) -> bytes:
    """Return the flow file: `riff.flow/v1` as JSON. `spans` are the nodes' places in Python."""
    states: JsonObject = {}
    for node in graph.nodes:
        leaving: list[JsonValue] = [
            {"to": edge.target, **({"reason": edge.reason} if edge.reason else {"when": "always"})}
            for edge in graph.edges
            if edge.source == node
        ]
        state: JsonObject = {"transitions": leaving} if leaving else {}
        if node in spans:
            state["source"] = spans[node]
        states[node] = state
    entry = START if START in graph.nodes or not graph.nodes else graph.nodes[0]
    if entry not in states:
        states[entry] = {}
    flow: JsonObject = {"schema": "riff.flow/v1", "flow_id": flow_id, "entry": entry}
    if slot_classes:
        flow["slots"] = {slot: {"class": name} for slot, name in slot_classes.items()}
    flow["states"] = states
    return (json.dumps(flow, indent=2, ensure_ascii=False) + "\n").encode(errors="replace")
