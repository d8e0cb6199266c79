"""Pipecat's `FlowConfig` in the node tree to the content of a flow document.

What the older static format has in common with it (`pipecat_static`) is public here.

Rules: a node is a state, and what the model may choose there is its edges, numbered over the
node's `functions`, then `global_functions`: a plain `transition_to` is one edge, a branch one for
each case and then one for its `default`; a function without a target is no edge. The choice is the
model's, so the guards are the reference-only `tool:` forms. Slots are not declared; a state's
references are its placeholders: `role_message`, `task_messages`, then the `text` of its `tts_say`
actions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.flow.document import (
    Edge,
    FlowContent,
    FlowFormat,
    ReferenceSource,
    SlotReference,
    SpannedText,
    State,
)
from engine.core.flow.faults import FaultKind
from engine.core.flow.guards import ToolChoice
from engine.core.flow.interpolation import pipecat_slots
from engine.core.flow.source_text import Span
from engine.core.flow.tree import Entry, MapNode, Node, ScalarNode, is_null
from engine.core.flow.tree_reader import Fields, TreeReader

GLOBAL_EDGES_MAX = 100_000
"""Most edges that global functions may add (nodes times choices: a small file can ask for many)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An edge before its state numbers it."""

    to: SpannedText
    when: SpannedText
    guard: ToolChoice
    reason: str | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The frame of both Pipecat formats.

    Attributes:
        everywhere: what every node offers; empty where that is too much.
        is_cut: it was too much, so edges are missing.
    """

    entry: SpannedText | None
    everywhere: tuple[Choice, ...]
    nodes: tuple[Entry, ...]
    is_cut: bool


FunctionOf: TypeAlias = Callable[[Node], Node]
"""From an item of `functions` to the mapping that describes the function."""


def read_pipecat_flow(root: MapNode, reader: TreeReader, *, flow_id: str) -> FlowContent:
    """Return the content of a `FlowConfig` tree; the format has no id, so the caller names one.

    What is not as the format needs it is a fault in the reader's log (`WRONG_TYPE`, `MISSING_KEY`,
    `DUPLICATE_KEY` for two cases that match the same result, `TOO_LARGE`) and left out.
    Cost: O(size + states x global choices).
    """
    graph = read_graph(root, reader, as_written)
    return FlowContent(
        format=FlowFormat.PIPECAT,
        flow_id=flow_id,
        entry=graph.entry,
        states=tuple(_state(node, graph.everywhere, reader) for node in graph.nodes),
        slots=(),
        has_open_exits=graph.is_cut,
    )


def as_written(node: Node) -> Node:
    """Return `node`: the item of `functions` is the function."""
    return node


def read_graph(root: MapNode, reader: TreeReader, function_of: FunctionOf) -> Graph:
    """Return the entry, the nodes and the global choices."""
    fields = root.by_name()
    entry = reader.needed_text(fields, "initial_node", "the flow", owner=root)
    if "nodes" not in fields:
        reader.missing(root, "nodes", "the flow")
    everywhere = choices(fields, "global_functions", "the flow", reader, function_of)
    nodes = reader.field_entries(fields, "nodes", "the flow")
    is_cut = len(nodes) * len(everywhere) > GLOBAL_EDGES_MAX
    if is_cut:
        key = fields["global_functions"].key
        reader.log.add(
            FaultKind.TOO_LARGE,
            f"the global functions make more than {GLOBAL_EDGES_MAX:,} edges. Offer them at the "
            "nodes that need them.",
            start=key.start,
            end=key.end,
        )
        everywhere = ()
    return Graph(entry=entry, everywhere=everywhere, nodes=nodes, is_cut=is_cut)


def case_text(key: ScalarNode) -> str:
    """Return the text by which a case matches a result: `true`, `false`, a number, a text."""
    match key.value:
        case str() as text:
            return text
        case None:
            return "null"
        case bool() as truth:
            return "true" if truth else "false"
        case number:
            return str(number)


def _state(entry: Entry, everywhere: tuple[Choice, ...], reader: TreeReader) -> State:
    what = f"node {entry.name!r}"
    fields = reader.fields(entry.value, what)
    messages = tuple(contents(fields, "task_messages", what, reader))
    here = choices(fields, "functions", what, reader, as_written)
    return State(
        state_id=entry.name,
        span=reader.span(entry),
        key_span=reader.span(entry.key),
        entry_line=None,
        prompt=joined(messages),
        edges=numbered((*here, *everywhere), entry.name),
        references=tuple(_references(fields, messages, what, reader)),
    )


def contents(fields: Fields, name: str, what: str, reader: TreeReader) -> Iterator[SpannedText]:
    """Yield the contents of the list of messages `fields[name]`."""
    place = f"a message of {what}"
    for message in reader.field_items(fields, name, what):
        content = reader.field_text(reader.fields(message, place), "content", place)
        if content is not None:
            yield content


