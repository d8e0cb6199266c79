"""Write docs/schemas: JSON Schemas (2020-12) of the formats that have a schema id.

What a session directory holds is generated from the engine's own structs. What the product makes is
declared in `docs/artifact_shapes.py` and `docs/answer_shapes.py`, closed: an undeclared key fails
the test that validates real artifacts and answers. The same bytes every time.
"""

import json
from pathlib import Path

import msgspec

from docs.answer_shapes import BuildResult, FlowChecks, RecordingInfo, Response
from docs.artifact_shapes import Artifact
from engine.core.contract.json_types import JsonObject, JsonValue, mapping
from engine.core.contract.session_records import (
    MEASURED_AUDIO_KEYS,
    RECORD_TYPES,
    SESSION_ID_PATTERN,
    AudioReference,
    Manifest,
)

SCHEMAS = Path(__file__).resolve().parent / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
ANYTHING: JsonObject = {"description": "any JSON value"}


def schemas() -> dict[str, JsonObject]:
    """Return every published schema by the name of its file."""
    return {
        "artifact.json": _schema("riff.state_program_debugger/v1", Artifact),
        "audio_refs.json": _audio_references(),
        "build_result.json": _schema("riff.build_result/v1", BuildResult),
        "flow_check.json": _schema("riff.flow_check/v1", FlowChecks),
        "manifest.json": _schema("riff.session/v1: manifest.json", Manifest),
        "record.json": _record(),
        "recording_info.json": _schema("riff.recording_info/v1", RecordingInfo),
        "response.json": _schema("riff.state_program_response/v1", Response),
    }


def _hook(kind: type) -> JsonObject:
    if kind is object:
        return ANYTHING
    raise NotImplementedError(kind)


def _components(kinds: list[type[msgspec.Struct]]) -> dict[str, JsonObject]:
    """Return the definitions of the structs and of all that they hold."""
    _, found = msgspec.json.schema_components(kinds, schema_hook=_hook)
    components: dict[str, JsonObject] = {name: found[name] for name in sorted(found)}
    if "Manifest" in components:
        properties = mapping(components["Manifest"], "properties")
        properties["session_id"] = {"type": "string", "pattern": f"^{SESSION_ID_PATTERN.pattern}$"}
    return components


def _schema(title: str, kind: type[msgspec.Struct]) -> JsonObject:
    """Return the schema of one struct, with what it refers to under `$defs`."""
    components = _components([kind])
    own = components.pop(kind.__name__)
    return {"$schema": DIALECT, **own, "title": title, "$defs": {**components}}


def _audio_references() -> JsonObject:
    """Return the schema of `audio_refs.json`: what is measured has no place in it."""
    row = _components([AudioReference])["AudioReference"]
    properties = mapping(row, "properties")
    declared = {name: properties[name] for name in properties if name not in MEASURED_AUDIO_KEYS}
    return {
        "$schema": DIALECT,
        "title": "riff.session/v1: audio_refs.json",
        "type": "array",
        "items": {**row, "properties": declared},
    }


def _record() -> JsonObject:
    """Return the schema of one line of a stream.

    It holds for a record that has its effect; others are kept all the same, with a problem.
    """
    rows = {name: row for name, row in RECORD_TYPES.items() if name != "unreadable_record"}
    components = _components([*dict.fromkeys(row.schema for row in rows.values())])
    text: JsonObject = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    whole: JsonObject = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    by_type: list[JsonValue] = [
        {
            "if": {"properties": {"type": {"const": name}}},
            "then": {
                "$ref": f"#/$defs/{row.schema.__name__}",
                "description": f"stream {row.stream.value}",
            },
        }
        for name, row in rows.items()
    ]
    return {
        "$schema": DIALECT,
        "title": "riff.session/v1: a record",
        "description": "One line of a stream. Unknown types and fields are kept.",
        "type": "object",
        "properties": {
            "type": {"type": "string"},
            "seq": whole,
            "clock_ms": whole,
            "event_id": text,
            "visit_id": text,
            "turn_id": text,
            "caused_by": text,
        },
        "required": ["type"],
        "allOf": by_type,
        "$defs": {**components},
    }


def schema_bytes(schema: JsonObject) -> bytes:
    """Return the bytes of a schema's file."""
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def main() -> None:
    """Write all schemas and remove those that are no more."""
    SCHEMAS.mkdir(exist_ok=True)
    made = schemas()
    for name, schema in made.items():
        (SCHEMAS / name).write_bytes(schema_bytes(schema))
    for path in SCHEMAS.glob("*.json"):
        if path.name not in made:
            path.unlink()


if __name__ == "__main__":
    main()
