"""The view: what it hands through from an artifact; look-ups are compared in test_columns."""

import pytest
from support.records import (
    FLOW,
    build,
    build_in_order,
    entered,
    exited,
    manifest_of,
    noise,
    record,
    seed,
    seeded,
)

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.labels import Beat

ARTIFACT = build_in_order(
    [
        seeded(seed("note", "x"), seed("route", "y"), seed("note", "z"), event_id="first"),
        entered("a", via_edge="b:0", clock_ms=7),
        record("slot_write", slot=5),
        entered("b", parent_visit_id="a#1"),
        exited("b", edge_id="b:0"),
        noise(),
    ]
)
VIEW = ArtifactView.of(ARTIFACT)


def test_the_parts_of_the_artifact() -> None:
    assert VIEW.event_count == 6
    assert VIEW.session == ARTIFACT["session"]
    assert VIEW.flow == FLOW
    for key, part in (
        ("slots", VIEW.slots),
        ("playback", VIEW.playback),
        ("audio", VIEW.audio),
        ("findings", VIEW.findings),
        ("problems", VIEW.problems),
    ):
        assert [*part] == ARTIFACT[key]
    assert VIEW.settings == ARTIFACT["settings"]


def test_events() -> None:
    assert VIEW.payload(1) == {
        "event_id": "bus:2",
        "owner": "a#1",
        "unowned": None,
        "stream": "bus",
        "record": {**entered("a", via_edge="b:0", clock_ms=7), "seq": 1},
    }
    assert VIEW.record(5) == {**noise(), "seq": 5}
    assert [VIEW.event_id(i) for i in range(3)] == ["first", "bus:2", "bus:3"]
    assert [VIEW.index_of(name) for name in ("first", "bus:6", "bus:1", "")] == [0, 5, None, None]
    assert [VIEW.clock_ms(i) for i in range(3)] == [None, 7, None]
    assert VIEW.event_type(2) == "slot_write"
    assert VIEW.effective_type(2) is None
    assert VIEW.event_type(5) == "network_jitter"
    assert VIEW.effective_type(5) is None
    assert VIEW.effective_type(4) == "state_exited"


def test_the_types_of_the_recording() -> None:
    types = ["network_jitter", "session_slots_seeded", "slot_write", "state_entered"]
    assert VIEW.event_types == sorted([*types, "state_exited"])


def test_visits() -> None:
    a, b = VIEW.visits
    assert (a.visit_id, a.state_id, a.occurrence, a.parent) == ("a#1", "a", 1, None)
    assert (a.via_edge, a.entered_index, a.closed_index) == ("b:0", 1, None)
    assert (a.exit_edge, a.exit_to, a.exit_label) == (None, None, "unavailable")
    assert a.exit_reason == "call_ended"
    assert (b.parent, b.exit_edge, b.exit_to, b.exit_label) == (0, "b:0", "c", "recorded")
    assert b.exit_reason is None
    assert [VIEW.ordinal_of(name) for name in ("a#1", "b#1", "c#1")] == [0, 1, None]


@pytest.mark.parametrize(
    "name",
    ["", "a", "#1", "a#0", "a#01", "a#2", "a#-1", "a# 1", "a#\u0661", "a#\u00b9", "b", "z#1"],
)
def test_no_visit_has_this_id(name: str) -> None:
    assert VIEW.ordinal_of(name) is None
    assert list(VIEW.postings("visit_id", name)) == []


def test_no_beat_belongs_to_no_visit() -> None:
    assert list(VIEW.beat_events(-1, Beat.ENTRY)) == []
    assert list(VIEW.guard_events(0, "a:0")) == []


def test_findings_stand_at_their_event() -> None:
    view = ArtifactView.of(
        {
            **ARTIFACT,
            "findings": [
                {"finding_id": "X#1", "code": "X", "at": 2},
                {"finding_id": "Y#1", "code": "Y", "at": 2},
                {"finding_id": "X#2", "code": "X", "at": 4},
            ],
        }
    )
    assert [list(view.findings_at(i)) for i in (-1, 2, 4)] == [[], ["X#1", "Y#1"], ["X#2"]]


def test_an_event_that_contradicts_the_recording() -> None:
    events = ARTIFACT["events"]
    assert isinstance(events, list)
    first = events[0]
    assert isinstance(first, dict)
    for wrong in ({**first, "owner": "z#1"}, {**first, "event_id": "bus:2"}):
        with pytest.raises(ArtifactInvalid):
            ArtifactView.of({**ARTIFACT, "events": [wrong, *events[1:]]})


def test_an_object_that_lacks_a_member_is_no_artifact() -> None:
    with pytest.raises(ArtifactInvalid):
        ArtifactView.of({k: v for k, v in ARTIFACT.items() if k != "visits"})


def test_edges_of_a_state() -> None:
    assert [edge["edge_id"] for edge in VIEW.edges_of("a")] == ["a:0", "a:1"]
    assert list(VIEW.edges_of("c")) == []
    assert list(VIEW.edges_of("nobody")) == []


def test_a_repeated_seed_row_is_the_last_one() -> None:
    assert VIEW.seed_row(0, "note") == seed("note", "z")
    assert VIEW.seed_row(0, "route") == seed("route", "y")


def test_an_unknown_posting_is_empty() -> None:
    assert list(VIEW.postings("type", "never")) == []
    assert list(VIEW.postings("never", "type")) == []


def test_a_view_of_nothing() -> None:
    view = ArtifactView.of(build(manifest=manifest_of(sequence="per_stream")))
    assert view.event_count == 0
    assert len(view.visits) == 0
    assert (view.visit_at(-1), view.path_at(-1), view.visit_count_at(-1)) == (-1, (), 0)
    assert view.index_at_clock(5) == -1
    assert view.first_index_from_clock(0) is None
    assert view.pending.count_at(-1) == 0
