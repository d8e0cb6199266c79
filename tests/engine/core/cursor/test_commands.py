"""The command language: every action, every mistake, a machine against a list and an integer."""

import contextlib
import copy

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.oracle import Oracle
from support.small_calls import (
    artifact_of,
    bus,
    conditions,
    fixture_view,
    small_artifacts,
    trace,
)

from engine.core.artifact import ArtifactView, artifact_bytes, load_artifact
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import ArtifactInvalid, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor import (
    DebuggerState,
    action_of,
    apply_command,
    open_debugger,
    refuse_command,
)

KEYS = {
    "schema",
    "mode",
    "action",
    "artifact_hash",
    "old_cursor",
    "new_cursor",
    "projection",
    "result",
    "evidence_refs",
    "determinism_hash",
    "error",
}
CODES = {
    "UNKNOWN_ACTION",
    "STALE_HASH",
    "EVENT_UNAVAILABLE",
    "BOUNDARY_OVERRUN",
    "INVALID_COMMAND",
    "SIMULATION_NOT_SUPPORTED",
    "AUDIO_RANGE_UNAVAILABLE",
}
ACTIONS = (
    "list_visits",
    "seek",
    "step",
    "reverse",
    "continue_until",
    "inspect_variables",
    "slot_history",
    "fetch_audio_range",
)
CALL = artifact_of(
    [
        trace("state_entered", state_id="menu", clock_ms=10),
        bus("slot_write", slot="note", new="hm", writer="resolver", clock_ms=20),
        bus("weather"),
        trace("state_exited", state_id="menu", edge_id="menu:0", clock_ms=30),
        trace("state_entered", state_id="ask", clock_ms=30),
        bus("weather", clock_ms=25),
    ]
)
STATE = open_debugger(CALL)

ANY_JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
NEARLY = st.fixed_dictionaries(
    {"action": st.sampled_from(ACTIONS)},
    optional={
        "cursor": st.integers(-3, 8) | ANY_JSON,
        "expected_hash": st.just(None) | ANY_JSON,
        "unit": st.sampled_from([unit.value for unit in Unit]) | ANY_JSON,
        "direction": st.sampled_from([d.value for d in Direction]) | ANY_JSON,
        "until": st.lists(conditions() | ANY_JSON, max_size=2) | ANY_JSON,
        "offset": st.integers(-1, 3) | ANY_JSON,
        "limit": st.integers(-1, 1001) | ANY_JSON,
        "slot": st.sampled_from(["note", "route"]) | ANY_JSON,
        "event_index": st.integers(-3, 8) | ANY_JSON,
        "event_id": st.sampled_from(["e0", "e5"]) | ANY_JSON,
        "visit_id": st.sampled_from(["menu#1", "ask#1"]) | ANY_JSON,
        "clock_ms": st.integers(0, 40) | ANY_JSON,
        "finding": ANY_JSON,
        "edge": st.sampled_from(["start", "end"]) | ANY_JSON,
    },
)


def ask(command: JsonValue, cursor: int = -1) -> JsonObject:
    """Return the response to a command, having checked what holds of every response."""
    state = DebuggerState(view=STATE.view, cursor=cursor)
    before = copy.deepcopy(command)
    after, response = apply_command(state, command)
    assert state == DebuggerState(view=STATE.view, cursor=cursor)
    assert command == before
    assert set(response) == KEYS
    assert after.cursor == response["new_cursor"]
    assert after.view is state.view
    if response["error"] is not None:
        assert set(mapping(response, "error")) == {"code", "message", "detail"}
        assert mapping(response, "error")["code"] in CODES
        assert mapping(response, "error")["message"]
        assert response["new_cursor"] == response["old_cursor"]
        assert response["result"] is None
    return response


def code_of(command: JsonValue, cursor: int = -1) -> JsonValue:
    return mapping(ask(command, cursor), "error").get("code")


def result_of(command: JsonObject, cursor: int = -1) -> JsonObject:
    response = ask(command, cursor)
    assert response["error"] is None
    assert response["new_cursor"] == response["old_cursor"] == command.get("cursor", cursor)
    return mapping(response, "result")


