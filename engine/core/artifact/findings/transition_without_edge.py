"""`TRANSITION_WITHOUT_EDGE`: a transition was taken that the flow does not declare."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import of_type, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.contract.json_types import mapping, text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each `transition_taken` whose edge is null or not in the flow."""
    states = mapping(view.flow, "states")
    declared = frozenset(text(edge, "edge_id") for s in states for edge in view.edges_of(s))
    for index in of_type(view, "transition_taken"):
        record = view.record(index)
        edge_id, to = text(record, "edge_id"), text(record, "to")
        if edge_id is not None and edge_id in declared:
            continue
        edge = "without an edge" if edge_id is None else f"by {edge_id}, no edge of the flow"
        yield Finding(
            at=index,
            visits=visits_of(view, index),
            events=(index,),
            text=f"The transition to {to} at {view.event_id(index)} was taken {edge}.",
            detail={"edge_id": edge_id, "to": to},
        )
