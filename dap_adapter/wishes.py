"""What a client asked to stop at, and what came of it, as values.

Rules: values only, and cheap to load, because every start loads them; what they mean in a recording
is looked up in `placing.py`. They are structs, not dataclasses, because those take long to make.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from msgspec import Struct

SLOT_PREFIX = "slot:"
"""A `dataId` is this and the slot's name; valid in any session."""

WAITING = "Waits for a recording to be opened."
COUNTING = "Its hits in this call are being counted."


class Kind(StrEnum):
    """The kinds of breakpoints."""

    LINE = "line"
    FUNCTION = "function"
    SLOT = "slot"
    FINDING = "finding"


class Wish(Struct, frozen=True, kw_only=True):
    """A breakpoint as the client set it; line and column from 1.

    Equal ones stop at the same places: the id stands for the source, however it is spelled.
    `name` is the pattern of a function breakpoint, the `dataId` of a data breakpoint, the code of
    an exception filter.
    """

    number: int
    kind: Kind
    name: str = ""
    line: int = 0
    column: int | None = None
    access: Literal["read", "write", "readWrite"] = "write"
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None


class Placed(Struct, frozen=True, kw_only=True):
    """A breakpoint that stops at `positions`; `line`, `column` are where it stands, from 1."""

    positions: Sequence[int]
    line: int | None
    column: int | None
    message: str


class Refused(Struct, frozen=True, kw_only=True):
    """A breakpoint that cannot stop, and why."""

    message: str


def hit_text(count: int) -> str:
    """Return how often a breakpoint is hit in the whole call."""
    if not count:
        return "never reached in this call"
    return "hit once in this call" if count == 1 else f"hit {count} times in this call"
