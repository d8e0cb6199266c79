"""The projection equals a naive replay of the documents' words, at every cursor."""

import copy
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.oracle import Oracle
from support.small_calls import (
    FIXTURES,
    artifact_of,
    bus,
    edge,
    fixture_artifact,
    fixture_view,
    segment,
    small_artifacts,
    state,
    trace,
)

from engine.core.artifact import ArtifactView, artifact_bytes, read_artifact, view_of
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.json_types import JsonObject, rows
from engine.core.cursor import exit_rows, pending_rows, project

KEYS = {
    "event",
    "visit",
    "path",
    "visit_count",
    "variables",
    "variables_total",
    "exits",
    "exits_total",
    "beats",
    "pending",
    "pending_total",
    "playback",
    "findings",
    "findings_total",
    "checkpoint",
}


def at(artifact: JsonObject, cursor: int) -> JsonObject:
    return project(ArtifactView.of(artifact), cursor)


def row(projection: JsonObject, member: str, key: str, value: str) -> JsonObject:
    return next(r for r in rows(projection, member) if r[key] == value)


# -- the naive replay ------------------------------------------------------------------------------


@given(small_artifacts())
@example(artifact_of([]))
@example(artifact_of([trace("state_entered", state_id="menu")]))
def test_equals_the_naive_replay_at_every_cursor(artifact: JsonObject) -> None:
    view, oracle = ArtifactView.of(artifact), Oracle(artifact)
    for cursor in range(-1, oracle.count):
        assert project(view, cursor) == oracle.projection(cursor)


@given(small_artifacts())
@example(artifact_of([]))
def test_a_recording_read_from_its_file_is_projected_alike(artifact: JsonObject) -> None:
    file = b"".join(artifact_bytes(artifact))
    view, held = view_of(read_artifact(file), digest=""), ArtifactView.of(artifact)
    assert view.event_count == held.event_count
    for cursor in range(-1, view.event_count):
        assert canonical_bytes(project(view, cursor)) == canonical_bytes(project(held, cursor))


@pytest.mark.parametrize("name", FIXTURES)
def test_equals_the_naive_replay_on_a_real_call(name: str) -> None:
    view, oracle = fixture_view(name), Oracle(fixture_artifact(name))
    assert oracle.count > 100
    for cursor in range(-1, oracle.count):
        assert project(view, cursor) == oracle.projection(cursor)


def test_equals_the_naive_replay_on_generated_calls(generated: JsonObject) -> None:
    view, oracle = ArtifactView.of(generated), Oracle(generated)
    near = {i + d for i in view.visit_starts for d in (-1, 0, 1) if i + d < oracle.count}
    chosen = random.Random(5).sample(sorted(near), 25)
    for cursor in [-1, 0, *chosen, oracle.count - 1]:
        assert project(view, cursor) == oracle.projection(cursor)


# -- its shape -------------------------------------------------------------------------------------


@given(small_artifacts(), st.data())
def test_has_exactly_the_documented_keys_and_encodes(
    artifact: JsonObject, data: st.DataObject
) -> None:
    view = ArtifactView.of(artifact)
    found = project(view, data.draw(st.integers(-1, view.event_count - 1)))
    assert set(found) == KEYS
    assert [r["beat"] for r in rows(found, "beats")] == [
        "entry",
        "agent_output",
        "caller_input",
        "work",
        "guards",
        "exit",
    ]
    assert canonical_bytes(found)


@given(small_artifacts(), st.data())
def test_projecting_changes_nothing(artifact: JsonObject, data: st.DataObject) -> None:
    before = copy.deepcopy(artifact)
    view = ArtifactView.of(artifact)
    cursor = data.draw(st.integers(-1, view.event_count - 1))
    first = copy.deepcopy(project(view, cursor))
    for other in range(-1, view.event_count):
        project(view, other)
    assert project(view, cursor) == first
    assert artifact == before


