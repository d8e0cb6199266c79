"""`PLAYBACK_CAPTURE_GAP`: a playback was requested, and no record says how it ended."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import last_event, visit_ids
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.spans import spans

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each requested playback without an end record."""
    for span in spans(view):
        if span.requested is None or span.ended is not None:
            continue
        started = () if span.started is None else (span.started,)
        stage = "requested" if span.started is None else "requested and started"
        yield Finding(
            at=last_event(view),
            visits=visit_ids(view, (span.visit_id,)),
            events=(span.requested, *started),
            text=f"Playback {span.playback_id} was {stage}; no record says how it ended.",
            detail={"playback_id": span.playback_id, "started": span.started is not None},
        )
