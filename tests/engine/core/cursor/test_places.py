"""Places: each stands where asking every event of the artifact says; unknown names are refused."""

from collections.abc import Callable
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import Oracle
from support.small_calls import EDGES, SLOTS, STATES, artifact_of, bus, small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, rows, text
from engine.core.cursor.hits import Refusal
from engine.core.cursor.places import (
    EdgeTaken,
    EdgeWrite,
    EventType,
    FindingCode,
    GuardEvaluated,
    NamedPlace,
    PromptResolved,
    SlotRead,
    SlotWrite,
    StateEntry,
    place_candidates,
)
from engine.core.cursor.scan import finish, hold

_CONDITIONS = {
    StateEntry: "state_enter",
    EdgeTaken: "edge_taken",
    SlotWrite: "slot_write",
    SlotRead: "slot_read",
    EventType: "event_type",
}


def naive(oracle: Oracle, place: NamedPlace) -> Callable[[int], bool]:
    """Return what says of an event whether a place is there."""

    def field(kind: str, name: str, value: str) -> Callable[[int], bool]:
        return lambda i: oracle.kinds[i] == kind and text(oracle.records[i], name) == value

    match place:
        case GuardEvaluated(edge_id=name):
            return field("guard_evaluated", "edge_id", name)
        case PromptResolved(state_id=name):
            return field("prompt_resolved", "state_id", name)
        case EdgeWrite(edge_id=name, slot=slot):
            by_edge = field("slot_write", "writer", f"edge:{name}")
            return lambda i: by_edge(i) and text(oracle.records[i], "slot") == slot
        case FindingCode(code=name):
            found = rows(oracle.artifact, "findings")
            at = {finding["at"] for finding in found if finding["code"] == name}
            return lambda i: i in at
        case _:
            [name] = astuple(place)
            return oracle.predicate({_CONDITIONS[type(place)]: name})


PLACES: st.SearchStrategy[NamedPlace] = st.one_of(
    st.sampled_from(STATES).map(lambda name: StateEntry(state_id=name)),
    st.sampled_from(STATES).map(lambda name: PromptResolved(state_id=name)),
    st.sampled_from(EDGES).map(lambda name: EdgeTaken(edge_id=name)),
    st.sampled_from(EDGES).map(lambda name: GuardEvaluated(edge_id=name)),
    st.builds(
        lambda edge_id, slot: EdgeWrite(edge_id=edge_id, slot=slot),
        st.sampled_from(EDGES),
        st.sampled_from(SLOTS),
    ),
    st.sampled_from(SLOTS).map(lambda name: SlotWrite(slot=name)),
    st.sampled_from(SLOTS).map(lambda name: SlotRead(slot=name)),
    st.sampled_from(["slot_write", "weather", "nothing"]).map(lambda name: EventType(type=name)),
    st.sampled_from(["GUARD_FAILED", "UNOWNED_EVENTS"]).map(lambda code: FindingCode(code=code)),
)


@given(small_artifacts(), PLACES)
def test_a_place_is_where_asking_every_event_finds_it(
    artifact: JsonObject, place: NamedPlace
) -> None:
    found = place_candidates(ArtifactView.of(artifact), place)
    oracle = Oracle(artifact)
    holds = naive(oracle, place)
    expected = [index for index in range(oracle.count) if holds(index)]
    if isinstance(found, Refusal):
        assert not expected
        return
    assert finish(hold(found)) == expected


def test_a_slot_that_is_only_read_has_its_places() -> None:
    view = ArtifactView.of(artifact_of([bus("prompt_resolved", state_id="menu", slots_read=["x"])]))
    found = place_candidates(view, SlotRead(slot="x"))
    assert not isinstance(found, Refusal)
    assert [*found.positions] == [0]
    assert isinstance(place_candidates(view, SlotRead(slot="y")), Refusal)


def test_a_write_of_an_edge_is_told_from_others() -> None:
    writes = [
        bus("slot_write", slot="note", new=1, writer="edge:menu:0"),
        bus("slot_write", slot="note", new=1, writer="tool:edge:menu:0"),
        bus("slot_write", slot="route", new="a", writer="edge:menu:0"),
        bus("slot_write", slot="note", new=None, kind="clear", writer="edge:menu:0"),
    ]
    view = ArtifactView.of(artifact_of(writes))
    found = place_candidates(view, EdgeWrite(edge_id="menu:0", slot="note"))
    assert not isinstance(found, Refusal)
    assert [*found.positions] == [0, 3]


@pytest.mark.parametrize(
    ("place", "near"),
    [
        (StateEntry(state_id="mneu"), "menu"),
        (PromptResolved(state_id="aks"), "ask"),
        (EdgeTaken(edge_id="menu:7"), "menu:0"),
        (GuardEvaluated(edge_id="asc:0"), "ask:0"),
        (EdgeWrite(edge_id="menu:0", slot="nte"), "note"),
        (EdgeWrite(edge_id="mnu:0", slot="note"), "menu:0"),
        (SlotWrite(slot="nam"), "name"),
        (SlotRead(slot="rout"), "route"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(place: NamedPlace, near: str) -> None:
    refused = place_candidates(ArtifactView.of(artifact_of([])), place)
    assert isinstance(refused, Refusal)
    assert near in refused.nearest