def test_the_start_of_a_recording_shows_nothing_yet() -> None:
    found = at(artifact_of([trace("state_entered", state_id="menu")]), -1)
    assert found["event"] is None
    assert found["visit"] is None
    assert found["path"] == []
    assert found["visit_count"] == 0
    assert found["exits"] == []
    assert {str(r["reason"]) for r in rows(found, "beats")} == {"no_visit"}
    assert {str(r["reason"]) for r in rows(found, "variables")} == {"not_recorded"}


def test_a_recording_without_events_has_a_projection() -> None:
    found = at(artifact_of([]), -1)
    assert set(found) == KEYS
    assert found["checkpoint"] is None


# -- event, visit, path ----------------------------------------------------------------------------


def test_an_event_of_an_unknown_type_without_clock_is_shown() -> None:
    assert at(artifact_of([bus("weather", wind=3)]), 0)["event"] == {
        "event_index": 0,
        "event_id": "e0",
        "clock_ms": None,
        "type": "weather",
        "stream": "bus",
        "owner": None,
        "unowned": "before_entry",
    }


def test_a_closing_record_still_shows_its_visit_open_and_the_next_event_shows_it_left() -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            trace("state_exited", state_id="menu", edge_id="menu:2"),
            bus("weather"),
        ]
    )
    visits = [at(artifact, cursor)["visit"] for cursor in range(3)]
    assert [v["status"] for v in visits if isinstance(v, dict)] == ["open", "open", "left"]
    assert visits[2] == {
        "visit_id": "menu#1",
        "state_id": "menu",
        "occurrence": 1,
        "status": "left",
        "entered_index": 0,
        "closed_index": 1,
        "exit_label": "recorded",
        "exit_reason": None,
    }
    assert at(artifact, 2)["path"] == []


def test_nested_visits_are_a_path_outermost_first() -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            trace("state_entered", state_id="ask", parent_visit_id="menu#1"),
            trace("state_exited", state_id="ask"),
            bus("weather"),
            trace("state_exited", state_id="menu"),
        ]
    )
    paths = [at(artifact, cursor)["path"] for cursor in range(5)]
    assert paths == [["menu#1"], ["menu#1", "ask#1"], ["menu#1", "ask#1"], ["menu#1"], ["menu#1"]]


# -- exits -----------------------------------------------------------------------------------------


def exits_call() -> JsonObject:
    return artifact_of(
        [
            trace("state_entered", state_id="menu"),
            trace("guard_evaluated", edge_id="menu:0", verdict=False, slots_read=["route"]),
            trace("guard_evaluated", edge_id="menu:0", verdict=None, error="boom"),
            trace("guard_evaluated", edge_id="menu:0", verdict=True, slots_read=["note"]),
            trace("state_exited", state_id="menu", edge_id="menu:0"),
            bus("weather"),
        ]
    )


def test_of_several_evaluations_the_last_as_of_the_cursor_and_of_the_whole_visit() -> None:
    shown = [row(at(exits_call(), c), "exits", "edge_id", "menu:0") for c in range(6)]
    verdicts = ["not_evaluated", False, None, True, True, True]
    assert [r["verdict"] for r in shown] == verdicts
    assert all(r["recorded_verdict"] is True for r in shown)
    assert all(r["taken"] is True for r in shown)
    assert [r["slots_read"] for r in shown] == [[], ["route"], [], ["note"], ["note"], ["note"]]
    assert [r["label"] for r in shown[:4]] == ["unavailable", "recorded", "unavailable", "recorded"]


def test_a_choice_of_the_model_is_unavailable_unless_recorded() -> None:
    artifact = exits_call()
    by_model = row(at(artifact, 3), "exits", "edge_id", "menu:1")
    assert (by_model["verdict"], by_model["label"]) == ("not_evaluated", "unavailable")
    assert by_model["label_reason"] == "decided_by_model"
    records = [
        trace("state_entered", state_id="menu"),
        trace("guard_evaluated", edge_id="menu:1", verdict=True),
    ]
    recorded = row(at(artifact_of(records), 1), "exits", "edge_id", "menu:1")
    assert (recorded["verdict"], recorded["label"]) == (True, "recorded")
    assert recorded["label_reason"] is None


