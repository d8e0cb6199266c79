"""A conversation of Rasa as records: the stack as frames, slots as replayed, labels as they are."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.import_samples import OURS

from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import SlotClass
from engine.core.flow import parse_flow
from engine.importers import Faith, Imported, ImportOptions, write_session
from engine.importers.rasa import RASA
from engine.importers.rasa.conversation import told
from engine.importers.rasa.events import read_tracker
from engine.recording import build_session

FOLDER = OURS / "rasa"
CALM, FLOWS = FOLDER / "tracker_calm.synthetic.json", FOLDER / "flows_calm.yml"
MOODBOT, LEGACY = FOLDER / "tracker_moodbot.json", FOLDER / "dialogue_formbot_legacy.json"
PLAIN = dict.fromkeys(("time", "available", "party_size", "a", "b"), SlotClass.PLAIN)


def run_of(*sources: Path) -> Imported:
    return RASA.import_recording(sources, ImportOptions(slot_classes=PLAIN))


def artifact_of(tmp_path: Path, *sources: Path) -> JsonObject:
    write_session(run_of(*sources), tmp_path / "call", about={})
    return build_session(tmp_path / "call")


def tracker(tmp_path: Path, *events: JsonObject, **more: object) -> Path:
    rows = [{"timestamp": 100.0 + index, **event} for index, event in enumerate(events)]
    path = tmp_path / "tracker.json"
    path.write_text(json.dumps({"sender_id": "s", "events": rows, **more}))
    return path


def of_type(records: Sequence[JsonObject], *kinds: str) -> list[JsonObject]:
    return [record for record in records if record["type"] in kinds]


def slot(name: str, value: object) -> JsonObject:
    return {"event": "slot", "name": name, "value": value}


def user(text: str, **parsed: object) -> JsonObject:
    return {"event": "user", "text": text, "parse_data": parsed}


def action(name: str) -> JsonObject:
    return {"event": "action", "name": name}


def writes(records: Sequence[JsonObject]) -> list[tuple[object, object, object]]:
    return [(r["slot"], r["new"], r["writer"]) for r in of_type(records, "slot_write")]


def test_the_stack_is_a_path_of_nested_visits(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, CALM, FLOWS)
    parents = {row["visit_id"]: row["parent_visit_id"] for row in artifact["visits"]}
    assert [visit for visit, parent in parents.items() if parent is None] == [
        "book_table/START#1", "book_table/ask_time#1", "book_table/2_action_check_availability#1",
        "book_table/3_utter_full#1", "book_table/ask_time#2",
        "book_table/2_action_check_availability#2", "book_table/done#1", "book_table/END#1",
    ]  # fmt: skip
    collecting = "pattern_collect_information/4_action_listen#1"
    assert parents[collecting] == "book_table/ask_time#1"
    assert parents["directions/0_utter_directions#1"] == collecting
    codes = {row["code"] for row in artifact["problems"]}
    assert codes == {"UNKNOWN_TYPE"}
    assert "TRANSITION_WITHOUT_EDGE" not in {row["code"] for row in artifact["findings"]}


def test_every_event_of_the_tracker_is_there() -> None:
    records = run_of(CALM, FLOWS).records
    told = {str(record["source_record"]["id"]) for record in records}
    count = len(json.loads(CALM.read_bytes())["events"])
    assert told == {f"events/{index}" for index in range(count)}


def test_a_condition_is_evaluated_again_and_never_as_recorded(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, CALM, FLOWS)
    records = [row["record"] for row in artifact["events"]]
    branches = of_type(records, "branch_recomputed")
    assert [(r["outcome"], r["slots_read"]) for r in branches] == [
        (False, ["available"]), (True, ["available"]),
    ]  # fmt: skip
    assert {r["provenance"] for r in branches} == {"recomputed"}
    assert not of_type(records, "guard_evaluated")
    [row] = [row for row in run_of(CALM, FLOWS).mapping if row.concept == "guard verdicts"]
    assert row.faith is Faith.ABSENT


def test_a_writer_stands_only_where_one_reading_is_left() -> None:
    told = writes(run_of(CALM, FLOWS).records)
    assert ("time", "19:00", "command:set slot") in told
    assert ("available", False, "action:action_check_availability") in told
    assert ("time", None, None) in told, "a reset by the flow: nobody is named"
    for record in of_type(run_of(CALM).records, "slot_write"):
        assert (record["writer"] is None) != (record.get("provenance") == "neighbour")


def test_steps_between_that_have_their_value_are_passed() -> None:
    taken = of_type(run_of(CALM, FLOWS).records, "transition_taken")
    assert taken[0]["edge_id"] == "book_table/START:0"
    assert taken[0]["passed"] == ["book_table/0_collect_party_size"]
    assert all(record["edge_id"] is not None for record in taken)


def test_words_commands_and_tools() -> None:
    records = run_of(CALM, FLOWS).records
    said = of_type(records, "transcript_segment")
    assert [r["speaker"] for r in said[:3]] == ["caller", "agent", "caller"]
    commands = of_type(records, "rasa.command")
    assert commands[0]["command"] == "start flow"
    assert commands[1]["value"] == "<str len=1>", "a command's value is personal"
    called = of_type(records, "tool_called")
    assert {r["tool"] for r in called} == {"action_check_availability"}
    assert [r["ok"] for r in of_type(records, "tool_result")] == [None, None]


def test_without_its_flows_the_graph_is_grown() -> None:
    imported = run_of(CALM)
    [row] = [row for row in imported.mapping if row.concept == "flow"]
    assert row.faith is Faith.DERIVED
    assert not of_type(imported.records, "branch_recomputed")


def test_other_flows_than_those_that_ran_are_noticed(tmp_path: Path) -> None:
    other = tmp_path / "flows.yml"
    other.write_text("flows:\n  book_table:\n    steps:\n      - action: utter_hello\n")
    assert any("not in the flow files" in note for note in run_of(CALM, other).notes)


def test_list_order_is_kept_though_stamps_go_back(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, MOODBOT)
    assert [row["visit_id"] for row in artifact["visits"]] == [
        "action_listen#1", "utter_greet#1", "action_listen#2", "utter_happy#1", "action_listen#3",
    ]  # fmt: skip
    assert [row["code"] for row in artifact["findings"]].count("CLOCK_STEP") == 2
    assert all(record["clock_ms"] >= 0 for record in run_of(MOODBOT).records)


def test_the_old_shape_is_read_and_no_class_is_looked_up(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, LEGACY)
    states = [row["state_id"] for row in artifact["visits"]]
    assert "restaurant_form" in states
    records = run_of(LEGACY).records
    assert writes(records) == [("requested_slot", None, "action:action_deactivate_form")]
    assert of_type(records, "rasa.active_loop")[0]["name"] is None


def test_a_form_holds_the_actions_that_run_in_it(tmp_path: Path) -> None:
    path = tracker(
        tmp_path,
        action("booking_form"),
        {"event": "active_loop", "name": "booking_form"},
        action("action_listen"),
        {"event": "active_loop", "name": None},
        action("action_listen"),
    )
    entered = of_type(run_of(path).records, "state_entered")
    assert [r["parent_visit_id"] for r in entered] == [None, "booking_form#1", None]


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("rewind", [("a", 1, "event:rewind"), ("b", None, "event:rewind")]),
        ("undo", [("b", None, "event:undo")]),
        ("reset_slots", [("a", None, "event:reset_slots"), ("b", None, "event:reset_slots")]),
        ("restart", [("a", None, "event:restart"), ("b", None, "event:restart")]),
    ],
)
def test_what_is_taken_back_is_told_as_writes(event: str, told: list, tmp_path: Path) -> None:
    path = tracker(
        tmp_path,
        slot("a", 1),
        action("action_listen"),
        user("hello"),
        slot("a", 2),
        action("action_look"),
        slot("b", 3),
        {"event": event},
    )
    assert writes(run_of(path).records)[3:] == told


def test_nothing_to_take_back_is_said(tmp_path: Path) -> None:
    [record] = of_type(run_of(tracker(tmp_path, {"event": "rewind"})).records, "rasa.rewind")
    assert record["found"] is False


def test_a_patch_that_does_not_fit_is_kept_and_said(tmp_path: Path) -> None:
    bad = {"event": "stack", "update": '[{"op": "remove", "path": "/4"}]'}
    imported = run_of(tracker(tmp_path, bad))
    [record] = of_type(imported.records, "rasa.stack")
    assert "leads behind the end" in record["refused"]
    assert any("do not fit the stack" in note for note in imported.notes)


def test_a_summary_that_differs_from_the_events_is_said(tmp_path: Path) -> None:
    path = tracker(tmp_path, slot("a", 1), slots={"a": 2, "other": 3})
    assert any("for a;" in note for note in run_of(path).notes)


def test_an_outer_frame_that_moves_enters_its_inner_ones_again(tmp_path: Path) -> None:
    def stack(*operations: JsonObject) -> JsonObject:
        return {"event": "stack", "update": json.dumps(operations)}

    frames = [
        {"frame_id": "1", "flow_id": "f", "step_id": "x"},
        {"frame_id": "2", "flow_id": "g", "step_id": "y"},
    ]
    path = tracker(
        tmp_path,
        stack({"op": "replace", "path": "", "value": frames}),
        stack({"op": "replace", "path": "/0/step_id", "value": "z"}),
    )
    records = of_type(run_of(path).records, "state_entered", "state_exited", "transition_taken")
    assert [(r["type"], r.get("visit_id")) for r in records[2:]] == [
        ("state_exited", "g/y#1"), ("transition_taken", "f/x#1"),
        ("state_entered", "f/z#1"), ("state_entered", "g/y#2"),
    ]  # fmt: skip
    assert records[-1]["parent_visit_id"] == "f/z#1"


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"event": 3},
        {"event": "slot"},
        {"event": "slot", "name": "a", "value": {"deep": [1]}},
        {"event": "user", "text": None, "parse_data": {"commands": [{"command": 1}], "intent": 3}},
        {"event": "bot", "text": None},
        {"event": "action", "name": None, "confidence": True},
        {"event": "stack", "update": None},
        {"event": "x" * 400, "name": 3},
        {"event": "user", "timestamp": "yesterday"},
        {"event": "user", "timestamp": 1e300},
    ],
)
def test_odd_events_are_kept(event: JsonObject, tmp_path: Path) -> None:
    path = tracker(tmp_path, action("action_listen"), event)
    artifact = artifact_of(tmp_path, path)
    assert artifact["events"][-1]["record"]["source_record"]["id"] == "events/1"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "value", "text", "intent", "flow_id"]), inner)
    ),
    max_leaves=8,
)
FRAMES = st.lists(
    st.fixed_dictionaries(
        {"flow_id": st.sampled_from("ab"), "step_id": st.sampled_from(["x", "y", "START"])},
        optional={"frame_id": st.sampled_from("12")},
    ),
    max_size=4,
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {"event": st.sampled_from(
            ["user", "bot", "action", "slot", "stack", "active_loop", "rewind", "undo", "restart",
             "reset_slots", "flow_started", "other"])},
        optional={
            "name": st.sampled_from("ab") | JSON,
            "value": JSON,
            "text": JSON,
            "parse_data": JSON,
            "timestamp": st.floats(0, 1e10) | JSON,
        },
    )
    | FRAMES.map(
        lambda frames: {
            "event": "stack",
            "update": json.dumps([{"op": "replace", "path": "", "value": frames}]),
        }
    )
    | JSON,
    max_size=12,
)  # fmt: skip


@given(EVENTS)
def test_any_events_give_records_whose_visits_hold(events: list) -> None:
    """No record is lost, none is invented, and every parent is open where it is named."""
    value = {"sender_id": "s", "events": [{"event": "action"}, *events]}
    run = told(read_tracker(value, Path("t.json")), path=Path("t.json"), flows=[])
    ids = {str(record["source_record"]["id"]) for record in run.records}
    assert ids == {f"events/{index}" for index in range(len(events) + 1)}
    assert len({record["event_id"] for record in run.records}) == len(run.records)
    entered: set[object] = {None}
    for record in run.records:
        if record["type"] == "state_entered":
            assert record["parent_visit_id"] in entered
            assert record["visit_id"] not in entered
            entered.add(record["visit_id"])
    parse_flow(run.flow, path="conversation.flow.json")
