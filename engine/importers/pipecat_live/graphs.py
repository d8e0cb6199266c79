"""The flow of a call: the declared one with its edges, or the graph as it was visited.

Edges of a declared flow are numbered as the flow's reader numbers them: over a node's functions,
then the global ones; a plain target is one edge, a branch one for each case, then its default.
"""

from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.importers.pipecat_live.seen import attribute, items_of, named_of, text_of
from engine.recording import RecordedFlow


class Graph(Protocol):
    """What the hooks ask of a flow."""

    def edge(self, node: str, function: str, case: str | None, to: str) -> str | None:
        """Return the edge, None where there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredGraph:
    """The edges of a flow file: (node, function, case) to (edge id, target)."""

    edges: dict[tuple[str, str, str | None], tuple[str, str]]

    def edge(self, node: str, function: str, case: str | None, to: str) -> str | None:
        """Return the declared edge that leads to `to`."""
        found = self.edges.get((node, function, case))
        if found is None and case is not None:
            found = self.edges.get((node, function, "default"))
        return found[0] if found and found[1] == to else None


def declared_graph(config: object) -> DeclaredGraph:
    """Return the edges of a `FlowConfig`."""
    edges: dict[tuple[str, str, str | None], tuple[str, str]] = {}
    shared = items_of(attribute(config, "global_functions"))
    for node, declared in named_of(attribute(config, "nodes")).items():
        index = 0
        for function in [*items_of(attribute(declared, "functions")), *shared]:
            name, target = text_of(function, "name") or "", attribute(function, "transition_to")
            for case, to in _targets(target):
                edges.setdefault((node, name, case), (f"{node}:{index}", to))
                index += 1
    return DeclaredGraph(edges=edges)


def _targets(target: object) -> list[tuple[str | None, str]]:
    if isinstance(target, str):
        return [(None, target)]
    cases = named_of(attribute(target, "cases"))
    found: list[tuple[str | None, str]] = [
        (case, to) for case, to in cases.items() if isinstance(to, str)
    ]
    default = text_of(target, "default")
    return [*found, ("default", default)] if default is not None else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Lines of the program, from 1, the last inclusive."""

    path: str
    line: int
    end_line: int


@dataclass(slots=True, kw_only=True)
class GrownGraph:
    """The graph as it was visited, written as a flow that the debugger reads.

    It holds no prompt: a program may have put a caller's words into one. What the model was given
    stands, redacted, on the records of its runs.
    """

    flow_id: str
    entry: str | None = None
    places: dict[str, Place | None] = field(default_factory=dict[str, Place | None])
    exits: dict[str, list[tuple[str, str]]] = field(
        default_factory=dict[str, list[tuple[str, str]]]
    )
    is_new: bool = False
    """Whether something came since the flow was written last."""

    def visit(self, node: str, place: Place | None) -> None:
        """Take a node that is entered; its place is that of the first time."""
        if self.entry is None:
            self.entry = node
        if node not in self.places or (self.places[node] is None and place is not None):
            self.places[node] = place
            self.is_new = True

    def edge(self, node: str, function: str, case: str | None, to: str) -> str | None:
        """Return the edge by which a function leads on; a new one at its first sight."""
        del case
        leaving = self.exits.setdefault(node, [])
        if (function, to) not in leaving:
            leaving.append((function, to))
            self.is_new = True
            self.places.setdefault(to, None)
        return f"{node}:{leaving.index((function, to))}"

    def written(self) -> RecordedFlow:
        """Return the graph as a flow file."""
        states: JsonObject = {node: self._state(node) for node in self.places}
        flow: JsonObject = {
            "schema": "riff.flow/v1",
            "flow_id": self.flow_id,
            "entry": self.entry or "start",
            "x-origin": "grown from the nodes that one call visited; other paths are not in it",
            "states": states,
        }
        data = msgspec.json.format(msgspec.json.encode(flow), indent=2) + b"\n"
        self.is_new = False
        return RecordedFlow(data=data, file_name="flow.json", source_path=None)

    def _state(self, node: str) -> JsonObject:
        place = self.places.get(node)
        row: JsonObject = {}
        if place is not None:
            row["source"] = {"path": place.path, "line": place.line, "end_line": place.end_line}
        exits: list[JsonValue] = [
            {"to": to, "reason": function} for function, to in self.exits.get(node, [])
        ]
        row["transitions"] = exits
        return row
