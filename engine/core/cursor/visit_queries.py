"""Actions about one visit: `inspect_state`, `inspect_exits`, `inspect_evidence`, `rank_visits`.

A visit is the command's `visit_id`, else the one at the cursor.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum

from engine.core.artifact import ArtifactView, Visit
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, mapping
from engine.core.contract.labels import Beat, Label
from engine.core.cursor.facts import described, edge_span, state_of
from engine.core.cursor.listings import visit_row
from engine.core.cursor.project import exit_rows
from engine.core.cursor.reading import choice_of, listing, page_of, text_of, unknown, visit_asked
from engine.core.cursor.response import Answer
from engine.core.cursor.variables import slot_rows
from engine.core.cursor.visit_facts import duration_ms, visit_facts


class VisitOrder(StrEnum):
    """In which order visits are ranked."""

    ENTRY = "entry"
    DURATION = "duration"


def inspect_state(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `inspect_state`: a visit's state, facts and slots at entry and at the recorded exit.

    Items: `{slot, class, entry, entry_label, exit, exit_label, exit_reason, write_count}`, where
    `write_count` counts writes within the visit. `visit`: the row of `list_visits` with `facts`.
    `state`: the state in the flow that ran, null where the flow does not have it.
    """
    offset, limit = page_of(command)
    ordinal = visit_asked(view, cursor, command)
    visit = view.visits[ordinal]
    slots = slot_rows(view, cursor=cursor, visit=ordinal, offset=offset, limit=limit)
    reason = _exit_reason(visit)
    facts = visit_facts(view, ordinal)
    missing = _missing_of(view, visit, facts, reason)
    evidence = [view.event_id(visit.entered_index)]
    if visit.closed_index is not None:
        evidence.append(view.event_id(visit.closed_index))
    return listing(
        cursor,
        items=[_slot(view, visit, row, reason) for row in slots],
        total=len(view.slots),
        offset=offset,
        evidence=evidence,
        extra={
            "visit": {**visit_row(view, visit), "facts": facts},
            "state": _state(view, visit.state_id),
            "unknowns": [*missing],
        },
    )


def _exit_reason(visit: Visit) -> str | None:
    """Return why a visit has no recorded exit, or None where it has one."""
    if visit.closed_index is not None and not visit.superseded:
        return None
    return visit.exit_reason or "not_recorded"


def _slot(view: ArtifactView, visit: Visit, row: JsonObject, reason: str | None) -> JsonObject:
    writes = view.postings("slot_write", str(row["slot"]))
    unavailable = row["exit_label"] == Label.UNAVAILABLE.value
    end = visit.closed_index if visit.closed_index is not None else view.event_count
    return {
        "slot": row["slot"],
        "class": row["class"],
        "entry": row["entry"],
        "entry_label": row["entry_label"],
        "exit": row["recorded_exit"],
        "exit_label": row["exit_label"],
        "exit_reason": (reason or "not_recorded") if unavailable else None,
        "write_count": bisect_right(writes, end) - bisect_left(writes, visit.entered_index),
    }


def _state(view: ArtifactView, state_id: str) -> JsonObject | None:
    state = state_of(view, state_id)
    if not state:
        return None
    return {
        "state_id": state_id,
        "prompt": state.get("prompt"),
        "span": state.get("span"),
        "prompt_span": mapping(state, "spans").get("prompt"),
        "edge_count": len(view.edges_of(state_id)),
    }


def _missing_of(
    view: ArtifactView, visit: Visit, facts: JsonObject, reason: str | None
) -> list[JsonObject]:
    missing: list[JsonObject] = []
    if reason is not None:
        missing.append(unknown(f"the slots at the exit of {visit.visit_id}", reason))
    if facts["audible_reason"] is not None:
        missing.append(unknown("how long the agent was audible", str(facts["audible_reason"])))
    if not state_of(view, visit.state_id):
        missing.append(unknown(f"state {visit.state_id} in the flow", "not_in_flow"))
    return missing


