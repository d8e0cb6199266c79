"""Expressions for the tests of conditions: drawn over the small calls' words, and a naive context.

`naive_context` gives the library what an expression may name, as whole maps replayed by the oracle:
nothing of it comes from the cursor's own reading of leaves.
"""

from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from support.oracle import Oracle, Value
from support.small_calls import EDGES, PLAYBACKS, SLOTS, STATES, WRITERS, small_artifacts

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.core.cursor.leaves import EVENT_FIELDS, RECORDED_FIELDS

Texts: TypeAlias = SearchStrategy[str]

_LITERALS = ('"a"', '"b"', "3", "1.5", "true", "null", '"<str len=2>"', '["x"]', '{"k": 1}', "3.0")
_TYPES = ("slot_write", "transition_taken", "guard_evaluated", "audio_started", "weather", "none")


def _of(*words: str) -> Texts:
    return st.sampled_from(words)


def _equal(leaf: str, *words: str) -> Texts:
    """Draw an equality of a leaf with a text, in one of the forms that postings understand."""
    word = _of(*words)
    return st.one_of(
        word.map(lambda w: f'{leaf} == "{w}"'),
        word.map(lambda w: f"'{w}' == {leaf}"),
        st.lists(word, max_size=3).map(lambda ws: f"{leaf} in [{', '.join(repr(w) for w in ws)}]"),
    )


_LEAVES = _of(
    *(f"slots.{slot}" for slot in SLOTS),
    *(f'prev["{slot}"]' for slot in SLOTS),
    *(f"labels.{slot}" for slot in SLOTS),
    *("event.new", "event.old", "event.verdict", "event.ok", "event.slots_read", "event.clock_ms"),
    *("event.owner", "event.stream", "event.unowned", "event.event_index", "event.event_id"),
    *("visit.occurrence", "visit.status", "visit.closed_index", "visit.exit_reason"),
    *("turn.turn_id", "turn.began_index", "slots[event.slot]", "(event).seq"),
)
_COMPARED = st.builds(
    lambda leaf, operator, other: f"{leaf} {operator} {other}",
    _LEAVES,
    _of("==", "!=", "<", ">="),
    _of(*_LITERALS) | _LEAVES,
)
_NARROWED = st.one_of(
    _equal("event.type", *_TYPES),
    _equal("event.slot", *SLOTS, "none"),
    _equal("event.edge_id", *EDGES, "none"),
    _equal("event.writer", *WRITERS, "none"),
    _equal("event.playback_id", *PLAYBACKS),
    _equal('event["state_id"]', *STATES),
    _equal("visit.state_id", *STATES, "none"),
    _equal("visit.visit_id", "menu#1", "ask#1", "menu#2", "none"),
)
_OTHER = _of(
    'event.slots_read.exists(s, s == "route")',
    "size(event.slots_read) > 1",
    'event.type.startsWith("audio")',
    'event.type.matches("^s.*e$")',
    "event.verdict",
    "1 / 0 == 1",
    "slots == prev",
)


def _joined(inner: Texts) -> Texts:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda parts: " && ".join(f"({part})" for part in parts)),
        several.map(" && ".join),
        several.map(lambda parts: " || ".join(f"({part})" for part in parts)),
        inner.map(lambda part: f"!({part})"),
    )


def expressions() -> Texts:
    """Draw a condition in CEL that is right to set; it may fail at events."""
    return st.recursive(_NARROWED | _NARROWED | _COMPARED | _OTHER, _joined, max_leaves=5)


@st.composite
def calls(draw: st.DrawFn) -> JsonObject:
    """Draw a small call whose records may belong to turns, and which names every slot."""
    artifact = draw(small_artifacts())
    for event in rows(artifact, "events"):
        turn = draw(st.sampled_from([None, None, "t1", "t2", "t3", 7]))
        if turn is not None:
            mapping(event, "record")["turn_id"] = turn
    return with_all_slots(artifact)


def with_all_slots(artifact: JsonObject) -> JsonObject:
    """Return the artifact with every slot that expressions are drawn over."""
    listed = artifact["slots"]
    assert isinstance(listed, list)
    names = {row["slot"] for row in rows(artifact, "slots")}
    row: JsonObject = {"class": "personal", "declared": False, "seed_event_id": None}
    listed += [{"slot": slot, **row, "write_count": 0} for slot in SLOTS if slot not in names]
    return artifact


def naive_context(oracle: Oracle, cursor: int) -> JsonObject:
    """Return all that an expression may name at `cursor`, as one map a root."""
    slots = [str(slot["slot"]) for slot in oracle.slots]
    now, before = oracle.values(cursor), oracle.values(cursor - 1)
    return {
        "slots": {slot: now.get(slot, Value()).value for slot in slots},
        "labels": {slot: now.get(slot, Value()).label for slot in slots},
        "prev": {slot: before.get(slot, Value()).value for slot in slots},
        "event": _event(oracle, cursor),
        "visit": _visit(oracle, cursor),
        "turn": _turn(oracle, cursor),
    }


def _event(oracle: Oracle, cursor: int) -> JsonObject:
    record, event = oracle.records[cursor], oracle.events[cursor]
    fields: JsonObject = {name: record.get(name) for name in RECORDED_FIELDS}
    placed: JsonObject = {
        "event_index": cursor,
        "event_id": oracle.ids[cursor],
        "clock_ms": record.get("clock_ms"),
        "type": text(record, "type"),
        "stream": event["stream"],
        "owner": event["owner"],
        "unowned": event["unowned"],
        "record": record,
    }
    assert set(fields | placed) == set(EVENT_FIELDS)
    return fields | placed


def _visit(oracle: Oracle, cursor: int) -> JsonObject:
    visit = oracle.visit(cursor)
    names = ("visit_id", "state_id", "occurrence", "status", "entered_index", "closed_index")
    fields: dict[str, JsonValue] = dict.fromkeys((*names, "via_edge"))
    exits = {
        "exit_edge": "edge_id",
        "exit_to": "to",
        "exit_label": "label",
        "exit_reason": "reason",
    }
    if visit is None:
        return {**fields, **dict.fromkeys(exits)}
    ended = visit["exit"]
    assert isinstance(ended, dict)
    return {
        **{name: visit.get(name) for name in fields},
        "status": "open" if oracle.is_open(visit, cursor) else "left",
        **{name: ended[key] for name, key in exits.items()},
    }


def _turn(oracle: Oracle, cursor: int) -> JsonObject:
    latest, seen = None, set[str]()
    for index, record in enumerate(oracle.records[: cursor + 1]):
        turn_id = text(record, "turn_id")
        if turn_id is not None and turn_id not in seen:
            seen.add(turn_id)
            latest = index
    if latest is None:
        return {"turn_id": None, "began_index": None, "began_ms": None}
    record = oracle.records[latest]
    return {
        "turn_id": record["turn_id"],
        "began_index": latest,
        "began_ms": record.get("clock_ms"),
    }
