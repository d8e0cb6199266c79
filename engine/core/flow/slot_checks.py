"""Checks on the slots of a flow, and on the keys that only these checks read.

Rules: Pipecat's formats declare no slots, and a `riff.flow/v1` that declares none is not told to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.contract.json_types import JsonValue
from engine.core.contract.labels import SlotClass
from engine.core.flow.document import Edge, FlowContent, ReferenceSource, SlotReference, SpannedText
from engine.core.flow.guards import SlotEquals, SlotIn, guard_leaves
from engine.core.flow.nearest import NearestNames, did_you_mean
from engine.core.flow.remark import Remark, narrowed
from engine.core.flow.scalars import Scalar, plain_value
from engine.core.flow.source_text import SourceText, Span
from engine.core.flow.tree import ListNode, MapNode, RefusedNode, holds_refused
from engine.core.flow.tree_reader import Fields, TreeReader

_BEHIND = {
    ReferenceSource.PROMPT_INTERPOLATION: "slots.",
    ReferenceSource.REQUIRED_TOOL_ARG: "slots.",
    ReferenceSource.EDGE_GUARD: ":",
}
"""What stands right before a slot's name in a longer text."""


def slot_remarks(
    content: FlowContent, root: MapNode, reader: TreeReader, nearest: NearestNames
) -> Iterator[Remark]:
    """Yield the remarks about slots; wrong types of keys read here go to the reader's log.

    Cost: O(size), with the search for nearest names.
    """
    results = tuple(_other_keys(root, reader))
    yield from _unknown_classes(content, nearest)
    if content.slots and not _has_unseen_slots(root):
        yield from _undeclared_slots(content, results, reader.source, nearest)
    yield from _undeclared_values(content, reader.source, nearest)


def _unknown_classes(content: FlowContent, nearest: NearestNames) -> Iterator[Remark]:
    classes = tuple(item.value for item in SlotClass)
    for slot in content.slots:
        written = slot.class_text
        if written is None or written.text in classes:
            continue
        like = nearest.of(written.text, classes, kind="class")
        yield Remark(
            code="FLOW_UNKNOWN_SLOT_CLASS",
            span=written.span,
            message=f"{written.text!r} is no slot class. Write one of {', '.join(classes)}; until "
            f"then the slot is read as personal.{did_you_mean(like)}",
            nearest=like,
        )


def _undeclared_slots(
    content: FlowContent,
    results: Sequence[SpannedText],
    source: SourceText,
    nearest: NearestNames,
) -> Iterator[Remark]:
    names = tuple(dict.fromkeys(slot.name for slot in content.slots))
    declared = frozenset(names)
    references = (ref for state in content.states for ref in state.references)
    wrong = [
        *(
            (ref.slot, ref)
            for ref in references
            if ref.slot is not None and ref.slot not in declared
        ),
        *((result.text, result) for result in results if result.text not in declared),
    ]
    for name, place in wrong:
        like = nearest.of(name, names, kind="slot")
        yield Remark(
            code="FLOW_UNDECLARED_SLOT",
            span=_name_span(name, place, source),
            message=f"slot {name!r} is not declared. Declare it under `slots`, or write one that "
            f"is.{did_you_mean(like)}",
            nearest=like,
        )


def _name_span(name: str, place: SlotReference | SpannedText, source: SourceText) -> Span:
    if isinstance(place, SpannedText):
        return place.span
    return narrowed(source, place.span, name, behind=_BEHIND.get(place.source, ""))


def _has_unseen_slots(root: MapNode) -> bool:
    """Return whether names of slots are missing, because a part of `slots` was merged in."""
    return any(
        entry.name == "slots"
        and isinstance(entry.value, MapNode)
        and any(item.name == "<<" and holds_refused(item.value) for item in entry.value.entries)
        for entry in root.entries
    )