# -- any value -------------------------------------------------------------------------------------


@given(ANY_JSON | NEARLY, st.integers(-1, 5))
@example({"action": "seek", "event_index": 10**20}, 3)
@example({"action": "step", "cursor": 10**20}, 3)
@example({"action": "list_visits", "offset": 10**20}, 3)
@example({"action": "list_visits", "offset": 10**20, "limit": -(10**20)}, 3)
@example({"action": "seek", "clock_ms": 10**20}, 3)
@example({"action": "continue_until", "until": [{"clock_ms_at_least": 10**30}]}, 3)
@example({"action": "seek", "visit_id": 10**20}, 3)
@example({"action": "seek", "finding": [10**20]}, 3)
def test_any_value_is_answered_and_the_answer_is_json(command: JsonValue, cursor: int) -> None:
    assert canonical_bytes(ask(command, cursor)).startswith(b"{")


@pytest.mark.parametrize("depth", [100, 1_000, 20_000])
def test_a_deep_value_is_answered(depth: int) -> None:
    listed: JsonValue = []
    condition: JsonObject = {"state_enter": "menu"}
    for _ in range(depth):
        listed, condition = [listed], {"not": condition}
    assert apply_command(STATE, listed)[1]["error"] is not None
    commands: list[JsonObject] = [
        {"action": "seek", "event_index": listed},
        {"action": "seek", "visit_id": listed},
        {"action": "slot_history", "slot": listed},
        {"action": "step", "cursor": listed},
        {"action": "continue_until", "until": [condition]},
        {"action": "continue_until", "until": listed},
    ]
    for command in commands:
        response = apply_command(STATE, command)[1]
        assert canonical_bytes(response)
        if depth > 500:
            assert mapping(response, "error")["code"] in CODES


# -- crafted artifacts -----------------------------------------------------------------------------

WORDS = "menu#1 ask#1 menu menu:0 note e0 recorded personal superseded state_entered slot_write"


def shapes() -> list[JsonValue]:
    """Return values that hardly any place expects."""
    return [None, True, 1.5, 2**40, "", [], {}, [{}], [None], {"edges": [{}]}]


CRAFTED: st.SearchStrategy[JsonValue] = st.one_of(
    st.sampled_from(WORDS.split()), st.integers(-2, 9), st.sampled_from(shapes())
)


