"""Framing: laws by hand, and a slow oracle written from the documents' words."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import entered, exited, guard, noise, record, taken, write

from engine.core.artifact.framing import FramedVisit, Owners, edge_state, find_visits
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Unowned
from engine.core.contract.session_records import TRACE_TYPES, effective_type

Span = tuple[str, int, int | None, str]


@dataclass(kw_only=True)
class Framing:
    """The visits in order of entry, and per event its owner's ordinal or why it has none."""

    visits: list[FramedVisit]
    owners: list[int | None] = field(default_factory=list["int | None"])
    unowned: list[Unowned | None] = field(default_factory=list["Unowned | None"])


def framed(records: Sequence[JsonObject], *, session_wide: bool = True) -> Framing:
    kinds = [effective_type(r) for r in records]
    framing = Framing(visits=find_visits(records, kinds))
    ownership = Owners(framing.visits, session_wide=session_wide)
    for index, row in enumerate(records):
        owner, reason = ownership.of(index, row, kinds[index])
        framing.owners.append(owner)
        framing.unowned.append(reason)
    return framing


def spans(*records: JsonObject, session_wide: bool = True) -> list[Span]:
    """Each visit as (id, entered, closed, how): `recorded`, `superseded` or `open`."""
    return [
        (v.visit_id, v.entered_index, v.closed_index, how_closed(v.closed_index, v.superseded))
        for v in framed(records, session_wide=session_wide).visits
    ]


def how_closed(closed: int | None, superseded: bool) -> str:
    if closed is None:
        return "open"
    return "superseded" if superseded else "recorded"


def owners(*records: JsonObject, session_wide: bool = True) -> list[str]:
    """Each event's owner, or why it has none."""
    framing = framed(records, session_wide=session_wide)
    out: list[str] = []
    for owner, reason in zip(framing.owners, framing.unowned, strict=True):
        assert (owner is None) != (reason is None)
        out.append(framing.visits[owner].visit_id if owner is not None else str(reason))
    return out


# -- laws of opening and closing -------------------------------------------------------------------


def test_a_recording_without_visits() -> None:
    assert spans() == []
    assert spans(noise(), exited("a"), taken("a:0")) == []
    assert owners(noise(), exited("a"), taken("a:0")) == ["before_entry"] * 3


def test_one_visit_that_never_ends() -> None:
    assert spans(noise(), entered("a"), noise()) == [("a#1", 1, None, "open")]
    assert owners(noise(), entered("a"), noise()) == ["before_entry", "a#1", "a#1"]


def test_the_closing_record_belongs_to_its_visit_and_still_shows_it_open() -> None:
    call = [entered("a"), exited("a"), noise()]
    assert spans(*call) == [("a#1", 0, 1, "recorded")]
    assert owners(*call) == ["a#1", "a#1", "between_visits"]


def test_transition_taken_closes_where_no_state_exited_follows() -> None:
    assert spans(entered("a"), taken("a:0"), noise(), entered("b")) == [
        ("a#1", 0, 1, "recorded"),
        ("b#1", 3, None, "open"),
    ]


def test_transition_taken_does_not_close_where_state_exited_follows() -> None:
    call = [entered("a"), taken("a:0"), noise(), exited("a"), entered("b")]
    assert spans(*call)[0] == ("a#1", 0, 3, "recorded")
    assert owners(*call) == ["a#1", "a#1", "a#1", "a#1", "b#1"]


def test_the_last_of_several_closing_records_closes() -> None:
    assert spans(entered("a"), exited("a"), exited("a"))[0] == ("a#1", 0, 2, "recorded")
    assert spans(entered("a"), exited("a"), taken("a:0"))[0] == ("a#1", 0, 2, "recorded")
    assert spans(entered("a"), taken("a:1"), taken("a:0"))[0] == ("a#1", 0, 2, "recorded")


def test_an_exit_after_the_next_entry_comes_too_late() -> None:
    call = [entered("a"), taken("a:0"), entered("b"), exited("a", visit_id="a#1")]
    assert spans(*call) == [("a#1", 0, 1, "recorded"), ("b#1", 2, None, "open")]
    assert owners(*call)[3] == "after_exit"


