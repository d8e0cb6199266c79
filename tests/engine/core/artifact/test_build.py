"""The builder: pure, exact, and true to generated calls."""

import copy
import os
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import generated_session
from support.records import (
    ANY_VALUES,
    FLOW,
    build,
    build_call,
    build_in_order,
    calls,
    entered,
    exited,
    file_of,
    manifest_of,
    noise,
    problem_codes,
    record,
    record_of,
    rows_of,
)

from engine.core.artifact import artifact_hash, build_state_program_artifact
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, integer, rows, text
from engine.core.contract.labels import STREAM_RANK, Unowned
from engine.core.contract.problems import PROBLEM_CODES
from engine.recording import build_session


def ids(artifact: JsonObject) -> list[str]:
    return [str(event["event_id"]) for event in rows_of(artifact, "events")]


def details(artifact: JsonObject, code: str) -> list[JsonValue]:
    return [row["detail"] for row in rows_of(artifact, "problems") if row["code"] == code]


# -- event ids -------------------------------------------------------------------------------------


def test_a_records_own_id_else_stream_and_line() -> None:
    artifact = build(
        trace=[noise(seq=0), noise(seq=3, event_id="mine")],
        bus=[noise(seq=1)],
        transcript=[noise(seq=2)],
    )
    assert ids(artifact) == ["trace:1", "bus:1", "transcript:1", "mine"]


def test_of_a_repeated_id_the_later_event_gets_the_default() -> None:
    artifact = build(
        trace=[noise(seq=5, event_id="x")], bus=[noise(seq=1), noise(seq=2, event_id="x")]
    )
    assert ids(artifact) == ["bus:1", "x", "trace:1"]
    (problem,) = [r for r in rows_of(artifact, "problems") if r["code"] == "EVENT_ID_REPEATED"]
    assert (problem["stream"], problem["line"], problem["event_id"]) == ("trace", 1, "trace:1")
    assert problem["detail"] == {"event_id": "x"}


def test_an_id_that_is_anothers_default() -> None:
    artifact = build_in_order([noise(event_id="bus:2"), noise(), noise(event_id="bus:3")])
    assert ids(artifact)[0] == "bus:2"
    assert len(set(ids(artifact))) == 3
    assert details(artifact, "EVENT_ID_REPEATED") == [{"event_id": "bus:2"}]


@given(st.lists(st.sampled_from(["", "x", "bus:1", "bus:2", "bus:3", "bus:3~"]), max_size=6))
def test_ids_are_unique(names: list[str]) -> None:
    artifact = build_in_order([noise(event_id=name) for name in names])
    assert len(set(ids(artifact))) == len(names)
    for name, event_id in zip(names, ids(artifact), strict=True):
        assert event_id == name or name in {"", *ids(artifact)}


# -- the flow and the manifest ---------------------------------------------------------------------


def test_session_and_flow_stand_as_given() -> None:
    manifest = manifest_of(anything={"kept": [1, 0.5]})
    artifact = build(manifest=manifest)
    assert artifact["session"] == manifest
    assert artifact["flow"] == FLOW


def test_a_flow_that_is_not_the_manifests() -> None:
    right = build(manifest=manifest_of(flow_revision=FLOW["revision"]))
    assert problem_codes(right) == []
    wrong = build(manifest=manifest_of(flow_revision="sha256:00"))
    assert details(wrong, "FLOW_REVISION_DIFFERS") == [
        {"manifest": "sha256:00", "flow": FLOW["revision"]}
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"schema": "riff.session/v2"},
        {"schema": None},
        {"session_id": None},
        {"session_id": 5},
        {"session_id": "no prefix"},
        {"session_id": "v3:../../x"},
        {"session_id": "v3:a\n"},
        {"sequence": "both"},
        {"sequence": None},
        {"flow": None},
        {"flow": {}},
        {"flow": {"path": 5}},
        {"flow": {"path": "f", "source_path": 5}},
        {"ended": "maybe"},
        {"call_start_epoch": "yesterday"},
        {"call_start_epoch": 0.5},
        {"slot_classes": {"name": "secret"}},
        {"slot_classes": ["name"]},
        {"unavailable": {"engine_revision": None}},
        {"flow_revision": 5},
    ],
    ids=str,
)
def test_a_manifest_with_a_wrong_field(wrong: JsonObject) -> None:
    with pytest.raises(SessionInvalid) as refused:
        build(manifest=manifest_of(**wrong))
    assert refused.value.detail["file"] == "manifest.json"
    assert refused.value.detail["kind"] == "FIELD_INVALID"
    assert "manifest.json" in refused.value.message or "session_id" in refused.value.message


