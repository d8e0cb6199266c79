"""DapError: what a failed request tells the client, and the table from the engine's codes.

Rules: an id has one meaning for ever. `show_user` is set where the user can do something about it,
and the text then says what; the rest is for the client or for us.
"""

from typing import ClassVar

import msgspec

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject

NOT_STOPPED = "notStopped"
"""The protocol's short form for a request that needs a stop first."""

CANCELLED = "cancelled"
"""The protocol's short form for a request that was given up."""


class DapError(Exception):
    """A failure as the protocol words it.

    Attributes:
        number: stable numeric id; the ranges are in `NUMBERS`.
        text: one sentence for a person.
        show_user: whether the client should show it.
        short: the response's `message`; the text unless the protocol defines a word.
        place: `file`, `line` and `column` of the flaw, as far as they are known.
    """

    def __init__(
        self,
        number: int,
        text: str,
        *,
        show_user: bool = False,
        short: str = "",
        place: JsonObject | None = None,
    ) -> None:
        super().__init__(text)
        self.number = number
        self.text = text
        self.show_user = show_user
        self.short = short or text
        self.place: JsonObject = place or {}


class ErrorNumber:
    """Numeric ids: 1xxx the request, 2xxx the launch, 3xxx the engine, 4xxx what was asked for."""

    MALFORMED_REQUEST: ClassVar[int] = 1001
    UNKNOWN_REQUEST: ClassVar[int] = 1002
    WRONG_MOMENT: ClassVar[int] = 1003
    INVALID_ARGUMENTS: ClassVar[int] = 1004
    INTERNAL: ClassVar[int] = 1005
    CANCELLED: ClassVar[int] = 1006
    LAUNCH_VALUE: ClassVar[int] = 2001
    ATTACH_UNAVAILABLE: ClassVar[int] = 2002
    UNKNOWN_REFERENCE: ClassVar[int] = 4001
    CANNOT_EVALUATE: ClassVar[int] = 4002
    SOURCE_UNAVAILABLE: ClassVar[int] = 4003
    NO_FINDING: ClassVar[int] = 4004


ENGINE_NUMBERS: dict[str, int] = {
    "SESSION_INVALID": 3001,
    "ARTIFACT_INVALID": 3002,
    "FLOW_INVALID": 3003,
    "EVENT_UNAVAILABLE": 3004,
    "INVALID_COMMAND": 3005,
    "UNKNOWN_ACTION": 3006,
    "STALE_HASH": 3007,
    "BOUNDARY_OVERRUN": 3008,
    "SIMULATION_NOT_SUPPORTED": 3009,
    "OUTPUT_REJECTED": 3010,
    "AUDIO_RANGE_UNAVAILABLE": 3011,
    "RECORD_INVALID": 3012,
    "RECORDING_FAILED": 3013,
    "VOICE_UNAVAILABLE": 3014,
    "EXTRA_MISSING": 3019,
    "SCRIPT_INVALID": 3021,
    "IDE_UNAVAILABLE": 3020,
}
"""One id for each code of the engine; `ENGINE_OTHER` for a code that is newer than this table."""

ENGINE_OTHER = 3999

PLACE_KEYS = ("file", "line", "column")
"""The keys of an error's detail that say where a flaw is."""


def of_engine(error: EngineError) -> DapError:
    """Return the engine's error as the user sees it: its sentence and the place, if it has one."""
    known = {key: error.detail[key] for key in PLACE_KEYS if error.detail.get(key)}
    place = ":".join(str(value) for value in known.values())
    text = f"{error.code}: {error.message}"
    if place and place not in text:
        text = f"{text} ({place})"
    number = ENGINE_NUMBERS.get(error.code, ENGINE_OTHER)
    return DapError(number, text, show_user=True, place=known)


def of_response(code: str, message: str) -> DapError:
    """Return the error in a response of the engine as the user sees it."""
    return DapError(ENGINE_NUMBERS.get(code, ENGINE_OTHER), message, show_user=True)


def malformed_request(reason: str) -> DapError:
    """Return the error for a message that is no request of the protocol."""
    return DapError(ErrorNumber.MALFORMED_REQUEST, f"This is not a request: {reason}.")


def unknown_request(command: str) -> DapError:
    """Return the error for a request that this adapter does not serve."""
    return DapError(
        ErrorNumber.UNKNOWN_REQUEST, f"The request '{command}' is not served by this adapter."
    )


def invalid_arguments(command: str, reason: str) -> DapError:
    """Return the error for arguments that do not fit the request's type."""
    return DapError(ErrorNumber.INVALID_ARGUMENTS, f"Arguments of '{command}': {reason}.")


def cancelled() -> DapError:
    """Return the error for a request that the client gave up."""
    return DapError(ErrorNumber.CANCELLED, "The request was cancelled.", short=CANCELLED)


def internal(command: str) -> DapError:
    """Return the error for a mistake of ours; the traceback is in the log."""
    return DapError(
        ErrorNumber.INTERNAL,
        f"The adapter failed on '{command}'; the session goes on. Its log (--log FILE) says why.",
        show_user=True,
    )


class ErrorText(msgspec.Struct, frozen=True):
    """A message format that shows a text as it is, braces included."""

    format: str
    variables: dict[str, str] | None


def as_format(text: str) -> ErrorText:
    """Return `text` as a protocol format string; one with braces travels as a variable."""
    if "{" in text:
        return ErrorText(format="{text}", variables={"text": text})
    return ErrorText(format=text, variables=None)
