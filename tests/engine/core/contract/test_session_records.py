"""The table of record types, and what a record must have to take effect."""

import msgspec
import pytest
from hypothesis import given
from support.records import entered, loose_records, record, seeded, taken, write

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Beat, Stream
from engine.core.contract.session_records import (
    AUDIO_ENDS,
    AUDIO_TYPES,
    RECORD_TYPES,
    SESSION_ID_PATTERN,
    TRACE_TYPES,
    beat_of,
    effective_type,
    record_flaw,
)

TABLE = """
state_entered trace entry
guard_evaluated trace guards
transition_requested trace exit
transition_taken trace exit
state_exited trace exit
session_slots_seeded bus entry
slot_write bus work
slot_filled bus work
prompt_resolved bus agent_output
llm_requested bus agent_output
llm_responded bus agent_output
audio_requested bus agent_output
audio_generated bus agent_output
audio_started bus agent_output
audio_stopped bus agent_output
audio_completed bus agent_output
audio_interrupted bus agent_output
audio_failed bus agent_output
dtmf_received bus caller_input
input_selected bus caller_input
tool_called bus work
tool_result bus work
"""
"""Design section 4, but for `transcript_segment`, whose beat is its speaker's."""


@pytest.mark.parametrize("row", TABLE.split("\n")[1:-1])
def test_the_table(row: str) -> None:
    kind, stream, beat = row.split()
    assert RECORD_TYPES[kind].stream == Stream(stream)
    assert RECORD_TYPES[kind].beat == Beat(beat)
    assert beat_of({"type": kind}) == Beat(beat)


def test_the_table_holds_no_other_type() -> None:
    named = {row.split()[0] for row in TABLE.split("\n")[1:-1]}
    assert set(RECORD_TYPES) == named | {"transcript_segment", "unreadable_record"}


def test_families_of_types() -> None:
    trace = [row.split()[0] for row in TABLE.split("\n")[1:-1] if " trace " in row]
    assert frozenset(trace) == TRACE_TYPES
    assert {kind for kind in RECORD_TYPES if kind.startswith("audio_")} == set(AUDIO_TYPES)
    assert set(AUDIO_ENDS) < set(AUDIO_TYPES)


@pytest.mark.parametrize(
    ("speaker", "beat"),
    [
        ("caller", Beat.CALLER_INPUT),
        ("agent", Beat.AGENT_OUTPUT),
        ("operator", Beat.WORK),
        ("", Beat.WORK),
        (None, Beat.WORK),
    ],
)
def test_the_beat_of_a_transcript_segment_is_its_speakers(speaker: str | None, beat: Beat) -> None:
    assert beat_of(record("transcript_segment", speaker=speaker, text="x")) is beat


@pytest.mark.parametrize("type_", ["network_jitter", "", None, 5, ["state_entered"]])
def test_an_unknown_type_is_work(type_: JsonValue) -> None:
    assert beat_of({"type": type_}) is Beat.WORK
    assert effective_type({"type": type_}) is None


SMALLEST: dict[str, JsonObject] = {
    "state_entered": {"state_id": "a"},
    "guard_evaluated": {"edge_id": "a:0"},
    "transition_requested": {"request_id": "r", "to": "b"},
    "transition_taken": {"to": "b"},
    "state_exited": {"state_id": "a"},
    "session_slots_seeded": {"slots": []},
    "slot_write": {"slot": "s"},
    "slot_filled": {"slot": "s"},
    "prompt_resolved": {"state_id": "a"},
    "llm_requested": {"generation_id": "g"},
    "llm_responded": {"generation_id": "g"},
    **{kind: {"playback_id": "p"} for kind in AUDIO_TYPES},
    "dtmf_received": {"digit": "1"},
    "tool_called": {"tool": "t", "tool_call_id": "k"},
    "tool_result": {"tool_call_id": "k"},
    "transcript_segment": {"speaker": "caller", "text": "x"},
}