def test_re_entry_makes_a_new_visit() -> None:
    call = [entered("a"), exited("a"), entered("b"), exited("b"), entered("a")]
    assert [s[0] for s in spans(*call)] == ["a#1", "b#1", "a#2"]


def test_a_self_transition_makes_a_new_visit() -> None:
    call = [entered("a"), taken("a:1", "a"), entered("a", via_edge="a:1")]
    assert spans(*call) == [("a#1", 0, 1, "recorded"), ("a#2", 2, None, "open")]
    assert framed(call).visits[1].via_edge == "a:1"


def test_an_entry_without_a_parent_supersedes_at_the_record_before_it() -> None:
    call = [entered("a"), noise(), entered("b")]
    assert spans(*call) == [("a#1", 0, 1, "superseded"), ("b#1", 2, None, "open")]
    assert owners(*call) == ["a#1", "a#1", "b#1"]
    assert spans(entered("a"), entered("a")) == [
        ("a#1", 0, 0, "superseded"),
        ("a#2", 1, None, "open"),
    ]


# -- nesting ---------------------------------------------------------------------------------------


def test_a_nested_entry_leaves_its_parent_open() -> None:
    call = [entered("p"), entered("c", parent_visit_id="p#1"), noise(), exited("c"), noise()]
    assert spans(*call) == [("p#1", 0, None, "open"), ("c#1", 1, 3, "recorded")]
    assert owners(*call) == ["p#1", "c#1", "c#1", "c#1", "p#1"]
    assert framed(call).visits[1].parent == 0


def test_closing_a_parent_supersedes_what_is_nested_one_record_earlier() -> None:
    call = [
        entered("p"),
        entered("c", parent_visit_id="p#1"),
        entered("g", parent_visit_id="c#1"),
        noise(),
        exited("p"),
    ]
    assert spans(*call) == [
        ("p#1", 0, 4, "recorded"),
        ("c#1", 1, 3, "superseded"),
        ("g#1", 2, 3, "superseded"),
    ]
    assert owners(*call) == ["p#1", "c#1", "g#1", "g#1", "p#1"]


def test_an_entry_without_an_open_parent_closes_all() -> None:
    nested = [entered("p"), entered("c", parent_visit_id="p#1")]
    for last in (entered("x"), entered("x", parent_visit_id="nobody#1")):
        assert spans(*nested, last) == [
            ("p#1", 0, 1, "superseded"),
            ("c#1", 1, 1, "superseded"),
            ("x#1", 2, None, "open"),
        ]


def test_a_closed_visit_is_no_parent() -> None:
    call = [entered("p"), exited("p"), entered("c", parent_visit_id="p#1")]
    assert framed(call).visits[1].parent is None


def test_a_visit_is_not_its_own_parent() -> None:
    call = [entered("p"), entered("c", parent_visit_id="c#1")]
    assert spans(*call)[0] == ("p#1", 0, 0, "superseded")
    assert framed(call).visits[1].parent is None


def test_a_nested_visit_between_transition_taken_and_state_exited_keeps_the_parent_open() -> None:
    call = [
        entered("p"),
        taken("p:0"),
        entered("c", parent_visit_id="p#1"),
        exited("c"),
        exited("p"),
        entered("b"),
    ]
    assert spans(*call)[:2] == [("p#1", 0, 4, "recorded"), ("c#1", 2, 3, "recorded")]


def test_a_nested_visits_exit_is_not_its_parents() -> None:
    call = [entered("v"), taken("v:0"), entered("c", parent_visit_id="v#1"), exited("c")]
    assert spans(*call, entered("w"))[:2] == [("v#1", 0, 1, "recorded"), ("c#1", 2, 3, "recorded")]


def test_a_nested_visit_with_a_name_of_its_own_is_none_where_the_parent_had_left() -> None:
    call = [
        entered("v"),
        taken("v:0"),
        entered("c", parent_visit_id="v#1", visit_id="x"),
        exited("c", visit_id="x"),
        entered("w", visit_id="x"),
        noise(visit_id="x"),
    ]
    assert spans(*call) == [
        ("v#1", 0, 1, "recorded"),
        ("c#1", 2, 3, "recorded"),
        ("w#1", 4, None, "open"),
    ]
    assert framed(call).visits[1].parent is None
    assert owners(*call)[5] == "w#1"


