"""`GUARD_FAILED`: the evaluation of a guard has an error."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import of_type, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.contract.json_types import text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each evaluation whose `error` is set (neither null nor empty)."""
    for index in of_type(view, "guard_evaluated"):
        record = view.record(index)
        if not record.get("error"):
            continue
        edge_id = text(record, "edge_id")
        yield Finding(
            at=index,
            visits=visits_of(view, index),
            events=(index,),
            text=f"The evaluation of the guard of {edge_id} has an error.",
            detail={"edge_id": edge_id},
        )