def _undeclared_values(
    content: FlowContent, source: SourceText, nearest: NearestNames
) -> Iterator[Remark]:
    """Yield what is set or compared beside the values that its slot declares; null is no value."""
    declared = {
        slot.name: _DeclaredValues.of(slot.values)
        for slot in content.slots
        if slot.values is not None
    }
    if not declared:
        return
    edges = (edge for state in content.states for edge in state.edges)
    used = (value for edge in edges for value in (*_set_values(edge), *_asked_values(edge)))
    for value in used:
        values = declared.get(value.slot)
        if values is None or value.value is None or value.meant() & values.typed:
            continue
        like = nearest.of(value.text, values.texts, kind=f"value of {value.slot}")
        yield Remark(
            code="FLOW_VALUE_NOT_DECLARED",
            span=narrowed(source, value.span, value.text, after=value.after),
            message=f"slot {value.slot!r} does not declare the value {value.text!r}. Add it to the "
            f"slot's `values`, or write one of them.{did_you_mean(like)}",
            nearest=like,
        )


_Typed: TypeAlias = tuple[str, str]
"""What tells values apart: `true` and 1 are two values, 1 and 1.0 are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _DeclaredValues:
    """The values of one slot, and how they are written."""

    typed: frozenset[_Typed]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> "_DeclaredValues":
        texts = tuple(dict.fromkeys(map(_written, values)))
        return cls(typed=frozenset(map(_typed, values)), texts=texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _UsedValue:
    """A value that an edge sets or a guard asks for; `span` holds it, `after` stands before it."""

    slot: str
    value: JsonValue
    text: str
    span: Span
    after: str
    is_asked: bool

    def meant(self) -> frozenset[_Typed]:
        """Return what the value may be: a guard's is text, and the value that the text writes."""
        if self.is_asked:
            return frozenset({_typed(self.text), _typed(plain_value(self.text))})
        return frozenset({_typed(self.value)})


def _set_values(edge: Edge) -> Iterator[_UsedValue]:
    for item in edge.sets:
        yield _UsedValue(
            slot=item.slot,
            value=item.value,
            text=_written(item.value),
            span=item.span,
            after=item.slot,
            is_asked=False,
        )


def _asked_values(edge: Edge) -> Iterator[_UsedValue]:
    if edge.guard is None or edge.when is None:
        return
    for leaf in guard_leaves(edge.guard):
        match leaf:
            case SlotEquals(value=value):
                asked = (value,)
            case SlotIn(values=values):
                asked = values
            case _:
                continue
        for text in asked:
            yield _UsedValue(
                slot=leaf.slot,
                value=text,
                text=text,
                span=edge.when.span,
                after=f":{leaf.slot}:",
                is_asked=True,
            )


def _typed(value: JsonValue) -> _Typed:
    match value:
        case str():
            return "text", value
        case bool():
            return "truth", str(value)
        case int() | float():
            return "number", str(float(value))
        case None:
            return "null", ""
        case _:
            return "collection", ""


def _written(value: JsonValue) -> str:
    match value:
        case str():
            return value
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case int() | float():
            return str(value)
        case list():
            return "a list"
        case dict():
            return "a mapping"


def _other_keys(root: MapNode, reader: TreeReader) -> Iterator[SpannedText]:
    """Yield the slots that tools fill, and check the keys that no field of the document holds."""
    states = [entry for entry in root.entries if entry.name == "states"]
    for section in states[:1]:
        if not isinstance(section.value, MapNode):
            continue
        for state in section.value.entries:
            if isinstance(state.value, MapNode):
                yield from _state_keys(state.value.by_name(), f"state {state.name!r}", reader)


def _state_keys(fields: Fields, what: str, reader: TreeReader) -> Iterator[SpannedText]:
    choice = fields.get("locked_choice")
    if choice is not None and isinstance(choice.value, MapNode):
        choices = choice.value.by_name().get("choices")
        if choices is not None and not isinstance(choices.value, MapNode | ListNode | RefusedNode):
            needed = "a mapping or a list"
            reader.wrong_type(choices.value, f"{what}.locked_choice.choices", needed)
    tool = fields.get("tool")
    if tool is not None and isinstance(tool.value, MapNode):
        keys = tool.value.by_name()
        reader.field_text(keys, "name", f"{what}.tool")
        yield from reader.field_texts(keys, "result_slots", f"{what}.tool")
