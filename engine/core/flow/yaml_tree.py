"""YAML text to the neutral node tree.

Rules: one document; no alias, no tag, no repeated key; at most `DEPTH_MAX` deep. The parser's
events are folded with a stack of our own, so no input can exhaust the interpreter's. Scalars are
typed by `scalars.plain_value`, and only where they are plain.

The parser takes U+0085, U+2028 and U+2029 for line breaks, as YAML 1.1 did; YAML 1.2, JSON and
editors do not. They are hidden from it behind characters that the text does not use.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from engine.core.contract.errors import FlowInvalid
from engine.core.flow.faults import FaultKind, flow_invalid
from engine.core.flow.scalars import plain_value
from engine.core.flow.source_text import SourceText
from engine.core.flow.tree import DEPTH_MAX, Entry, ListNode, MapNode, Node, ScalarNode

_NOT_BREAKS = "\x85\u2028\u2029"
_PRIVATE_USE = range(0xE000, 0xF900)
_PARSER_DEPTH = "exceeded maximum nesting depth"
"""What the parser says where it looks ahead into some thousand levels before ours are counted."""


@dataclass(slots=True, kw_only=True)
class _Open:
    """A mapping or list whose end has not been read; lives only while a tree is built."""

    is_map: bool
    is_flow: bool
    start: int
    items: list[Node] = field(default_factory=list[Node])
    entries: list[Entry] = field(default_factory=list[Entry])
    names: set[str] = field(default_factory=set[str])
    key: ScalarNode | None = None

    def closed(self, end: int) -> Node:
        """Return the node; a block's end is its last child's, not the parser's next token."""
        if self.is_map:
            block_end = self.entries[-1].end if self.entries else self.start
            return MapNode(tuple(self.entries), self.start, end if self.is_flow else block_end)
        block_end = self.items[-1].end if self.items else self.start
        return ListNode(tuple(self.items), self.start, end if self.is_flow else block_end)


def read_yaml(source: SourceText) -> Node:
    """Return the tree of the one YAML document in `source`.

    Cost: O(length). Raises: `FlowInvalid` (`SYNTAX`, `MULTIPLE_DOCUMENTS`, `ALIAS`, `TAG`,
    `DUPLICATE_KEY`, `TOO_DEEP`, `WRONG_TYPE` for a key that is no scalar).
    Source: design section 5.
    """
    hidden, shown = _hide_breaks(source.text)
    return _TreeBuilder(source=source, shown=shown).build(_events(hidden, source))


def _hide_breaks(text: str) -> tuple[str, dict[int, str]]:
    """Return `text` with stand-ins for `_NOT_BREAKS`, and the table that brings them back."""
    present = [character for character in _NOT_BREAKS if character in text]
    if not present:
        return text, {}
    lowered = text.lower()  # a stand-in must not be written as an escape, either
    free = (c for c in _PRIVATE_USE if chr(c) not in text and f"{c:04x}" not in lowered)
    stand_ins = dict(zip(present, free, strict=False))
    hidden = text.translate({ord(c): chr(stand_in) for c, stand_in in stand_ins.items()})
    return hidden, {stand_in: character for character, stand_in in stand_ins.items()}


def _events(text: str, source: SourceText) -> Iterator[yaml.Event]:
    """Yield the parser's events, its errors as `FlowInvalid`."""
    try:
        # the stub leaves the stream untyped
        yield from yaml.parse(text, Loader=yaml.CBaseLoader)  # pyright: ignore[reportUnknownMemberType]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = source.offset_of(mark.index) if mark is not None else 0
        what = error.problem or "it cannot be parsed"
        if _PARSER_DEPTH in what:
            raise _too_deep(source, offset) from error
        message = f"this is not valid YAML ({what}). Correct the text at or before this place."
        raise flow_invalid(FaultKind.SYNTAX, message, source=source, offset=offset) from error
    except yaml.reader.ReaderError as error:
        before = text.encode()[: error.position].decode(errors="ignore")
        raise flow_invalid(
            FaultKind.SYNTAX,
            "YAML does not allow this control character. Remove it, or write it as an escape in "
            "double quotes.",
            source=source,
            offset=source.offset_of(len(before)),
        ) from error


