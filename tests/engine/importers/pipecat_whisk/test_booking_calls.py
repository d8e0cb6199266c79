"""The two booking calls: what their Whisker files show, held against what a recorder saw."""

import json
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.importers import Imported, ImportOptions
from engine.importers.pipecat_whisk import PIPECAT_WHISK
from engine.recording import build_session

FOLDER = OURS / "pipecat"
FIXTURES = OURS.parent
CALLS = ("booking_clean", "booking_racy")
each_call = pytest.mark.parametrize("call", CALLS)


def imported_of(call: str) -> Imported:
    source = FOLDER / f"{call}.whisk.gz"
    return PIPECAT_WHISK.import_recording([source], ImportOptions(flow=FOLDER / "flow.yaml"))


def of_type(records: list[dict], kind: str) -> list[dict]:
    return [record for record in records if record["type"] == kind]


def recorded(call: str) -> list[dict]:
    """What the recorder wrote of the same call, in its order."""
    rows = [
        json.loads(line)
        for name in ("trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl")
        for line in (FIXTURES / call / name).read_text(encoding="utf-8").splitlines()
    ]
    return sorted(rows, key=lambda row: row["seq"])


@each_call
def test_all_visits_are_there(call: str) -> None:
    mine = [row["state_id"] for row in of_type(imported_of(call).records, "state_entered")]
    true = [row["state_id"] for row in of_type(recorded(call), "state_entered")]
    assert mine == true
    assert len(mine) == 5


@each_call
def test_all_outcomes_are_there_and_none_is_called_recorded(call: str) -> None:
    imported = imported_of(call)
    taken = of_type(imported.records, "transition_taken")
    true = of_type(recorded(call), "transition_taken")
    assert [row["edge_id"] for row in taken] == [row["edge_id"] for row in true]
    assert [row["to"] for row in taken] == [row["to"] for row in true]
    assert len(taken) == 4
    assert {row["provenance"] for row in taken} == {"recomputed"}
    assert len(of_type(imported.records, "branch_recomputed")) == 4
    assert not of_type(imported.records, "guard_evaluated")


@each_call
def test_all_tool_calls_are_there_once(call: str) -> None:
    calls = of_type(imported_of(call).records, "tool_called")
    true = of_type(recorded(call), "tool_called")
    assert [(row["tool"], row["tool_call_id"], row["args_safe"]) for row in calls] == [
        (row["tool"], row["tool_call_id"], row["args_safe"]) for row in true
    ]
    assert len(calls) == 5
    results = of_type(imported_of(call).records, "tool_result")
    assert [row["result_safe"] for row in results] == [
        row["result_safe"] for row in of_type(recorded(call), "tool_result")
    ]


@each_call
def test_slots_go_as_far_as_evidence_goes(call: str) -> None:
    writes = [
        (row["slot"], row["new"], row.get("writer"), row["provenance"])
        for row in of_type(imported_of(call).records, "slot_write")
    ]
    assert writes == [
        ("party_size", "4", None, "rendered_prompt"),
        ("time", "19:00", "tool:check_availability", "tool_argument"),
        ("alternatives", "['18:00', '20:30']", None, "rendered_prompt"),
        ("time", "18:00", "tool:check_availability", "tool_argument"),
    ]


@each_call
def test_turns_are_composed_of_the_segments_that_the_recorder_saw(call: str) -> None:
    def turns(records: list[dict]) -> list[tuple[str, list[str]]]:
        said = {row["event_id"]: row["text"] for row in of_type(records, "transcript_segment")}
        return [
            (row["content"], [said[name] for name in row["segment_event_ids"]])
            for row in of_type(records, "input_selected")
        ]

    assert turns(imported_of(call).records) == turns(recorded(call))


@each_call
def test_playback_is_what_the_recorder_saw(call: str) -> None:
    ends = ("audio_completed", "audio_interrupted")

    def played(records: list[dict]) -> list[tuple[str, str, str]]:
        return [
            (row["type"], row["playback_id"], row["heard"])
            for row in records
            if row["type"] in ends
        ]

    assert played(imported_of(call).records) == played(recorded(call))


@each_call
def test_no_message_of_a_model_run_is_shown(call: str) -> None:
    runs = of_type(imported_of(call).records, "llm_requested")
    assert len(runs) == len(of_type(recorded(call), "llm_requested")) == 11
    assert not [row for row in runs if "messages" in row or "context_size" in row]
    assert all(row["messages_unavailable"] for row in runs)


@each_call
def test_a_frame_is_one_record_whatever_its_hops_and_siblings(call: str) -> None:
    records = imported_of(call).records
    true = recorded(call)
    for kind in ("speech.interruption", "speech.user_turn_started", "speech.bot_speech_started"):
        assert len(of_type(records, kind)) == len(of_type(true, kind))


def test_without_the_flow_calls_and_words_are_there_and_visits_are_unavailable() -> None:
    imported = PIPECAT_WHISK.import_recording([FOLDER / "booking_racy.whisk.gz"], ImportOptions())
    assert imported.flow is None
    assert not of_type(imported.records, "state_entered")
    assert len(of_type(imported.records, "tool_called")) == 5
    visits = next(row for row in imported.mapping if row.concept == "visits")
    assert visits.faith == "absent"
    assert "--flow" in (visits.reason or "")


def test_another_flow_is_told(tmp_path: Path) -> None:
    flow = tmp_path / "flow.yaml"
    flow.write_text(
        (FOLDER / "flow.yaml").read_text(encoding="utf-8").replace("Read back:", "Repeat:"),
        encoding="utf-8",
    )
    imported = PIPECAT_WHISK.import_recording(
        [FOLDER / "booking_racy.whisk.gz"], ImportOptions(flow=flow)
    )
    assert len(of_type(imported.records, "state_entered")) == 4
    assert any("belong to no node" in note for note in imported.notes)


def test_the_call_is_shown_with_its_findings(tmp_path: Path) -> None:
    from engine.importers import import_sources, write_session

    sources = [FOLDER / "booking_racy.whisk.gz"]
    options = ImportOptions(flow=FOLDER / "flow.yaml")
    imported, about = import_sources(PIPECAT_WHISK, sources, options)
    write_session(imported, tmp_path / "call", about=about)
    artifact = build_session(tmp_path / "call")
    assert [row["via_edge"] for row in artifact["visits"]] == [
        None,
        "greet:0",
        "get_time:1",
        "no_table:0",
        "confirm:0",
    ]
    assert {row["code"] for row in artifact["findings"]} == {
        "SPEECH_CUT_BY_CALLER",
        "TURN_MERGED_SEGMENTS",
    }
