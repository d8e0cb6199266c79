"""The calls made by hand: what the documents' words make of them is what the engine makes of them.

`expected.json` stands beside each recording and was written from the words, not by the engine.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner
from support.personal_data import personal, text_files, text_of

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor import DebuggerState, apply_command, open_debugger
from engine.faces.cli.main import main
from engine.recording import build_session

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
ATTRIBUTION = "attribution"
LAWS = (
    "one_visit",
    "no_visits",
    "re_entry",
    "self_transition",
    "nesting",
    "superseded",
    "per_stream_ties",
    "truncated",
    "broken_sequence",
    "unowned_session",
    "unowned_per_stream",
)
CALLS = (ATTRIBUTION, *(f"laws/{law}" for law in LAWS))
FILES = {
    "audio_refs.json",
    "bus_events.jsonl",
    "expected.json",
    "manifest.json",
    "trace_events.jsonl",
    "transcript.jsonl",
}
VISIT_KEYS = (
    "visit_id",
    "parent_visit_id",
    "via_edge",
    "entered_event_id",
    "closed_event_id",
    "exit",
)
MENU_BEFORE_ITS_ENTRY = ("e12", "e13", "e14", "e15", "e16")
"""The menu's prompt, the caller's words, their selection and two slot writes."""

Owners: TypeAlias = dict[str, str | None]

each_call = pytest.mark.parametrize("call", CALLS)


def objects(value: JsonValue) -> list[JsonObject]:
    assert isinstance(value, list)
    out: list[JsonObject] = []
    for item in value:
        assert isinstance(item, dict)
        out.append(item)
    return out


def members(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict)
    return value


@cache
def artifact_of(call: str) -> JsonObject:
    return build_session(FIXTURES / call)


@cache
def expected_of(call: str) -> JsonObject:
    return members(json.loads((FIXTURES / call / "expected.json").read_text(encoding="utf-8")))


def debugger(call: str) -> DebuggerState:
    return open_debugger(ArtifactView.of(artifact_of(call)))


def answer(state: DebuggerState, **command: JsonValue) -> tuple[DebuggerState, JsonObject]:
    after, response = apply_command(state, command)
    assert response["error"] is None, command
    return after, response


def projection_at(call: str, event_id: str) -> JsonObject:
    _, response = answer(debugger(call), action="seek", event_id=event_id)
    return members(response["projection"])


def only(row: JsonObject, keys: tuple[str, ...] | list[str]) -> JsonObject:
    return {key: row[key] for key in keys}


# -- the files


def test_the_script_writes_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-B", str(FIXTURES / "make_laws.py"), str(tmp_path)]
    subprocess.run(command, check=True, timeout=60, env={**os.environ, "PYTHONHASHSEED": "7"})
    for folder in (ATTRIBUTION, "laws"):
        made = {p.relative_to(tmp_path): p.read_bytes() for p in text_files(tmp_path / folder)}
        kept = {p.relative_to(FIXTURES): p.read_bytes() for p in text_files(FIXTURES / folder)}
        assert made == kept


def test_every_law_has_its_call() -> None:
    assert {path.name for path in (FIXTURES / "laws").iterdir()} == set(LAWS)


@each_call
def test_a_session_directory_is_complete(call: str) -> None:
    assert {path.name for path in (FIXTURES / call).iterdir()} == {*FILES, "flow"}
    (flow,) = (FIXTURES / call / "flow").iterdir()
    manifest = json.loads((FIXTURES / call / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["flow"]["path"] == f"flow/{flow.name}"
    digest = hashlib.sha256(flow.read_bytes()).hexdigest()
    assert manifest["flow_revision"] == f"sha256:{digest}"
    nulls = {key for key, value in manifest.items() if value is None}
    assert nulls - {"ended"} == manifest["unavailable"].keys()


@each_call
def test_a_recording_names_edges_and_states_of_its_flow(call: str) -> None:
    states = members(members(artifact_of(call)["flow"])["states"])
    targets = {
        str(edge["edge_id"]): edge["to"]
        for state in states.values()
        for edge in objects(members(state)["edges"])
    }
    for event in objects(artifact_of(call)["events"]):
        record = members(event["record"])
        edge = record.get("edge_id")
        assert record.get("state_id") in {None, *states}
        assert edge is None or edge in targets
        if record["type"] == "transition_taken":
            assert record["to"] == targets[str(edge)]


@each_call
def test_the_readme_has_a_line_for_it(call: str) -> None:
    assert f"\n| `{call}` | " in (FIXTURES / "README.md").read_text(encoding="utf-8")


@each_call
def test_nobody_is_in_it(call: str) -> None:
    for path in text_files(FIXTURES / call):
        assert personal(text_of(path)) == [], path
    events = objects(artifact_of(call)["events"])
    personal_slots = {
        str(row["slot"])
        for row in objects(artifact_of(call)["slots"])
        if row["class"] == "personal"
    }
    for event in events:
        record = members(event["record"])
        for row in objects(record.get("slots", [])) or [record]:
            if row.get("slot") in personal_slots:
                values = {str(row[key]) for key in ("old", "new", "safe_value") if key in row}
                assert all(value == "None" or value[0] == "<" for value in values)
    problems = objects(artifact_of(call)["problems"])
    assert "RAW_PERSONAL_VALUE" not in [row["code"] for row in problems]


# -- what must come out


@each_call
def test_order(call: str) -> None:
    seen = [event["event_id"] for event in objects(artifact_of(call)["events"])]
    assert seen == expected_of(call)["order"]


@each_call
def test_owners(call: str) -> None:
    events = objects(artifact_of(call)["events"])
    seen = {str(event["event_id"]): event["owner"] for event in events if event["owner"]}
    assert seen == expected_of(call)["owners"]


@each_call
def test_unowned(call: str) -> None:
    rows = objects(artifact_of(call)["unowned_events"])
    order = expected_of(call)["order"]
    assert {row["event_id"]: row["reason"] for row in rows} == expected_of(call)["unowned"]
    assert isinstance(order, list)
    assert [row["event_index"] for row in rows] == [order.index(row["event_id"]) for row in rows]
    on_events = {
        event["event_id"]: event["unowned"]
        for event in objects(artifact_of(call)["events"])
        if event["unowned"]
    }
    assert on_events == expected_of(call)["unowned"]


@each_call
def test_visits(call: str) -> None:
    seen = objects(artifact_of(call)["visits"])
    assert [only(row, VISIT_KEYS) for row in seen] == expected_of(call)["visits"]
    order = expected_of(call)["order"]
    assert isinstance(order, list)
    for row in seen:
        assert row["visit_id"] == f"{row['state_id']}#{row['occurrence']}"
        assert row["entered_index"] == order.index(row["entered_event_id"])
        closed = row["closed_event_id"]
        assert row["closed_index"] == (None if closed is None else order.index(closed))


@each_call
def test_nothing_after_an_exit_is_in_the_visit_before(call: str) -> None:
    spans = {row["visit_id"]: row for row in objects(artifact_of(call)["visits"])}
    for index, event in enumerate(objects(artifact_of(call)["events"])):
        if event["owner"] is not None:
            entered, closed = only(
                spans[event["owner"]], ["entered_index", "closed_index"]
            ).values()
            assert isinstance(entered, int)
            assert entered <= index
            assert closed is None or (isinstance(closed, int) and index <= closed)


@each_call
def test_paths(call: str) -> None:
    expected = members(expected_of(call)["paths"])
    assert expected
    assert {at: projection_at(call, at)["path"] for at in expected} == expected


@each_call
def test_slots(call: str) -> None:
    expected = objects(expected_of(call)["slots"])
    assert expected
    for row in expected:
        variables = objects(projection_at(call, str(row["at"]))["variables"])
        (seen,) = (variable for variable in variables if variable["slot"] == row["slot"])
        shows = members(row["shows"])
        assert only(seen, list(shows)) == shows, row["at"]


@each_call
def test_problems(call: str) -> None:
    seen = [only(row, ["code", "stream", "line"]) for row in objects(artifact_of(call)["problems"])]
    assert seen == expected_of(call)["problems"]


def test_a_torn_line_is_known_by_its_place_and_hash() -> None:
    data = (FIXTURES / "laws" / "truncated" / "bus_events.jsonl").read_bytes()
    whole, _, rest = data.rpartition(b"\n")
    events = objects(artifact_of("laws/truncated")["events"])
    (torn,) = (members(e["record"]) for e in events if e["event_id"] == "bus:4")
    assert torn == {
        "type": "unreadable_record",
        "offset": len(whole) + 1,
        "length": len(rest),
        "sha256": hashlib.sha256(rest).hexdigest(),
    }


def test_the_calls_have_every_reason_of_both_kinds() -> None:
    def reasons(call: str) -> set[JsonValue]:
        return set(members(expected_of(call)["unowned"]).values())

    named = {"before_entry", "after_exit", "unknown_visit"}
    assert reasons("laws/unowned_session") == {*named, "between_visits"}
    assert reasons("laws/unowned_per_stream") == {*named, "no_correlation"}


# -- the defect that `attribution` keeps


def attribution_records() -> dict[str, JsonObject]:
    """Every record as it lies in the files, by event id."""
    found: dict[str, JsonObject] = {}
    for name in ("trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl"):
        for line in (FIXTURES / ATTRIBUTION / name).read_text(encoding="utf-8").splitlines():
            record = members(json.loads(line))
            found[str(record["event_id"])] = record
    return found


def entries(records: Mapping[str, JsonObject]) -> list[tuple[str, JsonObject]]:
    """The visits by counting entries, with their `state_entered`."""
    entered = [record for record in records.values() if record["type"] == "state_entered"]
    states = [str(record["state_id"]) for record in entered]
    return [
        (f"{state}#{states[: index + 1].count(state)}", record)
        for index, (state, record) in enumerate(zip(states, entered, strict=True))
    ]


def joined_by_turn(records: Mapping[str, JsonObject]) -> Owners:
    """The wrong way: an event is of the visit whose entry has its turn."""
    by_turn: dict[JsonValue, str] = {}
    for visit_id, record in entries(records):
        by_turn.setdefault(record["turn_id"], visit_id)
    return {event_id: by_turn.get(record.get("turn_id")) for event_id, record in records.items()}


def joined_by_time(records: Mapping[str, JsonObject]) -> Owners:
    """The wrong way: an event is of the visit last entered by its clock."""
    owners: Owners = {}
    for event_id, record in records.items():
        clock = record.get("clock_ms")
        owners[event_id] = None
        for visit_id, entry in entries(records):
            entered = entry["clock_ms"]
            if isinstance(clock, int) and isinstance(entered, int) and entered <= clock:
                owners[event_id] = visit_id
    return owners


@pytest.mark.parametrize("join", [joined_by_turn, joined_by_time])
def test_a_naive_join_gives_the_menu_to_announce(
    join: Callable[[Mapping[str, JsonObject]], Owners],
) -> None:
    wrong = join(attribution_records())
    right = members(expected_of(ATTRIBUTION)["owners"])
    for event_id in MENU_BEFORE_ITS_ENTRY:
        assert wrong[event_id] == "announce#1"
        assert right[event_id] == "menu#1"
    # Elsewhere it is right often enough to be believed.
    assert sum(wrong[event_id] == owner for event_id, owner in right.items()) > len(right) / 2


def test_the_menu_comes_before_the_end_of_announce_in_the_bus_file() -> None:
    lines = [str(r["event_id"]) for r in attribution_records().values()]
    assert members(expected_of(ATTRIBUTION)["owners"])["e07"] == "announce#1"
    for event_id in ("e12", "e14", "e15", "e16"):
        assert lines.index(event_id) < lines.index("e07")


def test_attribution_has_the_facts_of_the_defect() -> None:
    records = attribution_records()
    announce, menu = records["e02"], records["e11"]
    kinds = [records[event_id]["type"] for event_id in MENU_BEFORE_ITS_ENTRY]
    assert kinds == [
        "prompt_resolved",
        "transcript_segment",
        "input_selected",
        "slot_write",
        "slot_write",
    ]
    for event_id in MENU_BEFORE_ITS_ENTRY:
        record = records[event_id]
        assert record["turn_id"] == announce["turn_id"] != menu["turn_id"]
        assert isinstance(record["clock_ms"], int)
        assert isinstance(menu["clock_ms"], int)
        assert isinstance(records["e09"]["clock_ms"], int)
        assert records["e09"]["clock_ms"] < record["clock_ms"] < menu["clock_ms"]
    session = members(artifact_of(ATTRIBUTION)["session"])
    assert (session["session_id"], session["sequence"]) == ("v3:example", "session")
    assert [row["visit_id"] for row in objects(artifact_of(ATTRIBUTION)["visits"])] == [
        "announce#1",
        "menu#1",
        "menu#2",
        "cap_existing_request__list_tickets#1",
    ]
    assert [e for e, record in records.items() if "clock_ms" not in record] == ["e18"]
    states = members(members(artifact_of(ATTRIBUTION)["flow"])["states"])
    edges = objects(members(states["menu"])["edges"])
    assert [edge["to"] for edge in edges] == ["cap_existing_request__list_tickets"] * 2 + ["menu"]
    assert only(edges[1], ["edge_id", "declaration_index", "when", "reason"]) == {
        "edge_id": "menu:1",
        "declaration_index": 1,
        "when": "slot_equals:_route:existing_request",
        "reason": "caller chose existing_request",
    }
    guarded = [r["edge_id"] for r in records.values() if r["type"] == "guard_evaluated"]
    assert guarded == ["announce:0", "menu:0", "menu:1", "menu:2", "menu:0", "menu:1"]


# -- stepping, and bytes


@each_call
def test_reverse_restores_what_step_showed(call: str) -> None:
    state = debugger(call)
    state, response = answer(state, action="seek", edge="start")
    hashes = [response["determinism_hash"]]
    for _ in range(state.view.event_count):
        state, response = answer(state, action="step")
        hashes.append(response["determinism_hash"])
    assert len(set(hashes)) == len(hashes)
    assert state.cursor == state.view.event_count - 1
    for before in reversed(hashes[:-1]):
        state, response = answer(state, action="reverse")
        assert response["determinism_hash"] == before
    assert state.cursor == -1


@each_call
def test_two_builds_give_the_same_bytes(call: str, tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        command = ["build", str(FIXTURES / call), "--out", str(file)]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        assert json.loads(result.stdout)["artifact_hash"] == f"sha256:{digest}"
    assert files[0].read_bytes() == files[1].read_bytes()


def test_other_processes_with_other_hash_seeds_give_the_same_bytes(tmp_path: Path) -> None:
    program = (
        "import sys; from engine.faces.cli.main import main; from pathlib import Path\n"
        "out, fixtures, *calls = sys.argv[1:]\n"
        "for call in calls:\n"
        "    file = str(Path(out, call.replace('/', '.') + '.json'))\n"
        "    main(['build', str(Path(fixtures, call)), '--out', file], standalone_mode=False)\n"
    )
    made: list[list[bytes]] = []
    for seed in ("0", "4242"):
        out = tmp_path / seed
        out.mkdir()
        command = [sys.executable, "-c", program, str(out), str(FIXTURES), *CALLS]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(command, check=True, timeout=60, env=environment, stdout=subprocess.DEVNULL)
        made.append([path.read_bytes() for path in sorted(out.iterdir())])
    assert len(made[0]) == len(CALLS)
    assert made[0] == made[1]
