"""Framing: which visits the call had, and which visit owns each event.

Rules (design section 7, contract "Order and ownership"):

* A visit opens at its `state_entered`. Open visits form a stack: an entry whose parent is open
  closes what is nested deeper in that parent, any other entry closes everything, at the record
  before it (`superseded`).
* A visit closes at its last own closing record (`state_exited`, `transition_taken`) that stands
  before the next `state_entered` not naming it as parent. The closing record still shows it open;
  what is nested in it then closes one record earlier.
* An event belongs to the visit it names, if that is open there. Without a name it belongs to the
  innermost open visit in a session-wide sequence; a trace record of the contract does so in both
  kinds, by its state first. Never by turn, never by time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Unowned
from engine.core.contract.session_records import TRACE_TYPES

FRAMING_TYPES = frozenset({"state_entered", "state_exited", "transition_taken"})


@dataclass(slots=True, kw_only=True)
class FramedVisit:
    """One visit while and after it is framed; ordinals count entries from 0."""

    visit_id: str
    state_id: str
    occurrence: int
    parent: int | None
    via_edge: str | None
    entered_index: int
    recorded_id: str | None
    closed_index: int | None = None
    superseded: bool = False
    candidates: list[int] = field(default_factory=list[int])
    """While framing: its own closing records so far, in order."""
    exited: bool = False
    """While framing: whether one of them is a `state_exited`."""

    def is_open_at(self, index: int) -> bool:
        """Return whether the visit is open at cursor `index`."""
        return self.entered_index <= index and (
            self.closed_index is None or index <= self.closed_index
        )


def edge_state(edge_id: str) -> str:
    """Return the state of an edge id `<state_id>:<declaration index>`."""
    return edge_id.rpartition(":")[0]


def find_visits(records: Sequence[JsonObject], kinds: Sequence[str | None]) -> list[FramedVisit]:
    """Return the visits of ordered records, in order of entry; only trace records are read."""
    return _Framer(records, kinds).run()


class _Names:
    """Visit ids as records use them: recorded ids first, computed ones where none was recorded."""

    def __init__(self) -> None:
        self._recorded: dict[str, list[int]] = {}
        self._computed: dict[str, int] = {}

    def add(self, ordinal: int, visit: FramedVisit) -> None:
        if visit.recorded_id is not None:
            self._recorded.setdefault(visit.recorded_id, []).append(ordinal)
        self._computed[visit.visit_id] = ordinal

    def remove_last(self, visit: FramedVisit) -> None:
        """Undo the latest `add`."""
        if visit.recorded_id is not None:
            self._recorded[visit.recorded_id].pop()
        del self._computed[visit.visit_id]

    def entered(self, name: str) -> list[int]:
        """Return the visits entered so far that `name` may mean, in order of entry."""
        recorded = self._recorded.get(name)
        if recorded:
            return recorded
        return [self._computed[name]] if name in self._computed else []


def _state_of(record: JsonObject) -> str | None:
    """Return the state that a trace record speaks of: its own, or its edge's."""
    state = text(record, "state_id")
    if state is not None:
        return state
    edge = text(record, "edge_id")
    return edge_state(edge) if edge is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    """The framer just before a child enters a visit that may be closed already."""

    position: int
    candidate: int
    visit_count: int
    stack: list[tuple[int, list[int], bool]]


