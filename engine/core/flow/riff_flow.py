"""`riff.flow/v1` in the node tree to the content of a flow document.

Rules: the order of a state's references is that of `ReferenceSource`: required slots,
must-includes, the locked choice, the texts (`entry_line`, then `prompt`), the tool's arguments;
then edge by edge its guard, its sets, its clears. Keys that no field of the document holds are left
in the tree.
"""

from collections.abc import Iterable, Iterator

from engine.core.contract.labels import SlotClass
from engine.core.flow.document import (
    Edge,
    FlowContent,
    FlowFormat,
    ProgramPlace,
    ReferenceSource,
    SlotAssignment,
    SlotDeclaration,
    SlotReference,
    SpannedText,
    State,
)
from engine.core.flow.guards import CustomGuard, guard_leaves, leaf_slot, parse_guard
from engine.core.flow.interpolation import riff_slots
from engine.core.flow.scalars import Scalar
from engine.core.flow.tree import (
    Entry,
    ListNode,
    MapNode,
    Node,
    RefusedNode,
    ScalarNode,
    json_value,
)
from engine.core.flow.tree_reader import Fields, TreeReader

_CLASSES = {item.value: item for item in SlotClass}


def read_riff_flow(root: MapNode, reader: TreeReader) -> FlowContent:
    """Return the content of a `riff.flow/v1` tree.

    What is not as the format needs it is a fault in the reader's log (`WRONG_TYPE`, `MISSING_KEY`)
    and left out. Cost: O(size).
    """
    fields = root.by_name()
    flow_id = reader.needed_text(fields, "flow_id", "the flow", owner=root)
    entry = reader.needed_text(fields, "entry", "the flow", owner=root)
    if "states" not in fields:
        reader.missing(root, "states", "the flow")
    slots = reader.field_entries(fields, "slots", "the flow")
    states = reader.field_entries(fields, "states", "the flow")
    return FlowContent(
        format=FlowFormat.RIFF,
        flow_id=flow_id.text if flow_id is not None else None,
        entry=entry,
        states=tuple(_state(state, reader) for state in states),
        slots=tuple(_slot(slot, reader) for slot in slots),
    )


def _slot(entry: Entry, reader: TreeReader) -> SlotDeclaration:
    what = f"slot {entry.name!r}"
    fields = reader.fields(entry.value, what)
    type_name = reader.field_text(fields, "type", what)
    class_text = reader.field_text(fields, "class", what)
    values = fields.get("values")
    is_open = values is None or not isinstance(values.value, ListNode)
    items = reader.field_items(fields, "values", what)
    return SlotDeclaration(
        name=entry.name,
        type_name=type_name.text if type_name is not None else None,
        slot_class=_class(class_text),
        class_text=class_text,
        values=None if is_open else tuple(_plain_values(items, reader, f"a value of {what}")),
        span=reader.span(entry),
        key_span=reader.span(entry.key),
    )


def _class(written: SpannedText | None) -> SlotClass | None:
    if written is None:
        return None
    return _CLASSES.get(written.text, SlotClass.PERSONAL)


def _plain_values(items: Iterable[Node], reader: TreeReader, what: str) -> Iterator[Scalar]:
    for item in items:
        if isinstance(item, ScalarNode):
            yield item.value
        elif not isinstance(item, RefusedNode):
            reader.wrong_type(item, what, "a plain value")


def _state(entry: Entry, reader: TreeReader) -> State:
    what = f"state {entry.name!r}"
    fields = reader.fields(entry.value, what)
    entry_line = reader.field_text(fields, "entry_line", what)
    prompt = reader.field_text(fields, "prompt", what)
    edges = tuple(
        edge
        for index, node in enumerate(reader.field_items(fields, "transitions", what))
        if (edge := _edge(node, entry.name, index, reader)) is not None
    )
    references = (
        *_listed(fields, "required_slots", ReferenceSource.REQUIRED_SLOT, what, reader),
        *_listed(fields, "must_include", ReferenceSource.MUST_INCLUDE, what, reader),
        *_locked_choice(fields, what, reader),
        *_interpolated(entry_line, "entry_line"),
        *_interpolated(prompt, "prompt"),
        *_tool_arguments(fields, what, reader),
        *_edge_references(edges),
    )
    return State(
        state_id=entry.name,
        span=reader.span(entry),
        key_span=reader.span(entry.key),
        entry_line=entry_line,
        prompt=prompt,
        edges=edges,
        references=references,
        program=_program(fields, what, reader),
    )


def _program(fields: Fields, what: str, reader: TreeReader) -> ProgramPlace | None:
    """Return where the program has the state: `source: {path, line, end_line}`; else null.

    `end_line` is `line` where it is absent. Lines that no file can have read as absent.
    """
    entry = fields.get("source")
    if entry is None:
        return None
    owner = f"{what}.source"
    place = reader.fields(entry.value, owner)
    path = reader.field_text(place, "path", owner)
    line = _line(place, "line", owner, reader)
    end_line = _line(place, "end_line", owner, reader)
    if path is None or not path.text or line is None:
        return None
    return ProgramPlace(path=path.text, line=line, end_line=max(line, end_line or line))


