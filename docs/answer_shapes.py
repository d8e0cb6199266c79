"""What commands answer, as closed shapes: the source of their JSON Schemas.

Rules: as in `docs/artifact_shapes.py`.
"""

from typing import Annotated, Literal

from msgspec import Meta

from docs.artifact_shapes import AnyObject, Closed, Count, Cursor, Hash, References
from engine.core.contract.labels import Beat, Label, SlotClass, Stream, Unowned


class ShownEvent(Closed):
    """The event at the cursor."""

    event_index: Count
    event_id: str
    clock_ms: int | None
    type: str | None
    stream: Stream
    owner: str | None
    unowned: Unowned | None


class ShownVisit(Closed):
    """The innermost open visit, else the last closed one."""

    visit_id: str
    state_id: str
    occurrence: Annotated[int, Meta(ge=1)]
    status: Literal["open", "left"]
    entered_index: Count
    closed_index: Count | None
    exit_label: Literal["recorded", "unavailable"]
    exit_reason: Literal["superseded", "call_ended", "truncated"] | None


class ShownVariable(Closed, rename={"class_": "class"}):
    """A slot as of the cursor."""

    slot: str
    class_: SlotClass
    entry: object
    entry_label: Label
    current: object
    label: Label
    reason: str | None
    recorded_exit: object
    exit_label: Label
    writer: str | None
    write_event_id: str | None
    changed: bool


class ShownExit(Closed):
    """A declared exit of the visit's state, with its guard's verdict as of the cursor."""

    edge_id: str
    declaration_index: Count
    to: str
    when: str | None
    reason: str | None
    verdict: Literal["not_evaluated"] | bool | None
    recorded_verdict: Literal["not_evaluated"] | bool | None
    taken: bool
    slots_read: list[str]
    label: Literal["recorded", "unavailable"]
    label_reason: (
        Literal["none_yet", "none_recorded", "decided_by_model", "guard_error", "no_verdict"] | None
    )


class ShownBeat(Closed):
    """One kind of evidence in the visit, as of the cursor."""

    beat: Beat
    label: Literal["recorded", "unavailable"]
    reason: Literal["none_yet", "none_recorded", "no_visit"] | None
    count: Count
    first_event_id: str | None
    last_event_id: str | None


class ShownPending(Closed):
    """Something asked for that has not come at the cursor."""

    kind: Literal["transition", "tool", "audio"]
    event_id: str
    visit_id: str | None
    since_ms: int | None


class ShownCheckpoint(Closed):
    """The nearest restorable place at or before the cursor."""

    kind: Literal["visit_entry", "before_input_selection", "before_tool", "before_audio_outcome"]
    event_index: Cursor


class Projection(Closed):
    """Everything shown at a cursor."""

    event: ShownEvent | None
    visit: ShownVisit | None
    path: list[str]
    visit_count: Count
    variables: Annotated[list[ShownVariable], Meta(max_length=200)]
    variables_total: Count
    exits: Annotated[list[ShownExit], Meta(max_length=64)]
    exits_total: Count
    beats: Annotated[list[ShownBeat], Meta(min_length=6, max_length=6)]
    pending: Annotated[list[ShownPending], Meta(max_length=32)]
    pending_total: Count
    playback: Annotated[list[str], Meta(max_length=8)]
    findings: References
    findings_total: Count
    checkpoint: ShownCheckpoint | None


class Error(Closed):
    """Why a command could not be done."""

    code: Annotated[str, Meta(pattern="^[A-Z_]+$")]
    message: str
    detail: AnyObject


class Response(Closed):
    """The answer to one command. What needs a recording is null where none could be read."""

    schema: Literal["riff.state_program_response/v1"]
    mode: Literal["recorded"]
    action: str | None
    artifact_hash: Hash | None
    old_cursor: Cursor | None
    new_cursor: Cursor | None
    projection: Projection | None
    result: AnyObject | None
    evidence_refs: References
    determinism_hash: Hash | None
    error: Error | None


class BuildResult(Closed, omit_defaults=True):
    """What `spd build` prints; the counts and the hash are null beside an error."""

    schema: Literal["riff.build_result/v1"]
    path: str
    artifact_hash: Hash | None
    event_count: Count | None
    visit_count: Count | None
    findings: Count | None
    problems: Count | None
    error: Error | None = None


class FlowDiagnostic(Closed):
    """One thing that is wrong in a flow file."""

    code: Annotated[str, Meta(pattern="^FLOW_[A-Z_0-9]+$")]
    severity: Literal["error", "warning"]
    file: str
    line: Annotated[int, Meta(ge=1)]
    column: Annotated[int, Meta(ge=1)]
    end_line: Annotated[int, Meta(ge=1)]
    end_column: Annotated[int, Meta(ge=1)]
    message: str
    nearest: list[str]


class CheckedFlow(Closed):
    """One flow file; null is what it is too broken to say."""

    path: str
    format: Literal["riff.flow/v1", "pipecat.FlowConfig", "pipecat.static"] | None
    revision: Hash | None
    state_count: Count | None
    edge_count: Count | None
    diagnostics: list[FlowDiagnostic]


class FlowChecks(Closed):
    """What `spd check` prints with `--json`."""

    schema: Literal["riff.flow_check/v1"]
    files: list[CheckedFlow]


class FlowInfo(Closed):
    """The flow that ran."""

    flow_id: str
    source_path: str | None
    revision: Hash
    entry: str
    state_count: Count


class Counts(Closed):
    """How much a recording holds."""

    events: Count
    visits: Count
    slots: Count
    playbacks: Count
    findings: Count
    problems: Count
    unowned_events: Count


class AudioInfo(Closed):
    """An audio reference in short."""

    audio_id: str
    role: str | None
    path: str | None
    availability: Literal["recorded", "unavailable", "empty_capture"]
    code: str | None
    reason: str | None
    duration_ms: int | None


class Lack(Closed):
    """Something that the recording does not hold, and why."""

    what: str
    reason: str


class Drift(Closed):
    """Whether the flow in a folder is the one that ran."""

    status: Literal["same", "differs", "missing", "unavailable"]
    path: str | None
    changed_lines: list[Annotated[int, Meta(ge=1)]]


class RecordingInfo(Closed, omit_defaults=True):
    """What `spd info` prints with `--json`; `drift` only with `--flow-root`."""

    schema: Literal["riff.recording_info/v1"]
    artifact_hash: Hash
    session_id: str
    call_start_epoch: int | None
    sequence: Literal["session", "per_stream"]
    ended: Literal["completed", "aborted"] | None
    first_clock_ms: int | None
    last_clock_ms: int | None
    engine_revision: str | None
    runtime_lock: str | None
    flow: FlowInfo
    counts: Counts
    event_types: dict[str, int]
    visited: Annotated[list[str], Meta(max_length=100)]
    problems: dict[str, int]
    audio: list[AudioInfo]
    unavailable: list[Lack]
    drift: Drift | None = None
