"""Guards, evaluated: what one says in a snapshot, and exactly which slots were read for it.

`all` and `any` stop at the first part that decides, as a reader of the flow expects; what was not
reached was not read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from engine.core.contract.json_types import JsonValue
from engine.core.flow import Guard
from engine.core.flow.guards import (
    All,
    Always,
    AnyOf,
    AudioEnded,
    AudioOutcome,
    CustomGuard,
    DtmfKey,
    Not,
    RetryAtLeast,
    SlotEquals,
    SlotIn,
    SlotSet,
    SlotUnset,
    ToolChoice,
    UnknownGuard,
)
from engine.core.program.values import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What guards may ask about."""

    slots: Mapping[str, JsonValue]
    digit: str | None
    heard: AudioOutcome | None
    tries: int
    answers: Mapping[str, Answer]


class NeedsAnswer(Exception):
    """A custom guard has to be asked first."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(slots=True, kw_only=True)
class Reading:
    """What was read while a guard was evaluated; `known` false: a custom guard did not say."""

    reads: dict[str, None] = field(default_factory=dict[str, None])
    is_known: bool = True
    error: str | None = None


def evaluate(  # noqa: C901, PLR0911 - one return a form
    guard: Guard, facts: Facts, reading: Reading
) -> bool | None:
    """Return the guard's verdict; null where a custom guard has none. Adds to `reading`.

    Raises: NeedsAnswer.
    """
    match guard:
        case Not():
            verdict = evaluate(guard.guard, facts, reading)
            return None if verdict is None else not verdict
        case All():
            return _all(guard, facts, reading)
        case AnyOf():
            return _any(guard, facts, reading)
        case SlotSet() | SlotUnset() | SlotEquals() | SlotIn():
            reading.reads.setdefault(guard.slot)
            return _slot(guard, facts.slots.get(guard.slot))
        case CustomGuard():
            return _custom(guard.name, facts, reading)
        case Always():
            return True
        case DtmfKey():
            return facts.digit == guard.key
        case AudioEnded():
            return facts.heard is guard.outcome
        case RetryAtLeast():
            return facts.tries >= guard.count
        case ToolChoice() | UnknownGuard():
            return None
        case _:
            assert_never(guard)


def _all(guard: All, facts: Facts, reading: Reading) -> bool | None:
    is_open = False
    for part in guard.guards:
        verdict = evaluate(part, facts, reading)
        if verdict is False:
            return False
        is_open = is_open or verdict is None
    return None if is_open else True


def _any(guard: AnyOf, facts: Facts, reading: Reading) -> bool | None:
    is_open = False
    for part in guard.guards:
        verdict = evaluate(part, facts, reading)
        if verdict:
            return True
        is_open = is_open or verdict is None
    return None if is_open else False


def _slot(guard: SlotSet | SlotUnset | SlotEquals | SlotIn, value: JsonValue) -> bool:
    match guard:
        case SlotSet():
            return value is not None
        case SlotUnset():
            return value is None
        case SlotEquals():
            return value is not None and spelt(value) == guard.value
        case SlotIn():
            return value is not None and spelt(value) in guard.values
        case _:
            assert_never(guard)


def spelt(value: JsonValue) -> str:
    """Return a value as a flow writes it: `true`, `4`, the text itself."""
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return ""
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def _custom(name: str, facts: Facts, reading: Reading) -> bool | None:
    answer = facts.answers.get(name)
    if answer is None:
        raise NeedsAnswer(name)
    if answer.slots_read is None:
        reading.is_known = False
    for slot in answer.slots_read or ():
        reading.reads.setdefault(slot)
    reading.error = reading.error or answer.error
    return None if answer.error is not None else answer.verdict
