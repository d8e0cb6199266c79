"""Slots at a cursor: value, label, writer; entry and recorded exit that never move in a visit."""

import pytest
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

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor import (
    SlotValue,
    slot_history,
    slot_of,
    slot_rows,
    slot_value,
    slot_write_count,
)

CALL = artifact_of(
    [
        bus(
            "session_slots_seeded",
            slots=[
                {"slot": "route", "safe_value": None, "writer": "flow_default"},
                {
                    "slot": "name",
                    "safe_value": "<str len=4>",
                    "availability": "redacted",
                    "writer": "caller_identity",
                },
                {"slot": "extra", "availability": "unavailable", "reason": "hook_missing"},
            ],
        ),
        trace("state_entered", state_id="menu"),
        bus("slot_write", slot="note", kind="set", old=None, new="hm", writer="resolver"),
        bus(
            "slot_write",
            slot="name",
            kind="set",
            old="<str len=4>",
            new="Ada Lovelace",
            writer="tool:find",
            tool_call_id="k1",
            turn_id="t1",
            clock_ms=40,
        ),
        trace("state_exited", state_id="menu"),
        bus("slot_write", slot="name", new=None, writer="clear"),
        trace("state_entered", state_id="ask"),
        trace("state_entered", state_id="bye"),
    ]
)
VIEW = ArtifactView.of(CALL)


def row(cursor: int, slot: str, view: ArtifactView = VIEW) -> JsonObject:
    found = slot_rows(view, cursor=cursor, visit=view.visit_at(cursor))
    return next(r for r in found if r["slot"] == slot)


def value(cursor: int, slot: str) -> SlotValue:
    found = slot_of(VIEW, slot)
    assert found is not None
    return slot_value(VIEW, found, cursor)


# -- values ----------------------------------------------------------------------------------------


def test_before_any_write_a_slot_is_unavailable_and_says_why() -> None:
    assert row(-1, "note") == {
        "slot": "note",
        "class": "plain",
        "entry": None,
        "entry_label": "unavailable",
        "current": None,
        "label": "unavailable",
        "reason": "not_recorded",
        "recorded_exit": None,
        "exit_label": "unavailable",
        "writer": None,
        "write_event_id": None,
        "changed": False,
    }


def test_a_plain_value_is_shown_and_a_personal_one_is_its_safe_form() -> None:
    assert (value(3, "note").value, value(3, "note").label) == ("hm", "recorded")
    assert (value(3, "name").value, value(3, "name").label) == ("<str len=12>", "redacted")
    assert (value(0, "name").value, value(0, "name").label) == ("<str len=4>", "redacted")


def test_a_redacted_value_of_a_plain_slot_says_so() -> None:
    write = bus("slot_write", slot="note", new="<str len=2>", availability="redacted")
    found = row(0, "note", ArtifactView.of(artifact_of([write])))
    assert (found["current"], found["label"], found["reason"]) == ("<str len=2>", "redacted", None)


def test_null_is_visible_in_every_class() -> None:
    assert value(5, "name") == SlotValue(
        value=None,
        label=value(3, "note").label,
        reason=None,
        writer="clear",
        write_index=5,
    )
    assert (value(0, "route").value, value(0, "route").label) == (None, "recorded")


def test_an_unavailable_write_shows_its_reason_and_no_value() -> None:
    found = value(0, "extra")
    assert (found.value, found.label, found.reason) == (None, "unavailable", "hook_missing")


def test_seeding_and_writes_are_changes_at_their_event_only() -> None:
    assert [row(c, "route")["changed"] for c in range(-1, 3)] == [False, True, False, False]
    assert [row(c, "name")["changed"] for c in (0, 2, 3, 4, 5)] == [True, False, True, False, True]
    assert row(4, "name")["write_event_id"] == "e3"
    assert row(4, "name")["writer"] == "tool:find"


# -- entry and recorded exit -----------------------------------------------------------------------


def test_entry_is_at_the_entering_record_and_exit_at_the_closing_one() -> None:
    for cursor in range(1, 6):
        found = row(cursor, "name")
        assert (found["entry"], found["entry_label"]) == ("<str len=4>", "redacted")
        assert (found["recorded_exit"], found["exit_label"]) == ("<str len=12>", "redacted")


