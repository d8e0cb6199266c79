"""Steps and runs: boundaries from the documents, the same place both ways, ends that are stops."""

import random
from bisect import bisect_left

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.oracle import Oracle
from support.small_calls import (
    FIXTURES,
    artifact_of,
    bus,
    fixture_artifact,
    fixture_view,
    segment,
    small_artifacts,
    trace,
)

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor import RunStop, Stop, determinism_hash, project, run, step

FORWARD, REVERSE = Direction.FORWARD, Direction.REVERSE
EMPTY = artifact_of([])
ONE_VISIT = artifact_of([trace("state_entered", state_id="menu")])


def stepped(view: ArtifactView, unit: Unit, direction: Direction) -> list[int]:
    """Return every place that steps of `unit` visit from one end to the other."""
    cursor = -1 if direction is FORWARD else view.event_count - 1
    places = [cursor]
    for _ in range(view.event_count + 1):
        stop = step(view, cursor, unit=unit, direction=direction)
        if stop.edge is not None:
            return places
        cursor = stop.cursor
        places.append(cursor)
    raise AssertionError("stepping does not end")


# -- boundaries ------------------------------------------------------------------------------------


@given(small_artifacts(), st.sampled_from(Unit))
@example(EMPTY, Unit.BEAT)
@example(ONE_VISIT, Unit.VISIT)
def test_steps_visit_exactly_the_boundaries_of_their_unit(artifact: JsonObject, unit: Unit) -> None:
    view = ArtifactView.of(artifact)
    boundaries = Oracle(artifact).boundaries(unit.value)
    assert stepped(view, unit, FORWARD) == boundaries
    assert stepped(view, unit, REVERSE) == boundaries[::-1]


@given(small_artifacts(), st.sampled_from(Unit), st.sampled_from(Direction))
def test_a_step_from_anywhere_goes_to_the_next_boundary(
    artifact: JsonObject, unit: Unit, direction: Direction
) -> None:
    view, oracle = ArtifactView.of(artifact), Oracle(artifact)
    for cursor in range(-1, view.event_count):
        expected = oracle.step(cursor, unit.value, direction.value)
        found = step(view, cursor, unit=unit, direction=direction)
        if expected is None:
            edge = "end" if direction is FORWARD else "start"
            assert found == Stop(cursor=cursor, edge=edge)
        else:
            assert found == Stop(cursor=expected)


@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("name", FIXTURES)
def test_boundaries_of_a_real_call(name: str, unit: Unit) -> None:
    boundaries = Oracle(fixture_artifact(name)).boundaries(unit.value)
    assert stepped(fixture_view(name), unit, FORWARD) == boundaries
    assert stepped(fixture_view(name), unit, REVERSE) == boundaries[::-1]


@pytest.mark.parametrize("unit", Unit)
def test_boundaries_of_generated_calls(generated: JsonObject, unit: Unit) -> None:
    boundaries = Oracle(generated).boundaries(unit.value)
    assert stepped(ArtifactView.of(generated), unit, FORWARD) == boundaries


def test_a_beat_starts_where_beat_or_owner_changes_or_a_visit_begins() -> None:
    artifact = artifact_of(
        [
            bus("weather"),  # 0 work, nobody's: starts a beat
            bus("tool_called", tool="find", tool_call_id="k1"),  # 1 work, nobody's
            trace("state_entered", state_id="menu"),  # 2
            trace("state_entered", state_id="ask"),  # 3 the same beat, another visit
            bus("weather"),  # 4
            segment("operator"),  # 5 work as well
            segment("caller"),  # 6
            bus("dtmf_received", digit="1"),  # 7 caller input as well
        ]
    )
    view = ArtifactView.of(artifact)
    assert stepped(view, Unit.BEAT, FORWARD) == [-1, 0, 2, 3, 4, 6, 7]
    assert stepped(view, Unit.VISIT, FORWARD) == [-1, 2, 3, 7]
    assert stepped(view, Unit.EVENT, FORWARD) == [-1, 0, 1, 2, 3, 4, 5, 6, 7]


