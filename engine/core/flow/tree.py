"""The neutral node tree: what a YAML and a JSON flow file have in common.

Rules: nodes hold values, the text as decoded, and offsets (see `source_text`); nothing here knows a
flow. A mapping's names are texts, in the file's order. A repeated name is a fault, and so is what a
`RefusedNode` stands for: the tree of a file without faults has neither.
"""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from engine.core.contract.json_types import JsonValue
from engine.core.flow.scalars import Scalar

DEPTH_MAX = 64
"""Deepest nesting of mappings and lists that is read; the outermost has depth 1."""


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A text, number, truth value or null; `text` is the content before typing."""

    value: Scalar
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list; may be empty."""

    items: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One `name: value` of a mapping."""

    key: ScalarNode
    value: "Node"

    @property
    def name(self) -> str:
        """The key as text: `true`, `1` and `yes` are names as they are written."""
        return self.key.text

    @property
    def start(self) -> int:
        """Offset of the key."""
        return self.key.start

    @property
    def end(self) -> int:
        """Offset behind the value; behind the key where no value is written."""
        return self.value.end if self.value.end > self.value.start else self.key.end


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping; may be empty."""

    entries: tuple[Entry, ...]
    start: int
    end: int

    def by_name(self) -> dict[str, Entry]:
        """Return the entries by name, in file order; the first of a name. Cost: O(entries)."""
        found: dict[str, Entry] = {}
        for entry in self.entries:
            found.setdefault(entry.name, entry)
        return found


@dataclass(frozen=True, slots=True)
class RefusedNode:
    """A place whose content was refused, with a fault; who meets it says nothing more."""

    start: int
    end: int


Node: TypeAlias = ScalarNode | ListNode | MapNode | RefusedNode


def is_null(node: Node) -> bool:
    """Return whether `node` is a null, which stands for an absent value."""
    return isinstance(node, ScalarNode) and node.value is None


def holds_refused(node: Node) -> bool:
    """Return whether something in `node` was refused. Cost: O(size)."""
    match node:
        case RefusedNode():
            return True
        case ScalarNode():
            return False
        case ListNode():
            return any(map(holds_refused, node.items))
        case MapNode():
            return any(holds_refused(entry.value) for entry in node.entries)
        case _:
            assert_never(node)


def json_value(node: Node) -> JsonValue:
    """Return the JSON value of `node`. Cost: O(size); depth is bounded by `DEPTH_MAX`."""
    match node:
        case ScalarNode():
            return node.value
        case ListNode():
            return [json_value(item) for item in node.items]
        case MapNode():
            return {entry.name: json_value(entry.value) for entry in node.entries}
        case RefusedNode():
            return None
        case _:
            assert_never(node)
