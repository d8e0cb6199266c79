"""Responses: the closed shape, the hash by hand, the evidence rule."""

import copy
import hashlib
import json
import random

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import Oracle
from support.small_calls import (
    FIXTURES,
    artifact_of,
    bus,
    fixture_artifact,
    fixture_view,
    small_artifacts,
    trace,
)

from engine.core.artifact import ArtifactView, artifact_bytes
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.core.cursor import (
    RESPONSE_SCHEMA,
    DebuggerState,
    apply_command,
    determinism_hash,
    open_debugger,
    project,
    respond_without_recording,
)

KEYS = [
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
]


def ask(artifact: JsonObject, command: JsonObject, cursor: int = -1) -> JsonObject:
    state = DebuggerState(view=ArtifactView.of(artifact), cursor=cursor)
    return apply_command(state, command)[1]


# -- the hash --------------------------------------------------------------------------------------


@given(small_artifacts(), st.data())
def test_the_hash_is_sha256_of_rfc8785_of_the_documented_object(
    artifact: JsonObject, data: st.DataObject
) -> None:
    file = hashlib.sha256(b"".join(artifact_bytes(artifact))).hexdigest()
    oracle = Oracle(artifact)
    cursor = data.draw(st.integers(-1, oracle.count - 1))
    response = ask(artifact, {"action": "list_visits", "cursor": cursor})
    assert response["artifact_hash"] == f"sha256:{file}"
    assert response["determinism_hash"] == oracle.determinism_hash(f"sha256:{file}", cursor)


@pytest.mark.parametrize("name", FIXTURES)
def test_the_hash_by_hand_in_a_real_call(name: str) -> None:
    view = fixture_view(name)
    for cursor in random.Random(1).sample(range(-1, view.event_count), 20):
        shown = {
            "schema": "riff.state_program_debugger/v1",
            "mode": "recorded",
            "artifact_hash": view.artifact_hash,
            "new_cursor": cursor,
            "projection": json.loads(json.dumps(project(view, cursor))),
        }
        expected = "sha256:" + hashlib.sha256(rfc8785.dumps(shown)).hexdigest()
        assert determinism_hash(view, cursor, project(view, cursor)) == expected


def test_the_hash_does_not_depend_on_the_way_to_the_cursor_nor_on_the_result() -> None:
    state = open_debugger(fixture_artifact("booking_racy"))
    ways: list[list[JsonObject]] = [
        [{"action": "seek", "event_index": 135}],
        [{"action": "seek", "edge": "end"}, {"action": "seek", "event_id": "e0136"}],
        [{"action": "seek", "event_index": 136}, {"action": "reverse"}],
        [{"action": "list_visits", "cursor": 135}],
        [{"action": "slot_history", "slot": "time", "cursor": 135}],
        [{"action": "step", "cursor": 135, "unit": "era"}],
    ]
    hashes: set[str] = set()
    for way in ways:
        here, response = state, {}
        for command in way:
            here, response = apply_command(here, command)
        assert response["new_cursor"] == 135
        hashes.add(str(response["determinism_hash"]))
    assert len(hashes) == 1


# -- the shape -------------------------------------------------------------------------------------


def test_every_response_has_all_keys() -> None:
    good = ask(artifact_of([bus("weather")]), {"action": "step"})
    assert list(good) == KEYS
    assert (good["schema"], good["mode"]) == ("riff.state_program_response/v1", "recorded")
    assert (good["old_cursor"], good["new_cursor"], good["error"]) == (-1, 0, None)
    bad = ask(artifact_of([bus("weather")]), {"action": "leap"})
    assert list(bad) == KEYS
    assert bad["action"] == "leap"
    error = bad["error"]
    assert isinstance(error, dict)
    assert list(error) == ["code", "message", "detail"]
    assert good["schema"] == RESPONSE_SCHEMA


def test_without_a_recording_everything_that_depends_on_one_is_null() -> None:
    found = respond_without_recording(action="step", error=SessionInvalid("No.", {"path": "x"}))
    assert list(found) == KEYS
    nulls = {"artifact_hash", "old_cursor", "new_cursor", "projection", "result"}
    assert {key for key, value in found.items() if value is None} == nulls | {"determinism_hash"}
    assert found["evidence_refs"] == []
    assert found["error"] == {"code": "SESSION_INVALID", "message": "No.", "detail": {"path": "x"}}
    assert respond_without_recording(action=[1], error=SessionInvalid("No."))["action"] is None


# -- evidence --------------------------------------------------------------------------------------


@given(small_artifacts(), st.data())
def test_evidence_of_a_move(artifact: JsonObject, data: st.DataObject) -> None:
    oracle = Oracle(artifact)
    cursor = data.draw(st.integers(-1, oracle.count - 1))
    response = ask(artifact, {"action": "seek", "event_index": cursor})
    assert response["evidence_refs"] == oracle.evidence(cursor)


def test_evidence_of_a_move_is_event_changes_evaluations_then_pending() -> None:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            bus("tool_called", tool="find", tool_call_id="k1"),
            trace("guard_evaluated", edge_id="menu:2", verdict=False),
            trace("guard_evaluated", edge_id="menu:0", verdict=None),
            bus("slot_write", slot="note", new=1),
        ]
    )
    response = ask(artifact, {"action": "seek", "edge": "end"})
    assert response["evidence_refs"] == ["e4", "e3", "e2", "e1"]


def test_evidence_of_a_query_is_the_event_and_the_items_without_repeats() -> None:
    artifact = artifact_of([bus("slot_write", slot="note", new=n) for n in range(40)])
    history = ask(artifact, {"action": "slot_history", "slot": "note"}, cursor=5)
    assert history["evidence_refs"] == [  # 32 of them
        "e5",
        *[f"e{n}" for n in range(5)],
        *[f"e{n}" for n in range(6, 32)],
    ]
    page = ask(artifact, {"action": "slot_history", "slot": "note", "offset": 38}, cursor=5)
    assert page["evidence_refs"] == ["e5", "e38", "e39"]
    variables = ask(artifact, {"action": "inspect_variables"}, cursor=7)
    assert variables["evidence_refs"] == ["e7"]
    at_start = ask(artifact, {"action": "inspect_variables"})
    assert at_start["evidence_refs"] == []


def test_all_evidence_is_events_of_the_recording() -> None:
    artifact = fixture_artifact("booking_racy")
    ids = set(Oracle(artifact).ids)
    state = open_debugger(artifact)
    for cursor in range(-1, state.view.event_count, 5):
        for action in ("list_visits", "inspect_variables", "step"):
            response = apply_command(state, {"action": action, "cursor": cursor})[1]
            refs = response["evidence_refs"]
            assert isinstance(refs, list)
            assert len(refs) == len(set(map(str, refs))) <= 32
            assert set(map(str, refs)) <= ids


def test_a_response_changed_by_its_reader_changes_no_later_response() -> None:
    artifact = artifact_of([bus("slot_write", slot="note", new=["x"])])
    state = open_debugger(artifact)
    first = apply_command(state, {"action": "step"})[1]
    before = copy.deepcopy(first)
    first.clear()
    assert apply_command(state, {"action": "step"})[1] == before
