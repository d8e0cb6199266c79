"""A run of LangGraph as records: visits, writers, forks and steps as they are stored."""

import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import SlotClass
from engine.importers import Faith, Imported, ImportOptions, write_session
from engine.importers.langgraph import LANGGRAPH
from engine.recording import build_session

FOLDER = OURS / "langgraph"
DATABASE, GRAPH = FOLDER / "checkpoints.sqlite", FOLDER / "graph.json"
FORK = "1f1ecf7d-7d4c-6183-8007-92937ec738b1"
FINISHED = "1f1ecf7d-7d3e-63fa-8007-311ad02a69e6"
PLAIN = dict.fromkeys(("time", "tries", "party_size", "notes"), SlotClass.PLAIN)
PATH = ["__start__#1", "collect#1", "agent#1", "tools#1", "agent#2", "tools#2", "agent#3"]


def run_of(*sources: Path, lineage: str | None = None) -> Imported:
    options = ImportOptions(slot_classes=PLAIN, lineage=lineage)
    return LANGGRAPH.import_recording(sources, options)


def artifact_of(tmp_path: Path, *sources: Path, lineage: str | None = None) -> JsonObject:
    options = ImportOptions(slot_classes=PLAIN, lineage=lineage)
    write_session(LANGGRAPH.import_recording(sources, options), tmp_path / "call", about={})
    return build_session(tmp_path / "call")


def of_type(records: Sequence[JsonObject], *kinds: str) -> list[JsonObject]:
    return [record for record in records if record["type"] in kinds]


def visits(artifact: JsonObject) -> list[object]:
    return [row["visit_id"] for row in artifact["visits"]]


def test_the_finished_run_has_its_visits_writers_and_values(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, DATABASE, GRAPH, lineage=FINISHED)
    assert visits(artifact) == [*PATH, "confirm#1"]
    assert [row["via_edge"] for row in artifact["visits"]] == [
        None, "__start__:0", "collect:0", "agent:1", "tools:0", "agent:1", "tools:0", "agent:0",
    ]  # fmt: skip
    records = [row["record"] for row in artifact["events"]]
    told = [
        (record["slot"], record["writer"], record["new"], record["written"])
        for record in of_type(records, "slot_write")
        if record["slot"] != "messages"
    ]
    assert told == [
        ("party_size", "node:collect", 4, 4),
        ("tries", "node:collect", 0, 0),
        ("tries", "node:agent", 1, 1),
        ("time", "node:agent", "19:00", "19:00"),
        ("tries", "node:agent", 2, 1),
        ("time", "node:agent", "18:00", "18:00"),
        ("tries", "node:agent", 3, 1),
    ]
    owners = {row["event_id"]: row["owner"] for row in artifact["events"]}
    for record in of_type(records, "slot_write"):
        owner = owners[record["event_id"]]
        assert record["writer"] == f"node:{owner.partition('#')[0]}"


def test_an_interrupt_and_its_answer_stand_in_the_visit_that_waits(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, DATABASE, GRAPH, lineage=FINISHED)
    rows = [row for row in artifact["events"] if row["owner"] == "confirm#1"]
    assert [row["record"]["type"] for row in rows] == [
        "state_entered", "langgraph.interrupt", "langgraph.resume", "slot_write",
        "transcript_segment", "state_exited",
    ]  # fmt: skip
    assert rows[1]["record"]["asked"] == {"ask": "<str len=16>", "time": "18:00"}
    assert rows[2]["record"]["answer"] == "<list len=1>"


def test_the_newest_head_is_the_fork_and_its_edit_has_no_row(tmp_path: Path) -> None:
    """What the other lineage wrote behind the common checkpoint is not in this one."""
    artifact = artifact_of(tmp_path, DATABASE, GRAPH)
    assert artifact["session"]["import"]["lineage"] == FORK
    assert visits(artifact) == PATH, "the edit entered nothing, and `confirm` has not run"
    last = [row["record"] for row in artifact["events"]][-2:]
    assert (last[0]["slot"], last[0]["new"], last[0]["writer"]) == ("time", "20:30", "update_state")
    assert last[0]["provenance"] == "snapshot_difference"
    assert (last[1]["stored_because"], last[1]["next"]) == ("update", ["confirm"])
    assert artifact["session"]["ended"] is None
    fork = [row["record"] for row in artifact["events"] if "other_runs_go_on_as" in row["record"]]
    assert [record["other_runs_go_on_as"] for record in fork] == [[FINISHED]]


