"""`TOOL_FAILED`: a tool's result has `ok` false."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import of_type, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.contract.json_types import text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each such result."""
    for index in of_type(view, "tool_result"):
        record = view.record(index)
        if record.get("ok") is not False:
            continue
        call = text(record, "tool_call_id")
        yield Finding(
            at=index,
            visits=visits_of(view, index),
            events=(index,),
            text=f"Tool call {call} came back with ok false.",
            detail={"tool_call_id": call},
        )
