"""`SLOT_OVERWRITTEN_UNSUPPORTED`: a slot got a new value that the words of its turn do not hold.

Looked at are `slot_write` records of routing and plain slots that carry a `turn_id`, with an old
and a new value that are not null and differ. Not looked at, for such values are no words of a
caller: slots declared with `values` or as `enum` or `boolean`, and writes of an edge (`edge_set`,
`edge_clear`). The turn's words are the segments that its `input_selected` names, the caller's
segments with its `turn_id`, and its `dtmf_received` digits. Where one of these is missing or a safe
form, or there is none, nothing can be told. What "hold" means stands at `words.holds`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import caller_segments, of_type, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.words import holds, is_hidden
from engine.core.artifact.slots import safe_form
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text, texts

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView

_VISIBLE = ("routing", "plain")
_CODED_TYPES = ("enum", "boolean")
_EDGE_KINDS = ("edge_set", "edge_clear")
_QUOTED_MAX = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Overwrite:
    """A write that replaced a set value while a turn was processed."""

    index: int
    slot: str
    turn: str
    old: JsonValue
    new: JsonValue


@dataclass(slots=True, kw_only=True)
class _Words:
    """What a turn said: its texts and the events they stand in; `missing`: not all of them."""

    texts: list[str] = field(default_factory=list[str])
    events: set[int] = field(default_factory=set[int])
    named: set[str] = field(default_factory=set[str])
    missing: bool = False

    def add(self, index: int, said: str | None) -> None:
        """Take the text of an event of the turn."""
        self.events.add(index)
        if said is None or is_hidden(said):
            self.missing = True
        else:
            self.texts.append(said)


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each such write, by slot, then in call order."""
    overwrites = [item for slot in _spoken_slots(view) for item in _overwrites(view, slot)]
    turns = _words_of_turns(view, frozenset(item.turn for item in overwrites))
    for item in overwrites:
        words = turns[item.turn]
        if words.missing or not words.texts or holds(words.texts, item.new) is not False:
            continue
        old, new = _shown(item.old), _shown(item.new)
        yield Finding(
            at=item.index,
            visits=visits_of(view, item.index),
            events=(item.index, *sorted(words.events)),
            text=f"Slot {item.slot} went from {_quoted(old)} to {_quoted(new)} in turn "
            f"{item.turn}, whose words hold the new value neither as text nor in digits or English "
            "number words.",
            detail={"slot": item.slot, "turn_id": item.turn, "old": old, "new": new},
        )


def _spoken_slots(view: "ArtifactView") -> Iterator[str]:
    """Yield the visible slots whose values are not codes of the flow."""
    declared = mapping(view.flow, "slots")
    for row in view.slots:
        slot = text(row, "slot") or ""
        declaration = mapping(declared, slot)
        coded = text(declaration, "type") in _CODED_TYPES or declaration.get("values") is not None
        if row["class"] in _VISIBLE and not coded:
            yield slot


def _overwrites(view: "ArtifactView", slot: str) -> Iterator[_Overwrite]:
    for index in view.postings("slot_write", slot):
        if view.effective_type(index) != "slot_write":
            continue
        record = view.record(index)
        turn, old, new = text(record, "turn_id"), record.get("old"), record.get("new")
        if turn is None or old is None or new is None or old == new:
            continue
        if text(record, "kind") in _EDGE_KINDS:
            continue
        yield _Overwrite(index=index, slot=slot, turn=turn, old=old, new=new)


def _shown(value: JsonValue) -> JsonValue:
    """Return a value as a finding holds it: a safe form for what may have fractions in it."""
    return value if isinstance(value, str | int) else safe_form(value)


def _quoted(value: JsonValue) -> str:
    """Return a value as a sentence shows it."""
    quoted = canonical_bytes(value).decode()
    return quoted if len(quoted) <= _QUOTED_MAX else quoted[:_QUOTED_MAX] + "..."


def _words_of_turns(view: "ArtifactView", wanted: frozenset[str]) -> dict[str, _Words]:
    """Return what is recorded of the words of each wanted turn. Cost: O(caller's records)."""
    turns = {turn: _Words() for turn in sorted(wanted)}
    if not wanted:
        return turns
    named: dict[str, list[_Words]] = {}
    for index in of_type(view, "input_selected"):
        record = view.record(index)
        words = turns.get(text(record, "turn_id") or "")
        if words is not None:
            words.events.add(index)
            words.named |= set(texts(record, "segment_event_ids"))
    for words in turns.values():
        for name in sorted(words.named):
            named.setdefault(name, []).append(words)
    for index in of_type(view, "dtmf_received"):
        _add(turns, view.record(index), index, "digit")
    for index, record in caller_segments(view):
        event_id = view.event_id(index)
        for words in named.get(event_id, ()):
            words.named.discard(event_id)
            words.add(index, text(record, "text"))
        _add(turns, record, index, "text")
    for words in turns.values():
        words.missing = words.missing or bool(words.named)
    return turns


def _add(turns: dict[str, _Words], record: JsonObject, index: int, key: str) -> None:
    """Give a caller's record to the turn that it names, once."""
    words = turns.get(text(record, "turn_id") or "")
    if words is not None and index not in words.events:
        words.add(index, text(record, key))
