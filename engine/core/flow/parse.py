"""Bytes of a flow file to its document: which syntax, which format.

Rules: the name's ending decides the syntax (`.json` is JSON, `.yaml` and `.yml` are YAML); under
any other name a text that starts with a bracket or brace is JSON. The content decides the format.
The parsers are imported when the first file needs them: a cached recording needs none.
"""

from dataclasses import dataclass

from engine.core.contract.canonical import sha256_of
from engine.core.flow.document import FlowContent, FlowDocument, FlowFormat
from engine.core.flow.faults import Fault, FaultKind, FaultLog, flow_invalid
from engine.core.flow.pipecat_flow import read_pipecat_flow
from engine.core.flow.pipecat_static import is_pipecat_static, read_pipecat_static
from engine.core.flow.riff_flow import read_riff_flow
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import MapNode, Node, ScalarNode
from engine.core.flow.tree_reader import TreeReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that reading a file gives: what could be read, and every fault, by place.

    Attributes:
        source: the text up to the first byte that is not UTF-8.
        root, content: null where the file is too broken for them; where there are faults, what
            they hide is missing in them.
    """

    text: str
    source: SourceText
    root: MapNode | None
    content: FlowContent | None
    faults: tuple[Fault, ...]


def parse_flow(source: bytes, *, path: str) -> FlowDocument:
    """Return the document of a flow file.

    `path` is the file's name: it stands in errors, its ending may decide the syntax, and its stem
    is the id of a flow whose format has none. Cost: O(size).

    Raises:
        FlowInvalid: the file cannot be read as a flow. The error is the first fault in the file's
            order; `detail` is `{file, line, column, kind, code}`, `kind` a value of `FaultKind`
            and `code` that of the fault's diagnostic (`diagnose` gives all of them).
    """
    reading = read_flow(source, path=path)
    if reading.faults:
        raise flow_invalid(reading.faults[0], source=reading.source)
    content, root = reading.content, reading.root
    assert content is not None, "a file without content has a fault"
    assert root is not None, "content is read from a tree"
    assert content.flow_id is not None, "a missing id is a fault"
    assert content.entry is not None, "a missing entry is a fault"
    return FlowDocument(
        format=content.format,
        revision=sha256_of(source),
        text=reading.text,
        flow_id=content.flow_id,
        entry=content.entry,
        states=content.states,
        slots=content.slots,
        source=reading.source,
        root=root,
    )


def read_flow(source: bytes, *, path: str) -> Reading:
    """Return what can be read of a flow file, whatever its bytes are. Cost: O(size)."""
    log = FaultLog()
    text, is_whole = _decoded(source)
    source_text = SourceText.of(text, path=path)
    if not is_whole:
        end = source_text.offset_of(len(source_text.text))
        log.add(FaultKind.NOT_UTF8, "this byte is not UTF-8. Save the file in UTF-8.", start=end)
    root = None if log.faults else _read_tree(source_text, log)
    content = None
    if isinstance(root, MapNode):
        content = _read_content(root, TreeReader(source_text, log))
    elif root is not None:
        TreeReader(source_text, log).wrong_type(root, "a flow file", "a mapping of names to values")
        root = None
    return Reading(text=text, source=source_text, root=root, content=content, faults=log.in_order())


def _decoded(source: bytes) -> tuple[str, bool]:
    """Return the text up to the first byte that is not UTF-8, and whether that is all of it."""
    try:
        return source.decode("utf-8"), True
    except UnicodeDecodeError as error:
        return source[: error.start].decode("utf-8"), False


def _read_tree(source: SourceText, log: FaultLog) -> Node | None:
    if _is_json(source):
        from engine.core.flow.json_tree import read_json  # noqa: PLC0415 - only where needed

        return read_json(source, log)
    from engine.core.flow.yaml_tree import read_yaml  # noqa: PLC0415 - only where needed

    return read_yaml(source, log)


def _is_json(source: SourceText) -> bool:
    name = source.path.lower()
    if name.endswith((".json", ".yaml", ".yml")):
        return name.endswith(".json")
    return source.text.lstrip(" \t\r\n")[:1] in ("{", "[")


def _read_content(root: MapNode, reader: TreeReader) -> FlowContent | None:
    """Return the content in the format that the top-level names show; null, with a fault."""
    fields = root.by_name()
    schema = fields.get("schema")
    if schema is not None:
        is_ours = isinstance(schema.value, ScalarNode) and schema.value.value == FlowFormat.RIFF
        if is_ours:
            return read_riff_flow(root, reader)
        reader.log.add(
            FaultKind.UNKNOWN_FORMAT,
            f"this schema is not known. Write `schema: {FlowFormat.RIFF}`.",
            start=schema.value.start,
            end=schema.value.end,
        )
        return None
    if "states" in fields:
        return read_riff_flow(root, reader)
    if "initial_node" in fields or "nodes" in fields:
        flow_id = _stem(reader.source.path)
        if is_pipecat_static(fields):
            return read_pipecat_static(root, reader, flow_id=flow_id)
        return read_pipecat_flow(root, reader, flow_id=flow_id)
    reader.log.add(
        FaultKind.UNKNOWN_FORMAT,
        f"this is no flow. Write `schema: {FlowFormat.RIFF}` with `states`, or a Pipecat "
        "FlowConfig with `initial_node` and `nodes`.",
        start=root.start,
    )
    return None


def _stem(path: str) -> str:
    """Return the file name of `path` without its last ending."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name