def test_after_a_nested_visits_exit_the_parent_is_innermost_again() -> None:
    call = [
        entered("v"),
        entered("c", parent_visit_id="v#1"),
        taken(None, visit_id="v#1"),
        exited("c"),
        taken(None),
    ]
    assert spans(*call) == [("v#1", 0, 4, "recorded"), ("c#1", 1, 3, "recorded")]
    assert owners(*call) == ["v#1", "c#1", "v#1", "c#1", "v#1"]


def test_a_child_does_not_outlive_a_parent_that_closed_before_it() -> None:
    call = [
        entered("b"),
        entered("a", parent_visit_id="b#1"),
        exited("b"),
        exited("a"),
        entered("a", parent_visit_id="b#1"),
    ]
    assert spans(*call) == [
        ("b#1", 0, 2, "recorded"),
        ("a#1", 1, 1, "superseded"),
        ("a#2", 4, None, "open"),
    ]
    assert owners(*call) == ["b#1", "a#1", "b#1", "between_visits", "a#2"]
    assert framed(call).visits[2].parent is None


def test_a_grandchild_does_not_outlive_a_parent_that_closed_before_it() -> None:
    call = [
        entered("a"),
        entered("d", parent_visit_id="a#1"),
        entered("b", parent_visit_id="d#1"),
        exited("d"),
        exited("b"),
        exited("a"),
    ]
    assert spans(*call[:5])[1:] == [("d#1", 1, 3, "recorded"), ("b#1", 2, 2, "superseded")]
    assert spans(*call) == [("a#1", 0, 5, "recorded"), *spans(*call[:5])[1:]]


def test_a_closing_record_that_names_nobody_is_no_second_exit() -> None:
    call = [entered("p"), entered("c", parent_visit_id="p#1"), exited("c"), taken(None)]
    assert spans(*call) == [("p#1", 0, 3, "recorded"), ("c#1", 1, 2, "recorded")]


def test_a_second_exit_that_comes_after_the_parents_is_nobodys() -> None:
    call = [entered("b"), entered("a", parent_visit_id="b#1"), exited("a"), exited("b")]
    assert spans(*call, exited("a")) == [("b#1", 0, 3, "recorded"), ("a#1", 1, 2, "recorded")]
    assert owners(*call, exited("a"))[4] == "between_visits"


# -- ownership -------------------------------------------------------------------------------------


@pytest.mark.parametrize("session_wide", [True, False])
def test_an_explicit_visit_id_owns_in_both_kinds(session_wide: bool) -> None:
    call = [
        entered("p"),
        entered("c", parent_visit_id="p#1"),
        noise(visit_id="p#1"),
        noise(visit_id="c#1"),
        write("s", 1, visit_id="p#1"),
    ]
    assert owners(*call, session_wide=session_wide) == ["p#1", "c#1", "p#1", "c#1", "p#1"]


def test_without_an_id_only_a_session_wide_sequence_gives_the_innermost() -> None:
    bus = [noise(), write("s", 1), record("tool_called", tool="t", tool_call_id="k")]
    call = [entered("a"), *bus]
    assert owners(*call) == ["a#1"] * 4
    assert owners(*call, session_wide=False) == ["a#1"] + ["no_correlation"] * 3


@pytest.mark.parametrize("session_wide", [True, False])
def test_a_trace_record_without_an_id_belongs_by_state_then_to_the_innermost(
    session_wide: bool,
) -> None:
    call = [
        entered("p"),
        entered("c", parent_visit_id="p#1"),
        guard("p:0"),
        guard("c:0"),
        guard("z:0"),
        record("transition_requested", request_id="r", to="q", edge_id="p:1"),
        record("transition_requested", request_id="r", to="q"),
        exited("p"),
    ]
    expected = ["p#1", "c#1", "p#1", "c#1", "c#1", "p#1", "c#1", "p#1"]
    assert owners(*call, session_wide=session_wide) == expected


def test_of_two_open_visits_of_one_state_the_innermost_owns() -> None:
    call = [entered("a"), entered("a", parent_visit_id="a#1"), guard("a:0"), exited("a")]
    assert owners(*call) == ["a#1", "a#2", "a#2", "a#2"]


