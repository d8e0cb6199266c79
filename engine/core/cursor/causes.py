"""The `caused_by` chain behind an event, as recorded: what led to what, and where that ends.

A chain follows the ids that the records name and nothing else; no order, no time, no turn joins two
events. It ends where an event names no cause, or one that is not in the recording, or one that is
in the chain already; the end is a row of its own, `unavailable` with its reason.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Label
from engine.core.cursor.facts import described, find_event, flow_place
from engine.core.cursor.reading import unknown
from engine.core.cursor.turns import turn_row

HOPS_MAX = 256
"""Longest chain that is followed."""
_NOT_KNOWN = {
    "input_selected": "what committed this turn",
    "dtmf_received": "why the caller pressed it",
    "transcript_segment": "why this was said",
    "slot_write": "what caused this write",
    "state_entered": "what caused this entry",
    "session_slots_seeded": "where the seeded values came from",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Event indices from an effect back to its earliest recorded cause, and why it ends there."""

    indices: tuple[int, ...]
    reason: str


def causes_of(view: ArtifactView, index: int) -> Chain:
    """Return the chain that begins with event `index` itself.

    Cost: O(hops), after one O(n) for the first look-up by id. Always ends: an event stands in a
    chain once.
    """
    indices, seen = [index], {index}
    while len(indices) < HOPS_MAX:
        cause = text(view.record(indices[-1]), "caused_by")
        if cause is None:
            return Chain(indices=tuple(indices), reason="cause_not_recorded")
        found = find_event(view, cause, before=indices[-1])
        if found is None:
            return Chain(indices=tuple(indices), reason="cause_not_in_recording")
        if found in seen:
            return Chain(indices=tuple(indices), reason="causes_repeat")
        indices.append(found)
        seen.add(found)
    return Chain(indices=tuple(indices), reason="chain_too_long")


def hops_of(view: ArtifactView, chain: Chain) -> list[JsonObject]:
    """Return the rows of a chain, the effect first, and the `unavailable` row that ends it.

    A row: the event's row with `what`, `flow` (its place in the flow, or null), `turn` (what the
    turn was composed of, where the hop commits one), `label`, `reason`.
    """
    rows = [_hop(view, index) for index in chain.indices]
    last = view.effective_type(chain.indices[-1])
    what = _NOT_KNOWN.get(last or "", "what caused this event")
    return [*rows, end_row(what, chain.reason)]


def end_row(what: str, reason: str) -> JsonObject:
    """Return the row that says where the recording does not go on."""
    return {
        **dict.fromkeys(("event_index", "event_id", "clock_ms", "type", "visit_id")),
        "what": what,
        "flow": None,
        "turn": None,
        "label": Label.UNAVAILABLE.value,
        "reason": reason,
    }


def _hop(view: ArtifactView, index: int) -> JsonObject:
    commits = view.effective_type(index) in {"input_selected", "dtmf_received"}
    return {
        **described(view, index),
        "flow": flow_place(view, index),
        "turn": turn_row(view, index) if commits else None,
        "label": Label.RECORDED.value,
        "reason": None,
    }


def turn_in(view: ArtifactView, chain: Chain) -> int | None:
    """Return the first event of a chain that commits a caller turn, or None."""
    for index in chain.indices:
        if view.effective_type(index) in {"input_selected", "dtmf_received"}:
            return index
    return None


def tool_call_in(view: ArtifactView, chain: Chain) -> int | None:
    """Return the first event of a chain that is a tool call, or None."""
    return next((i for i in chain.indices if view.effective_type(i) == "tool_called"), None)


def tool_call_row(view: ArtifactView, index: int) -> JsonObject:
    """Return `{event_index, event_id, clock_ms, tool, tool_call_id, args_safe, result}` of a call.

    `result` is `{event_index, event_id, clock_ms, ok, result_safe, error}` or null. The first
    result after the call with its id. Cost: O(tool results behind the call).
    """
    record = view.record(index)
    call_id = text(record, "tool_call_id")
    return {
        "event_index": index,
        "event_id": view.event_id(index),
        "clock_ms": view.clock_ms(index),
        "tool": text(record, "tool"),
        "tool_call_id": call_id,
        "args_safe": record.get("args_safe"),
        "result": _result_row(view, index, call_id),
    }


def _result_row(view: ArtifactView, called: int, call_id: str | None) -> JsonObject | None:
    for index in after(view.postings("type", "tool_result"), called):
        record = view.record(index)
        if text(record, "tool_call_id") == call_id and view.effective_type(index) is not None:
            return {
                "event_index": index,
                "event_id": view.event_id(index),
                "clock_ms": view.clock_ms(index),
                "ok": record.get("ok"),
                "result_safe": record.get("result_safe"),
                "error": record.get("error"),
            }
    return None


def after(positions: Sequence[int], index: int) -> Sequence[int]:
    """Return the members of a posting beyond `index`."""
    return positions[bisect_right(positions, index) :]


def chain_unknowns(view: ArtifactView, chain: Chain) -> list[JsonObject]:
    """Return what the recording does not hold about a chain."""
    last = view.effective_type(chain.indices[-1])
    missing = [unknown(_NOT_KNOWN.get(last or "", "what caused the first event"), chain.reason)]
    if tool_call_in(view, chain) is not None:
        missing.append(unknown("why the model chose this tool and these arguments", "not_observed"))
    return missing
