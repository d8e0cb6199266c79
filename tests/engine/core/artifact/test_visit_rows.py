"""The artifact's `visits`: ids, parents, recorded exits and why there is none."""

import pytest
from support.records import (
    build_in_order,
    entered,
    exited,
    manifest_of,
    noise,
    record,
    rows_of,
    taken,
)

from engine.core.contract.json_types import JsonObject, JsonValue


def exits(*records: JsonObject, ended: JsonValue = "completed") -> list[JsonValue]:
    artifact = build_in_order([*records], manifest=manifest_of(ended=ended))
    return [row["exit"] for row in rows_of(artifact, "visits")]


def recorded(edge_id: str | None, to: str | None) -> JsonObject:
    return {"edge_id": edge_id, "to": to, "label": "recorded", "reason": None}


def unavailable(reason: str) -> JsonObject:
    return {"edge_id": None, "to": None, "label": "unavailable", "reason": reason}


def test_a_row_has_every_key_of_the_contract() -> None:
    artifact = build_in_order(
        [
            entered("a", event_id="in", via_edge="c:0"),
            entered("b", parent_visit_id="a#1"),
            exited("b", edge_id="b:0", event_id="out"),
        ]
    )
    assert rows_of(artifact, "visits") == [
        {
            "visit_id": "a#1",
            "state_id": "a",
            "occurrence": 1,
            "parent_visit_id": None,
            "via_edge": "c:0",
            "entered_index": 0,
            "entered_event_id": "in",
            "closed_index": None,
            "closed_event_id": None,
            "exit": unavailable("call_ended"),
        },
        {
            "visit_id": "b#1",
            "state_id": "b",
            "occurrence": 1,
            "parent_visit_id": "a#1",
            "via_edge": None,
            "entered_index": 1,
            "entered_event_id": "bus:2",
            "closed_index": 2,
            "closed_event_id": "out",
            "exit": recorded("b:0", "c"),
        },
    ]


def test_an_alias_is_not_the_visits_id_nor_its_childrens_parent() -> None:
    artifact = build_in_order([entered("a", visit_id="x"), entered("b", parent_visit_id="x")])
    ids = [(r["visit_id"], r["parent_visit_id"]) for r in rows_of(artifact, "visits")]
    assert ids == [("a#1", None), ("b#1", "a#1")]
    (problem,) = rows_of(artifact, "problems")
    assert problem["code"] == "VISIT_ID_DIFFERS"
    assert problem["detail"] == {"recorded": "x", "computed": "a#1"}
    assert problem["event_id"] == "bus:1"


@pytest.mark.parametrize(
    ("ended", "reason"),
    [("completed", "call_ended"), ("aborted", "truncated"), (None, "truncated")],
)
def test_a_visit_without_a_closing_record(ended: JsonValue, reason: str) -> None:
    assert exits(entered("a"), noise(), ended=ended) == [unavailable(reason)]


@pytest.mark.parametrize("ended", ["completed", "aborted"])
def test_a_superseded_visit_names_no_exit_even_if_it_had_a_request(ended: JsonValue) -> None:
    asked = record("transition_requested", request_id="r", to="b", edge_id="a:0")
    assert exits(entered("a"), asked, entered("b"), ended=ended)[0] == unavailable("superseded")


def test_transition_taken_alone() -> None:
    assert exits(entered("a"), taken("a:0", "elsewhere"))[0] == recorded("a:0", "elsewhere")
    assert exits(entered("a"), taken(None, "b"))[0] == recorded(None, "b")


def test_state_exited_alone_takes_the_flows_target() -> None:
    assert exits(entered("a"), exited("a", edge_id="a:0"))[0] == recorded("a:0", "b")
    assert exits(entered("a"), exited("a", edge_id="a:9"))[0] == recorded("a:9", None)
    assert exits(entered("a"), exited("a"))[0] == recorded(None, None)


def test_state_exited_after_transition_taken() -> None:
    both = exits(entered("a"), taken("a:0", "b"), exited("a", edge_id="a:0"))
    assert both[0] == recorded("a:0", "b")
    without = exits(entered("a"), taken("a:0", "b"), exited("a"))
    assert without[0] == recorded("a:0", "b")


def test_the_last_transition_taken_counts() -> None:
    assert exits(entered("a"), taken("a:0", "b"), taken("a:1", "a"))[0] == recorded("a:1", "a")


def test_a_nested_visits_exit_is_not_its_parents() -> None:
    call = [entered("a"), entered("b", parent_visit_id="a#1"), exited("b", edge_id="b:0")]
    assert exits(*call, exited("a", edge_id="a:0")) == [recorded("a:0", "b"), recorded("b:0", "c")]
