"""The projection: everything a face shows of a recording at one cursor.

A pure function of (recording, cursor): closed, bounded, the same whichever way the cursor was
reached. Source: design section 10, contract "Projection".
"""

from bisect import bisect_right

from engine.core.artifact import ArtifactView, Visit
from engine.core.contract.json_types import JsonObject, JsonValue, texts
from engine.core.contract.labels import Beat, Label
from engine.core.cursor.variables import slot_rows

VARIABLES_MAX = 200
EXITS_MAX = 64
PENDING_MAX = 32
PLAYBACK_MAX = 8
FINDINGS_MAX = 32


def project(view: ArtifactView, cursor: int) -> JsonObject:
    """Return the projection of `view` at `cursor` (-1 to N-1).

    Cost: O(slots + exits) look-ups, each O(log n): the same at event 10 and at 10^6.
    """
    assert cursor == -1 or 0 <= cursor < view.event_count
    ordinal = view.visit_at(cursor)
    exits = exit_rows(view, cursor, ordinal)
    return {
        "event": _event(view, cursor),
        "visit": _visit(view, cursor, ordinal),
        "path": [view.visits[o].visit_id for o in view.path_at(cursor)],
        "visit_count": view.visit_count_at(cursor),
        "variables": [*slot_rows(view, cursor=cursor, visit=ordinal, limit=VARIABLES_MAX)],
        "variables_total": len(view.slots),
        "exits": [*exits[:EXITS_MAX]],
        "exits_total": len(exits),
        "beats": [_beat(view, cursor, ordinal, beat) for beat in Beat],
        "pending": [*pending_rows(view, cursor, limit=PENDING_MAX)],
        "pending_total": view.pending.count_at(cursor),
        "playback": [*view.playing_at(cursor, limit=PLAYBACK_MAX)],
        "findings": [*view.findings_at(cursor)[:FINDINGS_MAX]],
        "findings_total": len(view.findings_at(cursor)),
        "checkpoint": _checkpoint(view, cursor),
    }


def _event(view: ArtifactView, cursor: int) -> JsonObject | None:
    if cursor < 0:
        return None
    event = view.payload(cursor)
    return {
        "event_index": cursor,
        "event_id": view.event_id(cursor),
        "clock_ms": view.clock_ms(cursor),
        "type": view.event_type(cursor),
        "stream": event["stream"],
        "owner": event["owner"],
        "unowned": event["unowned"],
    }


def _visit(view: ArtifactView, cursor: int, ordinal: int) -> JsonObject | None:
    if ordinal < 0:
        return None
    visit = view.visits[ordinal]
    return {
        "visit_id": visit.visit_id,
        "state_id": visit.state_id,
        "occurrence": visit.occurrence,
        "status": "open" if visit.is_open_at(cursor) else "left",
        "entered_index": visit.entered_index,
        "closed_index": visit.closed_index,
        "exit_label": visit.exit_label,
        "exit_reason": visit.exit_reason,
    }


def exit_rows(view: ArtifactView, cursor: int, ordinal: int) -> list[JsonObject]:
    """Return the declared exits of a visit's state, with each guard's verdict as of `cursor`.

    Empty for ordinal -1 and for a state that the flow does not have.
    """
    if ordinal < 0:
        return []
    visit = view.visits[ordinal]
    return [_exit(view, cursor, ordinal, visit, edge) for edge in view.edges_of(visit.state_id)]


def _exit(
    view: ArtifactView, cursor: int, ordinal: int, visit: Visit, edge: JsonObject
) -> JsonObject:
    edge_id = edge["edge_id"]
    assert isinstance(edge_id, str)
    evaluations = view.guard_events(ordinal, edge_id)
    place = bisect_right(evaluations, cursor)
    shown = view.record(evaluations[place - 1]) if place else None
    recorded = view.record(evaluations[-1]) if evaluations else None
    label, reason = _verdict_label(shown, edge["when"], later=bool(evaluations) and not place)
    return {
        "edge_id": edge_id,
        "declaration_index": edge["declaration_index"],
        "to": edge["to"],
        "when": edge["when"],
        "reason": edge["reason"],
        "verdict": _verdict(shown),
        "recorded_verdict": _verdict(recorded),
        "taken": visit.exit_edge == edge_id,
        "slots_read": [*texts(shown, "slots_read")] if shown is not None else [],
        "label": label.value,
        "label_reason": reason,
    }


def _verdict(evaluation: JsonObject | None) -> JsonValue:
    return "not_evaluated" if evaluation is None else evaluation.get("verdict")


def _verdict_label(
    evaluation: JsonObject | None, when: JsonValue, *, later: bool
) -> tuple[Label, str | None]:
    """Return why a verdict can or cannot be shown; `later`: it is evaluated after the cursor."""
    by_model = isinstance(when, str) and when.startswith("tool:")
    if evaluation is None:
        if later:
            return Label.UNAVAILABLE, "none_yet"
        return Label.UNAVAILABLE, "decided_by_model" if by_model else "none_recorded"
    if evaluation.get("verdict") is not None:
        return Label.RECORDED, None
    if evaluation.get("error") is not None:
        return Label.UNAVAILABLE, "guard_error"
    return Label.UNAVAILABLE, "decided_by_model" if by_model else "no_verdict"


def _beat(view: ArtifactView, cursor: int, ordinal: int, beat: Beat) -> JsonObject:
    events = view.beat_events(ordinal, beat)
    count = bisect_right(events, cursor)
    reason = None
    if not count:
        reason = "no_visit" if ordinal < 0 else "none_yet" if events else "none_recorded"
    return {
        "beat": beat.value,
        "label": (Label.RECORDED if count else Label.UNAVAILABLE).value,
        "reason": reason,
        "count": count,
        "first_event_id": view.event_id(events[0]) if count else None,
        "last_event_id": view.event_id(events[count - 1]) if count else None,
    }


def pending_rows(view: ArtifactView, cursor: int, *, limit: int) -> list[JsonObject]:
    """Return what was asked for and has not come at `cursor`, oldest first, at most `limit`."""
    return [
        {
            "kind": kind,
            "event_id": view.event_id(start),
            "visit_id": view.payload(start)["owner"],
            "since_ms": view.clock_ms(start),
        }
        for start, kind in view.pending_at(cursor, limit=limit)
    ]


def _checkpoint(view: ArtifactView, cursor: int) -> JsonObject | None:
    """Return the nearest checkpoint at or before `cursor`."""
    nearest = view.checkpoint_at(cursor)
    return None if nearest is None else {"kind": nearest[0], "event_index": nearest[1]}
