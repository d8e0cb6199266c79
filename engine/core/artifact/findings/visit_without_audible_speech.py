"""`VISIT_WITHOUT_AUDIBLE_SPEECH`: a state with a prompt in which the agent was not heard.

Heard is a playback of the visit that began before the visit closed and lasted more than 0 ms, or of
unrecorded length. Of the visit is a playback that the visit owns, or one audible while the visit is
open that names the visit's state, or neither state nor visit. The visit is still open at the end,
or it was left by a recorded, caller-driven edge: see `_caller_driven`. A recording without any
playback event says nothing about what was heard, so it has no such finding.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import (
    last_event,
    of_type,
    owner_of,
    records_playback,
)
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.spans import Span, spans
from engine.core.artifact.visits import Visit
from engine.core.contract.json_types import mapping, text
from engine.core.contract.labels import Beat, Label

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView

_CALLER_TYPES = ("input_selected", "dtmf_received")


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each such visit, in order of entry."""
    if not records_playback(view):
        return
    prompted = _prompted_states(view)
    heard = _heard_visits(view)
    inputs = sorted(index for kind in _CALLER_TYPES for index in of_type(view, kind))
    for ordinal, visit in enumerate(view.visits):
        if visit.state_id not in prompted or heard[ordinal]:
            continue
        if visit.closed_index is None:
            yield _finding(visit, at=last_event(view), how="still open at the end")
        elif visit.exit_label == Label.RECORDED and _caller_driven(view, ordinal, inputs):
            yield _finding(visit, at=visit.closed_index, how="left")


def _finding(visit: Visit, *, at: int, how: str) -> Finding:
    closed = () if visit.closed_index is None else (visit.closed_index,)
    return Finding(
        at=at,
        visits=(visit.visit_id,),
        events=(visit.entered_index, *closed),
        text=f"Visit {visit.visit_id} has a prompt and 0 ms of audible agent speech; it was {how}.",
        detail={"audible_ms": 0, "exit_edge": visit.exit_edge},
    )


def _prompted_states(view: "ArtifactView") -> frozenset[str]:
    """Return the states of the flow that have a prompt."""
    states = mapping(view.flow, "states").items()
    return frozenset(s for s, state in states if isinstance(state, dict) and text(state, "prompt"))


def _heard_visits(view: "ArtifactView") -> bytearray:
    """Return by visit ordinal whether any agent speech was, or may have been, heard in it."""
    heard = bytearray(len(view.visits))
    for span in spans(view):
        if span.started is None or span.audible_ms == 0:
            continue
        for ordinal in _visits_of(view, span):
            closed = view.visits[ordinal].closed_index
            if closed is None or span.started <= closed:
                heard[ordinal] = 1
    return heard


def _visits_of(view: "ArtifactView", span: Span) -> Iterator[int]:
    """Yield the visits that a playback's sound belongs to."""
    assert span.started is not None
    owner = view.ordinal_of(span.visit_id) if span.visit_id is not None else None
    state_id = text(span.row, "state_id")
    if owner is not None:
        yield owner
    if owner is None or state_id is not None:
        yield from _open_during(view, span.started, span.ended, state_id)


def _open_during(
    view: "ArtifactView", started: int, ended: int | None, state_id: str | None
) -> Iterator[int]:
    """Yield the visits (of a state, or of any) open at a start, and the first entered after it.

    That first one counts if it was entered before the end; an unrecorded end is never reached.
    """
    for ordinal in view.path_at(started):
        if state_id is None or view.visits[ordinal].state_id == state_id:
            yield ordinal
    entered = view.columns.entered
    entries = entered if state_id is None else view.postings("state_enter", state_id)
    place = bisect_right(entries, started)
    if place < len(entries) and (ended is None or entries[place] < ended):
        yield bisect_left(entered, entries[place])


def _caller_driven(view: "ArtifactView", ordinal: int, inputs: Sequence[int]) -> bool:
    """Return whether the evidence ties the visit's exit to the caller.

    A chain of `caused_by` that leads from an exit record to an event of the visit decides where it
    reaches caller input (yes) or the visit's entry (no). Otherwise: whether the visit owns an
    `input_selected` or `dtmf_received`, and the exit edge's guard is neither `always` nor `audio:`.
    """
    visit = view.visits[ordinal]
    origin = _origin(view, ordinal)
    if origin is not None:
        return origin != visit.entered_index
    when = _guard_of(view, visit)
    if when == "always" or when.startswith("audio:"):
        return False
    assert visit.closed_index is not None
    first = bisect_left(inputs, visit.entered_index)
    inside = inputs[first : bisect_right(inputs, visit.closed_index)]
    return any(owner_of(view, index) == visit.visit_id for index in inside)


def _origin(view: "ArtifactView", ordinal: int) -> int | None:
    """Return the caller input, or the visit's entry, that the recorded causes of its exit reach.

    A cause stands before what it caused, so one walk back through the visit follows all chains.
    """
    visit = view.visits[ordinal]
    closed = visit.closed_index
    assert closed is not None
    roots = {closed}
    for index in view.beat_events(ordinal, Beat.EXIT):
        if view.effective_type(index) == "transition_taken" and index <= closed:
            roots.add(index)
    causes = set[str]()
    for index in range(closed, visit.entered_index - 1, -1):
        if index in roots or view.event_id(index) in causes:
            if index == visit.entered_index or _is_caller_input(view, index):
                return index
            causes.add(text(view.record(index), "caused_by") or "")
    return None


def _is_caller_input(view: "ArtifactView", index: int) -> bool:
    """Return whether an event is something that the caller said or pressed."""
    kind = view.effective_type(index)
    if kind == "transcript_segment":
        return text(view.record(index), "speaker") == "caller"
    return kind in _CALLER_TYPES


def _guard_of(view: "ArtifactView", visit: Visit) -> str:
    """Return the guard of the edge that a visit was left by; empty where that is not known."""
    edges = view.edges_of(visit.state_id)
    found = (text(edge, "when") for edge in edges if edge["edge_id"] == visit.exit_edge)
    return (next(found, None) or "").strip()