def places(value: JsonValue, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of every member and item inside `value`."""
    inner: list[tuple[str | int, JsonValue]] = []
    if isinstance(value, dict):
        inner = [*value.items()]
    elif isinstance(value, list):
        inner = [*enumerate(value)]
    found: list[tuple[str | int, ...]] = []
    for key, item in inner:
        found += [(*path, key), *places(item, (*path, key))]
    return found


def put(value: JsonValue, path: tuple[str | int, ...], new: JsonValue) -> None:
    """Set what stands at `path` inside `value`."""
    for key in path[:-1]:
        value = value[key]  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript, reportUnknownVariableType]
    value[path[-1]] = new  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript]


def file_of(artifact: JsonObject) -> bytes:
    """Return the bytes of an artifact file by the contract's grammar, whatever the values are."""
    members: list[bytes] = []
    for key, value in artifact.items():
        data = canonical_bytes(value)
        if isinstance(value, list) and value:
            data = b"[\n" + b",\n".join(canonical_bytes(item) for item in value) + b"\n]"
        members.append(canonical_bytes(key) + b":" + data)
    return b"{" + b",\n".join(members) + b"}\n"


RICH = artifact_of(
    [
        trace("state_entered", state_id="menu", clock_ms=10),
        bus("slot_write", slot="note", new="hm", writer="resolver"),
        trace("guard_evaluated", edge_id="menu:0", verdict=True, slots_read=["note"]),
        trace("transition_requested", request_id="r1", edge_id="menu:0", to="ask"),
        trace("state_entered", state_id="ask", parent_visit_id="menu#1"),
        bus("audio_requested", playback_id="p1"),
        bus("audio_started", playback_id="p1"),
        bus("tool_called", tool="find", tool_call_id="k1"),
        bus("tool_result", tool_call_id="k1", ok=True),
        trace("state_exited", state_id="ask"),
        bus("audio_completed", playback_id="p1"),
        trace("transition_taken", edge_id="menu:0", to="bye", request_id="r1"),
        bus("session_slots_seeded", slots=[{"slot": "name", "safe_value": None}]),
    ]
)
PLACES = places(RICH)


def test_the_bytes_of_crafted_artifacts_follow_the_grammar() -> None:
    assert file_of(RICH) == b"".join(artifact_bytes(RICH))


@given(st.lists(st.tuples(st.sampled_from(PLACES), CRAFTED), min_size=1, max_size=2))
@example([(("visits", 0), {})])
@example([(("slots", 0), {})])
@example([(("flow", "states", "menu", "edges", 0), {})])
@example([(("visits", 1, "parent_visit_id"), "ask#1")])
@example(
    [(("visits", 0, "parent_visit_id"), "ask#1"), (("visits", 1, "parent_visit_id"), "menu#1")]
)
@example([(("events", 1, "event_id"), "e0")])
def test_a_crafted_artifact_is_refused_or_answered(
    changes: list[tuple[tuple[str | int, ...], JsonValue]],
) -> None:
    artifact = copy.deepcopy(RICH)
    for path, new in changes:
        with contextlib.suppress(KeyError, IndexError, TypeError):
            put(artifact, path, copy.deepcopy(new))
    try:
        state = open_debugger(load_artifact(file_of(artifact)))
    except ArtifactInvalid:
        return
    for cursor in range(-1, state.view.event_count):
        for action in ("list_visits", "inspect_variables", "step"):
            response = apply_command(state, {"action": action, "cursor": cursor})[1]
            assert canonical_bytes(response)
    for unit in Unit:
        here = state
        for _ in range(state.view.event_count + 2):
            here, _ = apply_command(here, {"action": "step", "unit": unit.value})
        assert here.cursor == state.view.event_count - 1
    history = apply_command(state, {"action": "slot_history", "slot": "note"})[1]
    assert canonical_bytes(history)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        None,
        [],
        "step",
        3,
        {},
        {"action": None},
        {"action": 3},
        {"action": "step", "steps": 2},
        {"action": "step", "unit": "era"},
        {"action": "step", "unit": None},
        {"action": "step", "unit": ["event"]},
        {"action": "reverse", "unit": 1},
        {"action": "seek"},
        {"action": "seek", "event_index": 1, "event_id": "e1"},
        {"action": "seek", "event_index": "1"},
        {"action": "seek", "event_index": 1.0},
        {"action": "seek", "event_index": True},
        {"action": "seek", "clock_ms": "30"},
        {"action": "seek", "clock_ms": 30.5},
        {"action": "seek", "edge": "middle"},
        {"action": "seek", "edge": None},
        {"action": "continue_until"},
        {"action": "continue_until", "until": []},
        {"action": "continue_until", "until": {"state_enter": "ask"}},
        {"action": "continue_until", "until": [{"state_enter": "ask"}, {"no": 1}]},
        {"action": "continue_until", "until": [{"state_enter": "ask"}], "direction": "up"},
        {"action": "list_visits", "offset": -1},
        {"action": "list_visits", "offset": 1.0},
        {"action": "list_visits", "limit": 0},
        {"action": "list_visits", "limit": 1001},
        {"action": "list_visits", "limit": True},
        {"action": "inspect_variables", "limit": "all"},
        {"action": "slot_history"},
        {"action": "slot_history", "slot": "unheard of"},
        {"action": "slot_history", "slot": 3},
        {"action": "step", "expected_hash": 3},
    ],
    ids=str,
)
def test_invalid_command(command: JsonValue) -> None:
    assert code_of(command, cursor=2) == "INVALID_COMMAND"


