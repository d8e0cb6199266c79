"""The guard language of flows: text to a small tree, and the slots it reads.

Rules: nothing is evaluated here. Reading is linear in the text's length and never fails: what the
language does not have becomes an `UnknownGuard`, so that its edge stays in the document.

    guard = "always"
          | "slot_set:" slot | "slot_unset:" slot
          | "slot_equals:" slot ":" value | "slot_in:" slot ":" value {"," value}
          | "dtmf:" key | "audio:" ("completed" | "interrupted" | "failed")
          | "retry_at_least:" count
          | "not(" guard ")" | "all(" guard {"," guard} ")" | "any(" guard {"," guard} ")"
          | "custom:" name
          | "tool:" function [":" field "=" case]

A value, name or case runs to the end of the text. Inside parentheses it runs to the parenthesis
that closes them, or to a comma that one of the forms above follows: other commas, and parentheses
in pairs, belong to it. Everything else there ends at the next comma.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

GUARD_DEPTH_MAX = 64
"""Deepest nesting of `not`, `all` and `any` that is read."""


GUARD_FORMS = (
    "always",
    "slot_set:<slot>",
    "slot_unset:<slot>",
    "slot_equals:<slot>:<value>",
    "slot_in:<slot>:<value>,<value>",
    "dtmf:<key>",
    "audio:completed|interrupted|failed",
    "retry_at_least:<count>",
    "not(<guard>)",
    "all(<guard>, <guard>)",
    "any(<guard>, <guard>)",
    "custom:<name>",
    "tool:<function>:<field>=<case>",
)
"""The forms of the language, as a message may list them."""


class AudioOutcome(StrEnum):
    """How a playback ended, as a guard may ask."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """True whenever it is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotSet:
    """The slot has a value."""

    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUnset:
    """The slot has no value."""

    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotEquals:
    """The slot's value is `value`."""

    slot: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotIn:
    """The slot's value is one of `values` (never empty)."""

    slot: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DtmfKey:
    """The caller pressed `key`."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioEnded:
    """The last playback ended with `outcome`."""

    outcome: AudioOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAtLeast:
    """The state was tried `count` times or more."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The guard is false."""

    guard: "Guard"


