"""YAML text to the neutral node tree.

Rules: one document; no alias, no tag, no repeated key; at most `DEPTH_MAX` deep. Each of these is a
fault in the log, and reading goes on behind it where it can. The parser's events are folded with a
stack of our own, so no input can exhaust the interpreter's. Scalars are typed by
`scalars.plain_value`, and only where they are plain.

The parser takes U+0085, U+2028 and U+2029 for line breaks, as YAML 1.1 did; YAML 1.2, JSON and
editors do not. They are hidden from it behind characters that the text does not use.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from engine.core.flow.faults import STATE_SECTIONS, FaultKind, FaultLog
from engine.core.flow.scalars import plain_value
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

_NOT_BREAKS = "\x85\u2028\u2029"
_PRIVATE_USE = range(0xE000, 0xF900)
_PARSER_DEPTH = "exceeded maximum nesting depth"
"""What the parser says where it looks ahead into some thousand levels before ours are counted."""


_ALIAS_LENGTH_MAX = 200
"""Longest text that an alias is read as; a longer one, or a collection, is not read again."""
_CORE_TAG = "tag:yaml.org,2002:"


class _UnreadableError(Exception):
    """The rest of the text cannot be read; its fault is in the log. Never leaves this module."""


@dataclass(slots=True, kw_only=True)
class _Open:
    """A mapping or list whose end has not been read; lives only while a tree is built.

    `key` is the name whose value comes next; a `RefusedNode` where that name is none.
    """

    is_map: bool
    is_flow: bool
    start: int
    items: list[Node] = field(default_factory=list[Node])
    entries: list[Entry] = field(default_factory=list[Entry])
    names: dict[str, int] = field(default_factory=dict[str, int])
    key: ScalarNode | RefusedNode | None = None

    def closed(self, end: int) -> Node:
        """Return the node; a block's end is its last child's, not the parser's next token."""
        if self.is_map:
            block_end = self.entries[-1].end if self.entries else self.start
            return MapNode(tuple(self.entries), self.start, end if self.is_flow else block_end)
        block_end = self.items[-1].end if self.items else self.start
        return ListNode(tuple(self.items), self.start, end if self.is_flow else block_end)


def read_yaml(source: SourceText, log: FaultLog) -> Node | None:
    """Return the tree of the first YAML document in `source`; null where there is none to read.

    Faults go to `log`: `SYNTAX` and `TOO_DEEP` (then there is no tree), `MULTIPLE_DOCUMENTS`,
    `ALIAS`, `TAG`, `DUPLICATE_KEY`, `WRONG_TYPE` for a key that is no scalar. Cost: O(length).
    Source: design section 5.
    """
    hidden, shown = _hide_breaks(source.text)
    builder = _TreeBuilder(source=source, log=log, shown=shown)
    try:
        return builder.build(_events(hidden, source, log))
    except _UnreadableError:
        return None


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


def _events(text: str, source: SourceText, log: FaultLog) -> Iterator[yaml.Event]:
    """Yield the parser's events; its error is a fault, behind which nothing can be read."""
    try:
        # the stub leaves the stream untyped
        yield from yaml.parse(text, Loader=yaml.CBaseLoader)  # pyright: ignore[reportUnknownMemberType]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = source.offset_of(mark.index) if mark is not None else 0
        what = error.problem or "it cannot be parsed"
        if _PARSER_DEPTH in what:
            _add_too_deep(log, offset)
        else:
            message = f"this is not valid YAML ({what}). Correct the text at or before this place."
            log.add(FaultKind.SYNTAX, message, start=offset)
        raise _UnreadableError from error
    except yaml.reader.ReaderError as error:
        before = text.encode()[: error.position].decode(errors="ignore")
        log.add(
            FaultKind.SYNTAX,
            "YAML does not allow this control character. Remove it, or write it as an escape in "
            "double quotes.",
            start=source.offset_of(len(before)),
        )
        raise _UnreadableError from error