def test_a_trace_record_that_lacks_a_field_has_no_effect() -> None:
    broken = record("state_exited")
    assert owners(entered("a"), broken, noise()) == ["a#1"] * 3
    assert owners(entered("a"), broken, session_wide=False) == ["a#1", "no_correlation"]
    assert spans(record("state_entered"), noise()) == []


def test_every_reason_of_a_session_wide_sequence() -> None:
    call = [
        noise(),
        noise(visit_id="a#1"),
        noise(visit_id="z#1"),
        entered("a"),
        exited("a"),
        noise(),
        noise(visit_id="a#1"),
        noise(visit_id="b#1"),
        entered("b"),
        exited("b"),
        noise(),
        guard("a:0"),
    ]
    assert owners(*call) == [
        "before_entry",
        "before_entry",
        "unknown_visit",
        "a#1",
        "a#1",
        "between_visits",
        "after_exit",
        "before_entry",
        "b#1",
        "b#1",
        "between_visits",
        "between_visits",
    ]


def test_every_reason_of_streams_merged_by_clock() -> None:
    call = [
        noise(),
        guard("a:0"),
        noise(visit_id="a#1"),
        noise(visit_id="z#1"),
        entered("a"),
        noise(),
        exited("a"),
        noise(),
        guard("a:0"),
        noise(visit_id="a#1"),
    ]
    assert owners(*call, session_wide=False) == [
        "no_correlation",
        "no_correlation",
        "before_entry",
        "unknown_visit",
        "a#1",
        "no_correlation",
        "a#1",
        "no_correlation",
        "no_correlation",
        "after_exit",
    ]


def test_never_by_turn_never_by_time() -> None:
    call = [
        entered("a", turn_id="t1", clock_ms=5),
        exited("a", clock_ms=5),
        noise(turn_id="t1", clock_ms=5),
    ]
    assert owners(*call)[2] == "between_visits"
    assert owners(*call, session_wide=False)[2] == "no_correlation"


# -- names -----------------------------------------------------------------------------------------


def test_ids_are_computed_and_another_recorded_id_is_an_alias() -> None:
    call = [entered("a", visit_id="mine"), noise(visit_id="mine"), noise(visit_id="a#1")]
    assert owners(*call) == ["a#1", "a#1", "a#1"]
    assert framed(call).visits[0].recorded_id == "mine"


def test_an_alias_closes_and_is_a_parent() -> None:
    call = [
        entered("a", visit_id="mine"),
        entered("b", parent_visit_id="mine"),
        exited("b", visit_id="b#1"),
        exited("z", visit_id="mine"),
    ]
    assert spans(*call) == [("a#1", 0, 3, "recorded"), ("b#1", 1, 2, "recorded")]


def test_a_recorder_that_counts_otherwise_is_understood() -> None:
    call = [
        entered("a", visit_id="a#2"),
        exited("a", visit_id="a#2"),
        entered("a", visit_id="a#3"),
        noise(visit_id="a#2"),
        noise(visit_id="a#3"),
    ]
    assert owners(*call) == ["a#1", "a#1", "a#2", "after_exit", "a#2"]


def test_a_later_alias_takes_no_earlier_closing_record_from_its_visit() -> None:
    call = [entered("a"), exited("a", visit_id="a#1"), entered("b", visit_id="a#1")]
    assert spans(*call)[0] == ("a#1", 0, 1, "recorded")
    assert owners(*call) == ["a#1", "a#1", "b#1"]


def test_a_repeated_alias_means_the_latest_open_visit() -> None:
    call = [
        entered("a", visit_id="x"),
        entered("b", visit_id="x", parent_visit_id="x"),
        noise(visit_id="x"),
        exited("q", visit_id="x"),
        noise(visit_id="x"),
    ]
    assert owners(*call) == ["a#1", "b#1", "b#1", "b#1", "a#1"]


@pytest.mark.parametrize(
    ("edge_id", "state"), [("a:0", "a"), ("x:y:12", "x:y"), ("a", ""), (":3", "")]
)
def test_edge_state(edge_id: str, state: str) -> None:
    assert edge_state(edge_id) == state


# -- the oracle ------------------------------------------------------------------------------------


@dataclass(eq=False)
class Stay:
    """A visit of the oracle."""

    visit_id: str
    state_id: str
    recorded_id: str | None
    parent: str | None
    entered: int
    closed: int | None = None
    superseded: bool = False
    exited: bool = False
    lingers: bool = False


