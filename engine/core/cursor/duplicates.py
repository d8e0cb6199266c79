"""Where a rewind to a duplicate playback goes.

Rules: a pair is a finding `DUPLICATE_AGENT_PLAYBACK` of the artifact; nothing is detected here. The
request of the first playback is preferred to its start, because gate 4 reverses to the request.
"""

from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, integer, mapping, text
from engine.core.cursor.findings_list import SHORT_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """A playback and the one that repeats it.

    Attributes:
        finding_id: the finding that names the pair.
        text: its sentence.
        first_playback_id: the playback that is repeated.
        duplicate_playback_id: the one that repeats it.
        rewind_to: `audio_requested` of the first playback; its `audio_started` where no request
            was recorded; an event index.
        second_started: `audio_started` of the second one; an event index.
    """

    finding_id: str
    text: str
    first_playback_id: str
    duplicate_playback_id: str
    rewind_to: int
    second_started: int


def duplicate_before(view: ArtifactView, cursor: int) -> DuplicatePair | None:
    """Return the pair whose second playback started last at or before the cursor.

    Without one there, the first pair of the call; None where no playback repeats another one. Of
    pairs that start together, the first finding's. Cost: O(findings + playbacks). Source: PBR-045.
    """
    found = [row for row in view.findings if row["code"] == SHORT_NAMES["duplicate"]]
    if not found:
        return None
    ahead = min(found, key=_at)
    return _pair(view, max((row for row in found if _at(row) <= cursor), key=_at, default=ahead))


def _at(row: JsonObject) -> int:
    at = integer(row, "at")
    assert at is not None, "a finding stands at an event"
    return at


def _pair(view: ArtifactView, row: JsonObject) -> DuplicatePair:
    detail = mapping(row, "detail")
    first = text(detail, "first_playback_id") or ""
    return DuplicatePair(
        finding_id=text(row, "finding_id") or "",
        text=text(row, "text") or "",
        first_playback_id=first,
        duplicate_playback_id=text(detail, "duplicate_playback_id") or "",
        rewind_to=_begun(view, first),
        second_started=_at(row),
    )


def _begun(view: ArtifactView, playback_id: str) -> int:
    """Return where a playback was requested, else where it started."""
    span = next(row for row in view.playback if row["playback_id"] == playback_id)
    for key in ("requested_event_id", "started_event_id"):
        named = text(span, key)
        index = view.index_of(named) if named is not None else None
        if index is not None:
            return index
    raise AssertionError("a playback of a pair has started")
