"""Generate `protocol.py` from the published protocol schema (`make protocol`).

Usage: `python -m dap_adapter.generate_protocol SCHEMA.json [--out FILE]`. Only the definitions
that the adapter uses are generated, so the file stays readable; arguments of launch, attach and
restart are ours to validate (`launch_config.py`) and stay raw JSON.
"""

import argparse
import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from engine.core.contract.json_types import JsonObject, JsonValue

ARGUMENTS = (
    "InitializeRequestArguments",
    "ConfigurationDoneArguments",
    "DisconnectArguments",
    "TerminateArguments",
    "SetBreakpointsArguments",
    "SetFunctionBreakpointsArguments",
    "SetExceptionBreakpointsArguments",
    "BreakpointLocationsArguments",
    "DataBreakpointInfoArguments",
    "SetDataBreakpointsArguments",
    "ContinueArguments",
    "NextArguments",
    "StepInArguments",
    "StepOutArguments",
    "StepBackArguments",
    "ReverseContinueArguments",
    "PauseArguments",
    "RestartFrameArguments",
    "GotoArguments",
    "GotoTargetsArguments",
    "CancelArguments",
    "StackTraceArguments",
    "ScopesArguments",
    "VariablesArguments",
    "SourceArguments",
    "ExceptionInfoArguments",
    "EvaluateArguments",
    "CompletionsArguments",
)
"""Request arguments that are decoded into a type."""

BODIES = (
    "ErrorResponse",
    "SetBreakpointsResponse",
    "SetFunctionBreakpointsResponse",
    "SetExceptionBreakpointsResponse",
    "BreakpointLocationsResponse",
    "DataBreakpointInfoResponse",
    "SetDataBreakpointsResponse",
    "ContinueResponse",
    "StackTraceResponse",
    "ScopesResponse",
    "VariablesResponse",
    "SourceResponse",
    "ThreadsResponse",
    "EvaluateResponse",
    "CompletionsResponse",
    "ExceptionInfoResponse",
    "GotoTargetsResponse",
    "LoadedSourcesResponse",
    "StoppedEvent",
    "ContinuedEvent",
    "ExitedEvent",
    "TerminatedEvent",
    "OutputEvent",
    "BreakpointEvent",
    "ProgressStartEvent",
    "ProgressUpdateEvent",
    "ProgressEndEvent",
)
"""Responses and events whose inline body becomes a type named `<message>Body`."""

NAMES = {"Message": "ErrorMessage", "InitializeRequestArguments": "InitializeArguments"}
"""Definitions that read better under another name."""

HEADER = '''"""Message types of the Debug Adapter Protocol, generated: do not edit.

`make protocol` writes this file with `dap_adapter/generate_protocol.py`. An absent optional field
is None and is not sent; null in an optional field of a request reads as absent.
"""
'''

GENERATOR_OPTIONS = (
    "--input-file-type=jsonschema",
    "--output-model-type=msgspec.Struct",
    "--target-python-version=3.11",
    "--enum-field-as-literal=all",
    "--snake-case-field",
    "--keyword-only",
    "--use-union-operator",
    "--use-standard-collections",
    "--use-object-type",
    "--collapse-root-models",
    "--disable-timestamp",
    "--disable-future-imports",
    "--disable-warnings",
    "--skip-root-model",
    "--use-double-quotes",
    "--formatters=builtin",
    "--ignore-pyproject",
)


def selected_schema(schema: JsonObject) -> JsonObject:
    """Return a JSON schema of the used definitions and nothing else, without prose."""
    definitions = _mapping(schema["definitions"])
    chosen: JsonObject = {name: definitions[name] for name in ("Capabilities", *ARGUMENTS)}
    for name in BODIES:
        chosen[f"{name}Body"] = _body_of(_mapping(definitions[name]))
    waiting = sorted(_references(chosen))
    while waiting:
        name = waiting.pop()
        if name not in chosen:
            chosen[name] = definitions[name]
            waiting.extend(sorted(_references(definitions[name])))
    plain = _plain(chosen)
    return {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "definitions": {NAMES.get(name, name): plain[name] for name in sorted(chosen)},
    }


def protocol_source(schema: JsonObject) -> str:
    """Return the text of `protocol.py` for a published protocol schema."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "selected.json", Path(folder) / "protocol.py"
        source.write_text(json.dumps(selected_schema(schema), sort_keys=True), encoding="utf-8")
        command = [sys.executable, "-m", "datamodel_code_generator", *GENERATOR_OPTIONS]
        command += ["--input", str(source), "--output", str(out), "--custom-file-header", HEADER]
        subprocess.run(command, check=True)
        return _absent_is_none(out.read_text(encoding="utf-8"))


def _absent_is_none(source: str) -> str:
    """Return the generated text with None, unsent, for an absent optional field."""
    for old, new in (
        (
            "from msgspec import UNSET, Struct, UnsetType, field",
            "from msgspec import Struct, field",
        ),
        ("None | UnsetType", "None"),
        ("UnsetType", "None"),
        ("UNSET", "None"),
        ("kw_only=True)", "frozen=True, gc=False, kw_only=True, omit_defaults=True)"),
    ):
        source = source.replace(old, new)
    return source


def _mapping(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict), "the schema is not a protocol schema"
    return value


def _body_of(definition: JsonObject) -> JsonValue:
    """Return the schema of the `body` that a response or event definition adds to its base."""
    parts = definition["allOf"]
    assert isinstance(parts, list)
    return _mapping(_mapping(parts[-1])["properties"])["body"]


def _references(value: JsonValue) -> Iterator[str]:
    """Yield the names of the definitions that a schema value refers to."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str):
            yield target.rsplit("/", 1)[1]
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def _plain(chosen: JsonObject) -> JsonObject:
    """Return the definitions without prose, open enumerations and number formats."""
    copied = copy.deepcopy(chosen)
    for name in chosen:
        copied[name] = _stripped(copied[name])
    return copied


def _stripped(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    prose = ("description", "title", "enumDescriptions", "_enum", "format", "minimum", "maximum")
    kept = {
        key: _stripped(item)
        for key, item in value.items()
        if not (key in prose and not isinstance(item, dict))
    }
    target = kept.get("$ref")
    if isinstance(target, str):
        name = target.rsplit("/", 1)[1]
        kept["$ref"] = f"#/definitions/{NAMES.get(name, name)}"
    return kept


def main() -> None:
    """Write the generated module."""
    parser = argparse.ArgumentParser(description="generate the DAP message types")
    parser.add_argument("schema", type=Path, help="debugAdapterProtocol.json")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("protocol.py"))
    options = parser.parse_args()
    schema = json.loads(options.schema.read_text(encoding="utf-8"))
    options.out.write_text(protocol_source(schema), encoding="utf-8")


if __name__ == "__main__":
    main()
