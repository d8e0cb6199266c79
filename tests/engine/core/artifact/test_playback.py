"""Playback spans, through the artifact's `playback`."""

import pytest
from support.records import build, build_in_order, entered, exited, manifest_of, record, rows_of

from engine.core.contract.json_types import JsonObject, JsonValue

ENDS = ["audio_stopped", "audio_completed", "audio_interrupted", "audio_failed"]


def audio(stage: str, playback_id: str = "p1", **members: JsonValue) -> JsonObject:
    return record(f"audio_{stage}", playback_id=playback_id, **members)


def test_a_whole_life() -> None:
    artifact = build_in_order(
        [
            entered("a"),
            audio("requested", state_id="a", source_kind="static_asset", clock_ms=10),
            audio("generated", content_fingerprint="f", generation_id="g", clock_ms=20),
            audio("started", client_ack={"client_event_id": "c"}, clock_ms=30),
            audio("completed", clock_ms=90),
        ]
    )
    assert rows_of(artifact, "playback") == [
        {
            "playback_id": "p1",
            "visit_id": "a#1",
            "state_id": "a",
            "source_kind": "static_asset",
            "content_fingerprint": "f",
            "generation_id": "g",
            "requested_event_id": "bus:2",
            "generated_event_id": "bus:3",
            "started_event_id": "bus:4",
            "ended_event_id": "bus:5",
            "end_type": "audio_completed",
            "start_ms": 30,
            "end_ms": 90,
            "acknowledged": True,
        }
    ]


def test_what_no_record_says_is_null() -> None:
    (span,) = rows_of(build_in_order([audio("requested")]), "playback")
    assert span.pop("playback_id") == "p1"
    assert span.pop("requested_event_id") == "bus:1"
    assert span.pop("acknowledged") is False
    assert set(span.values()) == {None}


@pytest.mark.parametrize("end", ENDS)
def test_each_end_type(end: str) -> None:
    call = [audio("started", clock_ms=1), record(end, playback_id="p1", clock_ms=5)]
    (span,) = rows_of(build_in_order(call), "playback")
    assert (span["end_type"], span["end_ms"], span["ended_event_id"]) == (end, 5, "bus:2")


@pytest.mark.parametrize("first", ENDS)
def test_a_span_ends_at_its_first_end(first: str) -> None:
    rest = [record(end, playback_id="p1", clock_ms=9) for end in ENDS]
    call = [audio("started", clock_ms=1), record(first, playback_id="p1", clock_ms=5), *rest]
    (span,) = rows_of(build_in_order(call), "playback")
    assert (span["end_type"], span["end_ms"], span["ended_event_id"]) == (first, 5, "bus:2")


def test_the_first_start_counts() -> None:
    call = [audio("started", clock_ms=1), audio("started", clock_ms=7, client_ack={"a": 1})]
    (span,) = rows_of(build_in_order(call), "playback")
    assert (span["start_ms"], span["started_event_id"], span["acknowledged"]) == (1, "bus:1", False)


def test_records_without_a_clock_leave_the_times_null() -> None:
    (span,) = rows_of(build_in_order([audio("started"), audio("failed")]), "playback")
    assert (span["start_ms"], span["end_ms"], span["end_type"]) == (None, None, "audio_failed")


def test_spans_stand_in_the_order_of_their_first_event() -> None:
    call = [audio("started", "late"), audio("requested", "early"), audio("requested", "late")]
    spans = rows_of(build_in_order(call), "playback")
    assert [span["playback_id"] for span in spans] == ["late", "early"]


def test_a_span_belongs_to_the_owner_of_its_first_event() -> None:
    call = [entered("a"), audio("requested"), exited("a"), entered("b"), audio("started")]
    (span,) = rows_of(build_in_order(call), "playback")
    assert span["visit_id"] == "a#1"


def test_an_unowned_span_names_no_visit() -> None:
    bus = [audio("started", clock_ms=1)]
    artifact = build(bus=bus, manifest=manifest_of(sequence="per_stream"))
    assert rows_of(artifact, "playback")[0]["visit_id"] is None


def test_a_record_without_its_playback_id_makes_no_span() -> None:
    artifact = build_in_order([record("audio_started", clock_ms=1)])
    assert rows_of(artifact, "playback") == []
    assert rows_of(artifact, "problems")[0]["detail"] == {"fields": ["playback_id"]}