@pytest.mark.parametrize("kind", SMALLEST)
def test_a_nullable_field_may_be_absent_or_null(kind: str) -> None:
    small: JsonObject = {"type": kind, **SMALLEST[kind]}
    assert record_flaw(small) is None
    assert effective_type(small) == kind
    fields = msgspec.structs.fields(RECORD_TYPES[kind].schema)
    nulls: JsonObject = {f.name: None for f in fields if not f.required}
    if "availability" in nulls:
        nulls["availability"] = "recorded"
    assert record_flaw({**nulls, **small}) is None


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, fields in SMALLEST.items() for name in fields]
)
def test_a_missing_or_null_required_field(kind: str, name: str) -> None:
    rest: JsonObject = {k: v for k, v in SMALLEST[kind].items() if k != name}
    flaw = record_flaw({"type": kind, **rest})
    assert flaw is not None
    assert flaw.code == "FIELD_MISSING"
    assert flaw.detail == {"fields": [name]}
    assert effective_type({"type": kind, **rest}) is None
    assert record_flaw({"type": kind, **rest, name: None}) is not None


def test_all_missing_fields_are_named() -> None:
    flaw = record_flaw({"type": "tool_called"})
    assert flaw is not None
    assert flaw.detail == {"fields": ["tool", "tool_call_id"]}


@pytest.mark.parametrize("type_", [None, 5, True, ["x"], {"a": 1}])
def test_a_record_without_a_type(type_: JsonValue) -> None:
    flaw = record_flaw({"type": type_})
    assert flaw is not None
    assert (flaw.code, flaw.detail) == ("FIELD_MISSING", {"fields": ["type"]})
    assert record_flaw({}) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        entered("a", via_edge=5),
        record("state_entered", state_id=5),
        taken("a:0", request_id=["r"]),
        record("guard_evaluated", edge_id="a:0", verdict="true"),
        record("guard_evaluated", edge_id="a:0", verdict=1),
        record("guard_evaluated", edge_id="a:0", slots_read="s"),
        record("guard_evaluated", edge_id="a:0", slots_read=[1]),
        write("s", 1, availability="maybe"),
        seeded({"safe_value": 1}),
        seeded({"slot": "s", "availability": "maybe"}),
        record("session_slots_seeded", slots={"s": 1}),
        record("tool_result", tool_call_id="k", ok="yes"),
        record("llm_requested", generation_id="g", messages="none"),
        record("audio_started", playback_id="p", client_ack=True),
        record("transcript_segment", speaker="caller", text="x", start_ms="0"),
    ],
    ids=str,
)
def test_a_field_of_a_wrong_type(wrong: JsonObject) -> None:
    flaw = record_flaw(wrong)
    assert flaw is not None
    assert flaw.code in {"FIELD_INVALID", "FIELD_MISSING"}
    assert effective_type(wrong) is None


def test_unlisted_fields_are_welcome() -> None:
    more = entered("a", anything={"x": [1]})
    assert record_flaw(more) is None
    assert effective_type(more) == "state_entered"


@given(loose_records())
def test_a_known_type_takes_effect_exactly_where_it_has_no_flaw(found: JsonObject) -> None:
    known = found["type"] in RECORD_TYPES
    assert (effective_type(found) is not None) is (known and record_flaw(found) is None)


@given(loose_records())
def test_the_flaw_does_not_depend_on_key_order(found: JsonObject) -> None:
    assert record_flaw(found) == record_flaw(dict(reversed(found.items())))


@pytest.mark.parametrize("good", ["v3:a", "0:-", "pipecat:booking_racy", "v3:" + "x" * 64])
def test_a_session_id(good: str) -> None:
    assert SESSION_ID_PATTERN.fullmatch(good)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "a",
        ":a",
        "v3:",
        "V3:a",
        "v3:a b",
        "v3:a\n",
        "v3:" + "x" * 65,
        "v3:../x",
        "v3:a:b",
        "v3:é",
    ],
)
def test_no_session_id(bad: str) -> None:
    assert not SESSION_ID_PATTERN.fullmatch(bad)
