"""What an expression may name and how large its patterns may be; what its author should be told."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from engine.core.artifact import ArtifactView, safe_form
from engine.core.contract.labels import SlotClass
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
)
from engine.core.cursor.leaves import (
    EVENT_FIELDS,
    ROOTS,
    SLOT_ROOTS,
    TURN_FIELDS,
    VISIT_FIELDS,
    Leaf,
)

PATTERN_MAX = 100
"""Longest pattern of `matches`."""
REPETITIONS_MAX = 32
"""Most repetitions that the counts of a pattern, such as `{4}`, may add up to."""
METHODS = {"size": 0, "contains": 1, "startsWith": 1, "endsWith": 1, "matches": 1}
"""By method, how many values it takes."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in"})
_NAME_MAX = 64
_NAMES_MAX = 2_000


def nearest(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return up to three of `names` that resemble `name`, best first; may be empty.

    Cost: O(names), and bounded: long names and long lists are not compared.
    """
    if len(name) > _NAME_MAX:
        return ()
    known = [other for other in names[:_NAMES_MAX] if len(other) <= _NAME_MAX]
    return tuple(get_close_matches(name, known))


def did_you_mean(names: Sequence[str]) -> str:
    """Return the question that offers `names`, led by a space; empty for none.

    >>> did_you_mean(("menu", "main"))
    " Did you mean 'menu' or 'main'?"
    """
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""


def leaf_of(node: Node) -> Leaf | None:
    """Return the leaf that `node` is, by name: `slots.time`, `slots["time"]`, `event.record.x`."""
    match node:
        case Select(operand=operand, name=name):
            pass
        case Index(operand=operand, key=Literal(value=str() as name, is_known=True)):
            pass
        case _:
            return None
    if isinstance(operand, Name):
        return Leaf(root=operand.name, name=name) if operand.name in ROOTS else None
    if leaf_of(operand) == Leaf(root="event", name="record"):
        return Leaf(root="record", name=name)
    return None


def rooted_in(node: Node) -> str | None:
    """Return the name that a path of selections begins with."""
    while isinstance(node, (Select, Index)):
        node = node.operand
    return node.name if isinstance(node, Name) else None


_COUNT = re.compile(r"\{\s*(\d{0,6})\s*(?:,\s*(\d{0,6})\s*)?\}")


def is_costly(pattern: str) -> bool:
    """Return whether a pattern may compile to something large."""
    counts = [int(high or low or 0) for low, high in _COUNT.findall(pattern)]
    too_many = len(pattern) > PATTERN_MAX or sum(counts) > REPETITIONS_MAX
    return too_many or re.search(r"\)\s*\{", pattern) is not None


class Names:
    """The names that expressions may use in one recording."""

    def __init__(self, view: ArtifactView) -> None:
        """Take the recording whose slots are named."""
        self.slots = {str(slot["slot"]): slot for slot in view.slots}
        self._fields: dict[str, Sequence[str]] = {
            **dict.fromkeys(SLOT_ROOTS, tuple(self.slots)),
            "event": EVENT_FIELDS,
            "visit": VISIT_FIELDS,
            "turn": TURN_FIELDS,
        }

    def fields(self, root: str) -> Sequence[str]:
        """Return the names that may stand behind `root.`."""
        return self._fields[root]

    def is_personal(self, leaf: Leaf | None) -> bool:
        """Return whether a leaf is the value of a slot that shows safe forms only."""
        if leaf is None or leaf.root not in {"slots", "prev"} or leaf.name not in self.slots:
            return False
        return self.slots[leaf.name].get("class") == SlotClass.PERSONAL.value


def warnings_of(node: Node, names: Names) -> Iterator[str]:
    """Yield, once for each slot, that a personal slot's value is not there to be compared."""
    seen = set[str]()
    for part in _walk(node):
        for leaf in _compared_with_constants(part):
            if names.is_personal(leaf) and leaf.name not in seen:
                seen.add(leaf.name or "")
                yield (
                    f"Slot {leaf.name!r} is personal: the recording holds safe forms such as"
                    ' "<str len=5>" in place of its values, so this comparison says little.'
                )


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _walk(child)


def _compared_with_constants(node: Node) -> Iterator[Leaf]:
    match node:
        case Operation(operator=operator, operands=operands) if operator in _COMPARISONS:
            pass
        case Call(target=target, arguments=arguments, function=function) if (
            target is not None and function in METHODS
        ):
            operands = (target, *arguments)
        case _:
            return
    if any(_is_raw_constant(operand) for operand in operands):
        yield from (leaf for operand in operands if (leaf := leaf_of(operand)) is not None)


def _is_raw_constant(node: Node) -> bool:
    """Return whether `node` is a constant that no personal slot can show."""
    match node:
        case Literal(value=value):
            return value is not None and safe_form(value) != value
        case Items(items=items):
            return any(_is_raw_constant(item) for item in items)
        case _:
            return False
