"""Breakpoints: the laws of stopping, for sets of every kind with conditions and hit conditions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.expressions import calls, expressions
from support.small_calls import EDGES, SLOTS, STATES, fixture_view

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Direction
from engine.core.cursor.breakpoints import (
    Breakpoint,
    breakpoint_candidates,
    breakpoint_hits,
    search_breakpoint,
)
from engine.core.cursor.conditions import resolve
from engine.core.cursor.hits import Hits, Refusal
from engine.core.cursor.places import (
    EdgeTaken,
    EdgeWrite,
    EventType,
    FindingCode,
    FunctionName,
    GuardEvaluated,
    Place,
    PromptResolved,
    SlotRead,
    SlotWrite,
    StateEntry,
)
from engine.core.cursor.scan import finish, scan
from engine.core.cursor.stops import run

_states, _edges, _slots = st.sampled_from(STATES), st.sampled_from(EDGES), st.sampled_from(SLOTS)
_PLACES: st.SearchStrategy[Place] = st.one_of(
    _states.map(lambda name: StateEntry(state_id=name)),
    _states.map(lambda name: PromptResolved(state_id=name)),
    _edges.map(lambda name: EdgeTaken(edge_id=name)),
    _edges.map(lambda name: GuardEvaluated(edge_id=name)),
    st.builds(lambda e, s: EdgeWrite(edge_id=e, slot=s), _edges, _slots),
    _slots.map(lambda name: SlotWrite(slot=name)),
    _slots.map(lambda name: SlotRead(slot=name)),
    st.just(EventType(type="slot_write")),
    st.just(FindingCode(code="GUARD_FAILED")),
    st.sampled_from(["*", "tool:*", "menu", "speaker:caller", "guard:menu:*", "event:audio_*"]).map(
        lambda pattern: FunctionName(pattern=pattern)
    ),
)
_HIT_CONDITIONS = st.sampled_from(["2", "==1", ">=2", ">1", "<3", "<=2", "!=1", "%2", "last", " "])
BREAKPOINTS = st.builds(
    lambda places, condition, hits: Breakpoint(
        places=tuple(places), condition=condition, hit_condition=hits
    ),
    st.lists(_PLACES, min_size=1, max_size=2),
    st.none() | expressions(),
    st.none() | _HIT_CONDITIONS,
)


def walked(view: ArtifactView, found: list[Hits], direction: Direction) -> list[int]:
    """Every place where repeated runs stop, edges without a hit left out."""
    forward = direction is Direction.FORWARD
    cursor, stops = (-1 if forward else view.event_count - 1), list[int]()
    while True:
        stop = run(view, cursor, stops=[hits.positions for hits in found], direction=direction)
        if stop.matched:
            stops.append(stop.cursor)
            assert all(stop.cursor in found[k].positions for k in stop.matched)
        if stop.edge is not None:
            return stops
        assert stop.cursor != cursor
        cursor = stop.cursor


@given(calls(), st.lists(BREAKPOINTS, min_size=1, max_size=3))
def test_stops_backwards_are_the_stops_forwards_reversed(
    artifact: JsonObject, breakpoints: list[Breakpoint]
) -> None:
    view = ArtifactView.of(artifact)
    answers = [breakpoint_hits(view, breakpoint_) for breakpoint_ in breakpoints]
    found = [answer for answer in answers if isinstance(answer, Hits)]
    forward = walked(view, found, Direction.FORWARD)
    reverse = walked(view, found, Direction.REVERSE)
    assert [i for i in forward if i != view.event_count - 1] == reverse[::-1]
    assert forward == sorted({i for hits in found for i in hits.positions})


@given(calls(), BREAKPOINTS)
def test_hits_are_those_of_the_place_where_the_condition_holds(
    artifact: JsonObject, breakpoint_: Breakpoint
) -> None:
    view = ArtifactView.of(artifact)
    found = breakpoint_hits(view, breakpoint_)
    bare = breakpoint_hits(view, Breakpoint(places=breakpoint_.places))
    if isinstance(found, Refusal):
        assert isinstance(bare, Refusal)
        return
    assert isinstance(bare, Hits)
    held = {*range(view.event_count)}
    if breakpoint_.condition is not None:
        held = {*resolve({"expr": breakpoint_.condition}, view)}
    expected = [i for i in bare.positions if i in held]
    assert found.total == len(expected)
    assert set(found.positions) <= set(expected)
    if breakpoint_.hit_condition is None:
        assert [*found.positions] == expected


@given(calls(), BREAKPOINTS, st.integers(1, 7))
def test_a_budget_changes_no_answer(
    artifact: JsonObject, breakpoint_: Breakpoint, budget: int
) -> None:
    view = ArtifactView.of(artifact)
    searched = finish(search_breakpoint(view, breakpoint_, budget=budget))
    assert searched == breakpoint_hits(view, breakpoint_)


@given(calls(), BREAKPOINTS, st.sampled_from(Direction))
def test_a_scan_of_candidates_stops_at_the_hits(
    artifact: JsonObject, breakpoint_: Breakpoint, direction: Direction
) -> None:
    view = ArtifactView.of(artifact)
    plain = Breakpoint(places=breakpoint_.places, condition=breakpoint_.condition)
    candidates, hits = breakpoint_candidates(view, plain), breakpoint_hits(view, plain)
    if isinstance(candidates, Refusal) or isinstance(hits, Refusal):
        assert candidates == hits
        return
    for cursor in range(-1, view.event_count):
        found = finish(scan(view, cursor, stops=[candidates], direction=direction))
        assert found == run(view, cursor, stops=[hits.positions], direction=direction)


VIEW = fixture_view("booking_racy")


@pytest.mark.parametrize(
    ("condition", "hit_condition", "words"),
    [
        ("slots.tiem == 1", None, "'time'"),
        ("1 +", None, "too early"),
        ("size(slots)", None, "true or false"),
        (None, "3x", "%2"),
        (None, "0", "from 1"),
    ],
)
def test_a_mistake_is_an_answer_that_says_what_to_write(
    condition: str | None, hit_condition: str | None, words: str
) -> None:
    places = (SlotWrite(slot="time"),)
    wrong = Breakpoint(places=places, condition=condition, hit_condition=hit_condition)
    refused = breakpoint_hits(VIEW, wrong)
    assert isinstance(refused, Refusal)
    assert words in refused.message


def test_a_breakpoint_without_a_place_is_refused() -> None:
    assert isinstance(breakpoint_hits(VIEW, Breakpoint(places=())), Refusal)


def test_failures_and_warnings_come_with_the_hits() -> None:
    writes = (SlotWrite(slot="time"), SlotWrite(slot="party_size"))
    found = breakpoint_hits(VIEW, Breakpoint(places=writes, condition="event.new > 3"))
    assert isinstance(found, Hits)
    assert (found.total, found.failed_evaluations) == (1, 2)
    assert found.first_failure is not None


def test_the_second_write_of_the_time_is_eighteen() -> None:
    place = (SlotWrite(slot="time"),)
    second = breakpoint_hits(VIEW, Breakpoint(places=place, hit_condition="2"))
    eighteen = breakpoint_hits(VIEW, Breakpoint(places=place, condition='event.new == "18:00"'))
    assert isinstance(second, Hits)
    assert isinstance(eighteen, Hits)
    assert second.positions == eighteen.positions