# -- back and forth --------------------------------------------------------------------------------


@given(small_artifacts(), st.sampled_from(Unit))
def test_reverse_undoes_a_step_from_every_boundary(artifact: JsonObject, unit: Unit) -> None:
    view = ArtifactView.of(artifact)
    for start in Oracle(artifact).boundaries(unit.value)[:-1]:
        there = step(view, start, unit=unit, direction=FORWARD)
        assert step(view, there.cursor, unit=unit, direction=REVERSE) == Stop(cursor=start)


def back_and_forth(view: ArtifactView, cursors: list[int]) -> None:
    """Assert that a step forward and one back restore the hash of each of `cursors`."""
    for cursor in cursors:
        before = determinism_hash(view, cursor, project(view, cursor))
        there = step(view, cursor, unit=Unit.EVENT, direction=FORWARD).cursor
        assert there == cursor + 1
        assert determinism_hash(view, there, project(view, there)) != before
        back = step(view, there, unit=Unit.EVENT, direction=REVERSE).cursor
        assert determinism_hash(view, back, project(view, back)) == before


@pytest.mark.parametrize("name", FIXTURES)
def test_a_step_and_its_reverse_restore_the_hash_at_every_event(name: str) -> None:
    view = fixture_view(name)
    back_and_forth(view, list(range(-1, view.event_count - 1)))


def test_a_step_and_its_reverse_restore_the_hash_in_generated_calls(generated: JsonObject) -> None:
    view = ArtifactView.of(generated)
    back_and_forth(view, random.Random(3).sample(range(-1, view.event_count - 1), 60))


def test_every_cursor_of_a_call_has_its_own_hash() -> None:
    view = fixture_view("booking_racy")
    hashes = {determinism_hash(view, c, project(view, c)) for c in range(-1, view.event_count)}
    assert len(hashes) == view.event_count + 1


# -- ends ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", Unit)
def test_at_an_edge_a_step_stays_and_says_so_again_and_again(unit: Unit) -> None:
    view = ArtifactView.of(ONE_VISIT)
    for _ in range(2):
        assert step(view, 0, unit=unit, direction=FORWARD) == Stop(cursor=0, edge="end")
        assert step(view, -1, unit=unit, direction=REVERSE) == Stop(cursor=-1, edge="start")


@pytest.mark.parametrize("unit", Unit)
def test_a_recording_without_events_has_both_edges_at_its_start(unit: Unit) -> None:
    view = ArtifactView.of(EMPTY)
    assert step(view, -1, unit=unit, direction=FORWARD) == Stop(cursor=-1, edge="end")
    assert step(view, -1, unit=unit, direction=REVERSE) == Stop(cursor=-1, edge="start")
    assert run(view, -1, stops=[[]], direction=FORWARD) == RunStop(cursor=-1, edge="end")
    assert run(view, -1, stops=[[]], direction=REVERSE) == RunStop(cursor=-1, edge="start")


# -- runs ------------------------------------------------------------------------------------------

SIX = ArtifactView.of(artifact_of([bus("weather") for _ in range(6)]))
POSTINGS = st.lists(st.lists(st.integers(0, 5), max_size=4).map(lambda p: sorted(set(p))))


def all_stops(view: ArtifactView, stops: list[list[int]], direction: Direction) -> list[RunStop]:
    """Return every stop of a run repeated from one end to the other."""
    cursor = -1 if direction is FORWARD else view.event_count - 1
    found: list[RunStop] = []
    for _ in range(view.event_count + 1):
        stop = run(view, cursor, stops=stops, direction=direction)
        if not stop.matched:
            return found
        found.append(stop)
        cursor = stop.cursor
    raise AssertionError("running does not end")


