"""The closed vocabularies of the contract: labels, beats, streams, slot classes, reasons.

What may live here: string enums whose values stand in artifacts, responses and documents. A
member's value is never changed once released, because bytes and hashes contain it.
"""

from enum import StrEnum


class Label(StrEnum):
    """How far a shown value can be trusted as evidence."""

    RECORDED = "recorded"
    UNAVAILABLE = "unavailable"
    REDACTED = "redacted"
    SIMULATED = "simulated"


class Beat(StrEnum):
    """The six kinds of evidence in a visit, in causal order (definition order is display order)."""

    ENTRY = "entry"
    AGENT_OUTPUT = "agent_output"
    CALLER_INPUT = "caller_input"
    WORK = "work"
    GUARDS = "guards"
    EXIT = "exit"


class Stream(StrEnum):
    """The three record streams of a session; definition order is the rank that breaks ties."""

    TRACE = "trace"
    BUS = "bus"
    TRANSCRIPT = "transcript"


STREAM_RANK: dict[str, int] = {stream.value: rank for rank, stream in enumerate(Stream)}


class SlotClass(StrEnum):
    """Who may read a slot's raw value: `personal` slots hold safe forms only."""

    PERSONAL = "personal"
    ROUTING = "routing"
    PLAIN = "plain"


class Unowned(StrEnum):
    """Why an event belongs to no visit."""

    BEFORE_ENTRY = "before_entry"
    BETWEEN_VISITS = "between_visits"
    AFTER_EXIT = "after_exit"
    UNKNOWN_VISIT = "unknown_visit"
    NO_CORRELATION = "no_correlation"


class Direction(StrEnum):
    """Which way a step or a run moves the cursor."""

    FORWARD = "forward"
    REVERSE = "reverse"


class Unit(StrEnum):
    """How far one step moves."""

    EVENT = "event"
    BEAT = "beat"
    VISIT = "visit"