def test_evaluations_of_another_visit_do_not_count() -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            trace("guard_evaluated", edge_id="menu:0", verdict=True),
            trace("state_exited", state_id="menu"),
            trace("state_entered", state_id="menu"),
        ]
    )
    assert row(at(artifact, 3), "exits", "edge_id", "menu:0")["verdict"] == "not_evaluated"


def test_a_state_that_the_flow_does_not_have_has_no_exits() -> None:
    found = at(artifact_of([trace("state_entered", state_id="unheard_of")]), 0)
    assert (found["exits"], found["exits_total"]) == ([], 0)


# -- bounds ----------------------------------------------------------------------------------------


def test_lists_are_bounded_and_say_how_many_there_are() -> None:
    records = [trace("state_entered", state_id="menu")]
    records += [bus("slot_write", slot=f"s{n}", new=1) for n in range(205)]
    records += [bus("tool_called", tool="find", tool_call_id=f"k{n}") for n in range(40)]
    records += [bus("audio_started", playback_id=f"p{n}") for n in range(12)]
    artifact = artifact_of(records)
    states = artifact["flow"]
    assert isinstance(states, dict)
    states["states"] = {"menu": state(*[edge(f"menu:{n}", "ask", "always") for n in range(70)])}
    found = at(artifact, len(records) - 1)
    assert (len(rows(found, "variables")), found["variables_total"]) == (200, 208)
    assert (len(rows(found, "exits")), found["exits_total"]) == (64, 70)
    assert (len(rows(found, "pending")), found["pending_total"]) == (32, 40)
    assert found["playback"] == [f"p{n}" for n in range(8)]
    assert rows(found, "pending")[0]["event_id"] == "e206"


# -- findings --------------------------------------------------------------------------------------


def with_findings(*ats: int) -> JsonObject:
    """Return a call of three events with a finding at each of `ats`."""
    artifact = artifact_of([bus("weather") for _ in range(3)])
    artifact["findings"] = [
        {"finding_id": f"TOOL_FAILED#{n}", "code": "TOOL_FAILED", "at": at}
        for n, at in enumerate(ats, start=1)
    ]
    return artifact


def test_findings_are_those_of_this_event_in_the_artifacts_order() -> None:
    artifact = with_findings(0, 2, 2)
    shown = [at(artifact, cursor)["findings"] for cursor in range(-1, 3)]
    assert shown == [[], ["TOOL_FAILED#1"], [], ["TOOL_FAILED#2", "TOOL_FAILED#3"]]
    assert [at(artifact, cursor)["findings_total"] for cursor in range(-1, 3)] == [0, 1, 0, 2]


def test_findings_are_bounded() -> None:
    found = at(with_findings(*[1] * 40), 1)
    assert found["findings"] == [f"TOOL_FAILED#{n}" for n in range(1, 33)]
    assert found["findings_total"] == 40


# -- pending, playback, checkpoint -----------------------------------------------------------------


@pytest.mark.parametrize(
    "end",
    [
        trace("transition_taken", to="ask", edge_id="menu:0", request_id="r1"),
        trace("transition_taken", to="ask", edge_id="menu:0", caused_by="e1"),
        trace("transition_taken", to="bye", edge_id=None),
        trace("state_exited", state_id="menu"),
    ],
    ids=["by request id", "by cause", "superseded by another", "superseded by the close"],
)
def test_a_request_is_pending_until_it_is_taken_or_superseded(end: tuple[str, JsonObject]) -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            trace("transition_requested", request_id="r1", edge_id="menu:0", to="ask", clock_ms=7),
            bus("weather"),
            end,
        ]
    )
    one: JsonObject = {
        "kind": "transition",
        "event_id": "e1",
        "visit_id": "menu#1",
        "since_ms": 7,
    }
    assert [at(artifact, c)["pending"] for c in range(4)] == [[], [one], [one], []]


@pytest.mark.parametrize("answer", [{"request_id": "r1"}, {"caused_by": "e1"}], ids=str)
def test_a_request_is_taken_from_another_visit_by_its_id_or_cause(answer: JsonObject) -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            trace("transition_requested", request_id="r1", to="ask"),
            trace("state_entered", state_id="ask", parent_visit_id="menu#1"),
            trace("transition_taken", to="bye", visit_id="ask#1", **answer),
        ]
    )
    assert [at(artifact, c)["pending_total"] for c in range(4)] == [0, 1, 1, 0]