@dataclass
class World:
    """The visits entered so far. Open ones are nested in each other in order of entry.

    A visit that an exit closed *lingers* until the next entry: a later closing record that names it
    is not another's (and closes nothing, as it comes too late).
    """

    stays: list[Stay] = field(default_factory=list[Stay])

    def open(self) -> list[Stay]:
        return [stay for stay in self.stays if stay.closed is None]

    def claiming(self) -> list[Stay]:
        """The visits that a closing record may belong to."""
        return [stay for stay in self.stays if stay.closed is None or stay.lingers]

    def meant(self, name: str) -> list[Stay]:
        """The visits that an id means: those that recorded it, else the one so numbered."""
        recorded = [stay for stay in self.stays if stay.recorded_id == name]
        return recorded or [stay for stay in self.stays if stay.visit_id == name]


class SlowFraming:
    """Design 7.2, 7.3 and the contract's "Order and ownership", sentence by sentence."""

    def __init__(self, records: Sequence[JsonObject], *, session_wide: bool) -> None:
        self.records = records
        self.kinds = [effective_type(r) for r in records]
        self.session_wide = session_wide
        self.world = World()
        for index in range(len(records)):
            self.advance(self.world, index)

    def advance(self, world: World, index: int) -> None:
        if self.kinds[index] == "state_entered":
            self.enter(world, index)
        elif self.kinds[index] in {"state_exited", "transition_taken"}:
            stay = self.closing_owner(world, index)
            if stay is None:
                return
            stay.exited = stay.exited or self.kinds[index] == "state_exited"
            if stay.closed is None and self.is_last_closing_record(world, index, stay):
                self.close(world, index, stay)

    def enter(self, world: World, index: int) -> None:
        """A visit opens at its `state_entered`; an open parent stays open, any other closes."""
        entry = self.records[index]
        parent = self.named_open(world, text(entry, "parent_visit_id"))
        kept = world.open().index(parent) + 1 if parent is not None else 0
        for stay in world.open()[kept:]:
            stay.closed, stay.superseded = index - 1, True
        for stay in world.stays:
            stay.lingers = False
        state = text(entry, "state_id") or ""
        number = 1 + sum(stay.state_id == state for stay in world.stays)
        world.stays.append(
            Stay(
                visit_id=f"{state}#{number}",
                state_id=state,
                recorded_id=text(entry, "visit_id"),
                parent=parent.visit_id if parent is not None else None,
                entered=index,
            )
        )

    def close(self, world: World, index: int, stay: Stay) -> None:
        """Closing a visit closes what is nested in it, at the record before (`superseded`)."""
        for nested in world.open()[world.open().index(stay) + 1 :]:
            nested.closed, nested.superseded, nested.lingers = index - 1, True, True
        stay.closed, stay.lingers = index, True

    def named_open(self, world: World, name: str | None) -> Stay | None:
        meant = [] if name is None else world.meant(name)
        return next((stay for stay in reversed(meant) if stay.closed is None), None)

    def closing_owner(self, world: World, index: int) -> Stay | None:
        """The visit that a closing record names, else the innermost of its state.

        Where it names neither: the innermost that has not recorded its `state_exited`, else that.
        """
        claiming = world.claiming()
        name = text(self.records[index], "visit_id")
        if name is not None:
            return next((s for s in reversed(world.meant(name)) if s in claiming), None)
        staying = [stay for stay in claiming if not stay.exited]
        return self.innermost(claiming, index, staying)

    def innermost(
        self, stays: Sequence[Stay], index: int, preferred: Sequence[Stay] = ()
    ) -> Stay | None:
        edge = text(self.records[index], "edge_id")
        state = text(self.records[index], "state_id")
        if state is None and edge is not None:
            state = edge[: edge.rindex(":")] if ":" in edge else ""
        of_state = [stay for stay in stays if stay.state_id == state]
        return (of_state or [*preferred] or [*stays] or [None])[-1]

    def is_last_closing_record(self, world: World, index: int, stay: Stay) -> bool:
        """Whether no other closing record of the visit comes before the next foreign entry."""
        future, position = deepcopy(world), world.stays.index(stay)
        here = future.stays[position]
        for later in range(index + 1, len(self.records)):
            if self.kinds[later] == "state_entered":
                parent = text(self.records[later], "parent_visit_id")
                if self.named_open(future, parent) is not here:
                    return True
            elif self.kinds[later] in {"state_exited", "transition_taken"} and (
                self.closing_owner(future, later) is here
            ):
                return False
            self.advance(future, later)
            if here.closed is not None:
                return True
        return True

    def named_owner(self, name: str, so_far: World, opened: Sequence[Stay]) -> str:
        meant = so_far.meant(name)
        candidates = [stay for stay in meant if stay in opened]
        if candidates:
            return candidates[-1].visit_id
        if not self.world.meant(name):
            return "unknown_visit"
        return "after_exit" if meant else "before_entry"

    def owner(self, index: int) -> str:
        """The owner of an event, or why it has none."""
        so_far = World([stay for stay in self.world.stays if stay.entered <= index])
        opened = [s for s in so_far.stays if s.closed is None or index <= s.closed]
        if self.kinds[index] == "state_entered":
            return opened[-1].visit_id
        name = text(self.records[index], "visit_id")
        if name is not None:
            return self.named_owner(name, so_far, opened)
        if opened and self.kinds[index] in TRACE_TYPES:
            stay = self.innermost(opened, index)
            assert stay is not None
            return stay.visit_id
        if not self.session_wide:
            return "no_correlation"
        if opened:
            return opened[-1].visit_id
        return "between_visits" if so_far.stays else "before_entry"


