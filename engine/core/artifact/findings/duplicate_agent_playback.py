"""`DUPLICATE_AGENT_PLAYBACK`: two playbacks of the same content, too close or over each other.

Of one content fingerprint, the second playback begins at most `duplicate_gap_max_ms` after the end
of the first and both were completed, or it begins before the end of the first, whatever the ends.
The client has acknowledged both starts. A playback without fingerprint, acknowledged start, start
time or end time is in no pair that needs it. The clock decides which one is the second; where the
order of the events disagrees, there is no finding. Source: PBR-030 to PBR-034, checklist 6.11.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import elapsed_ms, setting, visit_ids
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.spans import Span, spans
from engine.core.contract.json_types import JsonValue, text
from engine.core.contract.labels import Label

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView

CODE = "DUPLICATE_AGENT_PLAYBACK"


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each pair, by fingerprint, then by second and first start.

    Cost: O(n log n + pairs looked at); a pair is looked at while the first may still count.
    """
    gap_max_ms = setting(view, "duplicate_gap_max_ms")
    by_content: dict[str, list[tuple[int, int, Span]]] = {}
    for span in spans(view):
        content, start_ms = text(span.row, "content_fingerprint"), span.start_ms
        if content is None or start_ms is None or span.started is None:
            continue
        if span.row.get("acknowledged") is True:
            by_content.setdefault(content, []).append((start_ms, span.started, span))
    for content in sorted(by_content):
        for first, second in _close_pairs(by_content[content], gap_max_ms):
            finding = _pair(view, first, second, gap_max_ms)
            if finding is not None:
                yield finding


def _close_pairs(
    plays: list[tuple[int, int, Span]], gap_max_ms: int
) -> Iterator[tuple[Span, Span]]:
    """Yield the pairs of which the second begins before the first is over for too long."""
    recent: list[Span] = []
    for start_ms, _, second in sorted(plays, key=lambda play: play[:2]):
        recent = [s for s in recent if s.end_ms is not None and start_ms - s.end_ms <= gap_max_ms]
        for first in recent:
            yield first, second
        recent.append(second)


def _pair(view: "ArtifactView", first: Span, second: Span, gap_max_ms: int) -> Finding | None:
    """Return the finding of two playbacks in order of their starts, if they are one."""
    gap_ms = elapsed_ms(first.end_ms, second.start_ms)
    assert first.started is not None
    assert second.started is not None
    if gap_ms is None or first.started > second.started:
        return None
    completed = first.row["end_type"] == second.row["end_type"] == "audio_completed"
    if not (gap_ms < 0 or (completed and gap_ms <= gap_max_ms)):
        return None
    sources: list[JsonValue] = [first.row["source_kind"], second.row["source_kind"]]
    begins = (
        f"begins {gap_ms} ms after the end of"
        if gap_ms >= 0
        else f"begins {-gap_ms} ms before the end of"
    )
    return Finding(
        at=second.started,
        visits=visit_ids(view, (first.visit_id, second.visit_id)),
        events=(second.started, first.started),
        text=f"Playback {second.playback_id} has the content of playback {first.playback_id} "
        f"and {begins} it.",
        detail={
            "code": CODE,
            "first_playback_id": first.playback_id,
            "duplicate_playback_id": second.playback_id,
            "first_visit_id": first.visit_id,
            "duplicate_visit_id": second.visit_id,
            "gap_ms": gap_ms,
            "source_pair": sources,
            "confidence": Label.RECORDED.value,
        },
        mechanism=_mechanism(view, first, second),
    )


def _mechanism(view: "ArtifactView", first: Span, second: Span) -> str:
    """Return how the pair came about, as far as requests, sources and visits tell."""
    request = _request(view, first)
    kinds = {text(first.row, "source_kind"), text(second.row, "source_kind")}
    same_visit = first.visit_id is not None and first.visit_id == second.visit_id
    if request is not None and request == _request(view, second):
        return "client_replay"
    if "nudge" in kinds:
        return "nudge"
    if same_visit:
        return "static_plus_model" if kinds == {"static_asset", "model_audio"} else "unknown"
    states = [_state_of(view, span) for span in (first, second)]
    return "re_entry" if states[0] is not None and states[0] == states[1] else "unknown"


def _request(view: "ArtifactView", span: Span) -> str | None:
    """Return the id of the request that a playback's start names, else of its own request."""
    assert span.started is not None
    named = text(view.record(span.started), "request_event_id")
    return named if named is not None else text(span.row, "requested_event_id")


def _state_of(view: "ArtifactView", span: Span) -> str | None:
    """Return the state of the visit that owns a playback."""
    ordinal = view.ordinal_of(span.visit_id) if span.visit_id is not None else None
    return None if ordinal is None else view.visits[ordinal].state_id
