"""`TOOL_WITHOUT_RESULT`: a tool was called, and no later record answers the call."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import last_event, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.contract.json_types import text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each call still pending at the end; see `OpenWork`."""
    if not view.event_count:
        return
    end = last_event(view)
    open_count = view.pending.count_at(end)
    for index, kind in view.pending_at(end, limit=open_count):
        if kind != "tool":
            continue
        record = view.record(index)
        yield Finding(
            at=end,
            visits=visits_of(view, index),
            events=(index,),
            text=f"Tool {text(record, 'tool')} was called at {view.event_id(index)}; no result is "
            "recorded.",
            detail={"tool": text(record, "tool"), "tool_call_id": text(record, "tool_call_id")},
        )
