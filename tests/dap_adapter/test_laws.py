"""The laws of the adapter, as properties over the fixtures, generated sessions and small calls.

Law 6 (the answer first, one answer) is held by the driver in every test. A small call is a list of
actions that hypothesis draws: empty, without a visit, nested, left open.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

ACTIONS = (
    "enter a",
    "enter b",
    "nest a",
    "nest b",
    "leave",
    "write open_slot one",
    "write open_slot two",
    "write hidden_slot secret",
    "write other_slot three",
    "edge_set",
    "edge_clear",
    "prompt",
    "guard",
    "request",
    "take",
    "noise",
)
CALLS = st.lists(st.sampled_from(ACTIONS), max_size=14).map(tuple)
FLOW_PATH = "/anywhere/flows/tiny.flow.yaml"
STATE_LINES = {"a": 8, "b": 19}
MOVES = ("next", "stepIn", "stepOut", "stepBack", "continue", "reverseContinue")
SOURCES = [("racy", 0), ("session", 1), ("session", 2), ("per_stream", 3), ("per_stream", 4)]

Make = Callable[..., Any]


@pytest.fixture(params=SOURCES, ids=lambda source: "-".join(map(str, source)), scope="module")
def recording(request: pytest.FixtureRequest, racy_recording: Any, generated: Make) -> Any:
    """A real call, and generated ones of both sequence kinds."""
    kind, seed = request.param
    return racy_recording if kind == "racy" else generated(seed, kind)


def driver_at(new_driver: Make, recording: Any, cursor: int, **launch: object) -> Any:
    driver = new_driver(recording)
    driver.start(stopAt=f"#{cursor}", **launch)
    return driver


def set_stops(driver: Any, lines: Sequence[int], slots: Sequence[str], path: str) -> None:
    wanted = [{"line": line} for line in lines]
    driver.request("setBreakpoints", source={"path": path}, breakpoints=wanted)
    data = [{"dataId": f"slot:{slot}"} for slot in slots]
    driver.request("setDataBreakpoints", breakpoints=data)


def stops_of(driver: Any, command: str) -> list[tuple[int, tuple[int, ...]]]:
    """Repeat a run until the edge; the stops at breakpoints on the way."""
    found = []
    while True:
        body = driver.move(command)
        if hits := body.get("hitBreakpointIds"):
            found.append((driver.cursor, tuple(hits)))
        if body["description"] in ("Start of recording", "End of recording") or (
            "End of recording" in body.get("text", "")
        ):
            return found


def expected_stops(recording: Any, states: Sequence[str], slots: Sequence[str]) -> list[int]:
    """Where breakpoints stop, by reading every event."""
    view, found = recording.view, []
    for index in range(view.event_count):
        record = view.record(index)
        entered = record["type"] == "state_entered" and record["state_id"] in states
        seeded = {row["slot"] for row in record.get("slots", [])}
        written = record["type"] == "slot_write" and record["slot"] in slots
        if entered or written or seeded & set(slots):
            found.append(index)
    return found


# -- law 1: everything shown is a function of (recording, cursor) ----------------------------------


@given(
    call=CALLS,
    walk=st.lists(st.sampled_from(MOVES), max_size=8),
    unit=st.sampled_from(["event", "beat", "visit"]),
)
@settings(max_examples=40)
def test_what_is_shown_does_not_depend_on_the_way(
    new_driver: Make, script_call: Make, call: Any, walk: Any, unit: str
) -> None:
    recording = script_call(call)
    walked = new_driver(recording)
    walked.start(stepUnit=unit)
    set_stops(walked, [8], ["open_slot"], FLOW_PATH)
    for move in walk:
        walked.move(move)
    fresh = driver_at(new_driver, recording, walked.cursor, stepUnit=unit)
    assert walked.shown() == fresh.shown()
    assert walked.values("Position") == fresh.values("Position")


def test_what_is_shown_does_not_depend_on_the_way_in_whole_calls(
    new_driver: Make, recording: Any
) -> None:
    last = recording.view.event_count - 1
    forward, backward = driver_at(new_driver, recording, -1), driver_at(new_driver, recording, last)
    probes = {-1, last, *range(0, last, max(1, last // 5))}
    seen = {}
    for cursor in range(-1, last + 1):
        if cursor in probes:
            seen[cursor] = forward.shown(), forward.values("Position")
        forward.move("next")
    for cursor in range(last, -2, -1):
        if cursor in probes:
            assert (backward.shown(), backward.values("Position")) == seen[cursor]
        backward.move("stepBack")


# -- law 2: mirror ---------------------------------------------------------------------------------


@given(
    call=CALLS,
    states=st.sets(st.sampled_from(["a", "b"])),
    slots=st.sets(st.sampled_from(["open_slot", "hidden_slot", "other_slot"])),
)
@example(call=("enter a", "write open_slot one"), states={"a"}, slots={"open_slot"})
def test_forward_and_reverse_stops_mirror_each_other(
    new_driver: Make, script_call: Make, call: Any, states: set, slots: set
) -> None:
    recording = script_call(call)
    known = {row["slot"] for row in recording.view.slots}
    last = recording.view.event_count - 1
    lines = [STATE_LINES[state] for state in sorted(states)]
    forward, backward = driver_at(new_driver, recording, -1), driver_at(new_driver, recording, last)
    for driver in (forward, backward):
        set_stops(driver, lines, sorted(slots & known), FLOW_PATH)
    ahead, back = stops_of(forward, "continue"), stops_of(backward, "reverseContinue")
    assert [stop for stop in ahead if stop[0] != last] == back[::-1]
    assert [cursor for cursor, _ in ahead] == expected_stops(recording, states, slots)


CONDITIONS = [None, "true", 'slots.open_slot == "x"', "event.event_index % 2 == 0", "slots.x"]
HIT_CONDITIONS = [None, "1", ">=2", "%2", "!=1", "last", "<3", "often"]
extras = st.tuples(st.sampled_from(CONDITIONS), st.sampled_from(HIT_CONDITIONS))


def extra_keys(extra: tuple) -> dict:
    keys = {"condition": extra[0], "hitCondition": extra[1]}
    return {key: value for key, value in keys.items() if value is not None}


@given(
    call=CALLS,
    lines=st.lists(
        st.tuples(st.integers(7, 21), st.integers(1, 30) | st.none(), extras), max_size=3
    ),
    names=st.lists(
        st.tuples(st.sampled_from(["a", "state:*", "guard:*", "event:noise", "slot:*"]), extras),
        max_size=2,
    ),
    slots=st.lists(st.tuples(st.sampled_from(["read", "write", "readWrite"]), extras), max_size=2),
)
@settings(max_examples=60)
def test_stops_of_every_kind_with_conditions_mirror_each_other(
    new_driver: Make, script_call: Make, call: Any, lines: list, names: list, slots: list
) -> None:
    recording = script_call(call)
    last = recording.view.event_count - 1
    forward, backward = driver_at(new_driver, recording, -1), driver_at(new_driver, recording, last)
    for driver in (forward, backward):
        wanted = [
            {"line": line, **({} if column is None else {"column": column}), **extra_keys(extra)}
            for line, column, extra in lines
        ]
        driver.request("setBreakpoints", source={"path": FLOW_PATH}, breakpoints=wanted)
        wanted = [{"name": name, **extra_keys(extra)} for name, extra in names]
        driver.request("setFunctionBreakpoints", breakpoints=wanted)
        wanted = [
            {"dataId": "slot:open_slot", "accessType": access, **extra_keys(extra)}
            for access, extra in slots
        ]
        driver.request("setDataBreakpoints", breakpoints=wanted)
        driver.request("setExceptionBreakpoints", filters=["TRANSITION_DROPPED", "STATE_LOOP"])
    ahead, back = stops_of(forward, "continue"), stops_of(backward, "reverseContinue")
    assert [stop for stop in ahead if stop[0] != last] == back[::-1]


def test_stops_mirror_each_other_in_whole_calls(new_driver: Make, recording: Any) -> None:
    view = recording.view
    states = sorted({visit.state_id for visit in view.visits})[:2]
    slots = sorted(str(row["slot"]) for row in view.slots)[:2]
    lines = [view.flow["states"][state]["span"]["line"] for state in states]
    last, path = view.event_count - 1, f"/x/{view.flow['source_path']}"
    forward, backward = driver_at(new_driver, recording, -1), driver_at(new_driver, recording, last)
    for driver in (forward, backward):
        set_stops(driver, lines, slots, path)
    ahead, back = stops_of(forward, "continue"), stops_of(backward, "reverseContinue")
    assert [stop for stop in ahead if stop[0] != last] == back[::-1]
    assert [cursor for cursor, _ in ahead] == expected_stops(recording, states, slots)
    assert ahead


# -- law 3: progress; law 5: edges stop, never end -------------------------------------------------


@given(call=CALLS, walk=st.lists(st.sampled_from(MOVES), max_size=12))
def test_a_move_moves_or_says_that_it_is_at_an_edge(
    new_driver: Make, script_call: Make, call: Any, walk: Any
) -> None:
    recording = script_call(call)
    last = recording.view.event_count - 1
    driver = new_driver(recording)
    driver.start()
    set_stops(driver, [8, 19], ["open_slot"], FLOW_PATH)
    cursor = -1
    for move in walk:
        body = driver.move(move)
        moved_to = driver.cursor
        is_back = move in ("stepBack", "reverseContinue")
        if moved_to == cursor:
            assert cursor == (-1 if is_back else last)
        else:
            assert (moved_to < cursor) == is_back
        if moved_to == -1:
            assert (body["reason"], body["description"]) == ("entry", "Start of recording")
        elif moved_to == last and "hitBreakpointIds" not in body:
            assert (body["reason"], body["description"]) == ("pause", "End of recording")
        else:
            assert body["reason"] in ("step", "breakpoint", "data breakpoint")
        cursor = moved_to
    assert not [m for m in driver.log if m.get("event") in ("terminated", "exited")]


@pytest.mark.parametrize(
    ("stop_at", "moves", "reason"),
    [
        ("start", ("stepBack", "reverseContinue"), "entry"),
        ("end", ("next", "stepIn", "stepOut", "continue"), "pause"),
    ],
)
def test_fifty_times_beyond_an_end(
    new_driver: Make, racy_recording: Any, stop_at: str, moves: tuple, reason: str
) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt=stop_at)
    at = driver.cursor
    for turn in range(50):
        assert driver.move(moves[turn % len(moves)])["reason"] == reason
    assert driver.cursor == at
    assert driver.move("next" if stop_at == "start" else "stepBack")["reason"] == "step"


# -- law 4: inverse --------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["event", "beat", "visit"])
def test_step_back_undoes_next_from_every_boundary(
    new_driver: Make, recording: Any, unit: str
) -> None:
    driver = new_driver(recording)
    driver.start(stepUnit=unit)
    last = recording.view.event_count - 1
    boundaries = [-1]
    while boundaries[-1] != last:
        driver.move("next")
        boundaries.append(driver.cursor)
        driver.move("stepBack")
        assert driver.cursor == boundaries[-2]
        driver.move("next")
    for boundary in boundaries[-2::-1]:
        driver.move("stepBack")
        assert driver.cursor == boundary


@pytest.mark.parametrize("granularity", [None, "statement", "line", "instruction"])
@pytest.mark.parametrize("unit", ["event", "visit"])
def test_granularity_means_one_event_or_the_unit(
    new_driver: Make, racy_recording: Any, granularity: str | None, unit: str
) -> None:
    driver = new_driver(racy_recording)
    driver.start(stepUnit=unit, stopAt="get_time#1")
    extra = {} if granularity is None else {"granularity": granularity}
    driver.move("next", **extra)
    is_event = unit == "event" or granularity == "instruction"
    assert driver.cursor == (39 if is_event else 107)
    driver.move("stepBack", **extra)
    assert driver.cursor == 38


# -- law 9: a frame with a source, unique ids, nothing negative ------------------------------------


@given(call=CALLS)
def test_every_stop_has_a_frame_with_a_source(
    new_driver: Make, script_call: Make, call: Any
) -> None:
    recording = script_call(call)
    driver = new_driver(recording)
    driver.start()
    ids: set[int] = set()
    for _ in range(recording.view.event_count + 1):
        answer = driver.stack()
        frames = answer["stackFrames"]
        assert answer["totalFrames"] == len(frames) >= 1
        assert frames[0]["source"].get("path") or frames[0]["source"]["sourceReference"] > 0
        assert frames[0]["line"] >= 1
        new = [frame["id"] for frame in frames]
        assert len(set(new)) == len(new)
        assert not ids & set(new)
        assert all(frame["line"] >= 0 and frame["column"] >= 0 for frame in frames)
        ids.update(new)
        driver.move("next")


# -- determinism hash over the wire ----------------------------------------------------------------


def test_the_hash_is_restored_at_every_event(new_driver: Make, recording: Any) -> None:
    driver = new_driver(recording)
    driver.start()
    last, hashes = recording.view.event_count - 1, []
    for _ in range(last + 2):
        hashes.append(driver.values("Position")["hash"])
        driver.move("next")
    assert len(set(hashes)) == last + 2
    for expected in hashes[::-1]:
        assert driver.values("Position")["hash"] == expected
        driver.move("stepBack")
