"""`why` and `last`: what led to a slot's value, an event, the end of a visit, a silence.

Each answers with the recorded chain of causes (`causes.py`), the effect first, as a list. Where
words and value are compared the comparison is literal: the value's text stands in the turn's text
as whole words, letter for letter but for case. "six" does not literally hold "18:00"; the answer
says that the value is not in the words, and leaves it to the reader what they mean.
"""

import re
from bisect import bisect_right

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import EventUnavailable, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.labels import Label
from engine.core.cursor.causes import (
    Chain,
    causes_of,
    chain_unknowns,
    end_row,
    hops_of,
    tool_call_in,
    tool_call_row,
    turn_in,
)
from engine.core.cursor.facts import described, edge_span, event_row
from engine.core.cursor.project import exit_rows
from engine.core.cursor.reading import (
    finding_named,
    listed,
    slot_name_of,
    text_of,
    unknown,
    visit_named,
)
from engine.core.cursor.response import Answer
from engine.core.cursor.silence import why_silence
from engine.core.cursor.turns import turn_row
from engine.core.cursor.variables import slot_history, slot_of, slot_value

WHY_KEYS = frozenset({"slot", "event_id", "finding", "exit", "silence_ms"})


def why(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `why`: exactly one of `slot`, `event_id`, `finding`, `exit`, `silence_ms`."""
    asked = [key for key in command if key in WHY_KEYS]
    if len(asked) != 1:
        raise InvalidCommand(
            f"`why` takes exactly one of {', '.join(sorted(WHY_KEYS))}.", {"given": [*asked]}
        )
    match asked[0]:
        case "slot":
            items, extra = _why_slot(view, slot_name_of(view, command), cursor)
        case "exit":
            items, extra = _why_exit(view, visit_named(view, text_of(command, "exit") or ""))
        case "silence_ms":
            items, extra = why_silence(view, command["silence_ms"])
        case _:
            items, extra = _why_event(view, _event_asked(view, command))
    return listed(cursor, command, items, extra=extra)


def _event_asked(view: ArtifactView, command: JsonObject) -> int:
    name = text_of(command, "finding")
    if name is not None:
        finding = finding_named(view, name)
        events = finding.get("events")
        event_id = events[0] if isinstance(events, list) and events else None
        at = finding["at"]
        assert type(at) is int
        return at if not isinstance(event_id, str) else _index_of(view, event_id)
    return _index_of(view, text_of(command, "event_id") or "")


def _index_of(view: ArtifactView, event_id: str) -> int:
    index = view.index_of(event_id)
    if index is None:
        raise EventUnavailable(f"No event has the id {event_id!r}.", {"event_id": event_id})
    return index


def _why_event(view: ArtifactView, index: int) -> tuple[list[JsonObject], JsonObject]:
    chain = causes_of(view, index)
    extra: JsonObject = {
        "target": {"kind": "event", **event_row(view, index)},
        **_behind(view, chain),
        "findings": [*view.findings_at(index)],
        "unknowns": [*chain_unknowns(view, chain)],
    }
    return hops_of(view, chain), extra


def _behind(view: ArtifactView, chain: Chain) -> JsonObject:
    """Return the tool call and the caller turn of a chain, null where it has none."""
    called, turn = tool_call_in(view, chain), turn_in(view, chain)
    return {
        "tool_call": tool_call_row(view, called) if called is not None else None,
        "turn": turn_row(view, turn) if turn is not None else None,
    }


# -- a slot ----------------------------------------------------------------------------------------


def _why_slot(view: ArtifactView, name: str, cursor: int) -> tuple[list[JsonObject], JsonObject]:
    write = last_write(view, name, cursor)
    target: JsonObject = {"kind": "slot", "slot": name, "write": write}
    empty: JsonObject = {"tool_call": None, "turn": None, "value_in_words": None, "previous": None}
    if write is None:
        return [end_row(f"who wrote slot {name}", "never_written")], {
            "target": target,
            **empty,
            "findings": [],
            "unknowns": [unknown(f"a write of slot {name} up to here", "not_recorded")],
        }
    index = write["event_index"]
    assert type(index) is int
    chain = causes_of(view, index)
    behind = _behind(view, chain)
    extra: JsonObject = {
        "target": target,
        **behind,
        "value_in_words": _value_in_words(write, behind["turn"]),
        "previous": _previous(view, name, index),
        "findings": [*view.findings_at(index)],
        "unknowns": [*chain_unknowns(view, chain)],
    }
    return hops_of(view, chain), extra


def _previous(view: ArtifactView, name: str, index: int) -> JsonObject | None:
    """Return the write before event `index`, with the tool call and the turn behind it."""
    write = last_write(view, name, index - 1)
    if write is None:
        return None
    before = write["event_index"]
    assert type(before) is int
    behind = _behind(view, causes_of(view, before))
    words = _value_in_words(write, behind["turn"])
    return {"write": write, **behind, "value_in_words": words}


def _value_in_words(write: JsonObject, turn: JsonValue) -> JsonObject:
    """Return whether a written value stands in a turn's text, letter for letter but for case."""
    answer: JsonObject = {"value": write["new"], "found": None, "compared": "literal"}
    reason = _not_comparable(write, turn)
    if reason is None:
        assert isinstance(turn, dict)
        value = write["new"]
        said = value if isinstance(value, str) else canonical_bytes(value).decode()
        whole = rf"(?<!\w){re.escape(said)}(?!\w)"
        found = re.search(whole, text(turn, "text") or "", re.IGNORECASE) is not None
        answer["found"] = found
    label = Label.RECORDED if reason is None else Label.UNAVAILABLE
    return {**answer, "label": label.value, "reason": reason}


def _not_comparable(write: JsonObject, turn: JsonValue) -> str | None:
    if write["label"] != Label.RECORDED.value:
        return "value_not_visible"
    if not isinstance(turn, dict):
        return "no_turn_in_the_causes"
    if turn["text"] is None:
        return "words_not_recorded"
    value = write["new"]
    if value in (None, "") or isinstance(value, (list, dict)):
        return "no_words_for_such_a_value"
    return None


def last_write(view: ArtifactView, name: str, cursor: int) -> JsonObject | None:
    """Return the row of `slot_history` that made the slot's value at `cursor`, or None.

    Cost: O(log writes).
    """
    place = bisect_right(view.postings("slot_write", name), cursor)
    return slot_history(view, name, offset=place - 1, limit=1)[0] if place else None


def last(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `last`: who gave the slot the value that it has at the cursor.

    `{slot, value, label, reason, write, tool_call, turn, writes_before, writes_after, unknowns}`;
    `write` is a row of `slot_history`, null where the slot was not written up to the cursor.
    """
    name = slot_name_of(view, command)
    slot = slot_of(view, name)
    assert slot is not None
    held = slot_value(view, slot, cursor)
    write = last_write(view, name, cursor)
    writes = view.postings("slot_write", name)
    before = bisect_right(writes, cursor)
    behind: JsonObject = {"tool_call": None, "turn": None}
    missing = [unknown(f"a write of slot {name} up to here", "not_recorded")]
    if write is not None:
        behind = _behind(view, causes_of(view, writes[before - 1]))
        missing = [] if write["writer"] is not None else [unknown("the writer", "not_recorded")]
        if behind["turn"] is None:
            missing.append(unknown("the turn behind this write", "cause_not_recorded"))
    result: JsonObject = {
        "slot": name,
        "value": held.value,
        "label": held.label.value,
        "reason": held.reason,
        "write": write,
        **behind,
        "writes_before": max(0, before - 1),
        "writes_after": len(writes) - before,
        "unknowns": [*missing],
    }
    evidence = () if write is None else (str(write["event_id"]),)
    return Answer(cursor=cursor, result=result, evidence=evidence)


# -- the end of a visit ----------------------------------------------------------------------------


def _why_exit(view: ArtifactView, ordinal: int) -> tuple[list[JsonObject], JsonObject]:
    visit = view.visits[ordinal]
    left: JsonObject = {
        "edge_id": visit.exit_edge,
        "to": visit.exit_to,
        "when": None,
        "span": None,
        "label": visit.exit_label,
        "reason": visit.exit_reason,
    }
    target: JsonObject = {"kind": "exit", "visit_id": visit.visit_id, "exit": left}
    closed = visit.closed_index
    if closed is None or visit.superseded:
        reason = visit.exit_reason or "not_recorded"
        return [end_row(f"why {visit.visit_id} was left", reason)], {
            "target": target,
            "evaluation": None,
            "tool_call": None,
            "turn": None,
            "findings": [],
            "unknowns": [unknown(f"the exit of {visit.visit_id}", reason)],
        }
    chain = causes_of(view, closed)
    evaluation = None
    if visit.exit_edge is not None:
        left["span"] = edge_span(view, visit.exit_edge)
        for row in exit_rows(view, closed, ordinal):
            if row["edge_id"] == visit.exit_edge:
                left["when"] = row["when"]
                evaluation = _evaluation(view, ordinal, visit.exit_edge)
    missing = chain_unknowns(view, chain)
    if evaluation is None:
        missing.append(unknown("the verdict of the edge taken", "not_evaluated"))
    return hops_of(view, chain), {
        "target": target,
        "evaluation": evaluation,
        **_behind(view, chain),
        "findings": [*view.findings_at(closed)],
        "unknowns": [*missing],
    }


def _evaluation(view: ArtifactView, ordinal: int, edge_id: str) -> JsonObject | None:
    """Return the last evaluation of an edge's guard in a visit, or None."""
    evaluations = view.guard_events(ordinal, edge_id)
    return evaluation_row(view, evaluations[-1]) if evaluations else None


def evaluation_row(view: ArtifactView, index: int) -> JsonObject:
    """Return the event's row with `what`, `verdict`, `error`, `slots_read` of an evaluation."""
    record = view.record(index)
    return {
        **described(view, index),
        "verdict": record.get("verdict"),
        "error": record.get("error"),
        "slots_read": record.get("slots_read") or [],
    }
