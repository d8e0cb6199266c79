"""CEL expressions: text -> a checked, compiled value that knows which leaves it refers to.

Rules: an expression is checked whole when it is set, against the names of one recording: an unknown
name, slot or function is an error there, never a surprise at some event. Leaves are handed to the
library as plain variables, so an evaluation costs no more than the values that it looks at. What
could grow without bound (text built in a loop, loops in loops over other data, patterns of any
size) is refused. Nothing is ever run as Python. Source: design section 10, decision 11.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonValue
from engine.core.cursor.cel_syntax import (
    Call,
    Index,
    Items,
    Literal,
    Name,
    Node,
    Operation,
    Select,
    children,
    mistake,
    parse_expression,
)
from engine.core.cursor.leaves import (
    ROOTS,
    SLOT_ROOTS,
    Leaf,
)
from engine.core.cursor.names import (
    METHODS,
    PATTERN_MAX,
    REPETITIONS_MAX,
    Names,
    did_you_mean,
    is_costly,
    leaf_of,
    nearest,
    rooted_in,
    warnings_of,
)

SIZE_MAX = 1 << 18
"""Longest leaf, in characters of its JSON."""
LOOPED_SIZE_MAX = 1 << 14
"""The same, where an expression looks at a leaf again and again in a macro."""
BUILT_SIZE_MAX = 1 << 11
"""The same with `map` and `filter`, for which the library copies the list at each item."""
SUMS_MAX = 16
"""Most `+` in an expression; each may copy a text."""

FUNCTIONS = {"size": 1, "int": 1, "double": 1, "string": 1, "has": 1}
MACROS = {"all": (2, 2), "exists": (2, 2), "exists_one": (2, 2), "filter": (2, 2), "map": (2, 3)}
_NEVER_BOOLEAN = frozenset({"size", "int", "double", "string", "map", "filter"})
_EVALUATION_WEIGHT = 2
_HEAVY_WEIGHT = 50


class Program(Protocol):
    """What the library compiles an expression to."""

    def execute(self, context: dict[str, JsonValue]) -> object:
        """Return the value with these variables; raises where there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A compiled expression; variable `_n` of the program is leaf n.

    `slot` is set where the expression is a slot and nothing else. `weight` is what an evaluation
    counts against a budget; a leaf longer than `size_max` is not evaluated. `warnings` say what the
    author probably did not mean.
    """

    text: str
    root: Node
    leaves: tuple[Leaf, ...]
    program: Program
    slot: str | None
    weight: int
    size_max: int
    warnings: tuple[str, ...]


def compile_expression(view: ArtifactView, text: str, *, is_condition: bool) -> Expression:
    """Return the expression in `text`, checked against the names of this recording.

    A text that is exactly a slot's name is that slot. Cost: O(length + slots).

    Raises:
        InvalidCommand: not CEL, an unknown name, slot or function, a thing without bound, or, for
            a condition, something that can never be true or false.
    """
    names = Names(view)
    bare = text.strip()
    root: Node
    if bare in names.slots:
        leaf = Leaf(root="slots", name=bare)
        checked = _Checked(replacements=[(0, len(text), "_0")], leaves={leaf: 0})
        root = Select(start=0, end=len(text), operand=Name(start=0, end=0, name="slots"), name=bare)
    else:
        root = parse_expression(text)
        checked = _Check(text, names).run(root)
        if is_condition and _is_never_boolean(root):
            raise mistake(
                "A condition is true or false; compare this with something, as in `... == 3`.",
                text,
                root.start,
            )
    own = leaf_of(root)
    return Expression(
        text=text,
        root=root,
        leaves=tuple(checked.leaves),
        program=_compiled(text, checked.rewritten(text)),
        slot=own.name if own is not None and own.root == "slots" else None,
        weight=_EVALUATION_WEIGHT + _HEAVY_WEIGHT * checked.heavy,
        size_max=checked.size_max,
        warnings=tuple(warnings_of(root, names)),
    )


def _compiled(text: str, rewritten: str) -> Program:
    """Return the library's program for an expression whose leaves are variables by now."""
    import cel  # noqa: PLC0415 - heavy, and needed with the first condition only

    try:
        return cel.compile(rewritten)
    except (ValueError, RuntimeError) as error:
        reason = str(error).partition("ERROR: ")[2].partition("\n")[0] or str(error)
        raise InvalidCommand(
            f"This is no CEL expression: {reason.rpartition('>:')[2] or reason}.",
            {"expression": text},
        ) from error