@pytest.mark.parametrize("name", ["schema", "session_id", "sequence", "flow"])
def test_a_manifest_that_lacks_a_field(name: str) -> None:
    with pytest.raises(SessionInvalid):
        build(manifest={k: v for k, v in manifest_of().items() if k != name})


def test_numbers_of_the_manifest_are_kept_as_text_too() -> None:
    artifact = build(manifest=manifest_of(build_number=2**60))
    session = artifact["session"]
    assert isinstance(session, dict)
    assert session["build_number"] == str(2**60)
    (problem,) = rows_of(artifact, "problems")
    assert (problem["code"], problem["stream"]) == ("NUMBER_KEPT_AS_TEXT", None)


# -- audio references ------------------------------------------------------------------------------


def test_audio_references_stand_as_given() -> None:
    audio: list[JsonObject] = [
        {"audio_id": "caller", "role": "caller", "path": "a.wav", "availability": "recorded"},
        {"audio_id": "agent_played", "availability": "unavailable", "more": 0.5},
        {"audio_id": "x", "availability": "empty_capture", "duration_ms": 0},
    ]
    assert build(audio=audio)["audio"] == audio


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"audio_id": 5},
        {"audio_id": "a", "availability": "lost"},
        {"audio_id": "a", "sample_rate": "8000"},
        {"audio_id": "a", "duration_ms": 0.5},
        {"audio_id": "a", "channel_map": "agent"},
        {"audio_id": "a", "path": 5},
    ],
    ids=str,
)
def test_an_audio_reference_with_a_wrong_field(wrong: JsonObject) -> None:
    with pytest.raises(SessionInvalid) as refused:
        build(audio=[wrong])
    assert refused.value.detail["file"] == "audio_refs.json"


# -- events and their owners -----------------------------------------------------------------------


def test_an_event_has_the_five_keys_and_its_reason() -> None:
    artifact = build_in_order([noise(), entered("a"), exited("a"), noise()])
    events = rows_of(artifact, "events")
    assert all(
        list(event) == ["event_id", "owner", "unowned", "stream", "record"] for event in events
    )
    assert [event["owner"] for event in events] == [None, "a#1", "a#1", None]
    reasons = [event["unowned"] for event in events]
    assert reasons == ["before_entry", None, None, "between_visits"]
    assert artifact["unowned_events"] == [
        {"event_index": 0, "event_id": "bus:1", "reason": "before_entry"},
        {"event_index": 3, "event_id": "bus:4", "reason": "between_visits"},
    ]


def test_findings_are_those_of_the_built_recording() -> None:
    [finding] = rows(build_in_order([noise()]), "findings")
    assert (finding["finding_id"], finding["at"]) == ("UNOWNED_EVENTS#1", 0)


def test_a_number_that_json_does_not_have_is_the_callers_mistake() -> None:
    for odd in (float("nan"), float("inf")):
        with pytest.raises(SessionInvalid):
            build(bus=[noise(x=odd)])


@pytest.mark.parametrize("odd", ["\ud800", {"\udfff": 1}, ["x\udc00"]], ids=repr)
def test_a_text_that_utf_8_cannot_hold_is_the_callers_mistake(odd: JsonValue) -> None:
    with pytest.raises(SessionInvalid):
        file_of(build(bus=[noise(x=odd)]))


# -- laws of every artifact ------------------------------------------------------------------------


def test_the_widest_gap_is_a_problem_like_any_other() -> None:
    artifact = build(bus=[noise(seq=2**53 - 1), noise(seq=-(2**53) + 1)])
    assert "SEQUENCE_GAP" in problem_codes(artifact)
    assert file_of(artifact)


@given(calls())
def test_laws_of_every_artifact(call: tuple[JsonObject, JsonObject]) -> None:
    artifact = build_call(*call)
    events, visits = rows_of(artifact, "events"), rows_of(artifact, "visits")
    assert len(events) == sum(len(rows_of(call[1], stream)) for stream in call[1])
    assert len(set(ids(artifact))) == len(events)
    visit_ids = {str(visit["visit_id"]) for visit in visits}
    for event in events:
        assert (event["owner"] is None) != (event["unowned"] is None)
        assert event["owner"] is None or event["owner"] in visit_ids
        assert event["unowned"] is None or Unowned(str(event["unowned"]))
    entries = [integer(visit, "entered_index") or 0 for visit in visits]
    assert all(a < b for a, b in pairwise(entries))
    for visit in visits:
        assert visit["entered_event_id"] == ids(artifact)[integer(visit, "entered_index") or 0]


