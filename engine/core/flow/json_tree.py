"""JSON text to the neutral node tree.

Rules: the standard library decides what is JSON (without its extensions); the walk over the tokens
only says where things stand and trusts their order. No repeated key, NaN or lone surrogate.
"""

import json
import re

from engine.core.flow.faults import FaultKind, flow_invalid
from engine.core.flow.scalars import Scalar, number_value
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import DEPTH_MAX, Entry, ListNode, MapNode, Node, ScalarNode

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}:,]|[^\s"\[\]{}:,]++', re.DOTALL)
"""A string (an unclosed one runs to the end, so each character is read once), a mark, or a word."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


def read_json(source: SourceText) -> Node:
    """Return the tree of the one JSON value in `source`.

    Cost: O(length). Raises: `FlowInvalid` (`SYNTAX`, `TOO_DEEP`, `DUPLICATE_KEY`,
    `LONE_SURROGATE`). Source: RFC 8259; design section 5.
    """
    _check_tokens(source)
    _check_syntax(source)
    return _TreeBuilder(source).root()


def _check_tokens(source: SourceText) -> None:
    """Refuse deep nesting, before anything recurses, and the numbers that JSON has not."""
    depth = 0
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if token in ("[", "{"):
            depth += 1
        elif token in ("]", "}"):
            depth -= 1
        if depth > DEPTH_MAX:
            kind = FaultKind.TOO_DEEP
            message = f"this is nested deeper than {DEPTH_MAX} levels. Flatten the flow."
        elif token in _NOT_NUMBERS:
            kind = FaultKind.SYNTAX
            message = "JSON has no NaN or Infinity. Write a number, a text or null."
        else:
            continue
        raise flow_invalid(kind, message, source=source, offset=source.offset_of(match.start()))


def _check_syntax(source: SourceText) -> None:
    """Refuse what is not JSON; numbers stay text here, so that their length does not matter."""
    try:
        json.loads(source.text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        message = f"this is not valid JSON ({error.msg}). Correct the text at or before this place."
        offset = source.offset_of(error.pos)
        raise flow_invalid(FaultKind.SYNTAX, message, source=source, offset=offset) from error


class _TreeBuilder:
    """Folds the tokens of valid JSON into nodes; recursion is bounded by `DEPTH_MAX`."""

    __slots__ = ("_source", "_tokens")

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._tokens = _TOKEN.finditer(source.text)

    def root(self) -> Node:
        """Return the only value; no token is left behind it."""
        node = self._value(next(self._tokens))
        assert next(self._tokens, None) is None, "valid JSON is one value"
        return node

    def _value(self, token: re.Match[str]) -> Node:
        text = token.group()
        match text[0]:
            case "{":
                return self._mapping(token)
            case "[":
                return self._list(token)
            case '"':
                return self._string(token)
            case _:
                value = _WORDS[text] if text in _WORDS else number_value(text)
                return ScalarNode(value, text, *self._range(token))

    def _range(self, first: re.Match[str], last: re.Match[str] | None = None) -> tuple[int, int]:
        end = (last or first).end()
        return self._source.offset_of(first.start()), self._source.offset_of(end)

    def _list(self, first: re.Match[str]) -> ListNode:
        items: list[Node] = []
        token = next(self._tokens)
        while token.group() != "]":
            if token.group() != ",":
                items.append(self._value(token))
            token = next(self._tokens)
        return ListNode(tuple(items), *self._range(first, token))

    def _mapping(self, first: re.Match[str]) -> MapNode:
        entries: dict[str, Entry] = {}
        token = next(self._tokens)
        while token.group() != "}":
            if token.group() != ",":
                key = self._string(token)
                if key.text in entries:
                    raise flow_invalid(
                        FaultKind.DUPLICATE_KEY,
                        f"the name {key.text!r} stands twice in this object. Remove or rename one.",
                        source=self._source,
                        offset=key.start,
                    )
                colon = next(self._tokens)
                assert colon.group() == ":", "valid JSON has a colon behind a name"
                entries[key.text] = Entry(key, self._value(next(self._tokens)))
            token = next(self._tokens)
        return MapNode(tuple(entries.values()), *self._range(first, token))

    def _string(self, token: re.Match[str]) -> ScalarNode:
        start, end = self._range(token)
        text = token.group()[1:-1]
        if "\\" in text:
            text = str(json.loads(token.group()))
            if _SURROGATE.search(text):
                raise flow_invalid(
                    FaultKind.LONE_SURROGATE,
                    "this text holds half of an escaped character pair. Write both halves, or the "
                    "character itself.",
                    source=self._source,
                    offset=start,
                )
        return ScalarNode(text, text, start, end)
