"""The published JSON Schemas say yes to what the product reads and writes, and no to the rest."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.documents import DOCS, ROOT
from support.generated import generated_session

from docs import make_schemas
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.session_records import RECORD_TYPES, record_flaw
from engine.core.cursor import apply_command, open_debugger, respond_without_recording
from engine.recording import build_session, open_recording

SCHEMAS = DOCS / "schemas"
RECORDINGS = sorted(path.parent for path in (ROOT / "fixtures").rglob("manifest.json"))
STREAM_FILES = ("trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl")


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of a committed schema."""
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_bytes()))


def faults(name: str, value: JsonValue) -> list[str]:
    """What the schema has against a value."""
    return [
        f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(value)
    ]


def recording_name(path: Path) -> str:
    return path.name


def records(session: Path) -> Iterator[JsonObject]:
    """The records of a session directory; what is no JSON object has no schema."""
    for file in STREAM_FILES:
        for line in (session / file).read_bytes().split(b"\n"):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


# --- the files ------------------------------------------------------------------------------------


def test_the_files_are_what_the_generator_writes() -> None:
    made = {
        name: make_schemas.schema_bytes(schema) for name, schema in make_schemas.schemas().items()
    }
    again = {
        name: make_schemas.schema_bytes(schema) for name, schema in make_schemas.schemas().items()
    }
    assert made == again
    committed = {path.name: path.read_bytes() for path in sorted(SCHEMAS.iterdir())}
    assert sorted(committed) == sorted(made), "run `make docs`"
    for name, text in made.items():
        assert committed[name] == text, f"{name} is old: run `make docs`"


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_each_is_a_schema_of_2020_12(path: Path) -> None:
    schema = json.loads(path.read_bytes())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_the_evidence_design_names_each() -> None:
    text = (DOCS / "design" / "state-program-debugger-evidence-design.md").read_text("utf-8")
    for path in SCHEMAS.glob("*.json"):
        assert f"(../schemas/{path.name})" in text


# --- session directories --------------------------------------------------------------------------


@pytest.mark.parametrize("session", RECORDINGS, ids=recording_name)
def test_manifests_and_audio_references(session: Path) -> None:
    assert not faults("manifest", json.loads((session / "manifest.json").read_bytes()))
    assert not faults("audio_refs", json.loads((session / "audio_refs.json").read_bytes()))


@pytest.mark.parametrize("session", RECORDINGS, ids=recording_name)
def test_a_record_fits_exactly_where_the_builder_finds_no_flaw(session: Path) -> None:
    for record in records(session):
        assert bool(faults("record", record)) == (record_flaw(record) is not None), record


COMMON = ("type", "seq", "clock_ms", "event_id", "visit_id", "turn_id", "caused_by")
_EXAMPLES: dict[str, JsonObject] = {}
for _session in RECORDINGS:
    for _record in records(_session):
        if isinstance(kind := _record.get("type"), str) and record_flaw(_record) is None:
            _EXAMPLES.setdefault(kind, _record)
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=3))
_VALUES: st.SearchStrategy[JsonValue] = st.one_of(
    _SCALARS,
    st.lists(_SCALARS, max_size=2),
    st.dictionaries(st.sampled_from(["slot", "writer", "x"]), _SCALARS, max_size=2),
)


@given(st.data())
def test_a_damaged_record_fits_exactly_where_the_builder_finds_no_flaw(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(set(_EXAMPLES) & set(RECORD_TYPES))))
    record = dict(_EXAMPLES[kind])
    own = [name for name in record if name not in COMMON]
    for name in data.draw(st.lists(st.sampled_from(own), max_size=2)) if own else []:
        if data.draw(st.booleans()):
            record[name] = data.draw(_VALUES)
        else:
            record.pop(name, None)
    assert bool(faults("record", record)) == (record_flaw(record) is not None), record


def test_every_record_type_is_in_the_schema() -> None:
    schema = validator("record").schema
    assert isinstance(schema, dict)
    named = {row["if"]["properties"]["type"]["const"] for row in schema["allOf"]}
    assert named == set(RECORD_TYPES) - {"unreadable_record"}