@pytest.mark.parametrize("action", ["", "leap", "STEP", "step "])
def test_unknown_action(action: str) -> None:
    assert code_of({"action": action}, cursor=2) == "UNKNOWN_ACTION"


def test_an_unknown_action_names_the_nearest() -> None:
    error = mapping(ask({"action": "revers"}), "error")
    assert mapping(error, "detail")["nearest"] == ["reverse"]


def test_simulation_is_not_supported() -> None:
    assert code_of({"action": "simulate"}) == "SIMULATION_NOT_SUPPORTED"


@pytest.mark.parametrize("cursor", [-2, 6, 10**20, 1.0, "1", None, True, [1], {}])
def test_a_bad_cursor_falls_back_to_the_previous_one(cursor: JsonValue) -> None:
    response = ask({"action": "step", "cursor": cursor}, cursor=2)
    assert mapping(response, "error")["code"] == "EVENT_UNAVAILABLE"
    assert (response["old_cursor"], response["new_cursor"]) == (2, 2)
    assert mapping(mapping(response, "projection"), "event")["event_index"] == 2


@pytest.mark.parametrize(
    "target",
    [
        {"event_index": -2},
        {"event_index": 6},
        {"event_id": "e6"},
        {"event_id": 3},
        {"visit_id": "menu#2"},
        {"visit_id": None},
        {"visit_id": ""},
        {"visit_id": "menu"},
        {"visit_id": "menu#"},
        {"visit_id": "menu#0"},
        {"visit_id": "menu#01"},
        {"visit_id": "menu#-1"},
        {"visit_id": "menu#1 "},
        {"visit_id": "menu#\u00b2"},
        {"visit_id": "menu#\u0661"},
        {"visit_id": "menu#" + "9" * 5_000},
        {"finding": "STATE_LOOP#1"},
        {"finding": None},
    ],
    ids=lambda target: str(target)[:30],
)
def test_a_place_that_is_not_in_the_recording(target: JsonObject) -> None:
    assert code_of({"action": "seek", **target}, cursor=2) == "EVENT_UNAVAILABLE"


@pytest.mark.parametrize("unit", Unit)
def test_a_step_beyond_an_edge_is_a_boundary_overrun(unit: Unit) -> None:
    end = ask({"action": "step", "unit": unit.value}, cursor=5)
    assert mapping(end, "error")["code"] == "BOUNDARY_OVERRUN"
    assert end["new_cursor"] == 5
    start = ask({"action": "reverse", "unit": unit.value}, cursor=-1)
    assert mapping(start, "error")["code"] == "BOUNDARY_OVERRUN"
    assert start["new_cursor"] == -1


def test_expected_hash_is_compared_at_the_commands_cursor() -> None:
    seen = ask({"action": "seek", "event_index": 3})["determinism_hash"]
    good = ask({"action": "step", "cursor": 3, "expected_hash": seen}, cursor=1)
    assert (good["error"], good["old_cursor"], good["new_cursor"]) == (None, 3, 4)
    stale = ask({"action": "step", "cursor": 2, "expected_hash": seen}, cursor=1)
    assert mapping(stale, "error")["code"] == "STALE_HASH"
    assert (stale["old_cursor"], stale["new_cursor"]) == (2, 2)
    assert stale["determinism_hash"] != seen
    assert code_of({"action": "step", "expected_hash": ""}) == "STALE_HASH"


@pytest.mark.parametrize(
    "command",
    [
        {"action": "leap"},
        {},
        {"action": "step", "steps": 2},
        {"action": "step", "unit": "era"},
        {"action": "seek", "event_index": 99},
        {"action": "step", "expected_hash": "sha256:0"},
        {"action": "simulate"},
    ],
    ids=str,
)
def test_a_good_cursor_is_where_the_command_starts_whatever_else_is_wrong(
    command: JsonObject,
) -> None:
    response = ask({**command, "cursor": 4}, cursor=1)
    assert response["error"] is not None
    assert (response["old_cursor"], response["new_cursor"]) == (4, 4)


