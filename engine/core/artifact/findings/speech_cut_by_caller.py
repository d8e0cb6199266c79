"""`SPEECH_CUT_BY_CALLER`: a playback that had started ended with `audio_interrupted`.

An `audio_interrupted` of a playback that never started, or that had ended before, cut nothing.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import shown_ms, visit_ids
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.spans import spans

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each playback that was cut."""
    for span in spans(view):
        if span.row["end_type"] != "audio_interrupted" or span.ended is None:
            continue
        if span.started is None or span.started > span.ended:
            continue
        yield Finding(
            at=span.ended,
            visits=visit_ids(view, (span.visit_id,)),
            events=(span.ended, span.started),
            text=f"Playback {span.playback_id} was interrupted {shown_ms(span.audible_ms)} after "
            "its start.",
            detail={"playback_id": span.playback_id, "audible_ms": span.audible_ms},
        )