@pytest.mark.parametrize("sequence", ["session", "per_stream"])
def test_a_generated_session(sequence: str) -> None:
    session = generated_session(events=400, seed=5, sequence=sequence).directory
    assert not faults("manifest", json.loads((session / "manifest.json").read_bytes()))
    assert not faults("audio_refs", json.loads((session / "audio_refs.json").read_bytes()))
    for record in records(session):
        assert not faults("record", record)
    assert not faults("artifact", build_session(session))


# --- artifacts and answers ------------------------------------------------------------------------


@pytest.mark.parametrize("session", RECORDINGS, ids=recording_name)
def test_artifacts(session: Path) -> None:
    assert not faults("artifact", build_session(session))


COMMANDS: list[JsonValue] = [
    {"action": "list_visits"},
    {"action": "step", "unit": "visit"},
    {"action": "reverse"},
    {"action": "seek", "edge": "end"},
    {"action": "continue_until", "until": [{"event_type": "slot_write"}]},
    {"action": "inspect_variables", "limit": 2},
    {"action": "fetch_audio_range", "start_ms": 0, "end_ms": 1000},
    {"action": "no_such_action"},
    {"action": 5},
    [],
    None,
]


@pytest.mark.parametrize("session", RECORDINGS, ids=recording_name)
def test_responses(session: Path) -> None:
    view = open_recording(session).view
    state = open_debugger(view)
    places = range(-1, view.event_count, max(1, view.event_count // 12))
    for cursor in (*places, view.event_count):
        _, response = apply_command(state, {"action": "list_visits", "cursor": cursor})
        assert not faults("response", response)
    for command in COMMANDS:
        state, response = apply_command(state, command)
        assert not faults("response", response)


def test_a_response_without_a_recording() -> None:
    from engine.core.contract.errors import ArtifactInvalid

    error = ArtifactInvalid("no artifact", {"kind": "SYNTAX"})
    assert not faults("response", respond_without_recording(action="step", error=error))


def test_build_results(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from engine.faces.cli.build_command import build

    session = str(ROOT / "fixtures" / "booking_racy")
    for arguments in ([session, "--out", str(tmp_path / "a.json")], [str(tmp_path), "--out", "a"]):
        printed = json.loads(CliRunner().invoke(build, arguments).stdout)
        assert not faults("build_result", printed)


def test_flow_checks() -> None:
    from click.testing import CliRunner

    from engine.faces.cli.check_command import check

    flows = sorted(map(str, (ROOT / "fixtures" / "flows").glob("[a-z]*.*")))
    printed = json.loads(CliRunner().invoke(check, ["--json", *flows, "no_such.yaml"]).stdout)
    assert len(printed["files"]) == len(flows) + 1
    assert not faults("flow_check", printed)


@pytest.mark.parametrize("session", RECORDINGS, ids=recording_name)
def test_recording_infos(session: Path) -> None:
    from click.testing import CliRunner

    from engine.faces.cli.info_command import info

    for arguments in ([], ["--flow-root", str(session / "flow")]):
        printed = json.loads(CliRunner().invoke(info, [str(session), "--json", *arguments]).stdout)
        assert ("drift" in printed) == bool(arguments)
        assert not faults("recording_info", printed)


def test_the_schemas_can_fail() -> None:
    artifact = build_session(ROOT / "fixtures" / "laws" / "one_visit")
    assert faults("artifact", {**artifact, "more": 1})
    assert faults("artifact", {key: artifact[key] for key in artifact if key != "slots"})
    _, response = apply_command(open_debugger(artifact), {"action": "list_visits"})
    projection = response["projection"]
    assert isinstance(projection, dict)
    assert faults("response", {**response, "projection": {**projection, "mood": "good"}})
    assert faults("response", {**response, "determinism_hash": "sha256:00"})
    assert faults("manifest", {"schema": "riff.session/v1"})
    assert faults("manifest", {**json.loads(json.dumps(artifact["session"])), "session_id": "a b"})
    assert faults("audio_refs", [{"role": "caller"}])
    assert faults("record", {"type": "state_entered"})
    assert faults("record", {"type": "step_taken", "clock_ms": "5"})
    assert not faults("record", {"type": "step_taken", "mood": "good"})
    assert faults("build_result", {"schema": "riff.build_result/v1", "path": "a"})
