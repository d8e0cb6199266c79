"""Typed access to the node tree: the mapping, list or text that a format needs at a place.

Rules: a null stands for an absent mapping, list or text. Anything else of the wrong type is a fault
at its place and reads as absent, so that the rest of the file is read; the message names the key
and says what to write. A refused node has its fault already and reads as absent, too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.core.flow.document import SpannedText
from engine.core.flow.faults import ENTRY_KEYS, FaultKind, FaultLog
from engine.core.flow.source_text import SourceText, Span
from engine.core.flow.tree import (
    Entry,
    ListNode,
    MapNode,
    Node,
    RefusedNode,
    ScalarNode,
    is_null,
)

Fields: TypeAlias = Mapping[str, Entry]
_MERGE = "<<"


@dataclass(frozen=True, slots=True)
class TreeReader:
    """Reads nodes of one source; `what` in every method is the place's name in messages."""

    source: SourceText
    log: FaultLog

    def span(self, node: Node | Entry) -> Span:
        """Return where `node` stands."""
        return self.source.span(node.start, node.end)

    def fields(self, node: Node, what: str) -> Fields:
        """Return the entries of a mapping by name, the first of a name; empty for null."""
        found: dict[str, Entry] = {}
        for entry in self.entries(node, what):
            found.setdefault(entry.name, entry)
        return found

    def entries(self, node: Node, what: str) -> tuple[Entry, ...]:
        """Return the entries of a mapping in file order; empty for null."""
        match node:
            case MapNode():
                return node.entries
            case RefusedNode() | ScalarNode(value=None):
                return ()
            case _:
                self.wrong_type(node, what, "a mapping of names to values")
                return ()

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
            case None | RefusedNode() | ScalarNode(value=None):
                return ()
            case node:
                self.wrong_type(node, f"{what}.{name}", "a list")
                return ()

    def field_texts(self, fields: Fields, name: str, what: str) -> Iterator[SpannedText]:
        """Yield the items of the list of texts `fields[name]`."""
        for item in self.field_items(fields, name, what):
            found = self.text(item, f"an item of {what}.{name}")
            if found is not None:
                yield found

    def field_text(self, fields: Fields, name: str, what: str) -> SpannedText | None:
        """Return the text `fields[name]`, or null where it is absent or null."""
        entry = fields.get(name)
        if entry is None or is_null(entry.value):
            return None
        return self.text(entry.value, f"{what}.{name}")

    def needed_text(
        self, fields: Fields, name: str, what: str, *, owner: Node
    ) -> SpannedText | None:
        """Return the text `fields[name]`, which `owner` must have; null with a fault."""
        entry = fields.get(name)
        if entry is not None and not is_null(entry.value):
            return self.text(entry.value, f"{what}.{name}")
        self.missing(owner, name, what)
        return None

    def text(self, node: Node, what: str) -> SpannedText | None:
        """Return the text at `node`; null with a fault."""
        if isinstance(node, ScalarNode) and isinstance(node.value, str):
            return SpannedText(text=node.value, span=self.span(node))
        if not isinstance(node, RefusedNode):
            self.wrong_type(node, what, "a text")
        return None

    def missing(self, owner: Node, name: str, what: str) -> None:
        """Say that `owner` lacks a key; silent where `owner`, or a part of it, was refused."""
        end = owner.start
        match owner:
            case MapNode(entries=entries):
                if any(e.name == _MERGE and isinstance(e.value, RefusedNode) for e in entries):
                    return
                end = entries[0].key.end if entries else owner.end
            case ScalarNode(value=None):
                pass
            case _:
                return
        self.log.add(
            FaultKind.MISSING_KEY,
            f"{what} has no {name!r}. Add it.",
            start=owner.start,
            end=end,
            code="FLOW_MISSING_ENTRY" if name in ENTRY_KEYS else "",
        )

    def wrong_type(
        self,
        node: Node,
        what: str,
        needed: Literal[
            "a mapping of names to values",
            "a list",
            "a text",
            "a plain value",
            "a line number",
            "a mapping or a list",
        ],
    ) -> None:
        """Say that a node is not what its place needs."""
        hint = ""
        if needed == "a text" and isinstance(node, ScalarNode):
            hint = f' Write it in quotes: "{node.text}".' if node.text else " Write it in quotes."
        else:
            hint = f" Write {needed} here."
        self.log.add(
            FaultKind.WRONG_TYPE,
            f"{what} must be {needed}, and is {_kind_of(node)}.{hint}",
            start=node.start,
            end=node.end,
        )


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
