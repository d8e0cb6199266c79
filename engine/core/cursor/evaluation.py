"""Expressions evaluated at events: true, false, or failed and counted; and single values.

An evaluator remembers outcomes by the leaves' values, so that an event that looks like one before
it costs a look-up. What is remembered never changes an answer. Source: design section 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias, cast

import msgspec

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Label
from engine.core.cursor.expressions import Expression, compile_expression
from engine.core.cursor.leaves import LeafReader
from engine.core.cursor.variables import SlotValue

REMEMBERED_MAX = 4_096
"""Most outcomes that an evaluator remembers."""
TURNS_AT_ONCE = 4_096
FAILURES = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
"""What the library raises where an expression has no value."""

_encode = msgspec.json.Encoder().encode
_Key: TypeAlias = tuple[str | bytes | None, ...]


class EvaluationFailed(Exception):
    """An expression has no value at an event; the message says why."""


@dataclass(slots=True, kw_only=True)
class Meter:
    """What evaluations have cost and how often they failed; reset and read by who drives them."""

    spent: int = 0
    failed: int = 0
    first_failure: str | None = None


class Evaluator:
    """Evaluates one expression at the events of one recording, in any order."""

    def __init__(
        self,
        view: ArtifactView,
        expression: Expression,
        *,
        meter: Meter | None = None,
        remembers: bool = True,
    ) -> None:
        """Take the expression; `meter` counts, `remembers` false evaluates anew every time."""
        self.expression = expression
        self.meter = meter if meter is not None else Meter()
        self._reader = LeafReader(view, expression.leaves)
        self.turns = self._reader.turns
        ordered = (*self._reader.slow, *self._reader.fast)
        self._variables = [f"_{expression.leaves.index(leaf)}" for leaf in ordered]
        self._low = self._high = 0
        self._slow: tuple[JsonValue, ...] = ()
        self._remembered = 0 if remembers else -1
        self._by_slow: dict[_Key, dict[_Key, bool | str]] = {}
        self._outcomes: dict[_Key, bool | str] = {}
        self._constant: bool | str | None = None

    def holds(self, index: int) -> bool:
        """Return whether the expression is true at an event; a failure is counted and is not.

        Cost: O(leaves) where their values have been seen together, else one evaluation.
        """
        meter = self.meter
        meter.spent += 1
        if not self._low <= index < self._high:
            self._enter(index)
        outcome = self._constant
        if outcome is None:
            values = self._reader.at_event(index)
            key = _key_of(values)
            outcome = self._outcomes.get(key)
            if outcome is None:
                outcome = self._judged(values)
                self._remember(key, outcome)
        if outcome is True or outcome is False:
            return outcome
        meter.failed += 1
        if meter.first_failure is None:
            meter.first_failure = outcome
        return False

    def value(self, index: int) -> JsonValue:
        """Return the expression's value at an event, or at -1.

        Cost: one evaluation; with `turn`, a walk of the records up to there that no earlier one
        has come to.

        Raises: EvaluationFailed where it has none, or one that JSON cannot show.
        """
        if self.turns is not None and index >= self.turns.walked:
            self.turns.extend(index + 1 - self.turns.walked)
        self._enter(index)
        return _as_json(self._evaluated(self._reader.event_values(index)))

    def slot_at(self, name: str, cursor: int) -> SlotValue:
        """Return a slot's value at `cursor`, with its label."""
        return self._reader.slot_at(name, cursor)

    def _enter(self, index: int) -> None:
        """Take the slow leaves as they are around `index`."""
        self.meter.spent += self._reader.segment_weight
        segment = self._reader.segment(index)
        assert segment.low <= index < max(segment.high, index + 1)
        self._low, self._high, self._slow = segment.low, segment.high, segment.values
        self._outcomes = self._by_slow.setdefault(_key_of(self._slow), {})
        self._constant = None if self._reader.fast else self._outcomes.get(())

    def _remember(self, key: _Key, outcome: bool | str) -> None:  # noqa: FBT001 - a value
        """Keep an outcome for events whose leaves are the same, in this segment or another."""
        if not self._reader.fast:
            self._constant = outcome
        if self._remembered < 0:
            return
        if self._remembered >= REMEMBERED_MAX:
            self._by_slow.clear()
            self._outcomes = {}
            self._remembered = 0
        self._outcomes[key] = outcome
        self._remembered += 1

    def _judged(self, values: Sequence[JsonValue]) -> bool | str:
        """Return what the expression says, or why it says nothing."""
        self.meter.spent += self.expression.weight
        try:
            value = self._evaluated(values)
        except EvaluationFailed as failure:
            return str(failure)
        if isinstance(value, bool):
            return value
        return f"The value is {_kind(value)}, not true or false."

    def _evaluated(self, event_values: Sequence[JsonValue]) -> object:
        values = (*self._slow, *event_values)
        size_max = self.expression.size_max
        if any(_is_longer(value, size_max) for value in values):
            raise EvaluationFailed(f"A value is longer than {size_max} characters.")
        context = dict(zip(self._variables, values, strict=True))
        try:
            return self.expression.program.execute(context)
        except FAILURES as error:
            raise EvaluationFailed(_reason(error)) from error


