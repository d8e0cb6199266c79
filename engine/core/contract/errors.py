"""Typed errors of the engine: one class per stable code.

Rules: a flaw in a recording is a problem in the artifact, never an exception; an expected end is a
value; only a caller's mistake or an unreadable input raises an `EngineError`. A code is documented
in `docs/guide/errors.md`, tested, and never reused for another meaning.
"""

from typing import ClassVar

from engine.core.contract.canonical import printable
from engine.core.contract.json_types import JsonObject


class EngineError(Exception):
    """A mistake of the caller, or an input that cannot be read.

    Attributes:
        code: stable identifier, also the key of the documentation page.
        message: one sentence that says what is wrong and what to do.
        detail: JSON object with the place (`file`, `line`, `column`, `byte_offset`), `kind`, ...
    """

    code: ClassVar[str] = "ENGINE_ERROR"

    def __init__(self, message: str, detail: JsonObject | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail: JsonObject = detail if detail is not None else {}

    def as_json(self) -> JsonObject:
        """Return `{code, message, detail}`, the `error` object of every face."""
        return {
            "code": self.code,
            "message": printable(self.message),
            "detail": printable(self.detail),
        }


class UnknownAction(EngineError):
    """The command's `action` is not one of the documented actions."""

    code = "UNKNOWN_ACTION"


class InvalidCommand(EngineError):
    """The command's shape, a key or a condition is wrong."""

    code = "INVALID_COMMAND"


class StaleHash(EngineError):
    """`expected_hash` is not the determinism hash at the command's cursor."""

    code = "STALE_HASH"


class EventUnavailable(EngineError):
    """The cursor, event, visit or finding asked for is not in this recording."""

    code = "EVENT_UNAVAILABLE"


class AudioRangeUnavailable(EngineError):
    """No audio file of the call has anything in the range asked for."""

    code = "AUDIO_RANGE_UNAVAILABLE"


class BoundaryOverrun(EngineError):
    """A step would leave the recording: the cursor stands at its start or end already."""

    code = "BOUNDARY_OVERRUN"


class SimulationNotSupported(EngineError):
    """The command asks for simulation; a recording is evidence and is only read."""

    code = "SIMULATION_NOT_SUPPORTED"


class SessionInvalid(EngineError):
    """A session directory, or a file in it, is not what it claims to be."""

    code = "SESSION_INVALID"


class ArtifactInvalid(EngineError):
    """A file is not a `riff.state_program_debugger/v1` artifact in its canonical form."""

    code = "ARTIFACT_INVALID"


class FlowInvalid(EngineError):
    """A flow file cannot be read as a flow document."""

    code = "FLOW_INVALID"


class OutputRejected(EngineError):
    """The output file cannot be written where it was asked for; nothing was written."""

    code = "OUTPUT_REJECTED"


class RecordInvalid(EngineError):
    """A record is not what its type asks for; nothing was written of it."""

    code = "RECORD_INVALID"


class RecordingFailed(EngineError):
    """A record cannot be kept: the disk is full, the device failed, or the recorder is closed."""

    code = "RECORDING_FAILED"


class VoiceUnavailable(EngineError):
    """The program that speaks for a recorded call is not there, fails, or takes too long."""

    code = "VOICE_UNAVAILABLE"


class ScriptInvalid(EngineError):
    """A call script is not one, or asks for what its call has no place for."""

    code = "SCRIPT_INVALID"


class ExtraMissing(EngineError):
    """A part of the product needs packages that come with an extra, which is not installed."""

    code = "EXTRA_MISSING"


class IdeUnavailable(EngineError):
    """No IDE can be started on a recorded call: none was found, or it fails at once."""

    code = "IDE_UNAVAILABLE"
