"""Bytes of a flow file to its document: which syntax, which format.

Rules: the name's ending decides the syntax (`.json` is JSON, `.yaml` and `.yml` are YAML); under
any other name a text that starts with a bracket or brace is JSON. The content decides the format.
The parsers are imported when the first file needs them: a cached recording needs none.
"""

from engine.core.contract.canonical import sha256_of
from engine.core.flow.document import FlowContent, FlowDocument, FlowFormat
from engine.core.flow.faults import FaultKind, flow_invalid
from engine.core.flow.pipecat_flow import read_pipecat_flow
from engine.core.flow.riff_flow import read_riff_flow
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import MapNode, Node, ScalarNode
from engine.core.flow.tree_reader import TreeReader


def parse_flow(source: bytes, *, path: str) -> FlowDocument:
    """Return the document of a flow file.

    `path` is the file's name: it stands in errors, its ending may decide the syntax, and its stem
    is the id of a flow whose format has none. Cost: O(size).

    Raises:
        FlowInvalid: the file cannot be read as a flow; `detail` is `{file, line, column, kind}`,
            and `kind` a value of `FaultKind`.
    """
    text = _decoded(source, path)
    source_text = SourceText.of(text, path=path)
    root = _read_tree(source_text)
    reader = TreeReader(source_text)
    if not isinstance(root, MapNode):
        raise reader.wrong_type(root, "a flow file", "a mapping of names to values")
    content = _read_content(root, reader)
    return FlowDocument(
        format=content.format,
        revision=sha256_of(source),
        text=text,
        flow_id=content.flow_id,
        entry=content.entry,
        states=content.states,
        slots=content.slots,
        source=source_text,
        root=root,
    )


def _decoded(source: bytes, path: str) -> str:
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        before = SourceText.of(source[: error.start].decode("utf-8"), path=path)
        raise flow_invalid(
            FaultKind.NOT_UTF8,
            "this byte is not UTF-8. Save the file in UTF-8.",
            source=before,
            offset=before.offset_of(len(before.text)),
        ) from error


def _read_tree(source: SourceText) -> Node:
    if _is_json(source):
        from engine.core.flow.json_tree import read_json  # noqa: PLC0415 - only where needed

        return read_json(source)
    from engine.core.flow.yaml_tree import read_yaml  # noqa: PLC0415 - only where needed

    return read_yaml(source)


def _is_json(source: SourceText) -> bool:
    name = source.path.lower()
    if name.endswith((".json", ".yaml", ".yml")):
        return name.endswith(".json")
    return source.text.lstrip(" \t\r\n")[:1] in ("{", "[")


def _read_content(root: MapNode, reader: TreeReader) -> FlowContent:
    """Return the content in the format that the top-level names show."""
    fields = root.by_name()
    schema = fields.get("schema")
    if schema is not None:
        is_ours = isinstance(schema.value, ScalarNode) and schema.value.value == FlowFormat.RIFF
        if is_ours:
            return read_riff_flow(root, reader)
        raise flow_invalid(
            FaultKind.UNKNOWN_FORMAT,
            f"this schema is not known. Write `schema: {FlowFormat.RIFF}`.",
            source=reader.source,
            offset=schema.value.start,
        )
    if "states" in fields:
        return read_riff_flow(root, reader)
    if "initial_node" in fields or "nodes" in fields:
        return read_pipecat_flow(root, reader, flow_id=_stem(reader.source.path))
    raise flow_invalid(
        FaultKind.UNKNOWN_FORMAT,
        f"this is no flow. Write `schema: {FlowFormat.RIFF}` with `states`, or a Pipecat "
        "FlowConfig with `initial_node` and `nodes`.",
        source=reader.source,
        offset=root.start,
    )


def _stem(path: str) -> str:
    """Return the file name of `path` without its last ending."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name