@given(calls())
def test_problems_are_sorted_and_known(call: tuple[JsonObject, JsonObject]) -> None:
    artifact = build_call(*call)
    keys: list[tuple[int, int, str]] = []
    for row in rows_of(artifact, "problems"):
        assert list(row) == ["code", "stream", "line", "event_id", "detail"]
        code, stream = text(row, "code") or "", text(row, "stream")
        assert code in PROBLEM_CODES
        keys.append(
            (-1 if stream is None else STREAM_RANK[stream], integer(row, "line") or 0, code)
        )
        if row["line"] is not None:
            assert row["event_id"] in ids(artifact)
    assert keys == sorted(keys)


@given(calls())
def test_per_stream_bus_records_need_a_visit_id_to_be_owned(
    call: tuple[JsonObject, JsonObject],
) -> None:
    manifest = {**call[0], "sequence": "per_stream"}
    for event in rows_of(build_call(manifest, call[1]), "events"):
        own = event["record"]
        assert isinstance(own, dict)
        trace_types = {"state_entered", "state_exited", "transition_taken", "guard_evaluated"}
        if own["type"] not in trace_types and text(own, "visit_id") is None:
            assert event["owner"] is None


def test_the_arguments_are_not_changed() -> None:
    arguments: JsonObject = {
        "manifest": manifest_of(big=2**60),
        "bus_events": [
            {**noise(clock_ms=1.5, deep={"big": [2**60]}), "seq": 0},
            {"type": "slot_write", "slot": "name", "old": None, "new": "Alex", "seq": 1},
        ],
        "trace_events": [entered("a", seq=2)],
        "flow_metadata": copy.deepcopy(FLOW),
        "transcript_events": [],
        "audio_refs": [{"audio_id": "a", "big": 2**60}],
    }
    before = copy.deepcopy(arguments)
    first = build_state_program_artifact(**arguments)  # pyright: ignore[reportArgumentType]
    assert arguments == before
    assert build_state_program_artifact(**arguments) == first  # pyright: ignore[reportArgumentType]


