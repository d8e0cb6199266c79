"""Streams on their way into an artifact: cleaning, lines, types, progress."""

import pytest
from hypothesis import given
from support.records import (
    build,
    build_in_order,
    entered,
    loose_records,
    noise,
    record,
    record_of,
    rows_of,
)

from engine.core.artifact import SlotClasses, StreamInput
from engine.core.artifact.build import assemble
from engine.core.artifact.streams import clean_record
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Stream
from engine.core.contract.session_records import effective_type

from support.records import FLOW, manifest_of  # isort: skip

NO_CLASSES = SlotClasses(declared={}, by_manifest={})


def problems(artifact: JsonObject) -> list[tuple[JsonValue, JsonValue]]:
    return [(row["code"], row["detail"]) for row in rows_of(artifact, "problems")]


# -- the clock -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clock", "floored"), [(1.5, 1), (0.1, 0), (-0.5, -1), (-3.0001, -4), (1e-300, 0)]
)
def test_a_clock_that_is_no_integer_is_floored(clock: float, floored: int) -> None:
    artifact = build_in_order([entered("a", clock_ms=clock)])
    assert record_of(artifact, 0)["clock_ms"] == floored
    (row,) = rows_of(artifact, "problems")
    assert (row["code"], row["line"], row["event_id"]) == ("CLOCK_NOT_INTEGER", 1, "bus:1")


def test_our_own_fields_hold_no_floats() -> None:
    artifact = build_in_order([entered("a", clock_ms=1.5)])
    artifact_2 = build(bus=[noise(seq=0.5), noise(seq=[0.5])])
    for found in (artifact, artifact_2):
        for row in rows_of(found, "problems"):
            assert not any(map(is_or_holds_float, [row["detail"]]))


def is_or_holds_float(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return any(map(is_or_holds_float, value.values()))
    if isinstance(value, list):
        return any(map(is_or_holds_float, value))
    return isinstance(value, float)


def test_a_whole_clock_is_no_problem() -> None:
    artifact = build_in_order([entered("a", clock_ms=7)])
    assert problems(artifact) == []


# -- common fields ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["clock_ms", "event_id", "visit_id", "turn_id", "caused_by"])
@pytest.mark.parametrize("wrong", [True, [], {"a": 1}])
def test_a_common_field_of_a_wrong_type_counts_as_absent(name: str, wrong: JsonValue) -> None:
    odd = entered("a")
    odd[name] = wrong
    artifact = build_in_order([odd, noise()])
    assert problems(artifact)[0] == ("FIELD_INVALID", {"field": name})
    assert record_of(artifact, 0)[name] == wrong, "it is kept and shown"
    events = rows_of(artifact, "events")
    assert [event["event_id"] for event in events] == ["bus:1", "bus:2"]
    assert [event["owner"] for event in events] == ["a#1", "a#1"]


@pytest.mark.parametrize("name", ["clock_ms", "event_id", "visit_id", "turn_id", "caused_by"])
def test_null_is_absent(name: str) -> None:
    odd = entered("a")
    odd[name] = None
    assert problems(build_in_order([odd])) == []


# -- types -----------------------------------------------------------------------------------------


def test_unknown_types_and_fields_are_kept() -> None:
    odd = record("never_heard_of", anything={"b": [0.5]}, clock_ms=3)
    artifact = build_in_order([odd])
    assert record_of(artifact, 0) == {**odd, "seq": 0}
    assert problems(artifact) == [("UNKNOWN_TYPE", {"type": "never_heard_of", "count": 1})]


def test_an_unknown_type_is_reported_once_a_stream() -> None:
    artifact = build(
        trace=[noise(seq=0), noise(seq=9)],
        bus=[entered("a", seq=1), noise(seq=3), record("other", seq=4), noise(seq=5)],
    )
    unknown = [row for row in rows_of(artifact, "problems") if row["code"] == "UNKNOWN_TYPE"]
    assert [(row["stream"], row["line"], row["detail"]) for row in unknown] == [
        ("trace", 1, {"type": "network_jitter", "count": 2}),
        ("bus", 2, {"type": "network_jitter", "count": 2}),
        ("bus", 3, {"type": "other", "count": 1}),
    ]


def test_a_record_that_lacks_a_field_is_kept_and_shown() -> None:
    artifact = build_in_order([record("state_entered", via_edge="a:0")])
    assert record_of(artifact, 0) == {"type": "state_entered", "via_edge": "a:0", "seq": 0}
    assert rows_of(artifact, "visits") == []
    assert problems(artifact) == [("FIELD_MISSING", {"fields": ["state_id"]})]


def test_numbers_kept_as_text_are_named_in_any_key_order() -> None:
    one = build_in_order([entered("a", x=2**60, y=[1e300])])
    two = build_in_order([{"y": [1e300], "x": 2**60, **entered("a")}])
    assert problems(one) == problems(two)
    assert problems(one) == [
        ("NUMBER_KEPT_AS_TEXT", {"pointer": "/x"}),
        ("NUMBER_KEPT_AS_TEXT", {"pointer": "/y/0"}),
    ]
    assert record_of(one, 0)["x"] == "1152921504606846976"


@given(loose_records())
def test_cleaning_twice_is_cleaning_once(raw: JsonObject) -> None:
    clean = clean_record(raw, NO_CLASSES)
    again = clean_record(clean.record, NO_CLASSES)
    assert again.record == clean.record
    assert clean.kind == effective_type(clean.record)
    kept = {"FIELD_MISSING", "FIELD_INVALID"}
    assert {p.code for p in again.problems} <= kept


# -- lines and progress ----------------------------------------------------------------------------


def test_lines_name_events_and_problems() -> None:
    source = StreamInput(stream=Stream.BUS, records=[noise(), record("slot_write")], lines=[4, 9])
    assert list(source.line_numbers) == [4, 9]
    found = assemble(
        manifest=manifest_of(sequence="per_stream"),
        streams=[source],
        flow_metadata=FLOW,
        audio_refs=[],
        keep=True,
    )
    assert [event["event_id"] for event in found.events] == ["bus:4", "bus:9"]
    rows = rows_of(found.header, "problems")
    assert [(r["code"], r["line"], r["event_id"]) for r in rows] == [
        ("UNKNOWN_TYPE", 4, "bus:4"),
        ("FIELD_MISSING", 9, "bus:9"),
    ]


def test_streams_may_come_in_any_order() -> None:
    streams = [StreamInput(stream=s, records=[noise(clock_ms=1)]) for s in Stream]

    def ids(given_: list[StreamInput]) -> list[JsonValue]:
        found = assemble(
            manifest=manifest_of(sequence="per_stream"),
            streams=given_,
            flow_metadata=FLOW,
            audio_refs=[],
            keep=True,
        )
        return [event["event_id"] for event in found.events]

    assert ids(streams) == ids(streams[::-1]) == ["trace:1", "bus:1", "transcript:1"]


def test_progress_is_told_in_order() -> None:
    told: list[tuple[str, int, int]] = []
    assemble(
        manifest=manifest_of(),
        streams=[StreamInput(stream=Stream.BUS, records=[noise()] * 10_000)],
        flow_metadata=FLOW,
        audio_refs=[],
        keep=True,
        progress=lambda stage, done, total: told.append((stage, done, total)),
    )
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert len(stages) >= 2
    for stage in stages:
        steps = [done for name, done, _ in told if name == stage]
        assert steps == sorted(set(steps))
        assert steps[0] == 0
    assert all(0 <= done < total == 10_000 for _, done, total in told)
