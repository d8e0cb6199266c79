"""All rules together: the table, the laws of every list of findings, the truths of whole calls."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import generated_session
from support.records import (
    ANY_VALUES,
    build,
    build_call,
    calls,
    entered,
    exited,
    file_of,
    guard,
    manifest_of,
    noise,
    record,
    rows_of,
    taken,
    write,
    write_session,
)
from support.small_calls import fixture_artifact, small_artifacts

from engine.core.artifact import artifact_bytes, artifact_hash
from engine.core.artifact.findings import RULES, find_all
from engine.core.artifact.load import hold_artifact
from engine.core.artifact.settings import finding_settings
from engine.core.artifact.view import view_of_built
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.recording import build_session, stream_session

TABLE = [
    ("DUPLICATE_AGENT_PLAYBACK", "error"),
    ("PLAYBACK_CAPTURE_GAP", "warning"),
    ("VISIT_WITHOUT_AUDIBLE_SPEECH", "warning"),
    ("HEARD_NOT_KEPT", "warning"),
    ("SPEECH_CUT_BY_CALLER", "info"),
    ("TWO_PLAYBACKS_ONE_TURN", "warning"),
    ("TURN_MERGED_SEGMENTS", "info"),
    ("SLOT_OVERWRITTEN_UNSUPPORTED", "warning"),
    ("TOOL_CALLED_TWICE", "warning"),
    ("TOOL_WITHOUT_RESULT", "warning"),
    ("TOOL_FAILED", "error"),
    ("TRANSITION_DROPPED", "error"),
    ("TRANSITION_WITHOUT_EDGE", "warning"),
    ("EDGE_TRUE_NOT_TAKEN", "warning"),
    ("STATE_LOOP", "warning"),
    ("SILENCE_WHILE_PENDING", "warning"),
    ("GUARD_FAILED", "error"),
    ("UNOWNED_EVENTS", "info"),
    ("CLOCK_STEP", "info"),
]
KEYS = [
    "finding_id",
    "code",
    "at",
    "severity",
    "visits",
    "events",
    "events_total",
    "label",
    "text",
    "detail",
    "mechanism",
]
MECHANISMS = {"static_plus_model", "re_entry", "nudge", "client_replay", "unknown"}
CLAIMS = re.compile(r"\b(because|caused|due to|since|root cause|fault)\b", re.IGNORECASE)


def ids_of(artifact: JsonObject) -> list[str]:
    return [str(event["event_id"]) for event in rows_of(artifact, "events")]


def of_code(artifact: JsonObject, code: str) -> list[JsonObject]:
    return [row for row in rows_of(artifact, "findings") if row["code"] == code]


# -- the table, the settings, the guide ------------------------------------------------------------


def test_the_table() -> None:
    assert [(rule.code, rule.severity.value) for rule in RULES] == TABLE


def test_each_rule_has_a_module_of_its_name() -> None:
    names = [rule.find.__module__.rpartition(".")[2].upper() for rule in RULES]
    assert names == [rule.code for rule in RULES]


def test_the_guide_has_a_section_for_each_code_and_the_parameters(root: Path) -> None:
    page = (root / "docs" / "guide" / "findings.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    codes = [name for name in sections if re.fullmatch(r"[A-Z_]+", name)]
    assert codes == [code for code, _ in TABLE]
    for code, severity in TABLE:
        for heading in ("Meaning", "Rule", "Example", "What it does not say"):
            assert f"**{heading}.**" in sections[code], (code, heading)
        assert f"Severity: {severity}." in sections[code]
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)*_(?:ms|count|visits))`", page))
    settings = finding_settings()
    assert settings.keys() <= named
    for name, value in settings.items():
        assert f"| `{name}` | {value} |" in page
        assert sum(f"`{name}`" in text for text in sections.values()) == 2, name


def test_every_parameter_is_used_by_the_rules(root: Path) -> None:
    folder = root / "engine" / "core" / "artifact" / "findings"
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    assert {*re.findall(r'setting\(view, "(\w+)"\)', source)} == finding_settings().keys()


# -- laws of every list of findings ----------------------------------------------------------------


def floats_in(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return any(floats_in(item) for item in value.values())
    if isinstance(value, list):
        return any(floats_in(item) for item in value)
    return isinstance(value, float)


def check_laws(artifact: JsonObject) -> None:
    found, event_ids = rows_of(artifact, "findings"), ids_of(artifact)
    place = {event_id: index for index, event_id in enumerate(event_ids)}
    visits = [visit["visit_id"] for visit in rows_of(artifact, "visits")]
    rows = {code: row for row, (code, _) in enumerate(TABLE)}
    keys: list[tuple[int, int, int]] = []
    counts = Counter[str]()
    for finding in found:
        code, at, events = str(finding["code"]), finding["at"], finding["events"]
        counts[code] += 1
        assert list(finding) == KEYS
        assert finding["finding_id"] == f"{code}#{counts[code]}"
        assert finding["severity"] == dict(TABLE)[code]
        assert finding["label"] == "recorded"
        assert isinstance(at, int)
        assert 0 <= at < len(event_ids)
        assert isinstance(events, list)
        assert 1 <= len(events) <= 32
        assert len(set(map(str, events))) == len(events)
        assert len(events) == min(32, int(str(finding["events_total"])))
        named = finding["visits"]
        assert isinstance(named, list)
        assert named == [visit for visit in visits if visit in named][:32]
        text = str(finding["text"])
        assert text[0].isupper()
        assert text.endswith(".")
        mechanism = finding["mechanism"]
        assert (mechanism in MECHANISMS) == (code == "DUPLICATE_AGENT_PLAYBACK")
        assert mechanism is None or mechanism in MECHANISMS
        assert not floats_in(finding)
        keys.append((at, rows[code], place[str(events[0])]))
    assert keys == sorted(keys)
    assert find_all(view_of_built(hold_artifact(artifact))) == artifact["findings"]
    assert file_of(artifact)


TURNS = st.sampled_from(["t1", "t2"])
IDS = st.integers(0, 20).map(lambda n: f"e{n}")
MAYBE = st.none() | st.booleans()
SPOKEN = st.sampled_from(["Yes.", "six", "Four people, great.", "<str len=3>", ""])
AUDIO = [
    "audio_requested",
    "audio_started",
    "audio_started",
    "audio_completed",
    "audio_interrupted",
]
NOTABLE = st.one_of(
    st.builds(
        entered, st.sampled_from(["a", "a", "b"]), parent_visit_id=st.none() | st.just("a#1")
    ),
    st.builds(exited, st.sampled_from(["a", "b"]), edge_id=st.none() | st.just("a:0")),
    st.builds(guard, st.sampled_from(["a:0", "a:1"]), verdict=MAYBE, error=st.none() | SPOKEN),
    st.builds(
        record,
        st.just("transition_requested"),
        request_id=st.sampled_from(["r1", "r2"]),
        to=st.just("b"),
        edge_id=st.sampled_from(["a:0", "a:1", None]),
    ),
    st.builds(taken, st.sampled_from(["a:0", "a:1", None]), request_id=st.none() | st.just("r1")),
    st.builds(
        record,
        st.sampled_from(AUDIO),
        playback_id=st.sampled_from(["p1", "p2", "p3"]),
        content_fingerprint=st.sampled_from(["f1", "f1", "f2", None]),
        client_ack=st.sampled_from([{"client_event_id": "c"}, None]),
        source_kind=st.sampled_from(["static_asset", "model_audio", "nudge", None]),
        generation_id=st.sampled_from(["g1", "g2", None]),
        heard=st.none() | SPOKEN,
        state_id=st.sampled_from(["a", "b", None]),
    ),
    st.builds(
        record,
        st.just("transcript_segment"),
        speaker=st.sampled_from(["caller", "agent"]),
        text=SPOKEN,
        start_ms=st.none() | st.floats(-5, 9000),
        end_ms=st.none() | st.integers(0, 2**53 - 1),
    ),
    st.builds(
        record, st.just("input_selected"), segment_event_ids=st.lists(IDS, max_size=4).map(list)
    ),
    st.builds(record, st.just("dtmf_received"), digit=st.sampled_from(["6", "#"])),
    st.builds(
        record,
        st.just("tool_called"),
        tool=st.just("book"),
        tool_call_id=st.sampled_from(["k1", "k2", "k3"]),
        args_safe=st.sampled_from([{}, {"t": 0.5}, {"t": "<int>"}, None]),
    ),
    st.builds(record, st.just("tool_result"), tool_call_id=st.just("k1"), ok=MAYBE),
    st.builds(
        record,
        st.just("llm_requested"),
        generation_id=st.sampled_from(["g1", "g2"]),
        trigger=st.sampled_from(["nudge", "user_turn", None]),
        messages=st.none() | st.lists(SPOKEN.map(lambda t: {"role": "assistant", "text": t})),
    ),
    st.builds(write, st.sampled_from(["note", "other", "name"]), ANY_VALUES, old=ANY_VALUES),
    st.builds(write, st.just("note"), st.sampled_from(["18:00", 6]), old=ANY_VALUES),
    st.builds(noise),
)
COMMON = st.fixed_dictionaries(
    {},
    optional={
        "clock_ms": st.integers(0, 20_000) | st.sampled_from([-(2**53) + 1, 2**53 - 1]),
        "turn_id": TURNS,
        "event_id": IDS,
        "caused_by": IDS,
        "visit_id": st.sampled_from(["a#1", "b#1", "gone#1"]),
    },
)
NOTABLE_CALLS = st.lists(st.builds(lambda one, two: {**one, **two}, NOTABLE, COMMON), max_size=24)


@given(calls())
def test_laws_of_any_call(call: tuple[JsonObject, JsonObject]) -> None:
    check_laws(build_call(*call))


@given(small_artifacts())
def test_laws_of_small_calls(artifact: JsonObject) -> None:
    check_laws(artifact)


@given(NOTABLE_CALLS, st.sampled_from(["session", "per_stream"]))
def test_laws_of_notable_calls(records: list[JsonObject], sequence: str) -> None:
    manifest = manifest_of(sequence=sequence, slot_classes={"other": "plain"})
    bus = [{**item, "seq": seq} for seq, item in enumerate(records)]
    artifact = build(bus=bus, manifest=manifest)
    check_laws(artifact)
    for finding in rows_of(artifact, "findings"):
        assert not CLAIMS.search(str(finding["text"]))


# -- whole calls -----------------------------------------------------------------------------------

SPEECH, MERGED, OVERWRITTEN, UNOWNED = (
    "SPEECH_CUT_BY_CALLER",
    "TURN_MERGED_SEGMENTS",
    "SLOT_OVERWRITTEN_UNSUPPORTED",
    "UNOWNED_EVENTS",
)


def test_the_racy_booking() -> None:
    artifact = fixture_artifact("booking_racy")
    check_laws(artifact)
    shown = [(row["code"], row["visits"], row["events"]) for row in rows_of(artifact, "findings")]
    assert shown == [
        (SPEECH, ["get_time#1"], ["e0056", "e0044"]),
        (MERGED, ["get_time#1"], ["e0095", "e0063", "e0092"]),
        (OVERWRITTEN, ["no_table#1"], ["e0136", "e0128", "e0131"]),
        (UNOWNED, [], ["e0001", "e0002", "e0003"]),
    ]
    at = [row["at"] for row in rows_of(artifact, "findings")]
    places = [ids_of(artifact).index(name) for name in ("e0056", "e0095", "e0136")]
    assert at == [*places, len(ids_of(artifact)) - 1]


def test_the_clean_booking() -> None:
    artifact = fixture_artifact("booking_clean")
    check_laws(artifact)
    assert [row["code"] for row in rows_of(artifact, "findings")] == [SPEECH, UNOWNED]


GENERATED = [
    (sequence, seed, events)
    for sequence in ("session", "per_stream")
    for seed, events in ((1, 150), (2, 400), (3, 900), (4, 600), (7, 1500), (8, 300))
]


@pytest.mark.parametrize(("sequence", "seed", "events"), GENERATED)
def test_a_generated_call_equals_its_truth(sequence: str, seed: int, events: int) -> None:
    session = generated_session(events=events, seed=seed, sequence=sequence)
    artifact, truth = build_session(session.directory), session.truth
    check_laws(artifact)
    pairs = [
        [row["detail"][key] for key in ("first_playback_id", "duplicate_playback_id", "gap_ms")]
        for row in of_code(artifact, "DUPLICATE_AGENT_PLAYBACK")
    ]
    assert sorted(pairs) == sorted(truth["duplicates"])
    assert not [pair for pair in truth["near_misses"] if pair in pairs]
    dropped = [row["events"][0] for row in of_code(artifact, "TRANSITION_DROPPED")]
    assert sorted(dropped) == sorted(truth["dropped_transitions"])
    true = [
        [row["events"][0], row["visits"][0]] for row in of_code(artifact, "EDGE_TRUE_NOT_TAKEN")
    ]
    assert sorted(true) == sorted(truth["true_not_taken"])
    (unowned,) = of_code(artifact, UNOWNED)
    assert unowned["events_total"] == len(truth["unowned"])
    assert {*unowned["events"]} <= {event_id for event_id, _ in truth["unowned"]}
    cut = [row["events"][0] for row in of_code(artifact, SPEECH)]
    played = truth["playbacks"]
    assert sorted(cut) == sorted(
        span["ended"] for span in played if span["end_type"] == "audio_interrupted"
    )
    never = (
        "PLAYBACK_CAPTURE_GAP",
        "VISIT_WITHOUT_AUDIBLE_SPEECH",
        "HEARD_NOT_KEPT",
        "TWO_PLAYBACKS_ONE_TURN",
        MERGED,
        OVERWRITTEN,
        "TRANSITION_WITHOUT_EDGE",
        "GUARD_FAILED",
        "CLOCK_STEP",
    )
    assert not {row["code"] for row in rows_of(artifact, "findings")} & {*never}


def test_edges_of_visits_and_loops_of_a_generated_call_by_counting() -> None:
    session = generated_session(events=1500, seed=7, sequence="session")
    artifact = build_session(session.directory)
    states = [str(visit["state_id"]) for visit in rows_of(artifact, "visits")]
    expected: list[str] = []
    for place, state in enumerate(states):
        now = states[max(0, place - 19) : place + 1].count(state)
        before = states[max(0, place - 20) : place].count(state)
        if now >= 5 and before < 5:
            expected.append(str(rows_of(artifact, "visits")[place]["visit_id"]))
    assert [row["visits"][-1] for row in of_code(artifact, "STATE_LOOP")] == expected


# -- the same in memory and in a stream ------------------------------------------------------------


@pytest.mark.parametrize("name", ["booking_racy", "booking_clean", "attribution", "laws/nesting"])
def test_a_streaming_build_finds_the_same(root: Path, name: str) -> None:
    directory = root / "fixtures" / name
    streamed = b"".join(artifact_bytes(stream_session(directory).members()))
    assert streamed == file_of(build_session(directory))


@given(NOTABLE_CALLS)
def test_a_streaming_build_of_notable_calls(records: list[JsonObject]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        bus = [{**item, "seq": seq} for seq, item in enumerate(records)]
        manifest = manifest_of(slot_classes={"other": "plain"})
        directory = write_session(Path(folder) / "call", bus=bus, manifest=manifest)
        artifact = build_session(directory)
        streamed = b"".join(artifact_bytes(stream_session(directory).members()))
    assert streamed == file_of(artifact)
    assert artifact_hash(artifact)
