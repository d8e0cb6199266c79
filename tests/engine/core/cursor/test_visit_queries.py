"""Questions about one visit: state, exits, evidence; and all visits ranked."""

from hypothesis import given
from support.questions import asked, booking, bus, code_of, trace, view_of
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, mapping, rows
from engine.core.contract.labels import Beat


def test_slots_at_entry_and_exit() -> None:
    result = asked(booking(), "inspect_state", visit_id="no_table#1")
    held = {row["slot"]: (row["entry"], row["exit"]) for row in rows(result, "items")}
    assert held == {
        "party_size": (4, 4),
        "time": ("19:00", "18:00"),
        "alternatives": (["18:00", "20:30"], ["18:00", "20:30"]),
    }
    assert set(rows(result, "items")[0]) == {
        "slot", "class", "entry", "entry_label", "exit", "exit_label", "exit_reason", "write_count",
    }  # fmt: skip
    facts = mapping(mapping(result, "visit"), "facts")
    assert facts == {
        "duration_ms": 5275, "duration_is_open": False, "turn_count": 1, "tool_call_count": 1,
        "caller_texts": ["Yes."], "caller_texts_total": 1, "audible_ms": 3784,
        "audible_label": "recorded", "audible_reason": None, "playback_count": 1,
    }  # fmt: skip
    assert mapping(result, "state")["prompt"] == (
        "Say that {{ time }} is full and offer {{ alternatives }}."
    )


def test_a_visit_without_an_exit_says_why() -> None:
    result = asked(booking(), "inspect_state", visit_id="end#1")
    assert {row["exit_reason"] for row in rows(result, "items")} == {"call_ended"}
    assert rows(result, "unknowns")[0]["reason"] == "call_ended"
    view = view_of(trace("state_entered", state_id="ghost"), bus("weather"))
    result = asked(view, "inspect_state")
    assert result["state"] is None
    assert "not_in_flow" in [row["reason"] for row in rows(result, "unknowns")]


def test_the_exits_of_a_visit() -> None:
    result = asked(booking(), "inspect_exits", visit_id="get_time#1")
    first, second = rows(result, "items")
    assert (first["edge_id"], first["taken"], first["label_reason"]) == (
        "get_time:0", False, "decided_by_model",
    )  # fmt: skip
    assert (second["edge_id"], second["taken"], second["verdict"]) == ("get_time:1", True, True)
    assert mapping(second, "evaluation")["event_id"] == "e0102"
    assert mapping(second, "span")["line"] == 22
    assert first["evaluation"] is None
    early = asked(booking(), "inspect_exits", visit_id="get_time#1", cursor=50)
    assert [row["verdict"] for row in rows(early, "items")] == ["not_evaluated"] * 2
    assert [row["evaluation"] for row in rows(early, "items")] == [None, None]


def test_the_evaluation_is_that_of_the_verdict_shown() -> None:
    view = view_of(
        trace("state_entered", state_id="menu"),
        trace("guard_evaluated", edge_id="menu:0", verdict=False),
        trace("guard_evaluated", edge_id="menu:0", verdict=True),
    )
    shown = [
        (row["verdict"], row["recorded_verdict"], mapping(row, "evaluation")["event_id"])
        for cursor in (1, 2)
        for row in rows(asked(view, "inspect_exits", cursor=cursor, limit=1), "items")
    ]
    assert shown == [(False, True, "e1"), (True, True, "e2")]


def test_the_evidence_of_a_visit() -> None:
    result = asked(booking(), "inspect_evidence", visit_id="no_table#1", cursor=120, limit=1000)
    items = rows(result, "items")
    assert set(items[0]) == {
        "event_index", "event_id", "clock_ms", "type", "visit_id", "what", "beat", "reached",
    }  # fmt: skip
    assert [row["event_id"] for row in items] == [booking().event_id(i) for i in range(107, 142)]
    assert [row["reached"] for row in items].count(True) == 14
    counts = {str(row["beat"]): row["count"] for row in rows(result, "beats")}
    assert sum(count for count in counts.values() if isinstance(count, int)) == len(items)
    narrowed = asked(booking(), "inspect_evidence", visit_id="no_table#1", beat="guards")
    assert [row["event_id"] for row in rows(narrowed, "items")] == ["e0137"]


def test_visits_by_duration() -> None:
    result = asked(booking(), "rank_visits", order="duration")
    ranked = [(r["visit_id"], mapping(r, "facts")["duration_ms"]) for r in rows(result, "items")]
    assert ranked == [
        ("get_time#1", 9994), ("greet#1", 5950), ("confirm#1", 5479), ("no_table#1", 5275),
        ("end#1", 4082),
    ]  # fmt: skip
    assert rows(result, "unknowns")[-1]["what"] == "whether anything said was a promise"
    in_order = asked(booking(), "rank_visits")
    assert [r["entered_index"] for r in rows(in_order, "items")] == [3, 38, 107, 142, 175]


def test_mistakes() -> None:
    view = booking()
    assert code_of(view, "inspect_state", visit_id="gone#1") == "EVENT_UNAVAILABLE"
    assert code_of(view, "inspect_exits", visit_id=7) == "INVALID_COMMAND"
    assert code_of(view, "inspect_evidence", beat="noon") == "INVALID_COMMAND"
    assert code_of(view, "inspect_evidence", cursor=-1) == "EVENT_UNAVAILABLE"
    assert code_of(view, "rank_visits", order="colour") == "INVALID_COMMAND"


@given(small_artifacts())
def test_every_owned_event_is_evidence_of_its_visit(artifact: JsonObject) -> None:
    view = ArtifactView.of(artifact)
    for ordinal, visit in enumerate(view.visits):
        owned = [i for i in range(view.event_count) if view.payload(i)["owner"] == visit.visit_id]
        result = asked(view, "inspect_evidence", visit_id=visit.visit_id, limit=1000)
        assert [row["event_index"] for row in rows(result, "items")] == owned
        assert [row["beat"] for row in rows(result, "beats")] == [beat.value for beat in Beat]
        state = asked(view, "inspect_state", visit_id=visit.visit_id)
        if visit.superseded or visit.closed_index is None:
            assert {r["exit_label"] for r in rows(state, "items")} <= {"unavailable"}
        assert view.visits[ordinal] is visit