class _Framer:
    """Opens and closes visits in one walk over the trace records.

    A visit with a closing record stays on the stack as a *candidate*: a later closing record of its
    own, before the next entry that does not name it as parent, may still move its close. Whether a
    child that enters meanwhile is nested is therefore known only later: if no such record came, the
    walk goes back to the child's entry once, with the parent closed.
    """

    def __init__(self, records: Sequence[JsonObject], kinds: Sequence[str | None]) -> None:
        self._records = records
        self._kinds = kinds
        self._trace = [i for i, kind in enumerate(kinds) if kind in FRAMING_TYPES]
        self._visits: list[FramedVisit] = []
        self._stack: list[int] = []
        self._names = _Names()
        self._counts: dict[str, int] = {}
        self._snapshots: dict[int, _Snapshot] = {}

    def run(self) -> list[FramedVisit]:
        position = 0
        while True:
            while position < len(self._trace):
                index = self._trace[position]
                if self._kinds[index] == "state_entered":
                    position = self._enter(position, index)
                else:
                    self._close(index)
                    position += 1
            back = self._finalise(keep=None)
            if back is None:
                return self._visits
            position = back

    def _enter(self, position: int, index: int) -> int:
        """Open a visit; return the position to go on at, which may lie behind."""
        record = self._records[index]
        name = text(record, "parent_visit_id")
        parent = self._open_named(name)
        if parent is not None:
            self._take_snapshot(position, parent)
        back = self._finalise(keep=parent)
        if back is None and parent is not None and parent not in self._stack:
            parent = None
            back = self._finalise(keep=None)
        if back is not None:
            return back
        self._supersede_above(parent, index - 1)
        state_id = text(record, "state_id")
        assert state_id is not None
        occurrence = self._counts[state_id] = self._counts.get(state_id, 0) + 1
        visit = FramedVisit(
            visit_id=f"{state_id}#{occurrence}",
            state_id=state_id,
            occurrence=occurrence,
            parent=parent,
            via_edge=text(record, "via_edge"),
            entered_index=index,
            recorded_id=text(record, "visit_id"),
        )
        self._names.add(len(self._visits), visit)
        self._stack.append(len(self._visits))
        self._visits.append(visit)
        return position + 1

    def _close(self, index: int) -> None:
        """Note a closing record of the visit it belongs to."""
        record = self._records[index]
        name = text(record, "visit_id")
        if name is not None:
            ordinal = self._open_named(name)
        else:
            ordinal = _innermost(self._visits, self._stack, _state_of(record))
        if ordinal is not None:
            visit = self._visits[ordinal]
            visit.candidates.append(index)
            visit.exited = visit.exited or self._kinds[index] == "state_exited"

    def _take_snapshot(self, position: int, parent: int) -> None:
        candidates = self._visits[parent].candidates
        taken = self._snapshots.get(parent)
        if not candidates or (taken is not None and taken.candidate == candidates[-1]):
            return
        self._snapshots[parent] = _Snapshot(
            position=position,
            candidate=candidates[-1],
            visit_count=len(self._visits),
            stack=[(o, [*self._visits[o].candidates], self._visits[o].exited) for o in self._stack],
        )

    def _finalise(self, *, keep: int | None) -> int | None:
        """Close every candidate but `keep` for good.

        Returns a position to go back to if one of them turns out to have closed before a child
        entered it, else None.
        """
        for ordinal in list(self._stack):
            candidates = self._visits[ordinal].candidates
            if ordinal == keep or not candidates or ordinal not in self._stack:
                continue
            back = self._closed_before_a_child(ordinal, candidates[-1])
            if back is not None:
                return back
            self._close_at(ordinal, candidates[-1])
        return None

    def _closed_before_a_child(self, ordinal: int, index: int) -> int | None:
        """Return where to go back to if a visit that closes with `ordinal` had closed before.

        That is: a child entered it after its last closing record, and no other came until `index`.
        """
        for inner in self._stack[self._stack.index(ordinal) :]:
            snapshot = self._snapshots.get(inner)
            if snapshot is None:
                continue
            own = [at for at in self._visits[inner].candidates if at <= index]
            if (
                own
                and own[-1] == snapshot.candidate
                and (inner == ordinal or self._trace[snapshot.position] < index)
            ):
                self._restore(snapshot)
                self._close_at(inner, snapshot.candidate)
                return snapshot.position
        return None

    def _restore(self, snapshot: _Snapshot) -> None:
        while len(self._visits) > snapshot.visit_count:
            visit = self._visits.pop()
            self._names.remove_last(visit)
            self._counts[visit.state_id] -= 1
        self._snapshots = {
            ordinal: taken
            for ordinal, taken in self._snapshots.items()
            if taken.position < snapshot.position
        }
        self._stack = [ordinal for ordinal, _, _ in snapshot.stack]
        for ordinal, candidates, exited in snapshot.stack:
            visit = self._visits[ordinal]
            visit.candidates, visit.exited = [*candidates], exited
            visit.closed_index, visit.superseded = None, False

    def _close_at(self, ordinal: int, index: int) -> None:
        """Close a visit at its closing record, and what is nested in it, from the outside in.

        A nested visit closes at its last own closing record before its parent's close, or is
        superseded one record before that.
        """
        place = self._stack.index(ordinal)
        nested, self._stack = self._stack[place + 1 :], self._stack[:place]
        self._visits[ordinal].closed_index = index
        for inner in nested:
            visit = self._visits[inner]
            own = [at for at in visit.candidates if at < index]
            visit.superseded = not own
            visit.closed_index = own[-1] if own else index - 1
            index = own[-1] if own else index

    def _supersede_above(self, ordinal: int | None, at: int) -> None:
        """Close every visit nested deeper than `ordinal` (None: all) as superseded at `at`."""
        while self._stack and self._stack[-1] != ordinal:
            self._supersede_top(at)

    def _supersede_top(self, at: int) -> None:
        visit = self._visits[self._stack.pop()]
        visit.closed_index = at
        visit.superseded = True

    def _open_named(self, name: str | None) -> int | None:
        if name is None:
            return None
        return next((o for o in reversed(self._names.entered(name)) if o in self._stack), None)


