"""Actions that list what is recorded: visits, slots at a cursor, writes of a slot, audio.

Source: design section 10, contract.
"""

from engine.core.artifact import ArtifactView, Visit
from engine.core.contract.json_types import JsonObject, text
from engine.core.cursor.audio import audio_range
from engine.core.cursor.reading import listing, page_of, slot_name_of
from engine.core.cursor.response import Answer
from engine.core.cursor.variables import slot_history as slot_writes
from engine.core.cursor.variables import slot_rows, slot_write_count


def list_visits(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `list_visits`: the visits in order of entry."""
    offset, limit = page_of(command)
    visits = view.visits[offset : offset + limit]
    return listing(
        cursor,
        items=[visit_row(view, visit) for visit in visits],
        total=len(view.visits),
        offset=offset,
        evidence=[view.event_id(visit.entered_index) for visit in visits],
    )


def visit_row(view: ArtifactView, visit: Visit) -> JsonObject:
    """Return the row of one visit: when it was entered and left, and by which edges."""
    closed = visit.closed_index
    return {
        "visit_id": visit.visit_id,
        "state_id": visit.state_id,
        "occurrence": visit.occurrence,
        "parent_visit_id": view.visits[visit.parent].visit_id if visit.parent is not None else None,
        "via_edge": visit.via_edge,
        "entered_index": visit.entered_index,
        "entered_event_id": view.event_id(visit.entered_index),
        "entered_ms": view.clock_ms(visit.entered_index),
        "closed_index": closed,
        "closed_event_id": view.event_id(closed) if closed is not None else None,
        "closed_ms": view.clock_ms(closed) if closed is not None else None,
        "exit": {
            "edge_id": visit.exit_edge,
            "to": visit.exit_to,
            "label": visit.exit_label,
            "reason": visit.exit_reason,
        },
    }


def inspect_variables(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `inspect_variables`: all slots as of the cursor."""
    offset, limit = page_of(command)
    found = slot_rows(view, cursor=cursor, visit=view.visit_at(cursor), offset=offset, limit=limit)
    writes = [event_id for row in found if (event_id := text(row, "write_event_id"))]
    return listing(cursor, items=found, total=len(view.slots), offset=offset, evidence=writes)


def slot_history(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `slot_history`: all writes of a slot in call order."""
    offset, limit = page_of(command)
    name = slot_name_of(view, command)
    found = slot_writes(view, name, offset=offset, limit=limit)
    return listing(
        cursor,
        items=found,
        total=slot_write_count(view, name),
        offset=offset,
        evidence=[str(row["event_id"]) for row in found],
    )


def fetch_audio_range(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `fetch_audio_range`: where in which file a span of the call is."""
    offset, limit = page_of(command)
    found = audio_range(view, cursor, command)
    items, total = [*found.items[offset : offset + limit]], len(found.items)
    return listing(cursor, items=items, total=total, offset=offset, evidence=[*found.evidence])
