"""Which node a prompt belongs to, and what its placeholders were filled with.

A node's prompt is a template with `{{ slot }}`; Pipecat fills it when the node is entered. Matching
is by the texts between the placeholders, from the left and from the right: where both give the same
places there is one reading, else the values stay unknown. Cost: linear in the text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.flow import FlowDocument

_PLACEHOLDER = re.compile(r"(?<!\\)\{\{\s*+([\w-]++)((?:\.[\w-]++)*+)\s*+\}\}")
MESSAGES_MAX = 8
"""Most messages at the end of a list that are tried as one node's prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A node's prompt: `literals` stand around the placeholders, one more than there are."""

    state_id: str
    literals: tuple[str, ...]
    slots: tuple[str | None, ...]
    """The slot of each placeholder; null where only a part of a slot is shown."""

    def matches(self, said: str) -> "Match | None":
        """Return how a text fits, or None."""
        left, right = self._from_left(said), self._from_right(said)
        if left is None or right is None:
            return None
        if left != right:
            return Match(state_id=self.state_id, values={})
        found: dict[str, str] = {}
        for slot, (start, end) in zip(self.slots, left, strict=True):
            value = said[start:end]
            if slot is not None and found.setdefault(slot, value) != value:
                return None
        return Match(state_id=self.state_id, values=found)

    def _from_left(self, said: str) -> list[tuple[int, int]] | None:
        first, *inner = self.literals
        if not inner:
            return [] if said == first else None
        if not said.startswith(first):
            return None
        places: list[tuple[int, int]] = []
        at = len(first)
        for number, literal in enumerate(inner, start=1):
            is_last = number == len(inner)
            end = len(said) - len(literal) if is_last else said.find(literal, at + 1)
            if end <= at or not said.startswith(literal, end):
                return None
            places.append((at, end))
            at = end + len(literal)
        return places

    def _from_right(self, said: str) -> list[tuple[int, int]] | None:
        *outer, last = self.literals
        if not outer:
            return [] if said == last else None
        if not said.endswith(last):
            return None
        places: list[tuple[int, int]] = []
        end = len(said) - len(last)
        for number, literal in enumerate(reversed(outer), start=1):
            is_first = number == len(outer)
            start = 0 if is_first else said.rfind(literal, 0, max(end - 1, 0))
            at = start + len(literal)
            if start < 0 or at >= end or not said.startswith(literal, start):
                return None
            places.append((at, end))
            end = start
        return places[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A node whose prompt a text can be; `values` by slot, as rendered."""

    state_id: str
    values: Mapping[str, str]


def templates(flow: FlowDocument) -> list[Template]:
    """Return the prompts of the flow's nodes; a node without one cannot be seen."""
    found: list[Template] = []
    for state in flow.states:
        if state.prompt is None or not state.prompt.text.strip():
            continue
        pieces = _PLACEHOLDER.split(state.prompt.text)
        slots = [
            name if not path else None
            for name, path in zip(pieces[1::3], pieces[2::3], strict=True)
        ]
        found.append(
            Template(state_id=state.state_id, literals=tuple(pieces[::3]), slots=tuple(slots))
        )
    return found


def nodes_of(messages: Sequence[str], prompts: Sequence[Template]) -> list[Match]:
    """Return the nodes whose prompt stands at the end of a list of messages, longest first."""
    for count in range(min(len(messages), MESSAGES_MAX), 0, -1):
        said = "\n".join(messages[-count:])
        found = [match for item in prompts if (match := item.matches(said)) is not None]
        if found:
            return found
    return []


def slots_of(flow: FlowDocument) -> frozenset[str]:
    """Return the slots that the flow names: declared, or in a prompt."""
    named = {slot for item in templates(flow) for slot in item.slots if slot is not None}
    referenced = {ref.slot for state in flow.states for ref in state.references if ref.slot}
    return frozenset(named | referenced | {slot.name for slot in flow.slots})
