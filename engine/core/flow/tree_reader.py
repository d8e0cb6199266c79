"""Typed access to the node tree: the mapping, list or text that a format needs at a place.

Rules: a null stands for an absent mapping, list or text. Anything else of the wrong type is
`FlowInvalid` at its place; the message names the key and says what to write.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.core.contract.errors import FlowInvalid
from engine.core.flow.document import SpannedText
from engine.core.flow.faults import FaultKind, flow_invalid
from engine.core.flow.source_text import SourceText, Span
from engine.core.flow.tree import Entry, ListNode, MapNode, Node, ScalarNode

Fields: TypeAlias = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class TreeReader:
    """Reads nodes of one source; `what` in every method is the place's name in messages."""

    source: SourceText

    def span(self, node: Node | Entry) -> Span:
        """Return where `node` stands."""
        return self.source.span(node.start, node.end)

    def fields(self, node: Node, what: str) -> Fields:
        """Return the entries of a mapping by name; empty for null."""
        return {entry.name: entry for entry in self.entries(node, what)}

    def entries(self, node: Node, what: str) -> tuple[Entry, ...]:
        """Return the entries of a mapping in file order; empty for null."""
        match node:
            case MapNode():
                return node.entries
            case ScalarNode(value=None):
                return ()
            case _:
                raise self.wrong_type(node, what, "a mapping of names to values")

    def field_entries(self, fields: Fields, name: str, what: str) -> tuple[Entry, ...]:
        """Return the entries of the mapping `fields[name]`; empty where it is absent."""
        entry = fields.get(name)
        return () if entry is None else self.entries(entry.value, f"{what}.{name}")

    def field_items(self, fields: Fields, name: str, what: str) -> tuple[Node, ...]:
        """Return the items of the list `fields[name]`; empty where it is absent."""
        entry = fields.get(name)
        match entry.value if entry is not None else None:
            case ListNode(items=items):
                return items
            case None | ScalarNode(value=None):
                return ()
            case node:
                raise self.wrong_type(node, f"{what}.{name}", "a list")

    def field_texts(self, fields: Fields, name: str, what: str) -> Iterator[SpannedText]:
        """Yield the items of the list of texts `fields[name]`."""
        for item in self.field_items(fields, name, what):
            yield self.text(item, f"an item of {what}.{name}")

    def field_text(self, fields: Fields, name: str, what: str) -> SpannedText | None:
        """Return the text `fields[name]`, or null where it is absent or null."""
        entry = fields.get(name)
        match entry.value if entry is not None else None:
            case None | ScalarNode(value=None):
                return None
            case node:
                return self.text(node, f"{what}.{name}")

    def needed_text(self, fields: Fields, name: str, what: str, *, owner: Node) -> SpannedText:
        """Return the text `fields[name]`, which `owner` must have."""
        found = self.field_text(fields, name, what)
        if found is None:
            raise self.missing(owner, name, what)
        return found

    def text(self, node: Node, what: str) -> SpannedText:
        """Return the text at `node`."""
        if isinstance(node, ScalarNode) and isinstance(node.value, str):
            return SpannedText(text=node.value, span=self.span(node))
        raise self.wrong_type(node, what, "a text")

    def missing(self, owner: Node, name: str, what: str) -> FlowInvalid:
        """Return the error for a key that `owner` must have."""
        message = f"{what} has no {name!r}. Add it."
        return flow_invalid(FaultKind.MISSING_KEY, message, source=self.source, offset=owner.start)

    def wrong_type(
        self,
        node: Node,
        what: str,
        needed: Literal["a mapping of names to values", "a list", "a text", "a plain value"],
    ) -> FlowInvalid:
        """Return the error for a node that is not what its place needs."""
        hint = ""
        if needed == "a text" and isinstance(node, ScalarNode):
            hint = f' Write it in quotes: "{node.text}".' if node.text else " Write it in quotes."
        message = f"{what} must be {needed}, and is {_kind_of(node)}.{hint}"
        return flow_invalid(FaultKind.WRONG_TYPE, message, source=self.source, offset=node.start)


def _kind_of(node: Node) -> str:
    match node:
        case MapNode():
            return "a mapping"
        case ListNode():
            return "a list"
        case ScalarNode(value=None):
            return "empty"
        case ScalarNode(value=bool()):
            return "true or false"
        case ScalarNode(value=str()):
            return "a text"
        case _:
            return "a number"