def shuffled(value: JsonValue, chance: random.Random) -> JsonValue:
    """The same value with every object's keys in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    if isinstance(value, list):
        return [shuffled(item, chance) for item in value]
    return value


@given(calls(), st.randoms(use_true_random=False))
def test_key_order_does_not_matter(
    call: tuple[JsonObject, JsonObject], chance: random.Random
) -> None:
    manifest, streams = shuffled(call[0], chance), shuffled(call[1], chance)
    assert isinstance(manifest, dict)
    assert isinstance(streams, dict)
    assert file_of(build_call(manifest, streams)) == file_of(build_call(*call))


def test_key_order_of_wrong_fields_deep_inside_does_not_matter() -> None:
    one = record("session_slots_seeded", slots=[{"slot": 5, "availability": "maybe"}])
    two = record("session_slots_seeded", slots=[{"availability": "maybe", "slot": 5}])
    assert file_of(build_in_order([one])) == file_of(build_in_order([two]))


@given(ANY_VALUES)
def test_any_value_in_a_record_is_kept_or_kept_as_text(value: JsonValue) -> None:
    artifact = build_in_order([noise(x=value)])
    shown = record_of(artifact, 0)
    assert set(shown) - {"x"} == {"type", "seq"}
    changed = shown.get("x") != value
    assert ("NUMBER_KEPT_AS_TEXT" in problem_codes(artifact)) is changed


# -- the same bytes everywhere ---------------------------------------------------------------------

HASH_IN_A_PROCESS = """
import sys
from pathlib import Path
from engine.core.artifact import artifact_hash
from engine.recording import build_session
print(artifact_hash(build_session(Path(sys.argv[1]))))
"""


def test_the_same_bytes_under_every_hash_seed(root: Path) -> None:
    directory = root / "fixtures" / "booking_racy"
    hashes = {
        subprocess.run(
            [sys.executable, "-c", HASH_IN_A_PROCESS, str(directory)],
            check=True,
            capture_output=True,
            text=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("0", "1", "2")
    }
    assert hashes == {artifact_hash(build_session(directory))}


def test_the_racy_booking(root: Path) -> None:
    artifact = build_session(root / "fixtures" / "booking_racy")
    visits = [visit["visit_id"] for visit in rows_of(artifact, "visits")]
    assert visits == ["greet#1", "get_time#1", "no_table#1", "confirm#1", "end#1"]


# -- generated calls against their truth -----------------------------------------------------------

GENERATED = [
    ("session", 1, 150),
    ("session", 2, 400),
    ("session", 3, 900),
    ("per_stream", 1, 150),
    ("per_stream", 2, 400),
    ("per_stream", 3, 900),
]


@pytest.mark.parametrize(("sequence", "seed", "events"), GENERATED)
def test_a_generated_call_equals_its_truth(sequence: str, seed: int, events: int) -> None:
    session = generated_session(events=events, seed=seed, sequence=sequence)
    artifact, truth = build_session(session.directory), session.truth
    assert ids(artifact) == truth["order"]
    assert visits_of(artifact) == truth["visits"]
    assert writes_of(artifact) == truth["slot_writes"]
    assert spans_of(artifact) == rows_of(truth, "playbacks")
    unowned = {str(row["event_id"]): row["reason"] for row in rows_of(artifact, "unowned_events")}
    assert unowned == dict(pairs_of(truth, "unowned"))
    assert list(unowned) == [event_id for event_id in ids(artifact) if event_id in unowned]
    check_owners(artifact, truth)
    assert set(problem_codes(artifact)) <= {"UNKNOWN_TYPE"}


def pairs_of(truth: JsonObject, key: str) -> list[tuple[str, JsonValue]]:
    listed = truth[key]
    assert isinstance(listed, list)
    return [(str(row[0]), row[1]) for row in listed if isinstance(row, list)]


def visits_of(artifact: JsonObject) -> list[JsonObject]:
    out: list[JsonObject] = []
    for visit in rows_of(artifact, "visits"):
        exit_ = visit["exit"]
        assert isinstance(exit_, dict)
        assert (exit_["label"], exit_["reason"]) == ("recorded", None)
        out.append(
            {
                "visit_id": visit["visit_id"],
                "entered": visit["entered_event_id"],
                "exited": visit["closed_event_id"],
                "edge": exit_["edge_id"],
            }
        )
    return out


def writes_of(artifact: JsonObject) -> list[JsonObject]:
    out: list[JsonObject] = []
    for index, event in enumerate(rows_of(artifact, "events")):
        own = record_of(artifact, index)
        if own["type"] == "slot_write":
            shown: JsonObject = {name: own[name] for name in ("slot", "old", "new", "writer")}
            out.append({"event_id": event["event_id"], **shown})
    return out


SPAN_NAMES = {
    "playback_id": "playback_id",
    "visit_id": "visit_id",
    "requested_event_id": "request",
    "started_event_id": "started",
    "ended_event_id": "ended",
    "end_type": "end_type",
    "start_ms": "start_ms",
    "end_ms": "end_ms",
    "source_kind": "source_kind",
}


def spans_of(artifact: JsonObject) -> list[JsonObject]:
    spans = rows_of(artifact, "playback")
    assert all(span["acknowledged"] is True for span in spans)
    return [{SPAN_NAMES[key]: span[key] for key in SPAN_NAMES} for span in spans]


def check_owners(artifact: JsonObject, truth: JsonObject) -> None:
    """An event belongs to the visit it names, or to whom the truth says, or is unowned."""
    by_truth = truth["owners"]
    assert isinstance(by_truth, dict)
    unowned = {str(row["event_id"]) for row in rows_of(artifact, "unowned_events")}
    position = {event_id: index for index, event_id in enumerate(ids(artifact))}
    frames = [
        (position[str(visit["entered"])], position[str(visit["exited"])], visit["visit_id"])
        for visit in rows_of(truth, "visits")
    ]
    for index, event in enumerate(rows_of(artifact, "events")):
        event_id, own = str(event["event_id"]), record_of(artifact, index)
        if event_id in unowned:
            assert event["owner"] is None
            continue
        said = by_truth.get(event_id) or own.get("visit_id")
        if said is None:  # a clockless record without an id, in a session-wide sequence
            (said,) = [name for start, end, name in frames if start <= index <= end]
        assert event["owner"] == said