def test_what_never_became_a_command_is_answered_at_the_states_cursor() -> None:
    state = DebuggerState(view=STATE.view, cursor=3)
    response = refuse_command(state, InvalidCommand("No JSON."))
    assert set(response) == KEYS
    assert (response["action"], response["old_cursor"], response["new_cursor"]) == (None, 3, 3)
    assert mapping(response, "error")["code"] == "INVALID_COMMAND"


def test_the_action_of_any_value() -> None:
    values: list[JsonValue] = [{"action": "step"}, {"action": 3}, {}, [], None]
    assert [action_of(value) for value in values] == ["step", 3, None, None, None]
    assert ask({"action": 3})["action"] is None


# -- moves -----------------------------------------------------------------------------------------


def test_a_debugger_opens_at_the_start() -> None:
    assert open_debugger(CALL).cursor == -1
    view = ArtifactView.of(CALL)
    assert open_debugger(view).view is view


@pytest.mark.parametrize(
    ("target", "cursor"),
    [
        ({"event_index": 4}, 4),
        ({"event_index": -1}, -1),
        ({"event_id": "e2"}, 2),
        ({"visit_id": "ask#1"}, 4),
        ({"clock_ms": 9}, -1),
        ({"clock_ms": 20}, 1),
        ({"clock_ms": 30}, 5),
        ({"clock_ms": 10**20}, 5),
        ({"edge": "start"}, -1),
        ({"edge": "end"}, 5),
    ],
    ids=str,
)
def test_seek(target: JsonObject, cursor: int) -> None:
    response = ask({"action": "seek", **target}, cursor=2)
    assert response["error"] is None
    assert (response["old_cursor"], response["new_cursor"]) == (2, cursor)
    assert response["result"] is None


def test_seek_a_finding_goes_to_where_it_is_best_shown() -> None:
    finding: JsonObject = {"finding_id": "TOOL_FAILED#1", "code": "TOOL_FAILED", "at": 3}
    state = open_debugger({**CALL, "findings": [finding]})
    response = apply_command(state, {"action": "seek", "finding": "TOOL_FAILED#1"})[1]
    assert (response["error"], response["new_cursor"]) == (None, 3)


def test_step_goes_one_event_by_default() -> None:
    assert ask({"action": "step"}, cursor=2)["new_cursor"] == 3
    assert ask({"action": "reverse"}, cursor=2)["new_cursor"] == 1
    assert ask({"action": "step", "unit": "visit"}, cursor=1)["new_cursor"] == 4
    assert ask({"action": "step", "cursor": 4}, cursor=1)["old_cursor"] == 4


def test_continue_until_is_an_any_and_says_which_held() -> None:
    until: list[JsonValue] = [{"state_enter": "ask"}, {"slot_write": "note"}]
    forward = ask({"action": "continue_until", "until": until})
    assert (forward["new_cursor"], forward["result"]) == (1, {"matched": 1, "edge": None})
    on = ask({"action": "continue_until", "until": until}, cursor=1)
    assert (on["new_cursor"], on["result"]) == (4, {"matched": 0, "edge": None})
    back = ask({"action": "continue_until", "until": until, "direction": "reverse"}, cursor=4)
    assert (back["new_cursor"], back["result"]) == (1, {"matched": 1, "edge": None})


def test_continue_until_without_a_match_goes_to_the_edge_without_an_error() -> None:
    nowhere: JsonObject = {"action": "continue_until", "until": [{"state_enter": "gone"}]}
    end = ask(nowhere, cursor=2)
    assert (end["error"], end["new_cursor"]) == (None, 5)
    assert end["result"] == {"matched": None, "edge": "end"}
    start = ask({**nowhere, "direction": "reverse"}, cursor=2)
    assert (start["new_cursor"], start["result"]) == (-1, {"matched": None, "edge": "start"})
    assert ask(nowhere, cursor=5)["result"] == {"matched": None, "edge": "end"}
    there = ask({**nowhere, "direction": "reverse"}, cursor=-1)
    assert (there["error"], there["result"]) == (None, {"matched": None, "edge": "start"})