def test_the_lineages_are_listed_and_one_can_be_asked_for() -> None:
    rows = LANGGRAPH.lineages([DATABASE], ImportOptions())
    assert [(row.lineage_id, row.is_default) for row in rows] == [(FORK, True), (FINISHED, False)]
    assert "its head is an edit" in rows[0].about
    assert "other lineages leave at step 6" in rows[1].about
    notes = run_of(DATABASE).notes
    assert any(FORK in note and "newest head" in note and "--lineage" in note for note in notes)
    assert run_of(DATABASE, lineage="11ad02a69e6").about["lineage"] == FINISHED
    assert run_of(DATABASE, lineage="call-1").about["lineage"] == FORK


@pytest.mark.parametrize("asked", ["nothing", "1f1ecf7d"])
def test_a_lineage_that_is_not_one_is_refused(asked: str) -> None:
    with pytest.raises(SessionInvalid, match="lineage") as caught:
        run_of(DATABASE, lineage=asked)
    assert FORK in caught.value.message


def test_nobody_is_named_in_the_manifest() -> None:
    """A thread is often named by a caller's number."""
    imported = run_of(DATABASE)
    assert "call-1" not in f"{imported.about} {imported.session_id} {imported.flow}"


def test_no_framework_is_imported() -> None:
    """In a process of its own: nothing that the stored values name is there afterwards."""
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path\n"
        "from engine.importers import ImportOptions\n"
        "from engine.importers.langgraph import LANGGRAPH\n"
        f"LANGGRAPH.import_recording([Path({str(DATABASE)!r})], ImportOptions())\n"
        "print([n for n in sys.modules if n.startswith(('lang', 'pickle.', 'ormsgpack'))])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_only_checkpoints_have_a_clock() -> None:
    for record in run_of(DATABASE).records:
        assert ("clock_ms" in record) == (record["type"] == "langgraph.checkpoint")
    assert any(
        row.concept == "times of tasks" and row.faith is Faith.ABSENT
        for row in run_of(DATABASE).mapping
    )


@pytest.mark.parametrize("name", ["state_history.json", "stream_debug.json"])
def test_an_export_tells_the_same_run_and_labels_its_transitions(name: str, tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, FOLDER / name, GRAPH)
    assert visits(artifact) == [*PATH, "confirm#1"]
    records = [row["record"] for row in artifact["events"]]
    taken = of_type(records, "transition_taken")
    assert len(taken) == 7
    assert all(record["provenance"] == "derived" for record in taken)
    writers = {r["writer"] for r in of_type(records, "slot_write") if r["slot"] == "time"}
    assert writers == {"node:agent"}


def test_without_the_graph_the_flow_is_grown_and_says_so() -> None:
    imported = run_of(DATABASE)
    [row] = [row for row in imported.mapping if row.concept == "flow"]
    assert row.faith is Faith.DERIVED
    assert imported.flow is not None
    assert b"seen in this run" in imported.flow.data


def test_tools_and_words_come_from_messages() -> None:
    records = run_of(DATABASE, lineage=FINISHED).records
    calls = of_type(records, "tool_called")
    results = of_type(records, "tool_result")
    assert [(r["tool"], r["tool_call_id"]) for r in calls] == [
        ("check_availability", "call_1"), ("check_availability", "call_2"),
    ]  # fmt: skip
    assert [(r["tool_call_id"], r["ok"]) for r in results] == [("call_1", True), ("call_2", True)]
    said = of_type(records, "transcript_segment")
    assert [r["speaker"] for r in said] == ["caller", "agent", "agent"]


def test_nodes_of_one_step_have_no_order_of_their_own(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, FOLDER / "parallel.sqlite", FOLDER / "make_samples.py")
    assert visits(artifact) == [
        "__start__#1", "collect#1", "look_up_prices#1", "look_up_tables#1", "timing#1",
        "timing/__start__#1", "timing/ask_time#1", "check#1", "check#2", "book#1",
    ]  # fmt: skip
    records = [row["record"] for row in artifact["events"]]
    together = of_type(records, "langgraph.parallel_step")
    assert [record["order"] for record in together] == ["not_recorded"] * 2
    entered = {r["visit_id"]: r for r in of_type(records, "state_entered")}
    assert entered["look_up_prices#1"]["parallel_with"] == ["look_up_tables"]
    assert "parallel_with" not in entered["collect#1"]
    between = of_type(records, "langgraph.channel_write")
    assert [r["value_after"] for r in between] == ["value_between_writes_not_stored"] * 2
    assert between[0]["written"] == ["prices"]