STATES = st.sampled_from(["a", "b"])
NAMES = st.sampled_from(["a#1", "a#2", "b#1", "b#2", "x", "z#9"])
MAYBE = st.none() | NAMES
EDGES = st.sampled_from([None, "a:0", "b:0", "z:0", "odd"])
TRACE = st.one_of(
    st.builds(entered, STATES, parent_visit_id=MAYBE, visit_id=st.none() | st.none() | NAMES),
    st.builds(entered, STATES, parent_visit_id=st.sampled_from(["a#1", "b#1"])),
    st.builds(exited, STATES, visit_id=MAYBE),
    st.builds(exited, STATES),
    st.builds(taken, EDGES, visit_id=MAYBE),
    st.builds(taken, EDGES),
)
RECORDS = st.lists(
    TRACE | st.builds(guard, st.sampled_from(["a:0", "b:1"])) | st.builds(noise, visit_id=MAYBE),
    max_size=12,
)


@given(RECORDS | st.lists(TRACE, min_size=4, max_size=11), st.booleans())
@example(
    [
        entered("a"),
        taken("a:0"),
        entered("b", parent_visit_id="a#1"),
        exited("b"),
        entered("a", parent_visit_id="a#1"),
        exited("a"),
        taken(None),
        exited("b"),
    ],
    True,
)
def test_framing_equals_the_slow_oracle(records: list[JsonObject], session_wide: bool) -> None:
    slow = SlowFraming(records, session_wide=session_wide)
    assert spans(*records, session_wide=session_wide) == [
        (s.visit_id, s.entered, s.closed, how_closed(s.closed, s.superseded))
        for s in slow.world.stays
    ]
    visits = framed(records).visits
    parents = [None if v.parent is None else visits[v.parent].visit_id for v in visits]
    assert parents == [stay.parent for stay in slow.world.stays]
    expected = [slow.owner(index) for index in range(len(records))]
    assert owners(*records, session_wide=session_wide) == expected


@given(RECORDS, st.booleans())
def test_laws_of_every_framing(records: list[JsonObject], session_wide: bool) -> None:
    framing = framed(records, session_wide=session_wide)
    ids = [visit.visit_id for visit in framing.visits]
    assert len(set(ids)) == len(ids)
    for ordinal, visit in enumerate(framing.visits):
        assert framing.owners[visit.entered_index] == ordinal
        if visit.parent is not None:
            parent = framing.visits[visit.parent]
            assert parent.is_open_at(visit.entered_index)
            assert parent.closed_index is None or (
                visit.closed_index is not None and visit.closed_index <= parent.closed_index
            )
        if visit.closed_index is not None and not visit.superseded:
            assert framing.owners[visit.closed_index] == ordinal
    for index, owner in enumerate(framing.owners):
        assert owner is None or framing.visits[owner].is_open_at(index)