def test_a_visit_without_a_closing_record_has_no_recorded_exit() -> None:
    superseded, never_left = row(6, "note"), row(7, "note")
    assert VIEW.visits[1].exit_reason == "superseded"
    assert (superseded["recorded_exit"], superseded["exit_label"]) == (None, "unavailable")
    assert (never_left["recorded_exit"], never_left["exit_label"]) == (None, "unavailable")


def constants(view: ArtifactView, cursor: int) -> list[tuple[JsonValue, ...]]:
    found = slot_rows(view, cursor=cursor, visit=view.visit_at(cursor))
    return [(r["entry"], r["entry_label"], r["recorded_exit"], r["exit_label"]) for r in found]


@given(small_artifacts())
def test_entry_and_recorded_exit_never_change_inside_a_visit(artifact: JsonObject) -> None:
    view = ArtifactView.of(artifact)
    seen: dict[int, list[tuple[JsonValue, ...]]] = {}
    for cursor in range(-1, view.event_count):
        found = constants(view, cursor)
        assert seen.setdefault(view.visit_at(cursor), found) == found


@pytest.mark.parametrize("name", FIXTURES)
def test_entry_and_recorded_exit_never_change_in_a_real_call(name: str) -> None:
    view = fixture_view(name)
    seen: dict[int, list[tuple[JsonValue, ...]]] = {}
    for cursor in range(-1, view.event_count):
        found = constants(view, cursor)
        assert seen.setdefault(view.visit_at(cursor), found) == found
    assert len(seen) == 1 + len(view.visits)


@given(small_artifacts(), st.data())
def test_rows_equal_the_naive_replay_and_page(artifact: JsonObject, data: st.DataObject) -> None:
    view = ArtifactView.of(artifact)
    cursor = data.draw(st.integers(-1, view.event_count - 1))
    offset = data.draw(st.integers(0, 5))
    limit = data.draw(st.integers(0, 5))
    whole = Oracle(artifact).variables(cursor)
    visit = view.visit_at(cursor)
    assert slot_rows(view, cursor=cursor, visit=visit) == whole
    page = slot_rows(view, cursor=cursor, visit=visit, offset=offset, limit=limit)
    assert page == whole[offset : offset + limit]


# -- history ---------------------------------------------------------------------------------------


def test_history_lists_every_write_with_what_it_recorded() -> None:
    assert slot_write_count(VIEW, "name") == 3
    assert slot_history(VIEW, "name", offset=0, limit=2) == [
        {
            "event_index": 0,
            "event_id": "e0",
            "clock_ms": None,
            "visit_id": None,
            "turn_id": None,
            "kind": "seed",
            "writer": "caller_identity",
            "tool_call_id": None,
            "old": None,
            "new": "<str len=4>",
            "label": "redacted",
            "reason": None,
        },
        {
            "event_index": 3,
            "event_id": "e3",
            "clock_ms": 40,
            "visit_id": "menu#1",
            "turn_id": "t1",
            "kind": "set",
            "writer": "tool:find",
            "tool_call_id": "k1",
            "old": "<str len=4>",
            "new": "<str len=12>",
            "label": "redacted",
            "reason": None,
        },
    ]


@given(small_artifacts(), st.integers(0, 4), st.integers(1, 4))
def test_history_pages_through_the_writes_in_order(
    artifact: JsonObject, offset: int, limit: int
) -> None:
    view, oracle = ArtifactView.of(artifact), Oracle(artifact)
    for slot in ("route", "name", "note", "extra"):
        writes = oracle.positions({"slot_write": slot})
        assert slot_write_count(view, slot) == len(writes)
        page = slot_history(view, slot, offset=offset, limit=limit)
        assert [r["event_index"] for r in page] == writes[offset : offset + limit]


def test_an_unknown_slot_has_no_row_and_no_history() -> None:
    assert slot_of(VIEW, "unheard_of") is None
    assert slot_history(VIEW, "unheard_of", offset=0, limit=9) == []
    assert slot_write_count(VIEW, "unheard_of") == 0


def test_the_write_that_made_six_out_of_seven() -> None:
    view = fixture_view("booking_racy")
    writes = slot_history(view, "time", offset=0, limit=9)
    assert [(r["event_id"], r["new"], r["visit_id"]) for r in writes] == [
        ("e0100", "19:00", "get_time#1"),
        ("e0136", "18:00", "no_table#1"),
    ]
    last = fixture_artifact("booking_racy")
    assert Oracle(last).values(view.event_count - 1)["time"].value == "18:00"
