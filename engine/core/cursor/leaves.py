"""The values that expressions refer to: slots, labels, event, visit, turn, prev, at one event.

A leaf is one such value: `slots.time`, `event.type`, or all slots at once. A reader gives the
leaves of an expression at any event index, in any order, and knows how long the slow ones (slots,
visit, turn) stay as they are. A value that is not there is null. Source: design section 10.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.session_records import RECORD_TYPES
from engine.core.cursor.variables import SlotValue, slot_value

_COMMON_FIELDS = ("seq", "visit_id", "turn_id", "caused_by")
_PLACED_FIELDS = ("event_index", "event_id", "clock_ms", "type", "stream", "owner", "unowned")
RECORDED_FIELDS = frozenset(
    {
        *_COMMON_FIELDS,
        *(
            field.name
            for row in RECORD_TYPES.values()
            for field in msgspec.structs.fields(row.schema)
        ),
    }
) - {*_PLACED_FIELDS}
EVENT_FIELDS = (*_PLACED_FIELDS, *sorted(RECORDED_FIELDS), "record")
VISIT_FIELDS = (
    "visit_id",
    "state_id",
    "occurrence",
    "status",
    "entered_index",
    "closed_index",
    "via_edge",
    "exit_edge",
    "exit_to",
    "exit_label",
    "exit_reason",
)
TURN_FIELDS = ("turn_id", "began_index", "began_ms")
_COLUMN_FIELDS = frozenset({"event_index", "event_id", "clock_ms", "type"})
SLOT_ROOTS = ("slots", "prev", "labels")
ROOTS = ("slots", "labels", "event", "visit", "turn", "prev")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A value that an expression refers to; `name` None: all slots of `root` at once.

    `root` is one of `ROOTS`, or `record` for a member of the event's record by its own name.
    """

    root: str
    name: str | None


class Turns:
    """Where each turn begins, found by walking the records from the start.

    No posting has turns, so the walk is done in pieces: `extend` until it returns true.
    """

    def __init__(self, view: ArtifactView) -> None:
        """Start before the first event."""
        self._view = view
        self._known: set[str] = set()
        self.begun: list[int] = []
        self.ids: list[str] = []
        self.walked = 0

    def extend(self, count: int) -> bool:
        """Walk `count` more events; return whether all are done."""
        stop = min(self.walked + count, self._view.event_count)
        for index in range(self.walked, stop):
            turn_id = text(self._view.record(index), "turn_id")
            if turn_id is not None and turn_id not in self._known:
                self._known.add(turn_id)
                self.begun.append(index)
                self.ids.append(turn_id)
        self.walked = stop
        return stop == self._view.event_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """From event `low` up to `high` (exclusive) the slow leaves have these values."""

    low: int
    high: int
    values: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """From cursor `low` up to `high` (exclusive) a slot is this."""

    low: int
    high: int
    found: SlotValue


_Field: TypeAlias = Callable[[int, JsonObject], JsonValue]