def _key_of(values: Sequence[JsonValue]) -> _Key:
    """Return a key that is equal for equal values of the same type, and only for them.

    1, 1.0 and true are equal in Python; their JSON is not. A text is no bytes.
    """
    for value in values:
        if value is not None and value.__class__ is not str:
            return tuple(
                value if value is None or isinstance(value, str) else _encode(value)
                for value in values
            )
    return tuple(values)  # pyright: ignore[reportReturnType] - only texts and nulls


def _is_longer(value: JsonValue, size_max: int) -> bool:
    match value:
        case str():
            return len(value) > size_max
        case list() | dict():
            return len(_encode(value)) > size_max
        case _:
            return False


def _reason(error: Exception) -> str:
    """Return in our words why the library has no value."""
    match error:
        case ZeroDivisionError():
            return "A number is divided by zero."
        case OverflowError():
            return "A number grows too large."
        case LookupError():
            return f"There is no member or item {error.args[0] if error.args else ''!r}."
        case TypeError():
            return "The values' types do not go together; null goes with nothing but == and !=."
        case _:
            return "A function has no answer for these values."


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case _:
            return "a map"


def _as_json(value: object) -> JsonValue:
    """Return a value of the library as JSON; an integer beyond 2^53-1 is kept as text."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if abs(value) <= INTEGER_MAX else str(value)
        case float():
            if isfinite(value):
                return value
        case list():
            items = cast("list[object]", value)
            return [_as_json(item) for item in items]
        case dict():
            members = cast("dict[str, object]", value)
            return {key: _as_json(members[key]) for key in sorted(members)}
        case _:
            pass
    raise EvaluationFailed("The value cannot be shown as JSON.")


# -- one value -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What an expression is at a cursor.

    `slot`, `label`, `reason` are set where the expression is a slot and nothing else.
    """

    value: JsonValue
    slot: str | None = None
    label: Label | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()


def evaluate(view: ArtifactView, cursor: int, text: str) -> Evaluation:
    """Return the value of an expression at `cursor` (-1 to N-1).

    A text that is exactly a slot's name is that slot. Cost: one evaluation; with `turn`, a walk of
    the records up to the cursor.

    Raises: InvalidCommand where the expression is wrong or has no value there.
    """
    assert -1 <= cursor < max(view.event_count, 0)
    expression = compile_expression(view, text, is_condition=False)
    return _evaluation(Evaluator(view, expression), cursor)


def _evaluation(evaluator: Evaluator, cursor: int) -> Evaluation:
    expression = evaluator.expression
    if expression.slot is not None:
        found = evaluator.slot_at(expression.slot, cursor)
        return Evaluation(
            value=found.value, slot=expression.slot, label=found.label, reason=found.reason
        )
    try:
        value = evaluator.value(cursor)
    except EvaluationFailed as failure:
        detail: JsonObject = {"expression": expression.text, "cursor": cursor}
        raise InvalidCommand(f"There is no value here. {failure}", detail) from failure
    return Evaluation(value=value, warnings=expression.warnings)


# -- texts with expressions in them ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A text with `{expression}` in it: pieces of text and expressions in order, of one call."""

    pieces: tuple[str | Evaluator, ...]


def parse_template(view: ArtifactView, text: str) -> Template:
    """Return a log point's text, its expressions checked; `{{` and `}}` stand for braces.

    Raises: InvalidCommand where an expression is wrong or a brace has no partner.
    """
    pieces: list[str | Evaluator] = []
    plain, at = "", 0
    while at < len(text):
        two, one = text[at : at + 2], text[at]
        if two in {"{{", "}}"}:
            plain, at = plain + one, at + 2
        elif one == "{":
            end = _closing_brace(text, at)
            inner = compile_expression(view, text[at + 1 : end], is_condition=False)
            pieces += [plain, Evaluator(view, inner)]
            plain, at = "", end + 1
        elif one == "}":
            raise InvalidCommand("A '}' has no '{' before it; write '}}' for a brace.")
        else:
            plain, at = plain + one, at + 1
    return Template(pieces=(*pieces, plain))


def _closing_brace(text: str, start: int) -> int:
    """Return the brace that closes the one at `start`; braces in quotes and maps do not count."""
    depth, quote, at = 0, "", start
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if not depth:
                return at
        at += 1
    raise InvalidCommand("A '{' has no '}' behind it; write '{{' for a brace.")


def interpolate(view: ArtifactView, cursor: int, template: Template) -> str:
    """Return a template's text at `cursor`; an expression without a value says so in its place.

    `view` is the recording whose template it is.
    """
    assert -1 <= cursor < max(view.event_count, 0)
    return "".join(
        piece if isinstance(piece, str) else _shown(piece, cursor) for piece in template.pieces
    )


def _shown(evaluator: Evaluator, cursor: int) -> str:
    try:
        found = _evaluation(evaluator, cursor)
    except InvalidCommand as mistake:
        return f"<{mistake.message}>"
    if found.label is Label.UNAVAILABLE:
        return f"<unavailable: {found.reason}>"
    if isinstance(found.value, str):
        return found.value
    return _encode(found.value).decode()