def _line(fields: Fields, name: str, what: str, reader: TreeReader) -> int | None:
    entry = fields.get(name)
    match entry.value if entry is not None else None:
        case ScalarNode(value=bool()):
            pass
        case ScalarNode(value=int() as line) if line >= 1:
            return line
        case None | RefusedNode() | ScalarNode(value=None):
            return None
        case _:
            pass
    assert entry is not None, "what is absent has returned"
    reader.wrong_type(entry.value, f"{what}.{name}", "a line number")
    return None


def _edge(node: Node, state_id: str, index: int, reader: TreeReader) -> Edge | None:
    """Return the edge; null, with a fault, where its target cannot be read."""
    edge_id = f"{state_id}:{index}"
    what = f"transition {edge_id!r}"
    fields = reader.fields(node, what)
    when = reader.field_text(fields, "when", what)
    reason = reader.field_text(fields, "reason", what)
    to = reader.needed_text(fields, "to", what, owner=node)
    sets = tuple(
        SlotAssignment(slot=item.name, value=json_value(item.value), span=reader.span(item))
        for item in reader.field_entries(fields, "sets", what)
    )
    clears = tuple(reader.field_texts(fields, "clears", what))
    if to is None:
        return None
    return Edge(
        edge_id=edge_id,
        declaration_index=index,
        to=to,
        when=when,
        guard=parse_guard(when.text) if when is not None else None,
        reason=reason.text if reason is not None else None,
        sets=sets,
        clears=clears,
        span=reader.span(node),
    )


def _listed(
    fields: Fields, name: str, source: ReferenceSource, what: str, reader: TreeReader
) -> Iterator[SlotReference]:
    for item in reader.field_texts(fields, name, what):
        yield SlotReference(slot=item.text, source=source, detail=None, span=item.span)


def _locked_choice(fields: Fields, what: str, reader: TreeReader) -> Iterator[SlotReference]:
    entry = fields.get("locked_choice")
    if entry is None:
        return
    choice = reader.fields(entry.value, f"{what}.locked_choice")
    slot = reader.field_text(choice, "slot", f"{what}.locked_choice")
    if slot is not None:
        source = ReferenceSource.LOCKED_CHOICE_SLOT
        yield SlotReference(slot=slot.text, source=source, detail=None, span=slot.span)


def _interpolated(text: SpannedText | None, detail: str) -> Iterator[SlotReference]:
    if text is None:
        return
    source = ReferenceSource.PROMPT_INTERPOLATION
    for slot in riff_slots(text.text):
        yield SlotReference(slot=slot, source=source, detail=detail, span=text.span)


def _tool_arguments(fields: Fields, what: str, reader: TreeReader) -> Iterator[SlotReference]:
    """Yield the slots that the tool's arguments need.

    `args` is a list of slot names, or a mapping of argument to value in which `{{slots.<name>}}`
    names a slot; `detail` is the argument.
    """
    entry = fields.get("tool")
    if entry is None:
        return
    tool = reader.fields(entry.value, f"{what}.tool")
    source = ReferenceSource.REQUIRED_TOOL_ARG
    arguments = tool.get("args")
    if arguments is not None and isinstance(arguments.value, ListNode):
        for item in reader.field_texts(tool, "args", f"{what}.tool"):
            yield SlotReference(slot=item.text, source=source, detail=item.text, span=item.span)
        return
    for argument in reader.field_entries(tool, "args", f"{what}.tool"):
        value = argument.value
        if not isinstance(value, ScalarNode) or not isinstance(value.value, str):
            continue
        for slot in riff_slots(value.value):
            span = reader.span(argument)
            yield SlotReference(slot=slot, source=source, detail=argument.name, span=span)


def _edge_references(edges: Iterable[Edge]) -> Iterator[SlotReference]:
    for edge in edges:
        yield from _guard_references(edge)
        for assignment in edge.sets:
            yield SlotReference(
                slot=assignment.slot,
                source=ReferenceSource.EDGE_SET,
                detail=edge.edge_id,
                span=assignment.span,
            )
        for clear in edge.clears:
            yield SlotReference(
                slot=clear.text,
                source=ReferenceSource.EDGE_CLEAR,
                detail=edge.edge_id,
                span=clear.span,
            )


def _guard_references(edge: Edge) -> Iterator[SlotReference]:
    """Yield what the guard is seen to read, and each custom guard, whose reads are not guessed."""
    if edge.guard is None or edge.when is None:
        return
    for leaf in guard_leaves(edge.guard):
        slot = leaf_slot(leaf)
        if slot is not None:
            yield SlotReference(
                slot=slot,
                source=ReferenceSource.EDGE_GUARD,
                detail=edge.edge_id,
                span=edge.when.span,
            )
        elif isinstance(leaf, CustomGuard):
            yield SlotReference(
                slot=None,
                source=ReferenceSource.CUSTOM_GUARD,
                detail=leaf.name,
                span=edge.when.span,
            )