def _add_too_deep(log: FaultLog, start: int) -> None:
    message = f"this is nested deeper than {DEPTH_MAX} levels. Flatten the flow."
    log.add(FaultKind.TOO_DEEP, message, start=start)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TreeBuilder:
    """Folds parser events into nodes.

    `anchors` holds what an alias of each name is read as.
    """

    source: SourceText
    log: FaultLog
    shown: dict[int, str]
    stack: list[_Open] = field(default_factory=list[_Open])
    anchors: dict[str, ScalarNode] = field(default_factory=dict[str, ScalarNode])

    def build(self, events: Iterator[yaml.Event]) -> Node:
        """Return the first document's root; an empty file is one null."""
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
                    node = self._alias(event)
                case yaml.DocumentStartEvent() if root is not None:
                    self._refuse_second_document(event)
                    break
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

    def _scalar(self, event: yaml.ScalarEvent) -> ScalarNode | RefusedNode:
        text = event.value.translate(self.shown) if self.shown else event.value
        start = self._offset(event.start_mark)
        end = event.end_mark.index
        if event.style in ("|", ">"):  # the parser's end is behind the blank lines that follow
            first = event.start_mark.index
            end = first + len(self.source.text[first:end].rstrip(" \t\r\n"))
        end = self.source.offset_of(end)
        value = plain_value(text) if event.implicit[0] else text
        if event.tag is not None:
            self._refuse_tag(start)
            if not event.tag.startswith(_CORE_TAG):
                self.anchors.pop(event.anchor or "", None)
                return RefusedNode(start, end)
            value = text if event.tag == f"{_CORE_TAG}str" else plain_value(text)
        node = ScalarNode(value, text, start, end)
        if event.anchor is not None:
            self._remember(event.anchor, node)
        return node

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        start = self._offset(event.start_mark)
        if event.tag is not None:
            self._refuse_tag(start)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        if len(self.stack) == DEPTH_MAX:
            _add_too_deep(self.log, start)
            raise _UnreadableError
        is_map = isinstance(event, yaml.MappingStartEvent)
        self.stack.append(_Open(is_map=is_map, is_flow=bool(event.flow_style), start=start))

    def _add(self, parent: _Open, node: Node) -> None:
        if not parent.is_map:
            parent.items.append(node)
        elif parent.key is None:
            parent.key = self._key(parent, node)
        else:
            if isinstance(parent.key, ScalarNode):
                parent.entries.append(Entry(parent.key, node))
            parent.key = None

    def _key(self, parent: _Open, node: Node) -> ScalarNode | RefusedNode:
        """Return `node` as a name of `parent`; a repeated name is kept, with its fault."""
        match node:
            case ScalarNode():
                pass
            case RefusedNode():
                return node
            case _:
                message = "a name must be a text, not a mapping or a list. Write a plain name."
                self.log.add(FaultKind.WRONG_TYPE, message, start=node.start, end=node.end)
                return RefusedNode(node.start, node.end)
        first = parent.names.setdefault(node.text, node.start)
        if first != node.start:
            self.log.add_repeat(
                node.text,
                is_state=self._is_among_states(),
                start=node.start,
                end=node.end,
                first_line=self.source.position(first)[0],
            )
        return node

    def _is_among_states(self) -> bool:
        if len(self.stack) != 2:
            return False
        section = self.stack[0].key
        return isinstance(section, ScalarNode) and section.text in STATE_SECTIONS

    def _remember(self, anchor: str, node: ScalarNode) -> None:
        if len(node.text) <= _ALIAS_LENGTH_MAX:
            self.anchors[anchor] = node
        else:
            self.anchors.pop(anchor, None)

    def _refuse_tag(self, start: int) -> None:
        self.log.add(
            FaultKind.TAG,
            "a flow file has no YAML tags. Remove the tag; write a text in quotes, and paste what "
            "an include would bring.",
            start=start,
        )

    def _alias(self, event: yaml.AliasEvent) -> ScalarNode | RefusedNode:
        """Return what the alias stands for where that is a short scalar, so that checks go on."""
        start, end = self._offset(event.start_mark), self._offset(event.end_mark)
        message = "a flow file has no YAML aliases. Write the value out here."
        self.log.add(FaultKind.ALIAS, message, start=start, end=end)
        meant = self.anchors.get(event.anchor)
        if meant is None:
            return RefusedNode(start, end)
        return ScalarNode(meant.value, meant.text, start, end)

    def _refuse_second_document(self, event: yaml.DocumentStartEvent) -> None:
        message = "a second document starts here. Keep one flow in a file."
        self.log.add(
            FaultKind.MULTIPLE_DOCUMENTS,
            message,
            start=self._offset(event.start_mark),
            end=self._offset(event.end_mark),
        )
