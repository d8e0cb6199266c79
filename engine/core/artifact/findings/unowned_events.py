"""`UNOWNED_EVENTS`: some events belong to no visit; one finding, with their count."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import last_event
from engine.core.artifact.findings.finding import REFERENCES_MAX, Finding

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding if there is any such event; no record is read. Memory: a byte an event."""
    count = view.unowned_count
    if not count:
        return
    owned = bytearray(view.event_count)
    for index in view.columns.beat_events:
        owned[index] = 1
    listed = tuple(islice((i for i in range(view.event_count) if not owned[i]), REFERENCES_MAX))
    yield Finding(
        at=last_event(view),
        visits=(),
        events=listed,
        events_total=count,
        text=f"Of {view.event_count} events, {count} belong to no visit.",
        detail={"count": count},
    )
