"""Conditions: each kind holds where the documents say, and anything else is INVALID_COMMAND."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.expressions import expressions, with_all_slots
from support.oracle import AUDIO_TYPES, Oracle
from support.small_calls import (
    FIXTURES,
    artifact_of,
    bus,
    conditions,
    fixture_artifact,
    fixture_view,
    small_artifacts,
    trace,
)

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Direction
from engine.core.cursor import resolve, run

CALL = artifact_of(
    [
        bus(
            "session_slots_seeded",
            slots=[
                {"slot": "route", "safe_value": None, "writer": "flow_default"},
                {"slot": "note", "safe_value": "hm", "writer": "caller"},
            ],
        ),
        trace("state_entered", state_id="menu", clock_ms=5),
        bus("prompt_resolved", state_id="menu", slots_read=["route"]),
        bus("slot_write", slot="route", old=None, new="a", writer="resolver"),
        bus("slot_write", slot="route", old="a", new="a", writer="resolver"),
        trace("guard_evaluated", edge_id="menu:0", verdict=True, slots_read=["route"]),
        trace("guard_evaluated", edge_id="menu:1", verdict=None),
        bus("audio_started", playback_id="audio_p3", clock_ms=9),
        bus("audio_started", playback_id="p1", clock_ms=8),
        trace("transition_taken", edge_id="menu:0", to="ask", clock_ms=20),
        trace("state_entered", state_id="ask"),
        trace("state_entered", state_id="menu"),
        bus("slot_filled", slot="route"),
        bus("slot_write", new="no slot named"),
    ]
)
VIEW = ArtifactView.of(CALL)


@pytest.mark.parametrize(
    ("condition", "positions"),
    [
        ({"state_enter": "menu"}, [1, 11]),
        ({"state_exit": "menu"}, [9]),
        ({"state_exit": "ask"}, [10]),  # superseded included
        ({"visit_id": "menu#2"}, [11]),
        ({"event_type": "slot_write"}, [3, 4, 13]),
        ({"edge_taken": "menu:0"}, [9]),
        ({"slot_write": "route"}, [0, 3, 4]),  # seeding, and a write with old = new
        ({"slot_write": "note"}, [0]),
        ({"slot_read": "route"}, [2, 5]),
        ({"writer": "resolver"}, [3, 4]),
        ({"writer": "caller"}, [0]),
        ({"guard_verdict": {"edge_id": "menu:0", "verdict": True}}, [5]),
        ({"guard_verdict": {"edge_id": "menu:0", "verdict": None}}, []),
        ({"guard_verdict": {"edge_id": "menu:1", "verdict": None}}, [6]),
        ({"playback": "p1"}, [8]),
        ({"playback": "audio_started"}, [7, 8]),
        ({"clock_ms_at_least": 0}, [1]),
        ({"clock_ms_at_least": 6}, [7]),
        ({"clock_ms_at_least": 10}, [9]),
        ({"clock_ms_at_least": 21}, []),
        ({"all": [{"slot_write": "route"}, {"slot_write": "note"}]}, [0]),
        ({"any": [{"visit_id": "menu#2"}, {"state_enter": "menu"}]}, [1, 11]),
        ({"not": {"not": {"state_enter": "menu"}}}, [1, 11]),
        ({"all": [{"event_type": "slot_write"}, {"not": {"slot_write": "route"}}]}, [13]),
        ({"slot_write": "unheard of"}, []),
    ],
    ids=str,
)
def test_a_condition_holds_where_the_contract_says(
    condition: JsonObject, positions: list[int]
) -> None:
    assert list(resolve(condition, VIEW)) == positions


def test_a_playback_whose_id_looks_like_a_type_is_found() -> None:
    assert "audio_p3" not in AUDIO_TYPES
    assert list(resolve({"playback": "audio_p3"}, VIEW)) == [7]


@given(small_artifacts(), conditions())
def test_equals_asking_every_event(artifact: JsonObject, condition: JsonObject) -> None:
    found = list(resolve(condition, ArtifactView.of(artifact)))
    assert found == Oracle(artifact).positions(condition)


@pytest.mark.parametrize("name", FIXTURES)
def test_equals_asking_every_event_of_a_real_call(name: str) -> None:
    oracle = Oracle(fixture_artifact(name))
    kinds: list[JsonObject] = [
        *({"event_type": t} for t in sorted({str(r.get("type")) for r in oracle.records})),
        *({"state_enter": v["state_id"]} for v in oracle.visits),
        *({"state_exit": v["state_id"]} for v in oracle.visits),
        *({"slot_write": s["slot"]} for s in oracle.slots),
        *({"edge_taken": e} for e in sorted({str(r.get("edge_id")) for r in oracle.records})),
        *({"playback": p} for p in sorted({str(r.get("playback_id")) for r in oracle.records})),
        {"clock_ms_at_least": 10_000},
    ]
    for condition in kinds:
        assert list(resolve(condition, fixture_view(name))) == oracle.positions(condition)


@given(small_artifacts(), st.lists(conditions(), min_size=1, max_size=3))
def test_mirror_law(artifact: JsonObject, until: list[JsonObject]) -> None:
    view = ArtifactView.of(artifact)
    stops = [resolve(condition, view) for condition in until]

    def places(direction: Direction) -> list[tuple[int, tuple[int, ...]]]:
        cursor = -1 if direction is Direction.FORWARD else view.event_count - 1
        found: list[tuple[int, tuple[int, ...]]] = []
        while (stop := run(view, cursor, stops=stops, direction=direction)).matched:
            found.append((stop.cursor, stop.matched))
            cursor = stop.cursor
        return found

    forward, backward = places(Direction.FORWARD), places(Direction.REVERSE)
    assert [place for place in forward if place[0] != view.event_count - 1] == backward[::-1]
    assert all(place[0] != view.event_count - 1 for place in backward)


@pytest.mark.parametrize(
    "condition",
    [
        None,
        [],
        {},
        "state_enter",
        {"state_enter": "menu", "visit_id": "menu#1"},
        {"unheard_of": "menu"},
        {"State_Enter": "menu"},
        {"state_enter": 3},
        {"state_enter": None},
        {"event_type": ["slot_write"]},
        {"clock_ms_at_least": "9"},
        {"clock_ms_at_least": 9.5},
        {"clock_ms_at_least": True},
        {"guard_verdict": "menu:0"},
        {"guard_verdict": {"edge_id": "menu:0"}},
        {"guard_verdict": {"edge_id": 1, "verdict": True}},
        {"guard_verdict": {"edge_id": "menu:0", "verdict": "true"}},
        {"guard_verdict": {"edge_id": "menu:0", "verdict": 1}},
        {"guard_verdict": {"edge_id": "menu:0", "verdict": True, "more": 1}},
        {"playback": 1},
        {"all": []},
        {"any": {}},
        {"any": [{"state_enter": "menu"}, {"nothing": 1}]},
        {"not": [{"state_enter": "menu"}]},
        {"not": {}},
    ],
    ids=str,
)
def test_anything_else_is_an_invalid_command(condition: JsonValue) -> None:
    with pytest.raises(InvalidCommand) as caught:
        resolve(condition, VIEW)
    assert caught.value.code == "INVALID_COMMAND"
    assert caught.value.message


def test_the_nearest_kind_is_named() -> None:
    with pytest.raises(InvalidCommand) as caught:
        resolve({"state_entered": "menu"}, VIEW)
    nearest = caught.value.detail["nearest"]
    assert isinstance(nearest, list)
    assert nearest[0] == "state_enter"


@pytest.mark.parametrize(
    ("condition", "positions"),
    [
        ({"expr": 'event.type == "slot_write" && slots.route == "a"'}, [3, 4, 13]),
        ({"expr": "prev.route != slots.route"}, [3]),
        ({"expr": 'turn.turn_id == "t1"'}, []),
        ({"not": {"expr": "event.verdict"}}, [i for i in range(14) if i != 5]),  # failures, too
        ({"all": [{"slot_write": "route"}, {"expr": "slots.route == null"}]}, [0]),
        ({"any": [{"state_exit": "ask"}, {"expr": "event.playback_id == 'p1'"}]}, [8, 10]),
        ({"finding": "CLOCK_STEP"}, [8]),
        ({"finding": "CLOCK_STEP#1"}, [8]),
        ({"finding": "CLOCK_STEP#2"}, []),
        ({"finding": "nothing"}, []),
    ],
)
def test_expressions_and_findings(condition: JsonObject, positions: list[int]) -> None:
    assert [*resolve(condition, VIEW)] == positions


@pytest.mark.parametrize("value", [None, 3, {}, "", "slots.rout == 1", "size(slots)"])
def test_a_wrong_expression_is_refused(value: JsonValue) -> None:
    with pytest.raises(InvalidCommand):
        resolve({"any": [{"expr": value}]}, VIEW)


@given(st.text(max_size=40) | st.text(alphabet="slots.event[]()!&|=<>'\"{}+-*/?:, 01", max_size=40))
def test_any_text_as_an_expression_gives_positions_or_a_typed_error(text: str) -> None:
    try:
        found = resolve({"expr": text}, VIEW)
    except InvalidCommand:
        return
    assert [*found] == sorted(found)


@given(small_artifacts(), conditions(), expressions(), st.sampled_from(["all", "any"]))
def test_an_expression_combines_like_any_other(
    artifact: JsonObject, condition: JsonObject, text: str, kind: str
) -> None:
    view = ArtifactView.of(with_all_slots(artifact))
    held, other = {*resolve({"expr": text}, view)}, {*resolve(condition, view)}
    together = held & other if kind == "all" else held | other
    assert [*resolve({kind: [condition, {"expr": text}]}, view)] == sorted(together)
    assert {*resolve({"not": {"expr": text}}, view)} == {*range(view.event_count)} - held


def test_deep_nesting_is_refused_not_a_crash() -> None:
    condition: JsonObject = {"state_enter": "menu"}
    for _ in range(5_000):
        condition = {"not": condition}
    with pytest.raises(InvalidCommand):
        resolve(condition, VIEW)