def joined(messages: tuple[SpannedText, ...]) -> SpannedText | None:
    """Return the texts, one a line, with the span from the first to the last."""
    if not messages:
        return None
    first, last = messages[0].span, messages[-1].span
    return SpannedText(
        text="\n".join(message.text for message in messages),
        span=Span(
            line=first.line,
            column=first.column,
            end_line=last.end_line,
            end_column=last.end_column,
        ),
    )


def _references(
    fields: Fields, messages: tuple[SpannedText, ...], what: str, reader: TreeReader
) -> Iterator[SlotReference]:
    role = reader.field_text(fields, "role_message", what)
    if role is not None:
        yield from _interpolated(role, "role_message")
    for message in messages:
        yield from _interpolated(message, "task_messages")
    for name in ("pre_actions", "post_actions"):
        for node in reader.field_items(fields, name, what):
            action = reader.fields(node, f"an action of {what}")
            kind = action.get("type")
            if kind is None or not isinstance(kind.value, ScalarNode):
                continue
            said = action.get("text")
            if kind.value.value == "tts_say" and said is not None:
                text = reader.text(said.value, f"{what}.{name}.text")
                yield from _interpolated(text, "tts_say") if text is not None else ()


def _interpolated(text: SpannedText, detail: str) -> Iterator[SlotReference]:
    source = ReferenceSource.PROMPT_INTERPOLATION
    for slot in pipecat_slots(text.text):
        yield SlotReference(slot=slot, source=source, detail=detail, span=text.span)


def choices(
    fields: Fields, name: str, what: str, reader: TreeReader, function_of: FunctionOf
) -> tuple[Choice, ...]:
    """Return the choices that the list of functions `fields[name]` offers."""
    return tuple(
        choice
        for node in reader.field_items(fields, name, what)
        for choice in _function_choices(node, f"a function of {what}", reader, function_of)
    )


def _function_choices(
    node: Node, what: str, reader: TreeReader, function_of: FunctionOf
) -> Iterator[Choice]:
    described = function_of(node)
    function = reader.fields(described, what)
    name = reader.needed_text(function, "name", what, owner=described)
    reason = reader.field_text(function, "description", what)
    because = reason.text if reason is not None else None
    target = function.get("transition_to")
    if target is None or name is None:
        return
    if isinstance(target.value, MapNode):
        yield from _branch_choices(target.value, name.text, because, reader)
        return
    to = reader.field_text(function, "transition_to", f"function {name.text!r}")
    if to is not None:
        yield Choice(
            to=to,
            when=SpannedText(text=f"tool:{name.text}", span=name.span),
            guard=ToolChoice(function=name.text, field=None, case=None),
            reason=because,
            span=reader.span(node),
        )


def _branch_choices(
    branch: MapNode, function: str, reason: str | None, reader: TreeReader
) -> Iterator[Choice]:
    """Yield a choice for each case in file order, then one for the default."""
    what = f"the branch of function {function!r}"
    fields = branch.by_name()
    result_field = reader.needed_text(fields, "field", what, owner=branch)
    chosen = [(case_text(case.key), case) for case in reader.field_entries(fields, "cases", what)]
    _refuse_repeats(chosen, reader)
    default = fields.get("default")
    if default is not None:
        chosen.append(("default", default))
    if result_field is None:
        return
    for case, entry in chosen:
        if is_null(entry.value):
            continue
        to = reader.text(entry.value, f"case {case!r} of {what}")
        if to is not None:
            yield Choice(
                to=to,
                when=SpannedText(
                    text=f"tool:{function}:{result_field.text}={case}", span=reader.span(entry.key)
                ),
                guard=ToolChoice(function=function, field=result_field.text, case=case),
                reason=reason,
                span=reader.span(entry),
            )


def _refuse_repeats(chosen: list[tuple[str, Entry]], reader: TreeReader) -> None:
    """Say of two cases that match the same result; equal names have their fault already."""
    seen: dict[str, str] = {}
    for case, entry in chosen:
        if seen.setdefault(case, entry.name) != entry.name:
            reader.log.add(
                FaultKind.DUPLICATE_KEY,
                f"two cases match the result {case!r}. Remove one.",
                start=entry.start,
                end=entry.key.end,
            )


def numbered(found: tuple[Choice, ...], state_id: str) -> tuple[Edge, ...]:
    """Return the choices as the edges of a state."""
    return tuple(_edge(choice, state_id, index) for index, choice in enumerate(found))


def _edge(choice: Choice, state_id: str, index: int) -> Edge:
    return Edge(
        edge_id=f"{state_id}:{index}",
        declaration_index=index,
        to=choice.to,
        when=choice.when,
        guard=choice.guard,
        reason=choice.reason,
        sets=(),
        clears=(),
        span=choice.span,
    )
