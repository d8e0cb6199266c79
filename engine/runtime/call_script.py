"""`riff.call_script/v1`: what the caller, the tools and the client do in a scripted call.

The schema is these structs; unknown keys are refused, so that a slip of the pen is found. The file
is YAML or JSON. Told in `docs/guide/record.md`.
"""

from typing import TYPE_CHECKING, Literal

import msgspec
import yaml

from engine.core.contract.errors import ScriptInvalid
from engine.core.contract.labels import SlotClass
from engine.core.flow.guards import AudioOutcome
from engine.core.program import Answer, LineKind

if TYPE_CHECKING:
    from engine.core.contract.json_types import JsonObject, JsonValue
else:  # what msgspec decodes them as
    JsonValue, JsonObject = object, dict[str, object]

BYTES_MAX = 4 << 20


class ToolReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a tool answers, `after_ms` after its call."""

    after_ms: int = 200
    ok: bool = True
    result: JsonObject = {}
    error: str | None = None


class Sending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the runtime sends one line of a state to the client.

    Several of one line are one after the other, `gap_ms` after the end of the one before; below
    zero they overlap. `replay_gap_ms`: the client plays the same playback once more. Where
    `acknowledged` is false the client says nothing of it.
    """

    line: LineKind = LineKind.PROMPT
    source_kind: str | None = None
    gap_ms: int = 0
    acknowledged: bool = True
    outcome: AudioOutcome = AudioOutcome.COMPLETED
    reason: str | None = None
    replay_gap_ms: int | None = None


class Capture(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is kept of a side's audio; `empty` is a WAV without a frame."""

    kept: Literal["recorded", "empty", "missing"] = "recorded"
    reason: str = "this runtime kept no audio of it"


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing the caller does.

    Attributes:
        say: the words by the source that heard them (`gemini`, `whisper`, ...).
        selected: the source that counts; the first without it.
        filled: what a resolver takes from the turn.
        press: a key.
        heard: what sources made of a key press, when they heard something else.
        silence_ms: the caller says nothing for so long.
        at_ms: on the call clock; else `after_ms` after the agent is silent.
        barge_in_ms: so long after the agent's audio began, over it.
    """

    say: dict[str, str] = {}
    selected: str | None = None
    filled: dict[str, JsonValue] = {}
    press: str | None = None
    silence_ms: int | None = None
    hang_up: bool = False
    after_ms: int = 600
    at_ms: int | None = None
    barge_in_ms: int | None = None


class CallScript(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole call. Times are milliseconds; `sample_rate` is that of both WAV files."""

    schema: Literal["riff.call_script/v1"]
    session_id: str
    call_start_epoch: int = 1_767_225_600_000
    sample_rate: Literal[8000, 16000] = 8000
    seeds: dict[str, dict[str, JsonValue]] = {}
    slot_classes: dict[str, SlotClass] = {}
    tools: dict[str, list[ToolReply]] = {}
    guards: dict[str, list[Answer]] = {}
    sendings: dict[str, list[Sending]] = {}
    capture: dict[Literal["agent_played", "caller"], Capture] = {}
    steps: list[Step] = []


def read_script(data: bytes, *, file: str) -> CallScript:
    """Return the script. Raises: ScriptInvalid, with `file` and what is wrong where."""
    if len(data) > BYTES_MAX:
        raise _wrong_script(file, "TOO_LARGE", f"has more than {BYTES_MAX:,} bytes")
    try:
        tree = yaml.safe_load(data.decode())
        return msgspec.convert(tree, CallScript)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        if isinstance(error, msgspec.ValidationError):
            raise _wrong_script(file, "SHAPE", f"is no call script: {error}") from None
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else int(mark.line) + 1
        raise _wrong_script(file, "SYNTAX", "is no YAML", line) from None


def _wrong_script(file: str, kind: str, what: str, line: int | None = None) -> ScriptInvalid:
    place = file if line is None else f"{file}:{line}"
    detail: JsonObject = {"file": file, "kind": kind}
    if line is not None:
        detail["line"] = line
    return ScriptInvalid(f"{place} {what}. docs/guide/record.md describes call scripts.", detail)
