"""The artifact as closed shapes: the source of its JSON Schema.

Rules: a shape has every key that is there and no other, and one sentence, which the schema shows.
What a session directory holds is not declared here: the engine's own structs say it.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.core.contract.labels import Label, SlotClass, Stream, Unowned
from engine.core.contract.problems import PROBLEM_CODES
from engine.core.contract.session_records import AudioReference, Manifest

AnyObject = dict[str, object]
Hash = Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]
Cursor = Annotated[int, Meta(ge=-1)]
Count = Annotated[int, Meta(ge=0)]
References: TypeAlias = Annotated[list[str], Meta(max_length=32)]
ProblemCode = Annotated[str, Meta(extra_json_schema={"enum": [*PROBLEM_CODES]})]


class Closed(Struct, forbid_unknown_fields=True):
    """An object of ours: every key is there, and no other."""


class Span(Closed):
    """A place in the flow's text: 1-based lines and UTF-16 columns, end exclusive."""

    line: Annotated[int, Meta(ge=1)]
    column: Annotated[int, Meta(ge=1)]
    end_line: Annotated[int, Meta(ge=1)]
    end_column: Annotated[int, Meta(ge=1)]


class SlotSet(Closed):
    """A value that an edge sets."""

    slot: str
    value: object


class EdgeSpans(Closed):
    """Where the parts of an edge stand."""

    edge: Span
    when: Span | None
    sets: list[Span]
    clears: list[Span]


class FlowEdge(Closed):
    """A declared transition."""

    edge_id: str
    declaration_index: Count
    to: str
    when: str | None
    reason: str | None
    sets: list[SlotSet]
    clears: list[str]
    spans: EdgeSpans


class SlotReference(Closed):
    """A place where a state names a slot; null for a custom guard, whose reads are not seen."""

    slot: str | None
    source: Literal[
        "required_slot",
        "must_include",
        "locked_choice_slot",
        "prompt_interpolation",
        "required_tool_arg",
        "edge_guard",
        "custom_guard",
        "edge_set",
        "edge_clear",
    ]
    detail: str | None


class StateSpans(Closed):
    """Where the parts of a state stand."""

    key: Span
    prompt: Span | None
    entry_line: Span | None


class ProgramPlace(Closed):
    """Where the program that ran has a state; lines from 1, the last inclusive."""

    path: str
    line: int
    end_line: int


class FlowState(Closed):
    """A declared state; `source` stands only where the flow's file says it."""

    edges: list[FlowEdge]
    prompt: str | None
    static_slot_references: list[SlotReference]
    span: Span
    spans: StateSpans
    source: ProgramPlace | UnsetType = UNSET


class FlowSlot(Closed, rename={"class_": "class"}):
    """A declared slot."""

    type: str | None
    class_: SlotClass | None
    values: list[object] | None
    span: Span


class Flow(Closed):
    """The flow that ran, with its exact text."""

    path: str
    source_path: str | None
    revision: Hash
    text: str
    flow_id: str
    entry: str
    states: dict[str, FlowState]
    slots: dict[str, FlowSlot]


class Slot(Closed, rename={"class_": "class"}):
    """A slot of the call."""

    slot: str
    class_: SlotClass
    declared: bool
    seed_event_id: str | None
    write_count: Count


class Exit(Closed):
    """How a visit ended, or why that is not known."""

    edge_id: str | None
    to: str | None
    label: Literal["recorded", "unavailable"]
    reason: Literal["superseded", "call_ended", "truncated"] | None


class Visit(Closed):
    """One stay in a state."""

    visit_id: Annotated[str, Meta(pattern="#[1-9][0-9]*$")]
    state_id: str
    occurrence: Annotated[int, Meta(ge=1)]
    parent_visit_id: str | None
    via_edge: str | None
    entered_index: Count
    entered_event_id: str
    closed_index: Count | None
    closed_event_id: str | None
    exit: Exit


class Playback(Closed):
    """The life of one piece of the agent's audio."""

    playback_id: str
    visit_id: str | None
    state_id: str | None
    source_kind: str | None
    content_fingerprint: str | None
    generation_id: str | None
    requested_event_id: str | None
    generated_event_id: str | None
    started_event_id: str | None
    ended_event_id: str | None
    end_type: (
        Literal["audio_stopped", "audio_completed", "audio_interrupted", "audio_failed"] | None
    )
    start_ms: int | None
    end_ms: int | None
    acknowledged: bool


class Finding(Closed):
    """Something notable in the call."""

    finding_id: Annotated[str, Meta(pattern="^[A-Z_]+#[1-9][0-9]*$")]
    code: Annotated[str, Meta(pattern="^[A-Z_]+$")]
    at: Count
    severity: Literal["error", "warning", "info"]
    visits: References
    events: References
    events_total: Count
    label: Label
    text: str
    detail: AnyObject
    mechanism: str | None


class Problem(Closed):
    """A flaw in the recording."""

    code: ProblemCode
    stream: Stream | None
    line: Annotated[int, Meta(ge=1)] | None
    event_id: str | None
    detail: AnyObject


class UnownedEvent(Closed):
    """An event that belongs to no visit."""

    event_index: Count
    event_id: str
    reason: Unowned


class Event(Closed):
    """One record in its place; exactly one of `owner` and `unowned` is null."""

    event_id: str
    owner: str | None
    unowned: Unowned | None
    stream: Stream
    record: AnyObject


class Artifact(Closed):
    """The normalised, immutable recording of one call."""

    schema: Literal["riff.state_program_debugger/v1"]
    session: Manifest
    flow: Flow
    settings: dict[str, int]
    slots: list[Slot]
    visits: list[Visit]
    playback: list[Playback]
    audio: list[AudioReference]
    findings: list[Finding]
    problems: list[Problem]
    unowned_events: list[UnownedEvent]
    events: list[Event]
