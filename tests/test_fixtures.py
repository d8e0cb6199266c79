"""The two booking calls are what their log says, byte for byte, and hold nobody's personal data."""

import hashlib
import importlib.util
import itertools
import json
import re
import subprocess
import sys
import wave
from collections import Counter
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest
import yaml
from support.personal_data import personal, text_files, text_of

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
SAMPLES = ROOT.parent / "shared" / "samples" / "pipecat"
CALLS = ("booking_clean", "booking_racy")
STREAMS = ("trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl")

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
Record: TypeAlias = dict[str, JsonValue]

needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded logs are not here")
each_call = pytest.mark.parametrize("call", CALLS)


def strict(text: str) -> JsonValue:
    """Parse JSON; refuse repeated keys, NaN and infinities."""

    def pairs(items: list[tuple[str, JsonValue]]) -> Record:
        assert len(dict(items)) == len(items), items
        return dict(items)

    def constant(name: str) -> JsonValue:
        raise AssertionError(name)

    value: JsonValue = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    return value


def as_object(value: JsonValue) -> Record:
    assert isinstance(value, dict)
    return value


def as_list(value: JsonValue) -> list[JsonValue]:
    assert isinstance(value, list)
    return value


def rows(path: Path) -> list[Record]:
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == "", "the last line ends"
    return [as_object(strict(line)) for line in lines]


def document(path: Path) -> JsonValue:
    return strict(path.read_text(encoding="utf-8"))


def manifest_of(call: str) -> Record:
    return as_object(document(FIXTURES / call / "manifest.json"))


def records(call: str, folder: Path = FIXTURES) -> list[Record]:
    found = [row for name in STREAMS for row in rows(folder / call / name)]
    return sorted(found, key=lambda row: int(str(row["seq"])))


def by_id(call: str) -> dict[str, Record]:
    return {str(row["event_id"]): row for row in records(call)}


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_booking", FIXTURES / "make_booking.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# -- the session directories as such