def test_a_graph_within_a_node_is_nested_in_its_visit(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, FOLDER / "parallel.sqlite")
    parents = {row["visit_id"]: row["parent_visit_id"] for row in artifact["visits"]}
    assert parents["timing/ask_time#1"] == "timing#1"
    assert parents["check#1"] is None
    records = [row["record"] for row in artifact["events"]]
    assert len(of_type(records, "langgraph.interrupt")) == 1, "told once, where it was raised"
    owners = {row["event_id"]: row["owner"] for row in artifact["events"]}
    raised = of_type(records, "langgraph.interrupt")[0]
    assert owners[raised["event_id"]] == "timing/ask_time#1"


def test_a_failure_leaves_an_open_visit_and_no_words(tmp_path: Path) -> None:
    artifact = artifact_of(tmp_path, FOLDER / "parallel.sqlite")
    last = artifact["events"][-1]
    assert (last["owner"], last["record"]["type"]) == ("book#1", "langgraph.task_failed")
    assert last["record"]["error_type"] == "ValueError"
    assert "no table" not in str(artifact)
    assert artifact["visits"][-1]["closed_index"] is None
    assert artifact["session"]["ended"] is None


def test_where_two_nodes_go_to_one_no_cause_is_chosen() -> None:
    entered = {
        r["visit_id"]: r
        for r in of_type(run_of(FOLDER / "parallel.sqlite").records, "state_entered")
    }
    assert "caused_by" not in entered["timing#1"]
    assert entered["timing#1"]["via_edge"] is None
    assert "caused_by" in entered["look_up_prices#1"]


def test_runs_that_share_a_checkpoint_have_no_writers(tmp_path: Path) -> None:
    """Two runs went on from one checkpoint: its rows may be of either."""
    path = tmp_path / "shared.sqlite"
    shutil.copyfile(DATABASE, path)
    with sqlite3.connect(path) as changed:
        changed.execute("UPDATE checkpoints SET metadata = replace(metadata, 'update', 'loop')")
    changed.close()
    imported = run_of(path, lineage=FINISHED)
    assert len(of_type(imported.records, "langgraph.writes_unattributed")) == 1
    last = of_type(imported.records, "slot_write")[-1]
    assert (last["slot"], last["writer"]) == ("messages", None)
    assert any("share its rows" in note for note in imported.notes)


def test_a_value_that_cannot_be_read_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    shutil.copyfile(DATABASE, path)
    with sqlite3.connect(path) as odd:
        odd.execute("UPDATE checkpoints SET type = 'pickle' WHERE checkpoint_id = ?", (FORK,))
    odd.close()
    artifact = artifact_of(tmp_path, path)
    assert visits(artifact) == PATH


def test_what_an_unfinished_step_wrote_was_never_applied(tmp_path: Path) -> None:
    """As a program leaves it that dies between a task's rows and the next checkpoint."""
    path = tmp_path / "died.sqlite"
    shutil.copyfile(DATABASE, path)
    with sqlite3.connect(path) as died:
        died.execute("DELETE FROM checkpoints WHERE checkpoint_id IN (?, ?)", (FORK, FINISHED))
    died.close()
    artifact = artifact_of(tmp_path, path)
    assert visits(artifact)[-1] == "confirm#1"
    records = [row["record"] for row in artifact["events"]]
    [pending] = of_type(records, "langgraph.pending_write")
    assert (pending["slot"], pending["writer"]) == ("messages", "node:confirm")
    assert artifact["session"]["ended"] is None
    assert artifact["visits"][-1]["exit"]["reason"] == "truncated"


def test_threads_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "two.sqlite"
    shutil.copyfile(DATABASE, path)
    with sqlite3.connect(path) as two:
        two.execute("ATTACH ? AS other", (str(FOLDER / "parallel.sqlite"),))
        two.execute("INSERT INTO checkpoints SELECT * FROM other.checkpoints")
        two.execute("INSERT INTO writes SELECT * FROM other.writes")
    two.close()
    rows = LANGGRAPH.lineages([path], ImportOptions())
    assert len(rows) == 3
    assert [row.about.startswith("thread parallel-call") for row in rows] == [True, False, False]
    assert run_of(path, lineage="call-1").about["lineage"] == FORK
