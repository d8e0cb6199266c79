"""The flow document: one frozen value for every format of flow file.

Rules: what the file says, in its order, each thing with its span; nothing is checked against
anything else, so an unknown target or an undeclared slot is kept as written. `root` is the whole
file as a tree: what a later check says about a key that no field here holds, it finds there.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from engine.core.contract.json_types import JsonValue
from engine.core.contract.labels import SlotClass
from engine.core.flow.guards import Guard
from engine.core.flow.scalars import Scalar
from engine.core.flow.source_text import SourceText, Span
from engine.core.flow.tree import MapNode


class FlowFormat(StrEnum):
    """Which vocabulary the file is written in."""

    RIFF = "riff.flow/v1"
    PIPECAT = "pipecat.FlowConfig"
    PIPECAT_STATIC = "pipecat.static"


class ReferenceSource(StrEnum):
    """Where a state names a slot, in the order of its references (SPD-105, SPD-107)."""

    REQUIRED_SLOT = "required_slot"
    MUST_INCLUDE = "must_include"
    LOCKED_CHOICE_SLOT = "locked_choice_slot"
    PROMPT_INTERPOLATION = "prompt_interpolation"
    REQUIRED_TOOL_ARG = "required_tool_arg"
    EDGE_GUARD = "edge_guard"
    CUSTOM_GUARD = "custom_guard"
    EDGE_SET = "edge_set"
    EDGE_CLEAR = "edge_clear"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpannedText:
    """A text of the file and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotReference:
    """One place where a state names a slot.

    Attributes:
        slot: the slot's name; null for a custom guard, whose reads cannot be seen.
        detail: the field, argument or edge that names it, or the custom guard's name; may be null.
        span: the text that names it (a whole prompt, a whole `when`).
    """

    slot: str | None
    source: ReferenceSource
    detail: str | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAssignment:
    """A value that an edge sets; `span` covers slot and value."""

    slot: str
    value: JsonValue
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One declared transition.

    Attributes:
        edge_id: `<state_id>:<declaration_index>`.
        to: the target as written; it may be no state of this flow.
        when: the guard's text, null where none is written; `guard` is what it means.
        reason: the author's words, or null.
        sets, clears: in file order.
    """

    edge_id: str
    declaration_index: int
    to: SpannedText
    when: SpannedText | None
    guard: Guard | None
    reason: str | None
    sets: tuple[SlotAssignment, ...]
    clears: tuple[SpannedText, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramPlace:
    """Where a state is written in the program that ran: lines from 1, the last one inclusive.

    `path` is as the recorder saw it: relative to the program's folder, or absolute.
    """

    path: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One state: its texts, its edges in declaration order, and the slots it names.

    `span` runs from the state's id to the end of its body; `key_span` is the id alone. `program` is
    null for a state that is written in this file only.
    """

    state_id: str
    span: Span
    key_span: Span
    entry_line: SpannedText | None
    prompt: SpannedText | None
    edges: tuple[Edge, ...]
    references: tuple[SlotReference, ...]
    program: ProgramPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotDeclaration:
    """A slot that the flow declares.

    Attributes:
        slot_class: null where the flow declares none. A class that does not exist is `personal`, so
            that a slip of the pen shows no value; `class_text` keeps what was written.
        values: what the slot may hold, or null where the flow does not say.
        span: name and declaration; `key_span` is the name alone.
    """

    name: str
    type_name: str | None
    slot_class: SlotClass | None
    class_text: SpannedText | None
    values: tuple[Scalar, ...] | None
    span: Span
    key_span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDocument:
    """A whole flow file.

    Attributes:
        revision: `sha256:` of the file's bytes.
        text: the exact text, with its byte order mark if it has one.
        states, slots: in file order; names do not repeat.
        source, root: the text's places and the file's tree; they take no part in comparison.
    """

    format: FlowFormat
    revision: str
    text: str
    flow_id: str
    entry: SpannedText
    states: tuple[State, ...]
    slots: tuple[SlotDeclaration, ...]
    source: SourceText = field(compare=False, repr=False)
    root: MapNode = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowContent:
    """What a format's reader finds in the tree; `parse_flow` makes the document of it.

    Attributes:
        flow_id, entry: null only where the log has a fault for it.
        has_open_exits: some exit's target is chosen in code, or was left out with a fault, so what
            can be reached is not seen.
    """

    format: FlowFormat
    flow_id: str | None
    entry: SpannedText | None
    states: tuple[State, ...]
    slots: tuple[SlotDeclaration, ...]
    has_open_exits: bool = False
