"""What goes into the state program and what comes out: snapshot, inputs, effects.

All are values that JSON holds both ways (`to_json`, `snapshot_of`, `input_of`): a recorded history
of inputs runs again to the same snapshots and effects. No value has a clock: time is the driver's.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from engine.core.flow.guards import AudioOutcome

if TYPE_CHECKING:
    from engine.core.contract.json_types import JsonObject, JsonValue
else:  # what msgspec decodes them as
    JsonValue, JsonObject = object, dict[str, object]


class Ended(StrEnum):
    """How the program came to its end."""

    COMPLETED = "completed"
    HUNG_UP = "hung_up"
    ENDLESS = "endless"
    """It went from state to state without an end and without any input."""


class Trigger(StrEnum):
    """Why something is said, or why guards are evaluated."""

    NODE_ENTRY = "node_entry"
    USER_TURN = "user_turn"
    TOOL_RESULT = "tool_result"
    AUDIO_END = "audio_end"
    NUDGE = "nudge"


class LineKind(StrEnum):
    """Which of a state's texts is said."""

    ENTRY_LINE = "entry_line"
    PROMPT = "prompt"
    NUDGE = "nudge"


# -- the snapshot ----------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a custom guard said; `verdict` null: it has none, `error` says why."""

    verdict: bool | None
    slots_read: list[str] | None = None
    error: str | None = None


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """A round of guards that waits for a custom guard's answer."""

    trigger: Trigger
    asked: str
    edges: tuple[int, ...]
    digit: str | None = None
    answers: dict[str, Answer] = {}


class OpenVisit(msgspec.Struct, frozen=True, kw_only=True):
    """A visit that was entered and not left.

    `tries`: rounds that the caller, or their silence, began. `plays`: sounding or asked for;
    `heard`: how the last one ended. `tools`: calls without an answer.
    """

    visit_id: str
    state_id: str
    tries: int = 0
    plays: tuple[int, ...] = ()
    heard: AudioOutcome | None = None
    tools: tuple[str, ...] = ()


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """All that the program knows between two inputs.

    `path` has the open visits, outermost first. `entries` counts them by state.
    """

    slots: dict[str, JsonValue] = {}
    path: tuple[OpenVisit, ...] = ()
    entries: dict[str, int] = {}
    play_count: int = 0
    tool_count: int = 0
    round: Round | None = None
    ended: Ended | None = None


# -- inputs ----------------------------------------------------------------------------------------


class CallerSaid(msgspec.Struct, frozen=True, kw_only=True, tag="caller_said", tag_field="input"):
    """A turn of the caller; `filled`: what a resolver took from it, in order."""

    text: str
    filled: dict[str, JsonValue] = {}


class KeyPressed(msgspec.Struct, frozen=True, kw_only=True, tag="key_pressed", tag_field="input"):
    """The caller pressed a key."""

    digit: str


class SilencePassed(
    msgspec.Struct, frozen=True, kw_only=True, tag="silence_passed", tag_field="input"
):
    """The caller said nothing for as long as the driver waits."""


class AudioEnded(msgspec.Struct, frozen=True, kw_only=True, tag="audio_ended", tag_field="input"):
    """What the program had said has ended."""

    play: int
    outcome: AudioOutcome


class ToolAnswered(
    msgspec.Struct, frozen=True, kw_only=True, tag="tool_answered", tag_field="input"
):
    """A tool answered; where `ok` is false, nothing is taken from `result`."""

    tool_call_id: str
    ok: bool
    result: JsonObject = {}


class GuardAnswered(
    msgspec.Struct, frozen=True, kw_only=True, tag="guard_answered", tag_field="input"
):
    """A custom guard answered."""

    name: str
    answer: Answer


class HungUp(msgspec.Struct, frozen=True, kw_only=True, tag="hung_up", tag_field="input"):
    """The caller is gone."""


Input: TypeAlias = (
    CallerSaid | KeyPressed | SilencePassed | AudioEnded | ToolAnswered | GuardAnswered | HungUp
)


# -- effects ---------------------------------------------------------------------------------------


class Enter(msgspec.Struct, frozen=True, kw_only=True, tag="enter", tag_field="effect"):
    """A visit begins."""

    visit_id: str
    state_id: str
    via_edge: str | None
    parent_visit_id: str | None


class WriteSlot(msgspec.Struct, frozen=True, kw_only=True, tag="write_slot", tag_field="effect"):
    """A slot changes. `kind`: locked_choice, resolver, tool_result, edge_set, edge_clear."""

    visit_id: str
    slot: str
    old: JsonValue
    new: JsonValue
    kind: str
    writer: str
    tool_call_id: str | None = None


class Say(msgspec.Struct, frozen=True, kw_only=True, tag="say", tag_field="effect"):
    """Play a text to the caller; answered by `AudioEnded` with the same `play`."""

    visit_id: str
    state_id: str
    play: int
    line: LineKind
    trigger: Trigger
    text: str
    slots_read: tuple[str, ...]


class CallTool(msgspec.Struct, frozen=True, kw_only=True, tag="call_tool", tag_field="effect"):
    """Call a tool; answered by `ToolAnswered`."""

    visit_id: str
    tool: str
    tool_call_id: str
    args: dict[str, JsonValue]


class AskGuard(msgspec.Struct, frozen=True, kw_only=True, tag="ask_guard", tag_field="effect"):
    """Ask a custom guard by its registered name; answered by `GuardAnswered`."""

    visit_id: str
    name: str
    edge_id: str


class GuardVerdict(
    msgspec.Struct, frozen=True, kw_only=True, tag="guard_verdict", tag_field="effect"
):
    """A guard was evaluated; `slots_read` null: what a custom guard read is not known."""

    visit_id: str
    edge_id: str
    verdict: bool | None
    slots_read: tuple[str, ...] | None
    error: str | None = None


class Take(msgspec.Struct, frozen=True, kw_only=True, tag="take", tag_field="effect"):
    """An edge is taken."""

    visit_id: str
    edge_id: str
    to: str


class Leave(msgspec.Struct, frozen=True, kw_only=True, tag="leave", tag_field="effect"):
    """A visit ends; `edge_id` null where no edge of its own ends it."""

    visit_id: str
    state_id: str
    edge_id: str | None


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end", tag_field="effect"):
    """The call is over."""

    how: Ended


Effect: TypeAlias = (
    Enter | WriteSlot | Say | CallTool | AskGuard | GuardVerdict | Take | Leave | End
)


class Advance(msgspec.Struct, frozen=True, kw_only=True):
    """What an input led to; effects in the order in which they happen."""

    snapshot: Snapshot
    effects: tuple[Effect, ...]


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Why an input cannot be taken in a snapshot; nothing has changed.

    `code`: `ENDED`, `UNKNOWN_PLAY`, `UNKNOWN_TOOL_CALL`, `NOT_ASKED`, `WAITS_FOR_GUARD`.
    """

    code: str
    reason: str


def to_json(value: Snapshot | Input | Effect) -> JsonObject:
    """Return a snapshot, input or effect as JSON."""
    return msgspec.to_builtins(value, str_keys=True)


def snapshot_of(value: JsonObject) -> Snapshot:
    """Return the snapshot that `to_json` wrote. Raises: msgspec.ValidationError."""
    return msgspec.convert(value, Snapshot)


def input_of(value: JsonObject) -> Input:
    """Return the input that `to_json` wrote. Raises: msgspec.ValidationError."""
    return msgspec.convert(value, Input)