def test_continue_until_the_last_event_sets_match_and_edge() -> None:
    command: JsonObject = {"action": "continue_until", "until": [{"event_type": "weather"}]}
    last = ask(command, cursor=2)
    assert (last["new_cursor"], last["result"]) == (5, {"matched": 0, "edge": "end"})


# -- queries ---------------------------------------------------------------------------------------


def test_list_visits_of_a_real_call() -> None:
    state = open_debugger(fixture_view("booking_racy"))
    result = mapping(apply_command(state, {"action": "list_visits"})[1], "result")
    assert set(result) == {"items", "total", "offset"}
    names = [row["visit_id"] for row in rows(result, "items")]
    assert names == ["greet#1", "get_time#1", "no_table#1", "confirm#1", "end#1"]
    assert rows(result, "items")[2]["exit"] == {
        "edge_id": "no_table:0",
        "to": "confirm",
        "label": "recorded",
        "reason": None,
    }


@pytest.mark.parametrize(
    ("command", "total"),
    [
        ({"action": "list_visits"}, 3),
        ({"action": "inspect_variables"}, 3),
        ({"action": "slot_history", "slot": "note"}, 3),
    ],
    ids=["list_visits", "inspect_variables", "slot_history"],
)
@given(offset=st.integers(0, 5), limit=st.integers(1, 5))
def test_pages_put_together_are_the_whole(
    command: JsonObject, total: int, offset: int, limit: int
) -> None:
    records = [trace("state_entered", state_id="menu") for _ in range(3)]
    records += [bus("slot_write", slot="note", new=n) for n in range(3)]
    state = open_debugger(artifact_of(records))
    whole = mapping(apply_command(state, command)[1], "result")
    assert (len(rows(whole, "items")), whole["total"], whole["offset"]) == (total, total, 0)
    page = mapping(apply_command(state, {**command, "offset": offset, "limit": limit})[1], "result")
    assert page["items"] == rows(whole, "items")[offset : offset + limit]
    assert (page["total"], page["offset"]) == (total, offset)


def test_a_list_has_a_hundred_items_unless_told() -> None:
    state = open_debugger(artifact_of([bus("slot_write", slot="note", new=n) for n in range(1005)]))
    history: JsonObject = {"action": "slot_history", "slot": "note"}
    for more, count in (({}, 100), ({"limit": 1000}, 1000), ({"offset": 1000}, 5)):
        result = mapping(apply_command(state, {**history, **more})[1], "result")
        assert (len(rows(result, "items")), result["total"]) == (count, 1005)


def test_a_query_answers_at_its_cursor_and_leaves_it() -> None:
    before = result_of({"action": "inspect_variables"}, cursor=0)
    after = result_of({"action": "inspect_variables", "cursor": 1}, cursor=0)
    assert [row["current"] for row in rows(before, "items")] == [None, None, None]
    assert [row["current"] for row in rows(after, "items")] == [None, None, "hm"]


def test_inspect_variables_shows_more_than_the_projection_does() -> None:
    artifact = artifact_of([bus("slot_write", slot=f"s{n}", new=1) for n in range(250)])
    state = open_debugger(artifact)
    response = apply_command(state, {"action": "inspect_variables", "offset": 200})[1]
    assert len(rows(mapping(response, "result"), "items")) == 53
    assert mapping(response, "result")["total"] == 253


# -- the machine -----------------------------------------------------------------------------------