def inspect_exits(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `inspect_exits`: the declared exits of a visit's state, as of the cursor.

    Items: the rows of the projection's `exits` with `span` and `evaluation`, the described event
    of the verdict that the row shows, null where it shows none.
    """
    offset, limit = page_of(command)
    ordinal = visit_asked(view, cursor, command)
    visit = view.visits[ordinal]
    declared = exit_rows(view, cursor, ordinal)
    items = [_exit(view, cursor, ordinal, row) for row in declared[offset : offset + limit]]
    missing = [
        unknown(f"the verdict of {row['edge_id']}", str(row["label_reason"]))
        for row in items
        if row["label"] == Label.UNAVAILABLE.value
    ]
    if not view.edges_of(visit.state_id) and not state_of(view, visit.state_id):
        missing.append(unknown(f"the exits of {visit.state_id}", "not_in_flow"))
    evidence = [view.event_id(visit.entered_index)]
    for item in items:
        evaluation = item["evaluation"]
        if isinstance(evaluation, dict):
            evidence.append(str(evaluation["event_id"]))
    return listing(
        cursor,
        items=items,
        total=len(declared),
        offset=offset,
        evidence=evidence,
        extra={"visit": visit_row(view, visit), "unknowns": [*missing]},
    )


def _exit(view: ArtifactView, cursor: int, ordinal: int, row: JsonObject) -> JsonObject:
    edge_id = str(row["edge_id"])
    evaluations = view.guard_events(ordinal, edge_id)
    place = bisect_right(evaluations, cursor)
    evaluation = described(view, evaluations[place - 1]) if place else None
    return {**row, "span": edge_span(view, edge_id), "evaluation": evaluation}


def inspect_evidence(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `inspect_evidence`: the events of a whole visit, beat by beat or in call order.

    Items, in call order: the described event with `beat` and `reached` (at or before the cursor).
    `beat` in the command narrows to one. `beats`: `{beat, count, first_event_id, last_event_id}`.
    """
    offset, limit = page_of(command)
    ordinal = visit_asked(view, cursor, command)
    asked = text_of(command, "beat")
    groups = {beat: view.beat_events(ordinal, beat) for beat in Beat}
    chosen = _beat_asked(asked)
    tagged = sorted((index, beat) for beat in chosen for index in groups[beat])
    items = [
        {**described(view, index), "beat": beat.value, "reached": index <= cursor}
        for index, beat in tagged[offset : offset + limit]
    ]
    missing = [
        unknown(
            f"{beat.value.replace('_', ' ')} of {view.visits[ordinal].visit_id}", "none_recorded"
        )
        for beat in chosen
        if not len(groups[beat])
    ]
    return listing(
        cursor,
        items=items,
        total=len(tagged),
        offset=offset,
        evidence=[str(item["event_id"]) for item in items],
        extra={
            "visit": visit_row(view, view.visits[ordinal]),
            "beats": [_beat(view, beat, groups[beat]) for beat in Beat],
            "unknowns": [*missing],
        },
    )


def _beat_asked(name: str | None) -> Sequence[Beat]:
    if name is None:
        return tuple(Beat)
    for beat in Beat:
        if beat.value == name:
            return (beat,)
    raise InvalidCommand(f"`beat` is one of {', '.join(Beat)}.", {"beat": name})


def _beat(view: ArtifactView, beat: Beat, events: Sequence[int]) -> JsonObject:
    return {
        "beat": beat.value,
        "count": len(events),
        "first_event_id": view.event_id(events[0]) if events else None,
        "last_event_id": view.event_id(events[-1]) if events else None,
    }


def rank_visits(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `rank_visits`: the visits with their facts, in order of entry or longest first.

    Items: the rows of `list_visits` with `facts`. `order`: `entry` (the default) or `duration`;
    visits whose duration is not known come last. Cost: O(visits), and the facts of those shown.
    """
    offset, limit = page_of(command)
    order = choice_of(command, "order", VisitOrder, VisitOrder.ENTRY)
    ordinals = [*range(len(view.visits))]
    if order is VisitOrder.DURATION:
        ordinals.sort(key=lambda ordinal: -_rank(view, ordinal))
    shown = ordinals[offset : offset + limit]
    items: list[JsonObject] = [
        {**visit_row(view, view.visits[ordinal]), "facts": visit_facts(view, ordinal)}
        for ordinal in shown
    ]
    missing = [
        unknown(f"how long the agent was audible in {item['visit_id']}", str(reason))
        for item in items
        if (reason := mapping(item, "facts")["audible_reason"]) is not None
    ]
    if order is VisitOrder.DURATION:
        missing.append(unknown("whether anything said was a promise", "not_observed"))
    return listing(
        cursor,
        items=items,
        total=len(ordinals),
        offset=offset,
        evidence=[str(item["entered_event_id"]) for item in items],
        extra={"order": order.value, "unknowns": [*missing]},
    )


def _rank(view: ArtifactView, ordinal: int) -> int:
    known = duration_ms(view, ordinal)
    return -1 if known is None else known
