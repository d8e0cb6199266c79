"""JSON text to the neutral node tree.

Rules: the standard library decides what is JSON (without its extensions); the walk over the tokens
only says where things stand and trusts their order. No repeated key, NaN or lone surrogate: each
is a fault in the log, and reading goes on behind it.
"""

import json
import re

from engine.core.flow.faults import STATE_SECTIONS, FaultKind, FaultLog
from engine.core.flow.scalars import Scalar, number_value
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import (
    DEPTH_MAX,
    Entry,
    ListNode,
    MapNode,
    Node,
    RefusedNode,
    ScalarNode,
)

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}:,]|[^\s"\[\]{}:,]++', re.DOTALL)
"""A string (an unclosed one runs to the end, so each character is read once), a mark, or a word."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


def read_json(source: SourceText, log: FaultLog) -> Node | None:
    """Return the tree of the one JSON value in `source`; null where there is none to read.

    Faults go to `log`: `SYNTAX` and `TOO_DEEP` (then there is no tree, but for `NaN`),
    `DUPLICATE_KEY`, `LONE_SURROGATE`. Cost: O(length). Source: RFC 8259; design section 5.
    """
    if not (_has_readable_tokens(source, log) and _has_json_syntax(source, log)):
        return None
    return _TreeBuilder(source, log).root()


def _has_readable_tokens(source: SourceText, log: FaultLog) -> bool:
    """Refuse deep nesting, before anything recurses, and the numbers that JSON has not."""
    depth = 0
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if token in ("[", "{"):
            depth += 1
        elif token in ("]", "}"):
            depth -= 1
        elif token in _NOT_NUMBERS:
            message = "JSON has no NaN or Infinity. Write a number, a text or null."
            start, end = source.offset_of(match.start()), source.offset_of(match.end())
            log.add(FaultKind.SYNTAX, message, start=start, end=end)
        if depth > DEPTH_MAX:
            message = f"this is nested deeper than {DEPTH_MAX} levels. Flatten the flow."
            log.add(FaultKind.TOO_DEEP, message, start=source.offset_of(match.start()))
            return False
    return True


def _has_json_syntax(source: SourceText, log: FaultLog) -> bool:
    """Refuse what is not JSON; numbers stay text here, so that their length does not matter."""
    try:
        json.loads(source.text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        message = f"this is not valid JSON ({error.msg}). Correct the text at or before this place."
        log.add(FaultKind.SYNTAX, message, start=source.offset_of(error.pos))
        return False
    return True


class _TreeBuilder:
    """Folds the tokens of valid JSON into nodes; recursion is bounded by `DEPTH_MAX`."""

    __slots__ = ("_log", "_names", "_source", "_tokens")

    def __init__(self, source: SourceText, log: FaultLog) -> None:
        self._source = source
        self._log = log
        self._names: list[str] = []  # of what is open; a list's items have the empty name
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
            case _ if text in _NOT_NUMBERS:
                return RefusedNode(*self._range(token))
            case _:
                value = _WORDS[text] if text in _WORDS else number_value(text)
                return ScalarNode(value, text, *self._range(token))

    def _range(self, first: re.Match[str], last: re.Match[str] | None = None) -> tuple[int, int]:
        end = (last or first).end()
        return self._source.offset_of(first.start()), self._source.offset_of(end)

    def _named(self, name: str, token: re.Match[str]) -> Node:
        self._names.append(name)
        node = self._value(token)
        self._names.pop()
        return node

    def _list(self, first: re.Match[str]) -> ListNode:
        items: list[Node] = []
        token = next(self._tokens)
        while token.group() != "]":
            if token.group() != ",":
                items.append(self._named("", token))
            token = next(self._tokens)
        return ListNode(tuple(items), *self._range(first, token))

    def _mapping(self, first: re.Match[str]) -> MapNode:
        entries: list[Entry] = []
        first_starts: dict[str, int] = {}
        token = next(self._tokens)
        while token.group() != "}":
            if token.group() != ",":
                key = self._key(token)
                if first_starts.setdefault(key.text, key.start) != key.start:
                    self._refuse_repeat(key, first_starts[key.text])
                colon = next(self._tokens)
                assert colon.group() == ":", "valid JSON has a colon behind a name"
                entries.append(Entry(key, self._named(key.text, next(self._tokens))))
            token = next(self._tokens)
        return MapNode(tuple(entries), *self._range(first, token))

    def _refuse_repeat(self, key: ScalarNode, first: int) -> None:
        self._log.add_repeat(
            key.text,
            is_state=len(self._names) == 1 and self._names[0] in STATE_SECTIONS,
            start=key.start,
            end=key.end,
            first_line=self._source.position(first)[0],
        )

    def _key(self, token: re.Match[str]) -> ScalarNode:
        node = self._string(token)
        if isinstance(node, ScalarNode):
            return node
        return ScalarNode("", f"\ufffd{node.start}", node.start, node.end)  # a name like no other

    def _string(self, token: re.Match[str]) -> ScalarNode | RefusedNode:
        start, end = self._range(token)
        text = token.group()[1:-1]
        if "\\" in text:
            text = str(json.loads(token.group()))
            if _SURROGATE.search(text):
                self._log.add(
                    FaultKind.LONE_SURROGATE,
                    "this text holds half of an escaped character pair. Write both halves, or the "
                    "character itself.",
                    start=start,
                    end=end,
                )
                return RefusedNode(start, end)
        return ScalarNode(text, text, start, end)