class LeafReader:
    """Reads the leaves of one expression from one recording."""

    def __init__(self, view: ArtifactView, leaves: Sequence[Leaf]) -> None:
        """Take the leaves; their order is that of the values."""
        self._view = view
        self._slots = {str(slot["slot"]): slot for slot in view.slots}
        self._last_held: dict[str, _Held] = {}
        self.slow = tuple(leaf for leaf in leaves if leaf.root not in {"event", "record"})
        self.fast = tuple(leaf for leaf in leaves if leaf.root in {"event", "record"})
        self.at_event = _event_reader(view, self.fast)
        whole = sum(leaf.name is None for leaf in self.slow)
        self.segment_weight = 2 * (len(self.slow) + whole * len(self._slots))
        self.turns = Turns(view) if any(leaf.root == "turn" for leaf in leaves) else None

    def event_values(self, index: int) -> tuple[JsonValue, ...]:
        """Return the values of the `fast` leaves; null before the first event."""
        return (None,) * len(self.fast) if index < 0 else self.at_event(index)

    def segment(self, index: int) -> Segment:
        """Return the values of the `slow` leaves around event `index`.

        Cost: O(log n) a leaf. The walk of `turns` must have come beyond `index`.
        """
        low, high = -1, self._view.event_count
        values: list[JsonValue] = []
        for leaf in self.slow:
            match leaf.root:
                case "visit":
                    value, start, stop = self._visit(leaf, index)
                case "turn":
                    value, start, stop = self._turn(leaf, index)
                case _:
                    value, start, stop = self._slot(leaf, index)
            low, high = max(low, start), min(high, stop)
            values.append(value)
        return Segment(low=low, high=high, values=tuple(values))

    # -- slots -------------------------------------------------------------------------------------

    def _slot(self, leaf: Leaf, index: int) -> tuple[JsonValue, int, int]:
        """Return a slot's value, or that of all slots, and from where up to where it stays."""
        cursor = index - 1 if leaf.root == "prev" else index
        names = (leaf.name,) if leaf.name is not None else tuple(self._slots)
        low, high = -2, self._view.event_count
        shown: JsonObject = {}
        for name in names:
            held = self._held(name, cursor)
            low, high = max(low, held.low), min(high, held.high)
            is_label = leaf.root == "labels"
            shown[name] = held.found.label.value if is_label else held.found.value
        value = shown if leaf.name is None else shown[leaf.name]
        return value, low + index - cursor, high + index - cursor

    def _held(self, name: str, cursor: int) -> _Held:
        """Return a slot between two writes; the last one asked for is kept."""
        kept = self._last_held.get(name)
        if kept is not None and kept.low <= cursor < kept.high:
            return kept
        writes = self._view.postings("slot_write", name)
        place = bisect_right(writes, cursor)
        kept = self._last_held[name] = _Held(
            low=writes[place - 1] if place else -2,
            high=writes[place] if place < len(writes) else self._view.event_count,
            found=self.slot_at(name, cursor),
        )
        return kept

    def slot_at(self, name: str, cursor: int) -> SlotValue:
        """Return a slot's value at `cursor`."""
        return slot_value(self._view, self._slots[name], cursor)

    # -- visit and turn ----------------------------------------------------------------------------

    def _visit(self, leaf: Leaf, index: int) -> tuple[JsonValue, int, int]:
        view, ordinal = self._view, self._view.visit_at(index)
        entered = view.columns.entered
        place = bisect_right(entered, index)
        high = entered[place] if place < len(entered) else view.event_count
        if ordinal < 0:
            return None, -1, high
        visit = view.visits[ordinal]
        closed = visit.closed_index
        is_open = visit.is_open_at(index)
        if not is_open:
            assert closed is not None
            low = closed + 1
        else:
            low = self._resumed(place - 1, ordinal)
            high = high if closed is None else min(high, closed + 1)
        if leaf.name == "status":
            return "open" if is_open else "left", low, high
        shown: dict[str, JsonValue] = {
            "visit_id": visit.visit_id,
            "state_id": visit.state_id,
            "occurrence": visit.occurrence,
            "entered_index": visit.entered_index,
            "closed_index": closed,
            "via_edge": visit.via_edge,
            "exit_edge": visit.exit_edge,
            "exit_to": visit.exit_to,
            "exit_label": visit.exit_label,
            "exit_reason": visit.exit_reason,
        }
        return shown[leaf.name or ""], low, high

    def _resumed(self, latest: int, ordinal: int) -> int:
        """Return from where visit `ordinal` is the innermost, `latest` being the last entered."""
        visits = self._view.visits
        low = visits[latest].entered_index
        current: int | None = latest
        while current != ordinal:
            assert current is not None
            closed = visits[current].closed_index
            assert closed is not None
            low, current = closed + 1, visits[current].parent
        return low

    def _turn(self, leaf: Leaf, index: int) -> tuple[JsonValue, int, int]:
        turns = self.turns
        assert turns is not None
        assert index < turns.walked or index < 0
        place = bisect_right(turns.begun, index)
        high = turns.begun[place] if place < len(turns.begun) else turns.walked
        if not place:
            return None, -1, high
        began = turns.begun[place - 1]
        match leaf.name:
            case "turn_id":
                return turns.ids[place - 1], began, high
            case "began_index":
                return began, began, high
            case _:
                return self._view.clock_ms(began), began, high


def _event_reader(
    view: ArtifactView, leaves: Sequence[Leaf]
) -> Callable[[int], tuple[JsonValue, ...]]:
    """Return what reads these leaves of an event; the usual cases are quick, because all wait."""
    if not leaves:
        return lambda _: ()
    payload = view.payload
    names = [leaf.name or "" for leaf in leaves if _is_recorded(leaf)]
    if len(names) < len(leaves):
        fields = [_field(view, leaf) for leaf in leaves]
        if all(leaf.name in _COLUMN_FIELDS for leaf in leaves):
            return lambda index: tuple([field(index, {}) for field in fields])
        return lambda index: tuple([field(index, payload(index)) for field in fields])
    if len(names) == 1:
        [name] = names
        return lambda index: (_record(payload(index)).get(name),)
    return lambda index: tuple(map(_record(payload(index)).get, names))


def _is_recorded(leaf: Leaf) -> bool:
    return leaf.root == "record" or leaf.name in RECORDED_FIELDS


def _record(event: JsonObject) -> JsonObject:
    return event["record"]  # pyright: ignore[reportReturnType] - the view has checked it


def _field(view: ArtifactView, leaf: Leaf) -> _Field:
    """Return what reads one leaf of an event, given its index and its line."""
    name = leaf.name or ""
    if _is_recorded(leaf):
        return lambda _, event: _record(event).get(name)
    placed: dict[str, _Field] = {
        "event_index": lambda index, _: index,
        "event_id": lambda index, _: view.event_id(index),
        "clock_ms": lambda index, _: view.clock_ms(index),
        "type": lambda index, _: view.event_type(index),
    }
    return placed.get(name) or (lambda _, event: event.get(name))
