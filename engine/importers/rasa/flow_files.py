"""Rasa's flow files: steps with their lines, their ways on, and the conditions of these.

Rules: a step's number counts all steps of its flow in the file's order, nested ones too; a step
without `id` has the id that Rasa makes of number and kind. A logged step id is found by the id, by
the id that Rasa would make, or by a number and a kind that begins alike; never by likeness alone.
Every step list goes on with its next step; behind the last one the flow ends.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.core.contract.json_types import JsonObject
from engine.core.flow import SourceText
from engine.core.flow.faults import FaultLog
from engine.core.flow.tree import Entry, ListNode, MapNode, Node, ScalarNode
from engine.core.flow.yaml_tree import read_yaml
from engine.importers.sources import source_bytes, source_error

START, END = "START", "END"
SIZE_MAX = 16 << 20
_KINDS = ("collect", "action", "link", "call", "set_slots", "noop", "generation_prompt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Where a step goes on: always, on a condition, or else (`is_else`)."""

    to: str
    condition: str | None = None
    is_else: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """One step.

    Attributes:
        made_id: the id that Rasa makes where none is written.
        collects: the slot that the step asks for only if it is unset; else null.
        line, end_line: from 1, both inclusive, without the ways on.
    """

    flow_id: str
    step_id: str
    made_id: str
    number: int
    ways: Sequence[Way]
    collects: str | None
    line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RasaFlow:
    """One flow of a file."""

    flow_id: str
    path: str
    line: int
    end_line: int
    steps: Sequence[FlowStep]

    def step(self, logged_id: str) -> FlowStep | None:
        """Return the step that the log means by an id; null where none is surely meant."""
        for step in self.steps:
            if step.step_id == logged_id:
                return step
        for step in self.steps:
            if step.made_id == logged_id:
                return step
        number, _, kind = logged_id.partition("_")
        for step in self.steps:
            made = step.made_id.partition("_")[2]
            if kind and str(step.number) == number and made.startswith(f"{kind}_"):
                return step
        return None


def looks_like_flows(root: Node | None) -> bool:
    """Return whether a YAML tree has a section of flows."""
    return isinstance(root, MapNode) and "flows" in root.by_name()


def read_flow_file(path: Path, *, shown_path: str) -> tuple[RasaFlow, ...]:
    """Return the flows of a file in its order; none where it has none (a domain).

    Raises:
        SessionInvalid: too large, not UTF-8, or no YAML.
    """
    root, source = read_yaml_file(path)
    flows = root.by_name().get("flows")
    if flows is None or not isinstance(flows.value, MapNode):
        return ()
    return tuple(_flow(entry, source, shown_path) for entry in flows.value.by_name().values())


def read_yaml_file(path: Path) -> tuple[MapNode, SourceText]:
    """Return the mapping that a YAML file of an assistant is, and its text.

    Raises:
        SessionInvalid: too large, not UTF-8, or no YAML mapping.
    """
    data = source_bytes(path, limit=SIZE_MAX)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise source_error(path, "is not UTF-8.", "NOT_UTF8", byte_offset=error.start) from error
    source, log = SourceText.of(text, path=path.name), FaultLog()
    root = read_yaml(source, log)
    if isinstance(root, MapNode):
        return root, source
    fault = log.in_order()[0] if log.faults else None
    line = source.position(fault.start)[0] if fault is not None else 1
    what = f"is no YAML file of flows (line {line}). Name the assistant's flows or domain."
    raise source_error(path, what, "NOT_A_FLOW_FILE")


