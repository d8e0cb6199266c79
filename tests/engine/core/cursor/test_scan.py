"""Scans: any budget finds what all positions say; nothing behind the nearest hit is looked at."""

from hypothesis import given
from hypothesis import strategies as st
from support.expressions import calls, expressions
from support.small_calls import conditions, fixture_view

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, mapping
from engine.core.contract.labels import Direction
from engine.core.cursor.commands import DebuggerState, apply_command
from engine.core.cursor.conditions import condition_candidates, resolve, scan_until
from engine.core.cursor.scan import Candidates, finish, hold, scan
from engine.core.cursor.stops import RunStop, run

VIEW = fixture_view("booking_racy")
_DIRECTIONS = st.sampled_from(Direction)


def _expr(text: str) -> JsonObject:
    return {"expr": text}


@given(
    calls(),
    st.lists(conditions() | expressions().map(_expr), min_size=1, max_size=3),
    _DIRECTIONS,
    st.integers(1, 9),
    st.data(),
)
def test_a_budgeted_scan_stops_where_a_run_over_all_hits_does(
    artifact: JsonObject,
    until: list[JsonObject],
    direction: Direction,
    budget: int,
    data: st.DataObject,
) -> None:
    view = ArtifactView.of(artifact)
    cursor = data.draw(st.integers(-1, view.event_count - 1))
    stops = [resolve(condition, view) for condition in until]
    expected = run(view, cursor, stops=stops, direction=direction)
    scanning = scan_until(view, cursor, until=[*until], direction=direction, budget=budget)
    assert finish(scanning) == expected
    assert finish(scan_until(view, cursor, until=[*until], direction=direction)) == expected


def test_a_scan_looks_at_nothing_behind_the_nearest_hit() -> None:
    view = fixture_view("booking_racy")
    seen: list[int] = []

    def test(index: int) -> bool:
        seen.append(index)
        return index in {40, 60}

    stop = Candidates(positions=range(view.event_count), test=test)
    found = finish(scan(view, 50, stops=[stop], direction=Direction.FORWARD))
    assert found == RunStop(cursor=60, matched=(0,))
    assert seen == [*range(51, 61)]
    seen.clear()
    exact = Candidates(positions=(45,))
    found = finish(scan(view, 50, stops=[stop, exact], direction=Direction.REVERSE))
    assert found == RunStop(cursor=45, matched=(1,))
    assert seen == [49, 48, 47, 46, 45]


def test_a_scan_yields_the_places_reached_and_can_be_left() -> None:
    view = fixture_view("booking_racy")
    condition = condition_candidates(_expr("event.event_index == -1"), view)
    scanning = scan(view, -1, stops=[condition], direction=Direction.FORWARD, budget=30)
    reached = [next(scanning), next(scanning)]
    assert 0 < reached[0] < reached[1] < view.event_count
    scanning.close()


def test_turns_are_found_within_the_budget() -> None:
    view = fixture_view("booking_racy")
    text = 'turn.turn_id == "t3" && event.type == "slot_write"'
    condition = condition_candidates(_expr(text), view)
    yielded = 0
    searching = hold(condition, budget=20)
    while True:
        try:
            next(searching)
        except StopIteration as stop:
            positions: list[int] = stop.value
            break
        yielded += 1
    assert yielded >= view.event_count // 20
    assert positions


def test_one_command_finds_the_write_backwards() -> None:
    state = DebuggerState(view=VIEW, cursor=VIEW.event_count - 1)
    until = 'event.slot == "time" && prev.time == "19:00" && event.new == "18:00"'
    command: JsonObject = {"action": "continue_until", "direction": "reverse"}
    state, response = apply_command(state, command | {"until": [_expr(until)]})
    assert response["error"] is None
    assert response["result"] == {"matched": 0, "edge": None}
    assert VIEW.record(state.cursor)["new"] == "18:00"
    _, response = apply_command(state, command | {"until": [_expr("slots.tiem == 1")]})
    assert mapping(response, "error")["code"] == "INVALID_COMMAND"
