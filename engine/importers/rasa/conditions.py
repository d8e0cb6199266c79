"""Conditions of Rasa flows that are data: read, and evaluated on slots.

Rules: `and`, `or`, `not`, parentheses, comparisons (`= == != < <= > >=`), `is`, `is not`, a bare
slot, on `slots.<name>` and literals. Anything else (`contains`, `matches`, `context.`, a name
without `slots.`) is not read, and then nothing is said. A comparison of unlike types, an order
with an unset slot and a bare slot that is no truth value have no verdict. Source: Rasa's page
"Conditions in Flows".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.contract.json_types import JsonValue

LENGTH_MAX = 4_000
DEPTH_MAX = 64
_TOKEN = re.compile(
    r"""\s*+(?:(?P<text>"[^"\\]*+"|'[^'\\]*+')|(?P<number>-?[0-9]{1,18}(?:\.[0-9]++)?+)(?![\w.])"""
    r"""|(?P<mark><=|>=|!=|==|=|<|>|\(|\))|(?P<word>[A-Za-z_][\w.]*+))"""
)
_WORDS: Mapping[str, JsonValue] = {
    "true": True, "false": False, "null": None, "none": None, "undefined": None,
}  # fmt: skip
_COMPARED = frozenset({"=", "==", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """What a condition comes to.

    Attributes:
        verdict: null where it cannot be said; `reason` is then why.
        slots_read: the slots it names, in order, each once.
    """

    verdict: bool | None
    slots_read: Sequence[str]
    reason: str | None


class _UnreadError(Exception):
    """The condition says something that is not read here, or has no verdict."""


def evaluated(condition: str, slots: Mapping[str, JsonValue]) -> Evaluated:
    """Return what a condition comes to on these slots; a slot that is not there is unset.

    Never raises. Cost: O(length).
    """
    reader = _Reader(condition, slots)
    try:
        verdict = reader.whole()
    except _UnreadError as why:
        return Evaluated(verdict=None, slots_read=tuple(reader.read), reason=str(why))
    return Evaluated(verdict=verdict, slots_read=tuple(reader.read), reason=None)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


class _Reader:
    """Reads and evaluates at once; both sides of `and` and `or` are read: both name slots."""

    def __init__(self, condition: str, slots: Mapping[str, JsonValue]) -> None:
        self._slots = slots
        self._tokens = _tokens(condition)
        self._at = 0
        self._depth = 0
        self.read: dict[str, None] = {}

    def whole(self) -> bool:
        """Return the verdict of all tokens."""
        verdict = self._either()
        if self._peek() is not None:
            raise _UnreadError("it is not read: something follows its end")
        return verdict

    def _peek(self) -> _Token | None:
        if self._tokens is None:
            raise _UnreadError("it is not read: it holds a sign that is not known")
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, *texts: str) -> str | None:
        token = self._peek()
        if token is None or token.kind == "text" or token.text.lower() not in texts:
            return None
        self._at += 1
        return token.text.lower()

    def _either(self) -> bool:
        verdict = self._both()
        while self._take("or"):
            verdict = self._both() or verdict
        return verdict

    def _both(self) -> bool:
        verdict = self._negated()
        while self._take("and"):
            verdict = self._negated() and verdict
        return verdict

    def _negated(self) -> bool:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _UnreadError("it is not read: it nests too deep")
        verdict = not self._negated() if self._take("not", "!") else self._compared()
        self._depth -= 1
        return verdict

    def _compared(self) -> bool:
        if self._take("("):
            verdict = self._either()
            if not self._take(")"):
                raise _UnreadError("it is not read: a parenthesis is not closed")
            return verdict
        left = self._value()
        if self._take("is"):
            wanted = not self._take("not")
            return _equal(left, self._value()) is wanted
        operator = self._take(*_COMPARED)
        if operator is None:
            if isinstance(left, bool) or left is None:
                return bool(left)
            raise _UnreadError("a bare value that is no truth value has no verdict")
        return _holds(left, operator, self._value())

    def _value(self) -> JsonValue:
        token = self._peek()
        if token is None:
            raise _UnreadError("it is not read: it ends too early")
        self._at += 1
        match token.kind:
            case "text":
                return token.text[1:-1]
            case "number":
                return float(token.text) if "." in token.text else int(token.text)
            case "word" if token.text.startswith("slots."):
                slot = token.text.removeprefix("slots.")
                self.read.setdefault(slot)
                return self._slots.get(slot)
            case "word" if token.text.lower() in _WORDS:
                return _WORDS[token.text.lower()]
            case _:
                raise _UnreadError(
                    f"it is not read: {token.text[:40]!r} is neither slot nor literal"
                )


def _tokens(condition: str) -> list[_Token] | None:
    """Return the tokens; null where the text has something that is none."""
    text = condition.strip()
    if len(text) > LENGTH_MAX:
        return None
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            return None
        found.append(_Token(match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


def _equal(left: JsonValue, right: JsonValue) -> bool:
    if left is None or right is None:
        return left is None and right is None
    if _sort(left) != _sort(right):
        raise _UnreadError("it compares values of unlike types")
    return left == right


def _sort(value: JsonValue) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


def _holds(left: JsonValue, operator: str, right: JsonValue) -> bool:
    if operator in ("=", "==", "!="):
        return _equal(left, right) is (operator != "!=")
    if left is None or right is None:
        raise _UnreadError("it orders a slot that is not set")
    match left, right:
        case (bool(), _) | (_, bool()):
            raise _UnreadError("it orders a truth value")
        case (int() | float(), int() | float()):
            order = (left > right) - (left < right)
        case (str(), str()):
            order = (left > right) - (left < right)
        case _:
            raise _UnreadError("it compares values of unlike types")
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]