def _flow(entry: Entry, source: SourceText, shown_path: str) -> RasaFlow:
    steps: list[FlowStep] = []
    fields = entry.value.by_name() if isinstance(entry.value, MapNode) else {}
    listed = fields.get("steps")
    if listed is not None:
        _Reader(flow_id=entry.name, source=source, steps=steps).read(listed.value)
    line, end_line = _lines(entry.start, entry.end, source)
    return RasaFlow(flow_id=entry.name, path=shown_path, line=line, end_line=end_line, steps=steps)


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A step while its ways are still to be found."""

    step_id: str
    made_id: str
    number: int
    collects: str | None
    line: int
    end_line: int


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads the steps of one flow in the file's order."""

    flow_id: str
    source: SourceText
    steps: list[FlowStep]
    _count: int = 0
    _drafts: dict[int, _Draft] = field(default_factory=dict[int, _Draft])

    def read(self, listed: Node) -> None:
        """Append the flow's steps by number."""
        found: dict[int, Sequence[Way]] = {}
        self._list(listed, found)
        for number, draft in sorted(self._drafts.items()):
            self.steps.append(
                FlowStep(
                    flow_id=self.flow_id,
                    step_id=draft.step_id,
                    made_id=draft.made_id,
                    number=number,
                    ways=found.get(number, ()),
                    collects=draft.collects,
                    line=draft.line,
                    end_line=draft.end_line,
                )
            )

    def _list(self, listed: Node, found: dict[int, Sequence[Way]]) -> str | None:
        """Read a list of steps and return the id of its first."""
        nodes = [item for item in _items(listed) if isinstance(item, MapNode)]
        drafts: list[tuple[_Draft, list[Way] | None]] = []
        for node in nodes:
            draft = self._draft(node)
            after = node.by_name().get("next")
            drafts.append((draft, list(self._ways(after.value, found)) if after else None))
        for index, (draft, ways) in enumerate(drafts):
            following = drafts[index + 1][0].step_id if index + 1 < len(drafts) else END
            found[draft.number] = ways if ways is not None else [Way(to=following)]
        return drafts[0][0].step_id if drafts else None

    def _draft(self, node: MapNode) -> _Draft:
        number, fields = self._count, node.by_name()
        self._count += 1
        made = f"{number}_{_made(fields)}"
        written = _text(fields, "id")
        first = node.entries[0].start if node.entries else node.start
        own_end = max((e.end for e in node.entries if e.name != "next"), default=first)
        line, end_line = _lines(first, own_end, self.source)
        draft = _Draft(
            step_id=written or made, made_id=made, number=number, line=line, end_line=end_line,
            collects=_collects(fields),
        )  # fmt: skip
        self._drafts[number] = draft
        return draft

    def _ways(self, after: Node, found: dict[int, Sequence[Way]]) -> Iterator[Way]:
        if isinstance(after, ScalarNode):
            yield Way(to=after.text)
            return
        for item in _items(after):
            fields = item.by_name() if isinstance(item, MapNode) else {}
            condition = _text(fields, "if")
            target = fields.get("then") or fields.get("else")
            if target is None:
                continue
            value = target.value
            to = value.text if isinstance(value, ScalarNode) else self._list(value, found)
            if to is not None:
                yield Way(to=to, condition=condition, is_else="else" in fields)


def _collects(fields: Mapping[str, Entry]) -> str | None:
    asks_anyway = _text(fields, "ask_before_filling") == "true"
    return None if asks_anyway else _text(fields, "collect")


def _made(fields: Mapping[str, Entry]) -> str:
    """Return the second part of the id that Rasa makes for a step."""
    for kind in _KINDS:
        if kind in fields:
            value = _text(fields, kind) or ""
            if kind == "action":
                return value
            return f"{kind}_{value}" if kind in ("collect", "link", "call") else kind
    return "step"


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, ListNode) else ()


def _text(fields: Mapping[str, Entry], name: str) -> str | None:
    entry = fields.get(name)
    if entry is None or not isinstance(entry.value, ScalarNode) or entry.value.value is None:
        return None
    return entry.value.text


def _lines(start: int, end: int, source: SourceText) -> tuple[int, int]:
    """Return the first and the last line of a range, both inclusive, from 1."""
    line, end_line = source.position(start)[0], source.position(max(start, end - 1))[0]
    return line, end_line


def place_of(path: str, line: int, end_line: int) -> JsonObject:
    """Return the `source` of a state."""
    return {"path": path, "line": line, "end_line": end_line}
