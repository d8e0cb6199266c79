"""What a reference number can stand for: frames, and everything that has children.

Rules: keys are values that name evidence, never objects of a stop; equal keys show equal things
(the Position scope aside), whichever stop asked. They are structs, not dataclasses, because a key
is made and hashed for every row that is shown.
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from msgspec import Struct


class ScopeName(StrEnum):
    """The scopes of a frame, in the order in which they are shown."""

    SLOTS = "Slots"
    ENTRY = "Entry"
    RECORDED_EXIT = "Recorded Exit"
    EXITS = "Exits & Guards"
    PENDING = "Pending"
    FINDINGS = "Findings"
    POSITION = "Position"
    CALL = "Call"


class CallPart(StrEnum):
    """What the Call scope holds."""

    BEATS = "beats"
    CONVERSATION = "conversation"
    PLAYBACK = "playback"
    IDENTITY = "identity"
    REVISIONS = "revisions"
    AUDIO = "audio"


START = -1
"""The `visit` of the one row before the first entry."""

LABEL = -2
"""The `visit` of the label row."""


class Frame(NamedTuple):
    """A stack row at `cursor`; `visit` is an ordinal, `START` or `LABEL`."""

    cursor: int
    visit: int


class ScopeOf(Struct, frozen=True):
    """A scope that shows the cursor `at` with the eyes of `visit`."""

    name: ScopeName
    at: int
    visit: int


class SlotParts(Struct, frozen=True):
    """What lies behind a slot's value: label, writer, write event, old value, history.

    `write` is the event that made the value, -1 for none; `is_new`: that event is the cursor.
    """

    slot: str
    write: int
    is_new: bool


class HistorySummary(Struct, frozen=True):
    """The one child of the lazy `history` row: how many writes there are."""

    slot: str


class History(Struct, frozen=True):
    """Every write of a slot in the whole call, paged."""

    slot: str


class Part(Struct, frozen=True):
    """A part of the Call scope, as of the cursor `at`, with the eyes of `visit`."""

    name: CallPart
    at: int
    visit: int


class Evaluated(Struct, frozen=True):
    """The value of an expression at a cursor."""

    expression: str
    at: int


class LogRest(Struct, frozen=True):
    """The hits of a log point that were too many to print."""

    number: int


class Member(Struct, frozen=True):
    """A member of a list or object: `key` is its place or name in the value of `parent`."""

    parent: "Container"
    key: str | int


class Rest(Struct, frozen=True):
    """The rows of `parent` from `start` on, for clients that do not page."""

    parent: "Container"
    start: int


Container: TypeAlias = (
    ScopeOf | SlotParts | HistorySummary | History | Part | Evaluated | LogRest | Member | Rest
)
