"""The generated types are fresh and agree with the published protocol, old and new."""

import json
import typing
from pathlib import Path

import dap_types
import msgspec
import pydantic
import pytest

from dap_adapter import generate_protocol, protocol

STRUCTS = {
    name: kind
    for name, kind in vars(protocol).items()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct
}
NEWER_THAN_1_64 = {
    "Capabilities": {"breakpointModes", "supportsANSIStyling", "supportsDataBreakpointBytes"},
    "DataBreakpointInfoArguments": {"asAddress", "bytes", "mode"},
    "EvaluateArguments": {"column", "line", "source"},
    "EvaluateResponseBody": {"valueLocationReference"},
    "ExceptionFilterOptions": {"mode"},
    "InitializeArguments": {"supportsANSIStyling"},
    "OutputEventBody": {"locationReference"},
    "SourceBreakpoint": {"mode"},
    "Variable": {"declarationLocationReference", "valueLocationReference"},
}
"""Fields that the older schema, as packaged, has not got."""


def wire_fields(kind: type[msgspec.Struct]) -> dict[str, bool]:
    """Field names on the wire, and whether each is required."""
    return {field.encode_name: field.required for field in msgspec.structs.fields(kind)}


def test_the_file_is_fresh(shared: Path) -> None:
    schema = json.loads((shared / "dap/debugAdapterProtocol.json").read_text())
    text = generate_protocol.protocol_source(schema)
    assert text == Path(protocol.__file__).read_text()


def test_there_is_no_prose_and_no_class_without_a_use() -> None:
    assert "description:" not in Path(protocol.__file__).read_text().replace("description: str", "")
    assert not {"LaunchRequestArguments", "AttachRequestArguments", "Model"} & set(STRUCTS)


@pytest.mark.parametrize("name", sorted(STRUCTS))
def test_fields_agree_with_the_packaged_types_of_1_70(name: str) -> None:
    published = {new: old for old, new in generate_protocol.NAMES.items()}.get(name, name)
    model = getattr(dap_types, published, None) or _body_model(published)
    if model is None:
        pytest.skip("defined inline there")
    theirs = {field.alias or key: field.is_required() for key, field in model.model_fields.items()}
    assert wire_fields(STRUCTS[name]) == theirs


def _body_model(name: str) -> type[pydantic.BaseModel] | None:
    """The model of `<message>Body`, which that package names in its own way or leaves inline."""
    message = getattr(dap_types, name.removesuffix("Body"), None)
    field = message.model_fields.get("body") if message is not None else None
    candidates = [field.annotation, *typing.get_args(field.annotation)] if field else []
    for kind in candidates:
        if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
            return kind
    return None


def test_fields_agree_with_the_packaged_schema_of_1_64(debugpy_definitions: dict) -> None:
    for name, kind in STRUCTS.items():
        published = {new: old for old, new in generate_protocol.NAMES.items()}.get(name, name)
        definition = debugpy_definitions.get(published)
        if definition is None and name.endswith("Body"):
            parts = debugpy_definitions[name.removesuffix("Body")]["allOf"]
            definition = parts[-1]["properties"]["body"]
        if definition is None:
            assert name == "BreakpointMode"
            continue
        parts = definition.get("allOf", [definition])
        theirs = {key for part in parts for key in part.get("properties", {})}
        ours = set(wire_fields(kind))
        assert theirs <= ours, name
        if "allOf" not in definition:
            assert ours - theirs <= NEWER_THAN_1_64.get(name, set()), name


def test_names_are_ours_and_only_the_wire_is_camel_case() -> None:
    for kind in STRUCTS.values():
        for field in msgspec.structs.fields(kind):
            assert field.name == field.name.lower()
    assert wire_fields(protocol.StackTraceArguments)["threadId"]
