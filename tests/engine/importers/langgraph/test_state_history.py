"""State histories and debug streams: read as far as they go, whatever they hold."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import SessionInvalid
from engine.importers.langgraph.recorded_run import recorded_run
from engine.importers.langgraph.state_history import threads_of

PATH = Path("history.json")


def snapshot(number: int, parent: int | None, **more: object) -> dict:
    place = {"thread_id": "t", "checkpoint_ns": ""}
    before = {"configurable": {**place, "checkpoint_id": str(parent)}}
    return {
        "values": {"n": number},
        "next": [],
        "config": {"configurable": {**place, "checkpoint_id": str(number)}},
        "metadata": {"source": "loop", "step": number},
        "created_at": f"2026-12-01T00:00:0{number}+00:00",
        "parent_config": before if parent is not None else None,
        "tasks": [],
        **more,
    }


def run_of(value: object) -> list:
    found = threads_of(value, PATH)
    return recorded_run(
        found, path=PATH, asked=None, graph=None, source=None, slot_classes={}
    ).records


def test_a_history_may_begin_anywhere() -> None:
    """Its oldest snapshot names a parent that is not there: its values are the baseline."""
    records = run_of([snapshot(5, 4), snapshot(4, 3)])
    assert [record["type"] for record in records] == [
        "session_slots_seeded", "langgraph.checkpoint", "slot_write", "langgraph.checkpoint",
    ]  # fmt: skip
    assert records[0]["values"] == [{"writer": "checkpoint", "slots": {"n": 4}}]
    assert records[2]["writer"] is None
    assert records[2]["provenance"] == "snapshot_difference"


def test_a_circle_of_parents_ends() -> None:
    assert run_of([snapshot(3, 2), snapshot(2, 1), snapshot(1, 2)])


def test_a_single_snapshot_is_a_history() -> None:
    assert len(run_of(snapshot(1, None))) == 2


def test_a_task_that_waits_is_entered_and_one_that_is_only_next_is_not() -> None:
    waits = {"id": "x", "name": "ask", "interrupts": [{"value": {"q": 1}, "id": "i"}]}
    idle = {"id": "y", "name": "later", "interrupts": [], "result": None}
    records = run_of([snapshot(1, None, tasks=[waits, idle], next=["ask", "later"])])
    entered = [r["state_id"] for r in records if r["type"] == "state_entered"]
    assert entered == ["ask"]


def test_tasks_stand_in_the_order_of_their_paths() -> None:
    """The last one applied is the one whose write has a value behind it."""
    tasks = [
        {"id": name, "name": name, "path": ["__pregel_pull", name], "result": {"n": 2}}
        for name in ("tables", "prices")
    ]
    records = run_of([snapshot(2, 1), snapshot(1, None, tasks=tasks)])
    assert [r["state_id"] for r in records if r["type"] == "state_entered"] == ["prices", "tables"]
    [write] = [r for r in records if r["type"] == "slot_write"]
    assert write["writer"] == "node:tables"
    for task in tasks:
        del task["path"]
    records = run_of([snapshot(2, 1), snapshot(1, None, tasks=tasks)])
    assert [r["state_id"] for r in records if r["type"] == "state_entered"] == ["tables", "prices"]


def test_two_tasks_have_no_route_of_their_own() -> None:
    tasks = [{"id": i, "name": i, "result": {"n": 1}} for i in ("a", "b")]
    records = run_of([snapshot(2, 1, next=["c"]), snapshot(1, None, tasks=tasks)])
    assert not [r for r in records if r["type"] == "transition_taken"]
    assert [r["edge_id"] for r in records if r["type"] == "state_exited"] == [None, None]


@pytest.mark.parametrize("value", [None, 3, [], {}, [{"values": {}}], [{"chunk": {}}], [[]]])
def test_other_json_is_refused(value: object) -> None:
    with pytest.raises(SessionInvalid) as caught:
        threads_of(value, PATH)
    assert caught.value.detail == {"file": "history.json", "kind": "NOT_A_STATE_HISTORY"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "ai", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "content", "id", "name", "a", "__x"]), inner)
    ),
    max_leaves=6,
)
TASKS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from("xyz"), "name": st.sampled_from(["a", "b", ""])},
        optional={"result": JSON, "error": JSON, "interrupts": JSON},
    )
    | JSON,
    max_size=3,
)


@given(
    st.lists(
        st.builds(
            snapshot,
            st.integers(1, 4),
            st.none() | st.integers(0, 4),
            values=st.dictionaries(st.sampled_from(["n", "m", "branch:to:a"]), JSON),
            tasks=TASKS,
            next=st.lists(st.sampled_from("ab"), max_size=2),
            metadata=st.fixed_dictionaries(
                {"source": st.sampled_from(["input", "loop", "update", "fork", None])}
            ),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_any_history_is_told_or_is_empty(value: list) -> None:
    """Causes are earlier records, parents were entered, ids are unique."""
    try:
        records = run_of(value)
    except SessionInvalid as error:
        assert error.detail["kind"] == "EMPTY", "a circle without a head"  # noqa: PT017
        return
    seen: set[object] = set()
    entered: set[object] = {None}
    for record in records:
        assert record["event_id"] not in seen
        assert record.get("caused_by") is None or record["caused_by"] in seen
        assert record.get("parent_visit_id") in entered
        seen.add(record["event_id"])
        entered.add(record.get("visit_id"))
        assert record["source_record"]["file"] == "history.json"
