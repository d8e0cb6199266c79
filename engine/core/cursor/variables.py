"""Slots at a cursor: value, label, writer; what they were at entry and at the recorded exit.

A value at a cursor is the last write at or before it (seeding is a write). Never written: it is
`unavailable: not_recorded`. Source: design section 8, contract "Slots", "Projection".
"""

from bisect import bisect_right
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.labels import Label, SlotClass

NOT_RECORDED = "not_recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotValue:
    """A slot's value at some cursor, and the write that made it."""

    value: JsonValue
    label: Label
    reason: str | None
    writer: str | None
    write_index: int | None


_NEVER_WRITTEN = SlotValue(
    value=None, label=Label.UNAVAILABLE, reason=NOT_RECORDED, writer=None, write_index=None
)


def slot_value(view: ArtifactView, slot: JsonObject, cursor: int) -> SlotValue:
    """Return the value of a row of the artifact's `slots` at `cursor`. Cost: O(log writes)."""
    name = text(slot, "slot") or ""
    writes = view.postings("slot_write", name)
    place = bisect_right(writes, cursor)
    if not place:
        return _NEVER_WRITTEN
    return _written(view, slot, writes[place - 1])


def _written(view: ArtifactView, slot: JsonObject, index: int) -> SlotValue:
    """Return what the write at event `index` made of the slot."""
    name = text(slot, "slot") or ""
    seeded = view.effective_type(index) == "session_slots_seeded"
    row = view.seed_row(index, name) if seeded else view.record(index)
    value = row.get("safe_value" if seeded else "new")
    label, reason = _label(row, value, personal=slot.get("class") == SlotClass.PERSONAL.value)
    return SlotValue(
        value=None if label is Label.UNAVAILABLE else value,
        label=label,
        reason=reason,
        writer=text(row, "writer"),
        write_index=index,
    )


def _label(row: JsonObject, value: JsonValue, *, personal: bool) -> tuple[Label, str | None]:
    availability = row.get("availability")
    if availability == Label.UNAVAILABLE.value:
        return Label.UNAVAILABLE, text(row, "reason") or NOT_RECORDED
    if value is not None and (personal or availability == Label.REDACTED.value):
        return Label.REDACTED, None
    return Label.RECORDED, None


def slot_rows(
    view: ArtifactView, *, cursor: int, visit: int, offset: int = 0, limit: int | None = None
) -> list[JsonObject]:
    """Return rows of the projection's `variables` as of `cursor`, in declaration order.

    Entry and recorded exit are those of visit ordinal `visit` (-1: none, they are unavailable).
    Cost: O(rows log writes).
    """
    end = None if limit is None else offset + limit
    return [_row(view, slot, cursor, visit) for slot in view.slots[offset:end]]


def _row(view: ArtifactView, slot: JsonObject, cursor: int, visit: int) -> JsonObject:
    current = slot_value(view, slot, cursor)
    entry, recorded_exit = _NEVER_WRITTEN, _NEVER_WRITTEN
    if visit >= 0:
        framed = view.visits[visit]
        entry = slot_value(view, slot, framed.entered_index)
        if framed.closed_index is not None and not framed.superseded:
            recorded_exit = slot_value(view, slot, framed.closed_index)
    written = current.write_index
    return {
        "slot": slot["slot"],
        "class": slot["class"],
        "entry": entry.value,
        "entry_label": entry.label.value,
        "current": current.value,
        "label": current.label.value,
        "reason": current.reason,
        "recorded_exit": recorded_exit.value,
        "exit_label": recorded_exit.label.value,
        "writer": current.writer,
        "write_event_id": view.event_id(written) if written is not None else None,
        "changed": written is not None and written == cursor,
    }


def slot_of(view: ArtifactView, name: str) -> JsonObject | None:
    """Return the row of the artifact's `slots` with this name, or None."""
    return next((slot for slot in view.slots if slot["slot"] == name), None)


def slot_write_count(view: ArtifactView, name: str) -> int:
    """Return how often the slot is written in the whole recording, seedings included."""
    return len(view.postings("slot_write", name))


def slot_history(view: ArtifactView, name: str, *, offset: int, limit: int) -> list[JsonObject]:
    """Return the slot's writes in call order, `limit` rows from `offset`.

    A row: `{event_index, event_id, clock_ms, visit_id, turn_id, kind, writer, tool_call_id, old,
    new, label, reason}`; `old` is what the write itself recorded, null for a seeding. Empty for an
    unknown slot. Cost: O(limit).
    """
    slot = slot_of(view, name)
    if slot is None:
        return []
    indices = view.postings("slot_write", name)[offset : offset + limit]
    return [_history_row(view, slot, index) for index in indices]


def _history_row(view: ArtifactView, slot: JsonObject, index: int) -> JsonObject:
    event, record = view.payload(index), view.record(index)
    made = _written(view, slot, index)
    seeded = view.effective_type(index) == "session_slots_seeded"
    return {
        "event_index": index,
        "event_id": view.event_id(index),
        "clock_ms": view.clock_ms(index),
        "visit_id": event["owner"],
        "turn_id": text(record, "turn_id"),
        "kind": "seed" if seeded else text(record, "kind"),
        "writer": made.writer,
        "tool_call_id": text(record, "tool_call_id"),
        "old": None if seeded else record.get("old"),
        "new": made.value,
        "label": made.label.value,
        "reason": made.reason,
    }