def test_a_tool_is_pending_until_its_result_and_audio_until_its_first_end() -> None:
    artifact = artifact_of(
        [
            bus("tool_called", tool="find", tool_call_id="k1"),
            bus("audio_requested", playback_id="p1"),
            bus("tool_result", tool_call_id="k1", ok=True),
            bus("audio_started", playback_id="p1"),
            bus("audio_interrupted", playback_id="p1"),
            bus("audio_requested", playback_id="p1"),
        ]
    )
    kinds = [[r["kind"] for r in rows(at(artifact, c), "pending")] for c in range(6)]
    assert kinds == [["tool"], ["tool", "audio"], ["audio"], ["audio"], [], []]
    assert [at(artifact, c)["playback"] for c in range(6)] == [[], [], [], ["p1"], [], []]


def test_a_playback_is_audible_from_its_first_start_to_its_first_end() -> None:
    artifact = artifact_of(
        [
            bus("audio_started", playback_id="p1"),
            bus("audio_started", playback_id="p2"),
            bus("audio_started", playback_id="p1"),
            bus("audio_stopped", playback_id="p1"),
            bus("audio_completed", playback_id="p1"),
            bus("audio_started", playback_id="p1"),
            bus("audio_failed", playback_id="p3"),
            bus("audio_started", playback_id="p3"),
        ]
    )
    audible = [at(artifact, cursor)["playback"] for cursor in range(8)]
    assert audible == [["p1"], ["p1", "p2"], ["p1", "p2"], *[["p2"]] * 5]


def test_checkpoints_are_the_four_documented_kinds() -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            bus("weather"),
            bus("input_selected"),
            bus("weather"),
            bus("tool_called", tool="find", tool_call_id="k1"),
            bus("tool_result", tool_call_id="k1", ok=True),
            bus("tool_called", tool="find", tool_call_id="never answered"),
            bus("audio_stopped", playback_id="p1"),
            bus("audio_completed", playback_id="p2"),
        ]
    )
    found = [at(artifact, cursor)["checkpoint"] for cursor in range(-1, 9)]
    entry, chosen, tool, audio = (
        {"kind": "visit_entry", "event_index": 0},
        {"kind": "before_input_selection", "event_index": 1},
        {"kind": "before_tool", "event_index": 3},
        {"kind": "before_audio_outcome", "event_index": 7},
    )
    assert found == [None, entry, chosen, chosen, tool, tool, tool, tool, audio, audio]


def test_a_checkpoint_may_stand_at_the_start_of_the_recording() -> None:
    found = at(artifact_of([bus("dtmf_received", digit="1")]), -1)
    assert found["checkpoint"] == {"kind": "before_input_selection", "event_index": -1}


# -- beats -----------------------------------------------------------------------------------------


def test_beats_count_the_events_of_the_visit_so_far() -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            segment("caller"),
            segment("operator"),
            bus("weather"),
        ]
    )
    found = at(artifact, 2)
    assert row(found, "beats", "beat", "entry")["count"] == 1
    assert row(found, "beats", "beat", "caller_input")["first_event_id"] == "e1"
    assert row(found, "beats", "beat", "work") == {
        "beat": "work",
        "label": "recorded",
        "reason": None,
        "count": 1,
        "first_event_id": "e2",
        "last_event_id": "e2",
    }
    assert row(at(artifact, 1), "beats", "beat", "work")["reason"] == "none_yet"
    assert row(found, "beats", "beat", "guards")["reason"] == "none_recorded"


# -- rows for other faces --------------------------------------------------------------------------


def test_rows_of_exits_and_pending_are_those_of_the_projection() -> None:
    view = fixture_view("booking_racy")
    for cursor in range(-1, view.event_count, 7):
        found = project(view, cursor)
        assert exit_rows(view, cursor, view.visit_at(cursor)) == found["exits"]
        assert pending_rows(view, cursor, limit=32) == found["pending"]