@each_call
def test_every_line_is_compact_with_sorted_keys(call: str) -> None:
    for name in STREAMS:
        text = (FIXTURES / call / name).read_text(encoding="utf-8")
        again = [
            json.dumps(row, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"
            for row in rows(FIXTURES / call / name)
        ]
        assert text == "".join(again)


@each_call
def test_streams_together_count_without_a_gap_and_each_is_in_order(call: str) -> None:
    assert [row["seq"] for row in records(call)] == list(range(1, len(records(call)) + 1))
    for name in STREAMS:
        order = [int(str(row["seq"])) for row in rows(FIXTURES / call / name)]
        assert order == sorted(order)
    clocks = [row["clock_ms"] for row in records(call)]
    assert all(type(clock) is int for clock in clocks)
    assert clocks == sorted(clocks, key=lambda clock: int(str(clock)))


@each_call
def test_ids_are_unique_and_causes_precede(call: str) -> None:
    seen: set[str] = set()
    for row in records(call):
        assert row["event_id"] == f"e{row['seq']:04d}"
        if "caused_by" in row:
            assert row["caused_by"] in seen
        seen.add(str(row["event_id"]))


@each_call
def test_manifest_names_the_flow_that_ran(call: str) -> None:
    manifest, session = manifest_of(call), by_id(call)["e0001"]
    digest = hashlib.sha256((FIXTURES / call / "flow" / "flow.yaml").read_bytes()).hexdigest()
    assert manifest["flow_revision"] == f"sha256:{digest}"
    assert session["flow_sha256"] == digest
    assert manifest["call_start_epoch"] == int(Decimal(repr(session["zero"])) * 1000)
    assert re.fullmatch(r"[a-z0-9]+:[A-Za-z0-9_-]{1,64}", str(manifest["session_id"]))
    assert manifest["session_id"] == f"pipecat:{call}"
    assert manifest["ended"] == "completed"
    unavailable = as_object(manifest["unavailable"])
    assert unavailable.keys() == {key for key, value in manifest.items() if value is None}


@each_call
def test_audio_refs_describe_the_wav_files(call: str) -> None:
    refs = [as_object(ref) for ref in as_list(document(FIXTURES / call / "audio_refs.json"))]
    first_sample = next(
        row["clock_ms"] for row in records(call) if row["type"] == "audio_recording_started"
    )
    roles: list[JsonValue] = []
    for ref in refs:
        path = FIXTURES / call / str(ref["path"])
        with wave.open(str(path)) as wav:
            frames, rate = wav.getnframes(), wav.getframerate()
            assert len(wav.readframes(frames)) == frames, "8 bit, and no frame is missing"
            assert ref["channel_map"] == [str(ref["role"]).partition("_")[0]]
            assert wav.getnchannels() == 1
        assert (ref["sample_rate"], ref["duration_ms"]) == (rate, frames * 1000 // rate)
        assert ref["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert ref["media_start_offset_ms"] == first_sample
        assert ref["call_start_epoch"] == manifest_of(call)["call_start_epoch"]
        roles.append(ref["role"])
    assert roles == ["caller", "agent_played"]


@each_call
def test_visits(call: str) -> None:
    trace = rows(FIXTURES / call / "trace_events.jsonl")
    entered = [row["visit_id"] for row in trace if row["type"] == "state_entered"]
    left = [row["visit_id"] for row in trace if row["type"] == "state_exited"]
    assert entered == ["greet#1", "get_time#1", "no_table#1", "confirm#1", "end#1"]
    assert left == entered[:-1]
    others = [row for row in records(call) if "visit_id" in row]
    assert len(others) == len(entered) + len(left), "no hook but these two saw a visit"


@each_call
def test_edges_are_those_of_the_flow(call: str) -> None:
    trace = rows(FIXTURES / call / "trace_events.jsonl")
    for kind, field in (("state_entered", "via_edge"), ("state_exited", "edge_id")):
        edges = [row[field] for row in trace if row["type"] == kind and row[field] is not None]
        assert edges == ["greet:0", "get_time:1", "no_table:0", "confirm:0"]
    for row in trace:
        if row["type"] == "guard_evaluated":
            assert (row["verdict"], row["slots_read"], row["error"]) == (True, [], None)
    guards = [row["edge_id"] for row in trace if row["type"] == "guard_evaluated"]
    assert guards == ["greet:0", "get_time:1", "no_table:0"], "confirm:0 has no branch"


@each_call
def test_each_playback_is_requested_started_generated_and_ended_once(call: str) -> None:
    spans: dict[str, list[Record]] = {}
    for row in records(call):
        if "source_kind" in row:
            spans.setdefault(str(row["playback_id"]), []).append(row)
    assert len(spans) == 6
    for span in spans.values():
        types = Counter(str(row["type"]) for row in span)
        ends = types.pop("audio_completed", 0) + types.pop("audio_interrupted", 0)
        assert ends == 1
        assert types == {"audio_requested": 1, "audio_generated": 1, "audio_started": 1}
        request = span[0]
        assert request["planned"]
        for row in span:
            assert row["state_id"] == request["state_id"]
            assert row["content_fingerprint"] is None
            assert "client_ack" not in row
        for row in span[1:]:
            assert row["request_event_id"] == request["event_id"]


@each_call
def test_slot_writes_give_the_final_state(call: str) -> None:
    slots: Record = {}
    for row in records(call):
        if row["type"] == "slot_write":
            assert row["old"] == slots.get(str(row["slot"]))
            assert (row["kind"], row["availability"]) == ("tool_result", "recorded")
            slots[str(row["slot"])] = row["new"]
    assert slots == records(call)[-1]["state"]
    assert manifest_of(call)["slot_classes"] == dict.fromkeys(slots, "plain")


# -- the true story

RACY_CHAINS = """
    e0004 e0005 e0007 e0009 e0018
    e0024 e0026
    e0027 e0028 e0029 e0031 e0032
    e0031 e0034 e0037 e0038
    e0037 e0039 e0040 e0042 e0044
    e0040 e0045
    e0052 e0056
    e0058 e0060
    e0064 e0065
    e0063 e0066
    e0065 e0067 e0068 e0070 e0071 e0073 e0075 e0077 e0086
    e0092 e0094
    e0095 e0096 e0097 e0099 e0100
    e0099 e0101
    e0099 e0102
    e0099 e0104
    e0103 e0106 e0107
    e0106 e0108 e0109 e0111 e0113 e0122
    e0109 e0114
    e0128 e0130
    e0131 e0132 e0133 e0135 e0136
    e0135 e0137
    e0138 e0141 e0142
    e0141 e0143 e0144 e0146 e0148 e0157
    e0163 e0165
    e0166 e0167 e0168 e0170 e0171 e0174 e0175
    e0174 e0176 e0177
    e0176 e0179 e0181 e0183 e0189
"""
RACY_TYPES = {
    "e0004": "state_entered",
    "e0005": "llm_requested",
    "e0007": "audio_requested",
    "e0009": "audio_started",
    "e0018": "audio_completed",
    "e0024": "transcript_segment",
    "e0026": "transcript_aggregated",
    "e0027": "input_selected",
    "e0029": "tool_called",
    "e0031": "tool.function_call_in_progress",
    "e0032": "slot_write",
    "e0034": "transition_requested",
    "e0037": "transition_taken",
    "e0038": "state_exited",
    "e0039": "state_entered",
    "e0045": "playback_planned",
    "e0050": "playback_text",
    "e0052": "speech.interruption",
    "e0056": "audio_interrupted",
    "e0057": "assistant_turn",
    "e0061": "speech.user_turn_started",
    "e0063": "transcript_segment",
    "e0064": "speech.user_turn_stopped",
    "e0065": "input_selected",
    "e0066": "transcript_aggregated",
    "e0071": "tool_result",
    "e0073": "llm_requested",
    "e0095": "input_selected",
    "e0100": "slot_write",
    "e0101": "slot_write",
    "e0102": "guard_evaluated",
    "e0103": "transition_requested",
    "e0104": "tool_result",
    "e0106": "transition_taken",
    "e0131": "input_selected",
    "e0136": "slot_write",
    "e0137": "guard_evaluated",
    "e0177": "end_requested",
    "e0178": "turn_ended",
    "e0189": "audio_completed",
    "e0192": "final",
}
RACY_COMPOSITION = {
    "e0027": ("t1", "Four of us.", ["e0024"]),
    "e0065": ("t2", "When are you open?", ["e0058"]),
    "e0095": ("t3", "Seven o'clock. Then six.", ["e0063", "e0092"]),
    "e0131": ("t4", "Yes.", ["e0128"]),
    "e0166": ("t5", "Yes, please.", ["e0163"]),
}


def test_racy_types_and_causes() -> None:
    events = by_id("booking_racy")
    assert {key: events[key]["type"] for key in RACY_TYPES} == RACY_TYPES
    for chain in RACY_CHAINS.split("\n"):
        ids = chain.split()
        for cause, effect in itertools.pairwise(ids):
            assert events[effect]["caused_by"] == cause


def test_racy_causes_that_no_hook_saw_stay_absent() -> None:
    events = by_id("booking_racy")
    speech = [row for row in events.values() if str(row["type"]).startswith("speech.user")]
    segments = [row for row in events.values() if row["type"] == "transcript_segment"]
    committed_by_timer = [events[key] for key in RACY_COMPOSITION if key != "e0065"]
    for row in [*speech, *segments, *committed_by_timer]:
        assert "caused_by" not in row
    assert events["e0065"]["caused_by"] == "e0064"
    assert not any("turn_id" in row for row in segments), "a segment is composed into a turn later"


def test_racy_turns_are_composed_of_these_segments() -> None:
    events = by_id("booking_racy")
    assert [key for key, row in events.items() if row["type"] == "input_selected"] == list(
        RACY_COMPOSITION
    )
    for key, (turn_id, content, segments) in RACY_COMPOSITION.items():
        row = events[key]
        assert (row["turn_id"], row["content"], row["segment_event_ids"]) == (
            turn_id,
            content,
            segments,
        )
        assert " ".join(str(events[segment]["text"]) for segment in segments) == content
        assert row["selected_source"] == "scripted"


def test_racy_the_race_of_one_millisecond() -> None:
    events = by_id("booking_racy")
    order = [events[key]["clock_ms"] for key in ("e0063", "e0064", "e0065", "e0066")]
    assert order == [10899, 10900, 10901, 10902]
    assert events["e0066"]["segment"] == "s03"


def test_racy_time_is_written_twice() -> None:
    writes = [
        row
        for row in records("booking_racy")
        if row["type"] == "slot_write" and row["slot"] == "time"
    ]
    facts = [(row["event_id"], row["old"], row["new"], row["turn_id"]) for row in writes]
    assert facts == [("e0100", None, "19:00", "t3"), ("e0136", "19:00", "18:00", "t4")]
    assert [row["writer"] for row in writes] == ["tool:check_availability"] * 2
    assert [row["node"] for row in writes] == ["get_time", "no_table"]
    assert by_id("booking_racy")["e0132"]["context_size"] == 17


def test_racy_only_one_playback_was_cut() -> None:
    events = by_id("booking_racy")
    cut = [row for row in events.values() if row["type"] == "audio_interrupted"]
    assert [(row["event_id"], row["heard"]) for row in cut] == [("e0056", "Four people, great.")]
    assert events["e0057"]["content"] == "Four people, great."
    causes = {str(row.get("caused_by")) for row in events.values()}
    interruptions = [key for key, row in events.items() if row["type"] == "speech.interruption"]
    false_leads = ["e0021", "e0062", "e0089", "e0125", "e0160"]
    assert interruptions == ["e0021", "e0052", *false_leads[1:]]
    assert causes.isdisjoint([*false_leads, "e0178"])
    assert events["e0178"]["interrupted"] is True


def test_clean_turn_is_committed_before_the_caller_speaks_again() -> None:
    events = by_id("booking_clean")
    turns = {key: row for key, row in events.items() if row["type"] == "input_selected"}
    assert {key: row["content"] for key, row in turns.items()} == {
        "e0027": "Four of us.",
        "e0061": "When are you open?",
        "e0090": "Seven o'clock.",
        "e0126": "Then six.",
        "e0161": "Yes.",
    }
    assert not any("caused_by" in row for row in turns.values())
    write = events["e0131"]
    assert (write["old"], write["new"], write["turn_id"]) == ("19:00", "18:00", "t4")


# -- the script and the log


@needs_samples
def test_same_input_gives_the_committed_bytes(tmp_path: Path) -> None:
    command = [sys.executable, str(FIXTURES / "make_booking.py"), str(SAMPLES), str(tmp_path)]
    subprocess.run(command, check=True, env={"PYTHONHASHSEED": "7"})
    for call in CALLS:
        made = {path.relative_to(tmp_path) for path in (tmp_path / call).rglob("*.*")}
        kept = {path.relative_to(FIXTURES) for path in (FIXTURES / call).rglob("*.*")}
        assert kept - made == {Path(call) / "README.md"}
        assert not made - kept
        for name in made:
            assert (tmp_path / name).read_bytes() == (FIXTURES / name).read_bytes(), name


@needs_samples
@each_call
def test_every_line_of_the_log_is_one_record_and_keeps_its_facts(call: str) -> None:
    log = rows(SAMPLES / call / "events.jsonl")
    assert len(log) == len(records(call))
    for line, record in zip(log, records(call), strict=True):
        assert (record["event_id"], record["seq"]) == (line["id"], line["seq"])
        assert record["clock_ms"] == int(Decimal(repr(line["t"])) * 1000)
        assert record.get("turn_id") == (f"t{line['turn']}" if "turn" in line else None)
        assert record.get("caused_by") == line.get("caused_by")
        assert ("visit_id" in record) == ("visit" in line)
        for key in line.keys() - {"id", "t", "wall", "kind", "turn", "visit"}:
            kept = [v for v in record.values() if type(v) is type(line[key]) and v == line[key]]
            assert kept, (line["id"], key)


@needs_samples
@each_call
def test_flow_is_the_sample_byte_for_byte(call: str) -> None:
    flow = (FIXTURES / call / "flow" / "flow.yaml").read_bytes()
    assert flow == (SAMPLES / "flow.yaml").read_bytes()


def test_edges_written_down_in_the_script_are_those_of_the_flow() -> None:
    flow = as_object(yaml.safe_load((FIXTURES / "booking_racy/flow/flow.yaml").read_bytes()))
    edges: dict[tuple[str, str, str | None], tuple[str, JsonValue]] = {}
    for state, node in as_object(flow["nodes"]).items():
        number = itertools.count()
        functions = as_object(node).get("functions", [])
        for item in [*as_list(functions), *as_list(flow["global_functions"])]:
            function = as_object(item)
            for case, to in targets(function.get("transition_to")):
                edges[state, str(function["name"]), case] = (f"{state}:{next(number)}", to)
    assert edges == script().EDGES


def targets(transition: JsonValue) -> list[tuple[str | None, JsonValue]]:
    """Return case and target of each edge: one for a plain target, the cases, then the default."""
    if not isinstance(transition, dict):
        return [(None, transition)] if transition else []
    cases: list[tuple[str | None, JsonValue]] = [
        (str(case).lower() if type(case) is not str else case, to)
        for case, to in as_object(transition["cases"]).items()
    ]
    return cases + [("default", transition[key]) for key in ("default",) if transition.get(key)]


def test_kinds_that_these_calls_lack_become_records_too() -> None:
    """A default, a branch that stays, a failed and a cancelled call, a nested write, a cut run."""
    common = {"turn": 1, "generation": "g01", "tool_call_id": "call_01"}
    branch = {"kind": "branch_evaluated", "function": "record_party_size", "field": "status"}
    request = {"kind": "transition_requested", "function": "record_party_size"}
    lines: list[dict[str, object]] = [
        {"kind": "session", "pipecat": "1.14.0", "zero": 1.0},
        {"kind": "llm_inference_interrupted", "generation": "g01", "text": "So"},
        {**branch, "value": "odd", "to": "greet", **common},
        {**request, "from_node": "greet", "to_node": "greet", **common, "waits_for": ["call_00"]},
        {**branch, "function": "check_availability", "value": "odd", "tool_call_id": "call_02"},
        {"kind": "tool.function_call_failed", "function_name": "f", "error": "no"},
        {"kind": "tool.function_call_cancelled", "function_name": "f"},
        {"kind": "slot_write", "name": "time", "old": None, "new": "18:00", "nested": True},
        {"kind": "transition_requested", "function": "f", "from_node": "greet", "to_node": "end"},
        {"kind": "user_turn", "turn": 2, "content": "Yes."},
    ]
    for number, line in enumerate(lines, 1):
        line |= {"seq": number, "id": f"e{number:04d}", "t": 0.0}
    module = script()
    log = module.read_log("".join(json.dumps(line) + "\n" for line in lines))
    made = [module.stream_record(log, line) for line in log.lines]
    assert [(stream, record["type"]) for stream, record in made] == [
        ("bus", "session"),
        ("bus", "llm_responded"),
        ("trace", "guard_evaluated"),
        ("trace", "transition_requested"),
        ("bus", "branch_evaluated"),
        ("bus", "tool_result"),
        ("bus", "tool_result"),
        ("bus", "slot_write"),
        ("trace", "transition_requested"),
        ("bus", "input_selected"),
    ]
    _, cut, default, asked, _, failed, cancelled, nested, undeclared, turn = [r for _, r in made]
    assert cut["interrupted"] is True
    assert (default["edge_id"], asked["edge_id"]) == ("greet:2", "greet:2")
    assert asked["waits_for"] == ["call_00"]
    assert (failed["ok"], failed["error"]) == (False, "no")
    assert (cancelled["ok"], cancelled["cancelled"]) == (False, True)
    assert nested["nested"] is True
    assert not nested.keys() & {"writer", "kind"}
    assert undeclared["edge_id"] is None
    assert not turn.keys() & {"selected_source", "segment_event_ids"}
    assert module.manifest(log, call="x", flow_sha256="")["ended"] is None


@pytest.mark.parametrize(
    ("seconds", "expected"), [(1.001, 1001), (0.6983, 698), (16.5884, 16588), (3, 3000)]
)
def test_milliseconds_are_those_of_the_decimal_number(seconds: float, expected: int) -> None:
    assert script().milliseconds(seconds) == expected


def test_readme_names_every_kind() -> None:
    readme = (FIXTURES / "README.md").read_text(encoding="utf-8")
    for name, kind in script().KINDS.items():
        assert f"`{name}`" in readme
        assert f"`{kind.type}`" in readme


@each_call
def test_a_changed_time_leaves_valid_lines(call: str, tmp_path: Path) -> None:
    (tmp_path / call).mkdir()
    for name in STREAMS:
        text = (FIXTURES / call / name).read_text(encoding="utf-8")
        (tmp_path / call / name).write_text(text.replace("19:00", "19:15"), encoding="utf-8")
    pairs = zip(records(call), records(call, tmp_path), strict=True)
    changed = [str(old["event_id"]) for old, new in pairs if old != new]
    expected = {
        "booking_racy": ["e0097", "e0100", "e0136"],
        "booking_clean": ["e0092", "e0095", "e0131"],
    }
    assert changed == expected[call]


# -- nobody's personal data

SENTENCES = {
    "Hello, Lotus Garden.",
    "For how many people is the table?",
    "Four people, great.",
    "And for what time would you like the table this evening, please?",
    "We are open from five to eleven.",
    "What time suits you?",
    "Seven is full.",
    "I can offer six, or half past eight.",
    "So that is four people at six.",
    "Is that right?",
    "Thank you, goodbye.",
    "Four of us.",
    "When are you open?",
    "Seven o'clock.",
    "Then six.",
    "Yes.",
    "Yes, please.",
}
"""All that is said in the two calls; the restaurant's name is made up."""


def test_no_file_holds_personal_data() -> None:
    """Files of other engines are scanned in tests/engine/importers/test_samples_are_clean.py."""
    files = [path for path in text_files(FIXTURES) if "imports" not in path.parts]
    assert len(files) >= 16
    for path in files:
        assert personal(text_of(path)) == [], path


@pytest.mark.parametrize(
    "text",
    [
        "call +1 (555) 010-0199",
        "555.010.0199",
        "4111 1111 1111 1111",
        '"n":5550100199',
        "a.b@example",
        "10.0.0.7",
        "fe80::1:2:3",
        "/home/alex/x",
        "C:\\x",
        "https://x",
        "db7.corp.internal",
    ],
)
def test_the_scan_finds(text: str) -> None:
    assert personal(text)


@each_call
def test_nothing_is_said_but_the_script(call: str) -> None:
    said: set[str] = set()
    for row in records(call):
        for key in ("text", "content", "planned", "heard"):
            said.update(re.findall(r"\S.*?[.?](?= |$)", str(row.get(key, ""))))
            assert re.sub(r"\S.*?[.?](?= |$)", "", str(row.get(key, ""))).strip() == ""
    assert said <= SENTENCES
    assert len(said) >= 15


@each_call
def test_audio_files_carry_no_text(call: str) -> None:
    for path in (FIXTURES / call).glob("*.wav"):
        data = path.read_bytes()
        assert data[:4] == b"RIFF"
        assert data[12:16] == b"fmt "
        assert data[36:40] == b"data"
        assert int.from_bytes(data[40:44], "little") == len(data) - 44, "no other chunk"
