"""`EDGE_TRUE_NOT_TAKEN`: a visit's last verdict on an edge was true, and another way was gone.

The visit was left by another edge, or not left: superseded and still open at the end included. A
recorded exit of which neither edge nor target is known is not known to be another one.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import last_event
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.visits import Visit
from engine.core.contract.labels import Label

if TYPE_CHECKING:
    from engine.core.artifact.columns import Columns
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each such visit and edge; no record is read."""
    for ordinal, visit in enumerate(view.visits):
        for edge_id, index in _last_evaluations(view.columns, ordinal):
            unknown = visit.exit_label == Label.RECORDED and not (visit.exit_edge or visit.exit_to)
            if edge_id == visit.exit_edge or unknown or not _is_true(view, edge_id, index):
                continue
            yield _finding(view, visit, edge_id, index)


def _finding(view: "ArtifactView", visit: Visit, edge_id: str, index: int) -> Finding:
    left = visit.exit_label == Label.RECORDED
    how = f"left by {visit.exit_edge or 'no edge'}" if left else f"not left ({visit.exit_reason})"
    closed = visit.closed_index
    return Finding(
        at=last_event(view) if closed is None else closed,
        visits=(visit.visit_id,),
        events=(index,) if closed is None or closed == index else (index, closed),
        text=f"The guard of {edge_id} was true in visit {visit.visit_id}, which was {how}.",
        detail={"edge_id": edge_id, "exit_edge": visit.exit_edge},
    )


def _last_evaluations(columns: "Columns", ordinal: int) -> Iterator[tuple[str, int]]:
    """Yield each edge evaluated in a visit with its last evaluation."""
    start, stop = columns.guard_runs[ordinal], columns.guard_runs[ordinal + 1]
    for place in range(start, stop):
        last = place + 1 == stop or columns.guard_edges[place + 1] != columns.guard_edges[place]
        if last:
            yield columns.edge_ids[columns.guard_edges[place]], columns.guard_events[place]


def _is_true(view: "ArtifactView", edge_id: str, index: int) -> bool:
    true = view.columns.posting("guard_true", edge_id)
    place = bisect_left(true, index)
    return place < len(true) and true[place] == index
