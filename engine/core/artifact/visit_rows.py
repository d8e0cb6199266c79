"""The artifact's `visits`: framed visits with their recorded exits."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.core.artifact.framing import FramedVisit
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.core.contract.labels import Label

VisitExits: TypeAlias = dict[int, tuple[str | None, str | None]]
"""By visit ordinal: (edge id, target) as its exit records say."""


def visit_rows(
    visits: Sequence[FramedVisit],
    event_id: Callable[[int], str],
    exits: VisitExits,
    session: JsonObject,
    flow: JsonObject,
) -> list[JsonValue]:
    """Return one row a visit, in order of entry.

    A visit without a closing record has exit `unavailable`: `superseded`, or, as the manifest says,
    `call_ended` or `truncated`.
    """
    unfinished = "call_ended" if session.get("ended") == "completed" else "truncated"
    targets = _edge_targets(flow)
    out: list[JsonValue] = []
    for ordinal, visit in enumerate(visits):
        closed = visit.closed_index
        recorded = closed is not None and not visit.superseded
        edge_id, to = exits.get(ordinal, (None, None)) if recorded else (None, None)
        reason = "superseded" if visit.superseded else unfinished
        parent = visits[visit.parent].visit_id if visit.parent is not None else None
        out.append(
            {
                "visit_id": visit.visit_id,
                "state_id": visit.state_id,
                "occurrence": visit.occurrence,
                "parent_visit_id": parent,
                "via_edge": visit.via_edge,
                "entered_index": visit.entered_index,
                "entered_event_id": event_id(visit.entered_index),
                "closed_index": closed,
                "closed_event_id": event_id(closed) if closed is not None else None,
                "exit": {
                    "edge_id": edge_id,
                    "to": to or targets.get(edge_id or ""),
                    "label": (Label.RECORDED if recorded else Label.UNAVAILABLE).value,
                    "reason": None if recorded else reason,
                },
            }
        )
    return out


def _edge_targets(flow: JsonObject) -> dict[str, str]:
    """Return the target state by edge id, as the flow declares them."""
    return {
        edge_id: to
        for state in mapping(flow, "states").values()
        if isinstance(state, dict)
        for edge in rows(state, "edges")
        if (edge_id := text(edge, "edge_id")) is not None and (to := text(edge, "to")) is not None
    }