def _too_deep(source: SourceText, offset: int) -> FlowInvalid:
    message = f"this is nested deeper than {DEPTH_MAX} levels. Flatten the flow."
    return flow_invalid(FaultKind.TOO_DEEP, message, source=source, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TreeBuilder:
    """Folds parser events into nodes."""

    source: SourceText
    shown: dict[int, str]
    stack: list[_Open] = field(default_factory=list[_Open])

    def build(self, events: Iterator[yaml.Event]) -> Node:
        """Return the only document's root; an empty file is one null."""
        root: Node | None = None
        for event in events:
            node: Node | None = None
            match event:
                case yaml.ScalarEvent():
                    node = self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._open(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    node = self.stack.pop().closed(self._offset(event.end_mark))
                case yaml.AliasEvent():
                    raise self._alias(event)
                case yaml.DocumentStartEvent() if root is not None:
                    raise self._second_document(event)
                case _:
                    pass
            if node is None:
                continue
            if self.stack:
                self._add(self.stack[-1], node)
            else:
                root = node
        return root if root is not None else ScalarNode(None, "", 0, 0)

    def _offset(self, mark: yaml.Mark) -> int:
        return self.source.offset_of(mark.index)

    def _scalar(self, event: yaml.ScalarEvent) -> ScalarNode:
        self._refuse_tag(event)
        text = event.value.translate(self.shown) if self.shown else event.value
        end = event.end_mark.index
        if event.style in ("|", ">"):  # the parser's end is behind the blank lines that follow
            start = event.start_mark.index
            end = start + len(self.source.text[start:end].rstrip(" \t\r\n"))
        return ScalarNode(
            plain_value(text) if event.implicit[0] else text,
            text,
            self._offset(event.start_mark),
            self.source.offset_of(end),
        )

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        self._refuse_tag(event)
        start = self._offset(event.start_mark)
        is_map = isinstance(event, yaml.MappingStartEvent)
        if len(self.stack) == DEPTH_MAX:
            raise _too_deep(self.source, start)
        if self.stack and self.stack[-1].is_map and self.stack[-1].key is None:
            message = "a name must be a text, not a mapping or a list. Write a plain name."
            raise flow_invalid(FaultKind.WRONG_TYPE, message, source=self.source, offset=start)
        self.stack.append(_Open(is_map=is_map, is_flow=bool(event.flow_style), start=start))

    def _add(self, parent: _Open, node: Node) -> None:
        if not parent.is_map:
            parent.items.append(node)
        elif parent.key is None:
            assert isinstance(node, ScalarNode), "other keys are refused when they open"
            if node.text in parent.names:
                raise flow_invalid(
                    FaultKind.DUPLICATE_KEY,
                    f"the name {node.text!r} stands twice in this mapping. Remove or rename one.",
                    source=self.source,
                    offset=node.start,
                )
            parent.names.add(node.text)
            parent.key = node
        else:
            parent.entries.append(Entry(parent.key, node))
            parent.key = None

    def _refuse_tag(
        self, event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent
    ) -> None:
        if event.tag is None:
            return
        raise flow_invalid(
            FaultKind.TAG,
            "a flow file has no YAML tags. Remove the tag; write a text in quotes, and paste what "
            "an include would bring.",
            source=self.source,
            offset=self._offset(event.start_mark),
        )

    def _alias(self, event: yaml.AliasEvent) -> FlowInvalid:
        message = "a flow file has no YAML aliases. Write the value out here."
        offset = self._offset(event.start_mark)
        return flow_invalid(FaultKind.ALIAS, message, source=self.source, offset=offset)

    def _second_document(self, event: yaml.DocumentStartEvent) -> FlowInvalid:
        message = "a second document starts here. Keep one flow in a file."
        offset = self._offset(event.start_mark)
        return flow_invalid(
            FaultKind.MULTIPLE_DOCUMENTS, message, source=self.source, offset=offset
        )