@dataclass(frozen=True, slots=True, kw_only=True)
class All:
    """Every guard is true; `guards` is never empty."""

    guards: tuple["Guard", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """One guard or more is true; `guards` is never empty."""

    guards: tuple["Guard", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomGuard:
    """A guard registered in code under `name`; what it reads cannot be seen here."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """The model called `function` (and its result has `case` in `field`); for reference only."""

    function: str
    field: str | None
    case: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownGuard:
    """A text that is no guard, as written, and why."""

    text: str
    fault: str


LeafGuard: TypeAlias = (
    Always
    | SlotSet
    | SlotUnset
    | SlotEquals
    | SlotIn
    | DtmfKey
    | AudioEnded
    | RetryAtLeast
    | CustomGuard
    | ToolChoice
    | UnknownGuard
)
Guard: TypeAlias = LeafGuard | Not | All | AnyOf

_GROUP = re.compile(r"(not|all|any)\s*+\(")
_FORM = re.compile(
    r"\s*+(?:always(?![^\s,)])|slot_set:|slot_unset:|slot_equals:|slot_in:|dtmf:|audio:"
    r"|retry_at_least:|custom:|tool:|(?:not|all|any)\s*+\()"
)
_OPEN_ENDED = re.compile(r"slot_equals:|slot_in:|custom:|tool:")
_PUNCTUATION = re.compile(r"[(),]")
_SPACE = re.compile(r"\s*+")
_SLOT = re.compile(r"[^\s:,(){}]+")
_DTMF = re.compile(r"[0-9A-D*#]")
_COUNT = re.compile(r"[0-9]{1,9}")
_OUTCOMES = {item.value: item for item in AudioOutcome}


class _UnreadableError(Exception):
    """The text as a whole is no guard; never leaves this module."""


def parse_guard(text: str) -> Guard:
    """Return the guard that `text` writes; an `UnknownGuard` where it writes none.

    Inside `all`, `any` and `not`, a part that is unknown leaves its siblings readable; unbalanced
    parentheses make the whole text unknown. Cost: O(length). Source: design section 5.

    >>> parse_guard("all(slot_set:time, not(slot_equals:time:7:30))").guards[1].guard.value
    '7:30'
    """
    stripped = text.strip()
    try:
        guard, end = _guard(stripped, 0, depth=0)
        if end < len(stripped):
            raise _UnreadableError("text follows the closing parenthesis")
    except _UnreadableError as fault:
        return UnknownGuard(text=stripped, fault=str(fault))
    return guard


def guard_leaves(guard: Guard) -> Iterator[LeafGuard]:
    """Yield the leaves of `guard` from left to right. Cost: O(size)."""
    match guard:
        case Not():
            yield from guard_leaves(guard.guard)
        case All() | AnyOf():
            for part in guard.guards:
                yield from guard_leaves(part)
        case _:
            yield guard


def leaf_slot(leaf: LeafGuard) -> str | None:
    """Return the slot that `leaf` reads, or null where it reads none or cannot be seen to."""
    match leaf:
        case SlotSet() | SlotUnset() | SlotEquals() | SlotIn():
            return leaf.slot
        case (
            Always()
            | DtmfKey()
            | AudioEnded()
            | RetryAtLeast()
            | CustomGuard()
            | ToolChoice()
            | UnknownGuard()
        ):
            return None
        case _:
            assert_never(leaf)


def _guard(text: str, start: int, *, depth: int) -> tuple[Guard, int]:
    """Return the guard at `start` and the index behind it."""
    start = _skip_space(text, start)
    group = _GROUP.match(text, start)
    if group is not None:
        return _group(text, group.end(), word=group.group(1), depth=depth + 1)
    end = _leaf_end(text, start) if depth else len(text)
    return _leaf(text[start:end].strip()), end


def _group(text: str, start: int, *, word: str, depth: int) -> tuple[Guard, int]:
    """Return the group whose first part begins at `start`, and the index behind its parenthesis."""
    if depth > GUARD_DEPTH_MAX:
        raise _UnreadableError(f"it is nested deeper than {GUARD_DEPTH_MAX} levels")
    parts: list[Guard] = []
    while True:
        part, end = _guard(text, start, depth=depth)
        parts.append(part)
        end = _skip_space(text, end)
        mark = text[end : end + 1]
        start = end + 1
        if mark == ")":
            break
        if mark != ",":
            raise _UnreadableError("a closing parenthesis is missing")
    match word:
        case "all":
            return All(guards=tuple(parts)), start
        case "any":
            return AnyOf(guards=tuple(parts)), start
        case _:
            if len(parts) != 1:
                raise _UnreadableError("not(...) takes one guard")
            return Not(guard=parts[0]), start


def _skip_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    assert space is not None, "the pattern also matches nothing"
    return space.end()


def _leaf_end(text: str, start: int) -> int:
    """Return where the leaf at `start`, which stands inside parentheses, ends."""
    may_hold_commas = _OPEN_ENDED.match(text, start) is not None
    open_count = 0
    for match in _PUNCTUATION.finditer(text, start):
        match match.group():
            case "(":
                open_count += 1
            case ")" if open_count:
                open_count -= 1
            case ")":
                return match.start()
            case _:
                if open_count or (may_hold_commas and not _FORM.match(text, match.end())):
                    continue
                return match.start()
    return len(text)


def _leaf(text: str) -> LeafGuard:  # noqa: PLR0911 - one return a form
    """Return the leaf that `text` (without outer space) writes."""
    head, _, rest = text.partition(":")
    match head:
        case "always" if text == "always":
            return Always()
        case "slot_set" | "slot_unset" | "slot_equals" | "slot_in":
            return _slot_leaf(text, head, rest)
        case "dtmf" if _DTMF.fullmatch(rest):
            return DtmfKey(key=rest)
        case "audio" if rest in _OUTCOMES:
            return AudioEnded(outcome=_OUTCOMES[rest])
        case "retry_at_least" if _COUNT.fullmatch(rest):
            return RetryAtLeast(count=int(rest))
        case "custom" if rest:
            return CustomGuard(name=rest)
        case "tool":
            return _tool_leaf(text, rest)
        case "dtmf" | "audio" | "retry_at_least" | "custom" | "always":
            return UnknownGuard(text=text, fault=f"{head} does not take {rest!r}")
        case _:
            return UnknownGuard(text=text, fault="no guard has this form")


def _slot_leaf(text: str, head: str, rest: str) -> LeafGuard:
    slot, colon, value = rest.partition(":")
    if not _SLOT.fullmatch(slot):
        return UnknownGuard(text=text, fault=f"{slot!r} is no slot's name")
    match head, bool(colon):
        case "slot_set", False:
            return SlotSet(slot=slot)
        case "slot_unset", False:
            return SlotUnset(slot=slot)
        case "slot_equals", True:
            return SlotEquals(slot=slot, value=value.strip())
        case "slot_in", True:
            return SlotIn(slot=slot, values=tuple(part.strip() for part in value.split(",")))
        case _:
            expected = "only a slot" if head in ("slot_set", "slot_unset") else "a slot and a value"
            return UnknownGuard(text=text, fault=f"{head} takes {expected}")


def _tool_leaf(text: str, rest: str) -> LeafGuard:
    function, colon, choice = rest.partition(":")
    field, equals, case = choice.partition("=")
    if function and not colon:
        return ToolChoice(function=function, field=None, case=None)
    if function and field and equals:
        return ToolChoice(function=function, field=field, case=case)
    return UnknownGuard(text=text, fault="tool takes a function, then a field, `=` and a case")
