"""The syntax of conditions: CEL text -> a small tree with the place of every part.

The library evaluates CEL but shows no tree, and three things need one: which names an expression
refers to, which of them decide it, and how large it may grow. This parser reads the part of CEL
that conditions have: no messages, bytes, unsigned numbers or optional values. What it accepts the
library still has to compile. Everything is bounded before the library sees it: length, nesting and
the number of steps. Source: decision 11, the CEL specification's grammar.
"""

import re
from dataclasses import dataclass, replace
from typing import TypeAlias, Union

from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject

LENGTH_MAX = 1_000
NESTING_MAX = 24
STEPS_MAX = 100
"""Most operators (beside `&&` and `||`), selections, calls and literals' items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A number, text, boolean or null; `is_known` is false for a text with escapes."""

    start: int
    end: int
    value: str | int | float | bool | None
    is_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name that stands for itself."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """`operand.name`."""

    start: int
    end: int
    operand: "Node"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """`operand[key]`."""

    start: int
    end: int
    operand: "Node"
    key: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`function(arguments)`, or `target.function(arguments)`."""

    start: int
    end: int
    function: str
    target: Union["Node", None]
    arguments: tuple["Node", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list, or a map as key, value, key, value ..."""

    start: int
    end: int
    items: tuple["Node", ...]
    is_map: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operator with its operands: one (`!`, `-`), two, three (`?:`), or many (`&&`, `||`)."""

    start: int
    end: int
    operator: str
    operands: tuple["Node", ...]


Node: TypeAlias = Literal | Name | Select | Index | Call | Items | Operation


def children(node: Node) -> tuple[Node, ...]:
    """Return the parts of a node, in the order of the text."""
    match node:
        case Literal() | Name():
            return ()
        case Select(operand=operand):
            return (operand,)
        case Index(operand=operand, key=key):
            return (operand, key)
        case Call(target=target, arguments=arguments):
            return arguments if target is None else (target, *arguments)
        case Items(items=items):
            return items
        case Operation(operands=operands):
            return operands


def parse_expression(text: str) -> Node:
    """Return the tree of a CEL expression.

    Cost: O(length), and the length is bounded.

    Raises:
        InvalidCommand: not an expression, or one beyond the bounds; `detail.column` from 1.
    """
    if len(text) > LENGTH_MAX:
        raise InvalidCommand(f"An expression has at most {LENGTH_MAX} characters.")
    if not text.strip():
        raise InvalidCommand('An expression is missing; write one like `slots.time == "18:00"`.')
    parser = _Parser(text, _tokens(text))
    node = parser.expression()
    if parser.kind != "end":
        raise parser.unexpected()
    return node


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    """A token: `kind` is `text`, `number`, `name`, `end`, or the operator itself."""

    kind: str
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r\n\f]|//[^\n]*)+)
    |(?P<text>[rR]?(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}
        |"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'))
    |(?P<number>0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<operator>&&|\|\||[=!<>]=|[-+*/%!<>?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_AFTER_NUMBER = re.compile(r"[A-Za-z0-9_]")
_RESERVED = frozenset(
    [
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"),
        *("loop", "package", "namespace", "return", "var", "void", "while"),
    ]
)
_CONSTANTS = {"true": True, "false": False, "null": None}
_BINARY = {
    **{"||": 1, "&&": 2},
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 3),
    **{"+": 4, "-": 4, "*": 5, "/": 5, "%": 5},
}


def mistake(message: str, text: str, at: int, detail: JsonObject | None = None) -> InvalidCommand:
    """Return the error for the character at offset `at` of an expression."""
    return InvalidCommand(message, {"expression": text, "column": at + 1, **(detail or {})})


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise mistake(
                f"The character {text[at]!r} does not begin anything here; check the quotes.",
                text,
                at,
            )
        kind, word, at = str(found.lastgroup), found.group(), found.end()
        if kind == "number" and _AFTER_NUMBER.match(text, at):
            raise mistake(f"{word + text[at]!r} is no number.", text, found.start())
        if kind == "operator" or (kind == "name" and word == "in"):
            kind = word
        if kind != "space":
            tokens.append(_Token(kind=kind, text=word, start=found.start(), end=at))
    tokens.append(_Token(kind="end", text="", start=len(text), end=len(text)))
    return tokens


class _Parser:
    """Reads tokens by precedence; lives for one expression."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._place = 0
        self._depth = 0
        self._steps = 0

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self._tokens[self._place].kind

    def unexpected(self) -> InvalidCommand:
        """Return the error for the next token."""
        token = self._tokens[self._place]
        what = "ends too early" if token.kind == "end" else f"does not expect {token.text!r} here"
        return mistake(f"The expression {what}.", self._text, token.start)

    def expression(self) -> Node:
        """Read `test ? then : otherwise`, or anything that binds closer."""
        self._depth += 1
        if self._depth > NESTING_MAX:
            raise self._too_large(f"nests deeper than {NESTING_MAX} levels")
        test = self._binary(1)
        if self.kind == "?":
            self._count_step()
            self._take("?")
            then = self._binary(1)
            self._take(":")
            other = self.expression()
            test = Operation(
                start=test.start, end=other.end, operator="?:", operands=(test, then, other)
            )
        self._depth -= 1
        return test

    def _binary(self, lowest: int) -> Node:
        left = self._unary()
        while (strength := _BINARY.get(self.kind, 0)) >= lowest:
            operator = self._take(self.kind).text
            right = self._binary(strength + 1)
            operands = (left, right)
            if strength <= 2 and isinstance(left, Operation) and left.operator == operator:
                operands = (*left.operands, right)
            elif strength > 2:
                self._count_step()
            left = Operation(start=left.start, end=right.end, operator=operator, operands=operands)
        return left

    def _unary(self) -> Node:
        if self.kind not in {"!", "-"}:
            return self._member()
        self._count_step()
        sign = self._take(self.kind)
        self._depth += 1
        if self._depth > NESTING_MAX:
            raise self._too_large(f"nests deeper than {NESTING_MAX} levels")
        operand = self._unary()
        self._depth -= 1
        return Operation(start=sign.start, end=operand.end, operator=sign.text, operands=(operand,))

    def _member(self) -> Node:
        node = self._primary()
        while self.kind in {".", "["}:
            self._count_step()
            if self.kind == "[":
                self._take("[")
                key = self.expression()
                end = self._take("]").end
                node = Index(start=node.start, end=end, operand=node, key=key)
                continue
            self._take(".")
            name = self._take("name")
            if name.text in _CONSTANTS:
                raise mistake(
                    f"{name.text!r} is a word of CEL; write [{name.text!r}] to select it.",
                    self._text,
                    name.start,
                )
            if self.kind == "(":
                arguments, end = self._listed("(", ")")
                node = Call(
                    start=node.start,
                    end=end,
                    function=name.text,
                    target=node,
                    arguments=arguments,
                )
            else:
                node = Select(start=node.start, end=name.end, operand=node, name=name.text)
        return node

    def _primary(self) -> Node:
        match self.kind:
            case "text":
                return _text_literal(self._take("text"))
            case "number":
                return self._number()
            case "name":
                return self._name()
            case "(":
                start = self._take("(").start
                node = self.expression()
                return replace(node, start=start, end=self._take(")").end)
            case "[":
                start = self._tokens[self._place].start
                items, end = self._listed("[", "]")
                return Items(start=start, end=end, items=items, is_map=False)
            case "{":
                return self._map()
            case _:
                raise self.unexpected()

    def _name(self) -> Node:
        token = self._take("name")
        if token.text in _CONSTANTS:
            return Literal(start=token.start, end=token.end, value=_CONSTANTS[token.text])
        if token.text in _RESERVED:
            raise mistake(f"{token.text!r} is a reserved word of CEL.", self._text, token.start)
        if self.kind != "(":
            return Name(start=token.start, end=token.end, name=token.text)
        self._count_step()
        arguments, end = self._listed("(", ")")
        return Call(
            start=token.start, end=end, function=token.text, target=None, arguments=arguments
        )

    def _number(self) -> Literal:
        token = self._take("number")
        if token.text.startswith("0x"):
            value: int | float = int(token.text, 16)
        elif token.text.isdigit():
            value = int(token.text)
        else:
            value = float(token.text)
        return Literal(start=token.start, end=token.end, value=value)

    def _listed(self, opening: str, closing: str) -> tuple[tuple[Node, ...], int]:
        """Read expressions between brackets; return them and where the closing bracket ends."""
        self._take(opening)
        items: list[Node] = []
        while self.kind != closing:
            items.append(self.expression())
            self._count_step()
            if self.kind == ",":
                self._take(",")
            elif self.kind != closing:
                raise self.unexpected()
        return tuple(items), self._take(closing).end

    def _map(self) -> Items:
        start = self._take("{").start
        items: list[Node] = []
        while not self._next_is("}"):
            if not self._next_is("text"):
                raise self.unexpected()
            items.append(_text_literal(self._take("text")))
            self._take(":")
            items.append(self.expression())
            self._count_step()
            if self._next_is(","):
                self._take(",")
            elif not self._next_is("}"):
                raise self.unexpected()
        return Items(start=start, end=self._take("}").end, items=tuple(items), is_map=True)

    def _next_is(self, kind: str) -> bool:
        return self.kind == kind

    def _take(self, kind: str) -> _Token:
        token = self._tokens[self._place]
        if token.kind != kind:
            raise self.unexpected()
        self._place += 1
        return token

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > STEPS_MAX:
            raise self._too_large(f"has more than {STEPS_MAX} steps")

    def _too_large(self, what: str) -> InvalidCommand:
        start = self._tokens[self._place].start
        return mistake(f"The expression {what}; use a shorter one.", self._text, start)


def _text_literal(token: _Token) -> Literal:
    raw = token.text[0] in "rR"
    body = token.text[1:] if raw else token.text
    quotes = 3 if len(body) >= 6 and body[:3] == body[0] * 3 else 1
    value = body[quotes:-quotes]
    return Literal(start=token.start, end=token.end, value=value, is_known=raw or "\\" not in value)