@given(POSTINGS)
def test_forward_stops_are_the_reverse_of_backward_stops_one_at_the_end_aside(
    stops: list[list[int]],
) -> None:
    forward = [(s.cursor, s.matched) for s in all_stops(SIX, stops, FORWARD)]
    backward = [(s.cursor, s.matched) for s in all_stops(SIX, stops, REVERSE)]
    assert [s for s in forward if s[0] != 5] == backward[::-1]
    assert [s[0] for s in forward] == sorted({p for positions in stops for p in positions})


@given(POSTINGS, st.integers(-1, 5), st.sampled_from(Direction))
def test_a_run_goes_to_the_nearest_place_beyond_the_cursor(
    stops: list[list[int]], cursor: int, direction: Direction
) -> None:
    forward = direction is FORWARD
    places = {p for positions in stops for p in positions}
    beyond = {p for p in places if (p > cursor if forward else p < cursor)}
    found = run(SIX, cursor, stops=stops, direction=direction)
    if not beyond:
        end = (5, "end") if forward else (-1, "start")
        assert (found.cursor, found.edge, found.matched) == (*end, ())
        return
    assert found.cursor == (min(beyond) if forward else max(beyond))
    assert found.matched == tuple(i for i, p in enumerate(stops) if found.cursor in p)
    assert found.edge == ("end" if forward and found.cursor == 5 else None)


def test_the_start_position_is_no_match() -> None:
    assert run(SIX, 2, stops=[[2, 4]], direction=FORWARD).cursor == 4
    assert run(SIX, 4, stops=[[2, 4]], direction=REVERSE).cursor == 2


def test_a_forward_run_that_hits_the_last_event_sets_match_and_edge() -> None:
    assert run(SIX, 2, stops=[[0], [5]], direction=FORWARD) == RunStop(
        cursor=5, matched=(1,), edge="end"
    )


def test_a_backward_run_from_the_last_event_never_reports_it() -> None:
    assert run(SIX, 5, stops=[[5]], direction=REVERSE) == RunStop(cursor=-1, edge="start")


def test_a_backward_run_that_hits_the_first_event_is_no_edge() -> None:
    assert run(SIX, 5, stops=[[0]], direction=REVERSE) == RunStop(cursor=0, matched=(0,))


# -- the media cursor ------------------------------------------------------------------------------


@given(small_artifacts(), st.integers(-3, 45))
def test_the_media_cursor_finds_the_last_event_on_the_running_maximum(
    artifact: JsonObject, clock_ms: int
) -> None:
    assert ArtifactView.of(artifact).index_at_clock(clock_ms) == Oracle(artifact).media_index(
        clock_ms
    )


@pytest.mark.parametrize("name", FIXTURES)
def test_media_and_event_look_up_agree_both_ways(name: str) -> None:
    view = fixture_view(name)
    clocks = [clock for i in range(view.event_count) if (clock := view.clock_ms(i)) is not None]
    for clock in clocks:
        last, first = view.index_at_clock(clock), view.first_index_from_clock(clock)
        assert view.clock_ms(last) == clock
        assert first is not None
        assert view.clock_ms(first) == clock
        assert view.index_at_clock(clock - 1) == first - 1
    assert view.first_index_from_clock(clocks[-1] + 1) is None
    assert clocks == sorted(clocks)
    assert view.index_at_clock(-1) == -1
    assert bisect_left(clocks, clocks[-1]) == view.first_index_from_clock(clocks[-1])


def test_ties_backward_clocks_and_clockless_events_in_the_media_look_up() -> None:
    clocks = [None, 10, 10, None, 30, 20, None]
    view = ArtifactView.of(artifact_of([bus("weather", clock_ms=clock) for clock in clocks]))
    expected = {9: -1, 10: 2, 29: 2, 30: 5, 31: 5}
    assert {clock: view.index_at_clock(clock) for clock in expected} == expected
    assert [view.first_index_from_clock(clock) for clock in (0, 10, 11, 30, 31)] == [
        1,
        1,
        4,
        4,
        None,
    ]