@dataclass(slots=True, kw_only=True)
class _Checked:
    """What the check of an expression found.

    The target of a macro gets `+ []`: that fails for a map, whose members the library would visit
    in another order each time.
    """

    replacements: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    leaves: dict[Leaf, int] = field(default_factory=dict[Leaf, int])
    heavy: int = 0
    loops_over_leaves: bool = False
    builds_lists: bool = False

    @property
    def size_max(self) -> int:
        """The longest leaf with which an evaluation stays quick."""
        if self.builds_lists:
            return BUILT_SIZE_MAX
        return LOOPED_SIZE_MAX if self.loops_over_leaves else SIZE_MAX

    def variable(self, leaf: Leaf) -> str:
        return f"_{self.leaves.setdefault(leaf, len(self.leaves))}"

    def rewritten(self, text: str) -> str:
        """Return the text with each leaf replaced by its variable."""
        pieces: list[str] = []
        at = 0
        for start, end, variable in sorted(self.replacements):
            pieces += [text[at:start], variable]
            at = end
        return "".join([*pieces, text[at:]])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """Where in macros a node stands: all names bound there, and the innermost macro's own."""

    bound: frozenset[str] = frozenset()
    own: str | None = None
    is_in_map: bool = False


class _Check:
    """Checks one expression's names and bounds."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._names = names
        self._found = _Checked()
        self._sums = 0

    def run(self, root: Node) -> _Checked:
        """Check the whole tree and return what it refers to."""
        self._node(root, _Scope())
        return self._found

    def _node(self, node: Node, scope: _Scope) -> None:
        leaf = leaf_of(node)
        if leaf is not None:
            self._leaf(node, leaf, scope)
            return
        match node:
            case Name(name=name):
                self._name(node, name, scope)
            case Call():
                self._call(node, scope)
            case Operation(operator="+"):
                self._sums += 1
                if scope.own is not None or self._sums > SUMS_MAX:
                    raise self._refused(
                        node, f"`+` stands outside of macros, and at most {SUMS_MAX} times."
                    )
                self._children(node, scope)
            case Items(items=items) if scope.own is not None:
                if not all(isinstance(item, Literal) for item in items):
                    raise self._refused(node, "A list inside of a macro holds constants only.")
            case Index(operand=Name(name=root)) if root in ROOTS and root not in SLOT_ROOTS:
                raise self._refused(node, f"Name a field: `{root}.{self._names.fields(root)[0]}`.")
            case _:
                self._children(node, scope)

    def _children(self, node: Node, scope: _Scope) -> None:
        for child in children(node):
            self._node(child, scope)

    def _leaf(self, node: Node, leaf: Leaf, scope: _Scope) -> None:
        name = leaf.name or ""
        if leaf.root != "record":
            known = self._names.fields(leaf.root)
            if name not in known:
                raise self._unknown_field(node, leaf.root, name, known)
        self._refer(node, leaf, scope)

    def _refer(self, node: Node, leaf: Leaf, scope: _Scope) -> None:
        """Put the leaf's variable in the place of `node`."""
        if scope.is_in_map:
            raise self._refused(node, "The body of `map` uses the macro's own name only.")
        if scope.own is not None:
            self._found.loops_over_leaves = True
        self._replace(node, self._found.variable(leaf))

    def _unknown_field(
        self, node: Node, root: str, name: str, known: Sequence[str]
    ) -> InvalidCommand:
        near = nearest(name, known)
        what = f"slot {name!r} in this call" if root in SLOT_ROOTS else f"`{root}.{name}`"
        tip = did_you_mean(near)
        if root == "event":
            tip += f" A field that only this recorder writes is `event.record.{name}`."
        return mistake(f"There is no {what}.{tip}", self._text, node.start, {"nearest": [*near]})

    def _name(self, node: Node, name: str, scope: _Scope) -> None:
        if name in scope.bound:
            return
        if name in SLOT_ROOTS:
            self._refer(node, Leaf(root=name, name=None), scope)
            return
        if name in ROOTS:
            raise self._refused(node, f"Name a field: `{name}.{self._names.fields(name)[0]}`.")
        slots = tuple(self._names.slots)
        if name in slots:
            raise self._refused(node, f"Write `slots.{name}` for the slot {name!r}.")
        near = nearest(name, (*ROOTS, *(f"slots.{slot}" for slot in slots)))
        raise mistake(
            f"There is no name {name!r}; names are {', '.join(ROOTS)}.{did_you_mean(near)}",
            self._text,
            node.start,
            {"nearest": [*near]},
        )

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, node: Call, scope: _Scope) -> None:
        if node.target is not None and node.function in MACROS:
            self._macro(node, node.target, scope)
            return
        known = FUNCTIONS if node.target is None else METHODS
        if node.function not in known:
            names = (*known, *(MACROS if node.target is not None else ()))
            near = nearest(node.function, names)
            form = "functions" if node.target is None else "methods"
            raise mistake(
                f"There is no {node.function!r}; {form} are {', '.join(names)}."
                f"{did_you_mean(near)}",
                self._text,
                node.start if node.target is None else node.target.end,
                {"nearest": [*near]},
            )
        if len(node.arguments) != known[node.function]:
            raise self._refused(node, f"{node.function!r} takes {known[node.function]} values.")
        if node.function == "has":
            self._has(node, scope)
            return
        if node.function == "matches":
            self._matches(node, scope)
        self._children(node, scope)

    def _has(self, node: Call, scope: _Scope) -> None:
        """A leaf is always there; `has` asks whether it is anything but null."""
        argument = node.arguments[0]
        leaf = leaf_of(argument)
        if leaf is not None:
            self._leaf(argument, leaf, scope)
            self._found.replacements.pop()
            self._replace(node, f"({self._found.variable(leaf)} != null)")
        elif isinstance(argument, Select):
            self._children(argument, scope)
        else:
            raise self._refused(node, "`has` takes a field, as in `has(event.args_safe.date)`.")

    def _matches(self, node: Call, scope: _Scope) -> None:
        pattern = node.arguments[0]
        if scope.own is not None or not isinstance(pattern, Literal):
            raise self._refused(
                node, "`matches` takes a constant pattern and stands outside of macros."
            )
        written = pattern.value
        if not isinstance(written, str) or is_costly(written):
            raise self._refused(
                pattern,
                f"A pattern is a text of at most {PATTERN_MAX} characters; its counts add up to"
                f" at most {REPETITIONS_MAX}, and no group has one.",
            )
        self._found.heavy += 1
        self._try_pattern(node, pattern)

    def _try_pattern(self, node: Call, pattern: Literal) -> None:
        source = self._text[pattern.start : pattern.end]
        try:
            _compiled(self._text, f'"".matches({source})').execute({})
        except (ValueError, RuntimeError) as error:
            raise self._refused(
                node, "`matches` cannot read this pattern; check its brackets."
            ) from error

    def _macro(self, node: Call, target: Node, scope: _Scope) -> None:
        fewest, most = MACROS[node.function]
        if not fewest <= len(node.arguments) <= most:
            raise self._refused(
                node, f"{node.function!r} is written `list.{node.function}(x, ...)`."
            )
        variable, *body = node.arguments
        if not isinstance(variable, Name) or variable.name in ROOTS or variable.name[0] == "_":
            raise self._refused(
                variable, f"{node.function!r} needs a name of its own first, such as `x`."
            )
        if scope.own is not None and rooted_in(target) != scope.own:
            raise self._refused(
                node, "A macro inside of another goes over a part of the outer one's name."
            )
        if (isinstance(target, Items) and target.is_map) or (
            isinstance(target, Name) and target.name in SLOT_ROOTS
        ):
            raise self._refused(node, f"{node.function!r} goes over a list, never over a map.")
        self._found.heavy += 1
        self._found.builds_lists |= node.function in {"map", "filter"}
        self._node(target, scope)
        self._found.replacements += [
            (target.start, target.start, "("),
            (target.end, target.end, " + [])"),
        ]
        is_map = node.function == "map" or scope.is_in_map
        bound = frozenset({variable.name}) | (frozenset[str]() if is_map else scope.bound)
        inner = _Scope(bound=bound, own=variable.name, is_in_map=is_map)
        for part in body:
            self._node(part, inner)

    # -- what is found -----------------------------------------------------------------------------

    def _replace(self, node: Node, variable: str) -> None:
        self._found.replacements.append((node.start, node.end, variable))

    def _refused(self, node: Node, message: str) -> InvalidCommand:
        return mistake(message, self._text, node.start)


def _is_never_boolean(node: Node) -> bool:
    match node:
        case Literal(value=value):
            return not isinstance(value, bool)
        case Items():
            return True
        case Operation(operator=operator, operands=operands):
            if operator == "?:":
                return _is_never_boolean(operands[1]) and _is_never_boolean(operands[2])
            return operator in "+-*/%"
        case Call(function=function):
            return function in _NEVER_BOOLEAN
        case Name() | Select() | Index():
            return False