class Debugger(RuleBasedStateMachine):
    """Commands against a model: an integer, lists of positions, and the naive replay.

    Every operation is total: no rule has a precondition, and a recording may have no event.
    """

    @initialize(artifact=small_artifacts(size_max=12))
    def open(self, artifact: JsonObject) -> None:
        self.oracle = Oracle(artifact)
        self.last = self.oracle.count - 1
        self.state = open_debugger(artifact)
        self.cursor = -1
        self.digest = self.state.view.artifact_hash

    def apply(self, command: JsonObject, expected: int | None, *, start: int | None = None) -> None:
        """Apply a command that ends at `expected` (None: an error) in model and debugger."""
        begin = self.cursor if start is None else start
        before = self.state
        self.state, response = apply_command(before, command)
        end = begin if expected is None else expected
        assert (response["error"] is not None) == (expected is None), response["error"]
        assert (response["old_cursor"], response["new_cursor"]) == (begin, end)
        assert response["projection"] == self.oracle.projection(end)
        assert response["determinism_hash"] == self.oracle.determinism_hash(self.digest, end)
        assert before.cursor == self.cursor
        self.cursor = end
        self.response = response

    @rule(unit=st.sampled_from(Unit), direction=st.sampled_from(Direction))
    def step(self, unit: Unit, direction: Direction) -> None:
        action = "step" if direction is Direction.FORWARD else "reverse"
        expected = self.oracle.step(self.cursor, unit.value, direction.value)
        self.apply({"action": action, "unit": unit.value}, expected)

    @rule(start=st.integers(-2, 14))
    def step_from(self, start: int) -> None:
        good = -1 <= start <= self.last
        expected = start + 1 if good and start < self.last else None
        begin = start if good else self.cursor
        self.apply({"action": "step", "cursor": start}, expected, start=begin)

    @rule(index=st.integers(-2, 14))
    def seek_event(self, index: int) -> None:
        expected = index if -1 <= index <= self.last else None
        self.apply({"action": "seek", "event_index": index}, expected)

    @rule(name=st.sampled_from(["menu#1", "menu#2", "ask#1", "bye#1"]))
    def seek_visit(self, name: str) -> None:
        entries = self.oracle.positions({"visit_id": name})
        self.apply({"action": "seek", "visit_id": name}, entries[0] if entries else None)

    @rule(clock_ms=st.integers(-1, 42))
    def seek_clock(self, clock_ms: int) -> None:
        expected = self.oracle.media_index(clock_ms)
        self.apply({"action": "seek", "clock_ms": clock_ms}, expected)

    @rule(edge=st.sampled_from(["start", "end", "middle"]))
    def seek_edge(self, edge: str) -> None:
        expected = {"start": -1, "end": self.last}.get(edge)
        self.apply({"action": "seek", "edge": edge}, expected)

    @rule(
        until=st.lists(conditions(), min_size=1, max_size=2), direction=st.sampled_from(Direction)
    )
    def run(self, until: list[JsonObject], direction: Direction) -> None:
        places = [self.oracle.positions(condition) for condition in until]
        flat = {p for positions in places for p in positions}
        if direction is Direction.FORWARD:
            end = min((p for p in flat if p > self.cursor), default=self.last)
            matched = end in flat and end > self.cursor
            edge = "end" if end == self.last else None
        else:
            end = max((p for p in flat if p < self.cursor), default=-1)
            matched = end in flat
            edge = None if matched else "start"
        first = next((i for i, p in enumerate(places) if matched and end in p), None)
        command: JsonObject = {"action": "continue_until", "until": [*until]}
        self.apply({**command, "direction": direction.value}, end)
        assert self.response["result"] == {"matched": first, "edge": edge}

    @rule(action=st.sampled_from(["list_visits", "inspect_variables"]), offset=st.integers(0, 3))
    def query(self, action: str, offset: int) -> None:
        self.apply({"action": action, "offset": offset}, self.cursor)

    @rule(stale=st.booleans())
    def expect_hash(self, stale: bool) -> None:
        digest = self.oracle.determinism_hash(self.digest, self.cursor)
        expected = None if stale or self.cursor >= self.last else self.cursor + 1
        self.apply({"action": "step", "expected_hash": "" if stale else digest}, expected)

    @rule(value=ANY_JSON)
    def nonsense(self, value: JsonValue) -> None:
        self.apply({"action": value}, None)

    @invariant()
    def stands_where_the_model_stands(self) -> None:
        if hasattr(self, "state"):
            assert self.state.cursor == self.cursor


TestDebugger = Debugger.TestCase
TestDebugger.settings = settings(max_examples=30, stateful_step_count=15, deadline=None)