def _innermost(
    visits: Sequence[FramedVisit], open_ordinals: Sequence[int], state_id: str | None
) -> int | None:
    """Return the innermost open visit of the state, else the innermost; None if none is open.

    A visit that has recorded its `state_exited` is innermost only where all others have, too:
    a closing record that names neither visit nor state is not its second one.
    """
    of_state = _of_state(visits, open_ordinals, state_id)
    if of_state is not None:
        return of_state
    staying = [ordinal for ordinal in open_ordinals if not visits[ordinal].exited]
    return (staying or [*open_ordinals] or [None])[-1]


def _of_state(
    visits: Sequence[FramedVisit], open_ordinals: Sequence[int], state_id: str | None
) -> int | None:
    """Return the innermost open visit of the state, or None."""
    return next((o for o in reversed(open_ordinals) if visits[o].state_id == state_id), None)


class Owners:
    """Says of each event, asked in index order, whose it is."""

    def __init__(self, visits: Sequence[FramedVisit], *, session_wide: bool) -> None:
        """Take all visits of the call, in order of entry."""
        self._visits = visits
        self._session_wide = session_wide
        self._names = _Names()
        self._known = {name for v in visits for name in (v.visit_id, v.recorded_id)}
        self._entries = {visit.entered_index: ordinal for ordinal, visit in enumerate(visits)}
        self._stack: list[int] = []
        self._entered = False

    def of(
        self, index: int, record: JsonObject, kind: str | None
    ) -> tuple[int | None, Unowned | None]:
        """Return (owner's ordinal, None) or (None, reason) of event `index`."""
        while self._stack and not self._visits[self._stack[-1]].is_open_at(index):
            self._stack.pop()
        if index in self._entries:
            ordinal = self._entries[index]
            self._names.add(ordinal, self._visits[ordinal])
            self._stack.append(ordinal)
            self._entered = True
            return ordinal, None
        name = text(record, "visit_id")
        if name is not None:
            return self._named(name, index)
        return self._unnamed(record, kind)

    def _named(self, name: str, index: int) -> tuple[int | None, Unowned | None]:
        if name not in self._known:
            return None, Unowned.UNKNOWN_VISIT
        entered = self._names.entered(name)
        for ordinal in reversed(entered):
            if self._visits[ordinal].is_open_at(index):
                return ordinal, None
        return None, Unowned.AFTER_EXIT if entered else Unowned.BEFORE_ENTRY

    def _unnamed(self, record: JsonObject, kind: str | None) -> tuple[int | None, Unowned | None]:
        if kind in TRACE_TYPES:
            owner = _of_state(self._visits, self._stack, _state_of(record))
            if owner is None and self._stack:
                owner = self._stack[-1]
        elif self._session_wide:
            owner = self._stack[-1] if self._stack else None
        else:
            owner = None
        if owner is not None:
            return owner, None
        if not self._session_wide:
            return None, Unowned.NO_CORRELATION
        return None, Unowned.BETWEEN_VISITS if self._entered else Unowned.BEFORE_ENTRY
