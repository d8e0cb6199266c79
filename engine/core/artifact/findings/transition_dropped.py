"""`TRANSITION_DROPPED`: a transition was requested and never taken.

A request is taken by a later `transition_taken` that names it, by `request_id` or by `caused_by`;
or by one that names no request, stands in the same visit and has the same `edge_id` (where the
request has none: the same `to`), unless another `transition_taken` of the visit came before it.
Source: contract "Transitions, verdicts, pending".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import last_event, of_type, visit_ids
from engine.core.artifact.findings.finding import Finding
from engine.core.contract.json_types import JsonObject, mapping, text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


@dataclass(slots=True, kw_only=True)
class _Request:
    """A transition asked for; `taken` once a record answers it."""

    index: int
    event_id: str
    visit_id: str | None
    edge_id: str | None
    to: str | None
    taken: bool = False


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each dropped request, in order of the requests."""
    for request in _requests(view):
        if request.taken:
            continue
        ordinal = None if request.visit_id is None else view.ordinal_of(request.visit_id)
        closed = None if ordinal is None else view.visits[ordinal].closed_index
        yield Finding(
            at=last_event(view) if closed is None else max(closed, request.index),
            visits=visit_ids(view, (request.visit_id,)),
            events=(request.index,),
            text=f"The transition to {request.to} requested at {request.event_id} was never taken.",
            detail={"edge_id": request.edge_id, "to": request.to},
        )


def _requests(view: "ArtifactView") -> list[_Request]:
    """Return all requests in order, answered or not."""
    listed: list[_Request] = []
    answering = _Answers()
    requested = of_type(view, "transition_requested")
    for index in merge(requested, of_type(view, "transition_taken")):
        event = view.payload(index)
        record, visit_id = mapping(event, "record"), text(event, "owner")
        if view.effective_type(index) == "transition_taken":
            answering.taken(record, visit_id)
            continue
        request = _Request(
            index=index,
            event_id=text(event, "event_id") or "",
            visit_id=visit_id,
            edge_id=text(record, "edge_id"),
            to=text(record, "to"),
        )
        listed.append(request)
        answering.requested(request, text(record, "request_id"))
    return listed


class _Answers:
    """Requests by what a `transition_taken` may name them by."""

    def __init__(self) -> None:
        self._by_request_id: dict[str, list[_Request]] = {}
        self._by_event_id: dict[str, _Request] = {}
        self._waiting: dict[str, list[_Request]] = {}

    def requested(self, request: _Request, request_id: str | None) -> None:
        """Take a request."""
        self._by_event_id[request.event_id] = request
        if request_id is not None:
            self._by_request_id.setdefault(request_id, []).append(request)
        if request.visit_id is not None:
            self._waiting.setdefault(request.visit_id, []).append(request)

    def taken(self, record: JsonObject, visit_id: str | None) -> None:
        """Mark the requests that a `transition_taken` answers; it supersedes the others."""
        request_id = text(record, "request_id")
        cause = self._by_event_id.get(text(record, "caused_by") or "")
        named = [] if request_id is None else self._by_request_id.pop(request_id, [])
        for request in named if cause is None else [*named, cause]:
            request.taken = True
        waiting = [] if visit_id is None else self._waiting.pop(visit_id, [])
        if request_id is None and cause is None:
            edge_id, to = text(record, "edge_id"), text(record, "to")
            for request in waiting:
                same = to == request.to if request.edge_id is None else edge_id == request.edge_id
                request.taken = request.taken or same
