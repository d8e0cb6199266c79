"""Pipecat's `FlowConfig` in the node tree to the content of a flow document.

Rules: a node is a state, and what the model may choose there is its edges, numbered over the
node's `functions`, then `global_functions`: a plain `transition_to` is one edge, a branch one for
each case and then one for its `default`; a function without a target is no edge. The choice is the
model's, so the guards are the reference-only `tool:` forms. Slots are not declared; a state's
references are its placeholders: `role_message`, `task_messages`, then the `text` of its `tts_say`
actions.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.core.flow.document import (
    Edge,
    FlowContent,
    FlowFormat,
    ReferenceSource,
    SlotReference,
    SpannedText,
    State,
)
from engine.core.flow.faults import FaultKind, flow_invalid
from engine.core.flow.guards import ToolChoice
from engine.core.flow.interpolation import pipecat_slots
from engine.core.flow.source_text import Span
from engine.core.flow.tree import Entry, MapNode, Node, ScalarNode
from engine.core.flow.tree_reader import Fields, TreeReader

GLOBAL_EDGES_MAX = 100_000
"""Most edges that global functions may add (nodes times choices: a small file can ask for many)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """An edge before its state numbers it."""

    to: SpannedText
    when: SpannedText
    guard: ToolChoice
    reason: str | None
    span: Span


def read_pipecat_flow(root: MapNode, reader: TreeReader, *, flow_id: str) -> FlowContent:
    """Return the content of a `FlowConfig` tree; the format has no id, so the caller names one.

    Cost: O(size + states x global choices). Raises: `FlowInvalid` (`WRONG_TYPE`, `MISSING_KEY`,
    `DUPLICATE_KEY` for two cases that match the same result, `TOO_LARGE`).
    """
    fields = root.by_name()
    entry = reader.needed_text(fields, "initial_node", "the flow", owner=root)
    if "nodes" not in fields:
        raise reader.missing(root, "nodes", "the flow")
    everywhere = _choices(fields, "global_functions", "the flow", reader)
    nodes = reader.field_entries(fields, "nodes", "the flow")
    if len(nodes) * len(everywhere) > GLOBAL_EDGES_MAX:
        raise flow_invalid(
            FaultKind.TOO_LARGE,
            f"the global functions make more than {GLOBAL_EDGES_MAX} edges. Offer them at the "
            "nodes that need them.",
            source=reader.source,
            offset=fields["global_functions"].start,
        )
    return FlowContent(
        format=FlowFormat.PIPECAT,
        flow_id=flow_id,
        entry=entry,
        states=tuple(_state(node, everywhere, reader) for node in nodes),
        slots=(),
    )


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


def _state(entry: Entry, everywhere: tuple[_Choice, ...], reader: TreeReader) -> State:
    what = f"node {entry.name!r}"
    fields = reader.fields(entry.value, what)
    messages = tuple(_contents(fields, what, reader))
    here = _choices(fields, "functions", what, reader)
    return State(
        state_id=entry.name,
        span=reader.span(entry),
        key_span=reader.span(entry.key),
        entry_line=None,
        prompt=_joined(messages),
        edges=tuple(
            _edge(choice, entry.name, index) for index, choice in enumerate((*here, *everywhere))
        ),
        references=tuple(_references(fields, messages, what, reader)),
    )


def _contents(fields: Fields, what: str, reader: TreeReader) -> Iterator[SpannedText]:
    place = f"a message of {what}"
    for message in reader.field_items(fields, "task_messages", what):
        content = reader.field_text(reader.fields(message, place), "content", place)
        if content is not None:
            yield content


def _joined(messages: tuple[SpannedText, ...]) -> SpannedText | None:
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
                yield from _interpolated(reader.text(said.value, f"{what}.{name}.text"), "tts_say")


def _interpolated(text: SpannedText, detail: str) -> Iterator[SlotReference]:
    source = ReferenceSource.PROMPT_INTERPOLATION
    for slot in pipecat_slots(text.text):
        yield SlotReference(slot=slot, source=source, detail=detail, span=text.span)


def _choices(fields: Fields, name: str, what: str, reader: TreeReader) -> tuple[_Choice, ...]:
    return tuple(
        choice
        for node in reader.field_items(fields, name, what)
        for choice in _function_choices(node, f"a function of {what}", reader)
    )


def _function_choices(node: Node, what: str, reader: TreeReader) -> Iterator[_Choice]:
    function = reader.fields(node, what)
    name = reader.needed_text(function, "name", what, owner=node)
    reason = reader.field_text(function, "description", what)
    because = reason.text if reason is not None else None
    target = function.get("transition_to")
    if target is None:
        return
    if isinstance(target.value, MapNode):
        yield from _branch_choices(target.value, name.text, because, reader)
        return
    to = reader.field_text(function, "transition_to", f"function {name.text!r}")
    if to is not None:
        yield _Choice(
            to=to,
            when=SpannedText(text=f"tool:{name.text}", span=name.span),
            guard=ToolChoice(function=name.text, field=None, case=None),
            reason=because,
            span=reader.span(node),
        )


def _branch_choices(
    branch: MapNode, function: str, reason: str | None, reader: TreeReader
) -> Iterator[_Choice]:
    """Yield a choice for each case in file order, then one for the default."""
    what = f"the branch of function {function!r}"
    fields = branch.by_name()
    result_field = reader.needed_text(fields, "field", what, owner=branch).text
    chosen = [(case_text(case.key), case) for case in reader.field_entries(fields, "cases", what)]
    _refuse_repeats(chosen, reader)
    default = fields.get("default")
    if default is not None:
        chosen.append(("default", default))
    for case, entry in chosen:
        if isinstance(entry.value, ScalarNode) and entry.value.value is None:
            continue
        yield _Choice(
            to=reader.text(entry.value, f"case {case!r} of {what}"),
            when=SpannedText(
                text=f"tool:{function}:{result_field}={case}", span=reader.span(entry.key)
            ),
            guard=ToolChoice(function=function, field=result_field, case=case),
            reason=reason,
            span=reader.span(entry),
        )


def _refuse_repeats(chosen: list[tuple[str, Entry]], reader: TreeReader) -> None:
    seen: set[str] = set()
    for case, entry in chosen:
        if case in seen:
            raise flow_invalid(
                FaultKind.DUPLICATE_KEY,
                f"two cases match the result {case!r}. Remove one.",
                source=reader.source,
                offset=entry.start,
            )
        seen.add(case)


def _edge(choice: _Choice, state_id: str, index: int) -> Edge:
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
