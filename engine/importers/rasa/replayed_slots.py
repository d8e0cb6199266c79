"""The slots of a conversation, replayed from its events, also where Rasa took events back.

Rules: as Rasa applies them. `rewind` takes back the last user message and the action before it,
`undo` the last action, `restart` everything; what is taken back is told as writes, because a slot
that silently had another value would be a lie. Slots start unset: initial values are the domain's.
"""

import copy
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, JsonValue

MARKS_MAX = 2_000
"""How many user messages and actions are remembered to be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """What held just before a user message or an action."""

    kind: str
    slots: JsonObject
    stack: list[JsonValue]


@dataclass(slots=True, kw_only=True)
class ReplayedSlots:
    """Values and dialogue stack up to the present event."""

    initial: JsonObject = field(default_factory=JsonObject)
    values: JsonObject = field(default_factory=JsonObject)
    stack: list[JsonValue] = field(default_factory=list[JsonValue])
    _marks: list[_Mark] = field(default_factory=list[_Mark])

    def mark(self, kind: str) -> None:
        """Remember what holds before a `user` or `action` event."""
        self._marks.append(_Mark(kind=kind, slots={**self.values}, stack=copy.deepcopy(self.stack)))
        del self._marks[:-MARKS_MAX]

    def write(self, slot: str, value: JsonValue) -> None:
        """Take a slot event."""
        self.values[slot] = value

    def taken_back(self, kind: str) -> JsonObject | None:
        """Take events back and return the slots that change, with their values then.

        `kind` is `rewind`, `undo`, `restart` or `reset_slots`. None: there is nothing that could
        be taken back.
        """
        match kind:
            case "rewind":
                found = self._popped("user")
                before = self._popped("action") if found is not None else None
                return self._restored(before or found)
            case "undo":
                return self._restored(self._popped("action"))
            case "restart":
                self._marks.clear()
                return self._restored(_Mark(kind=kind, slots={**self.initial}, stack=[]))
            case _:
                return self._restored(_Mark(kind=kind, slots={**self.initial}, stack=self.stack))

    def _popped(self, kind: str) -> _Mark | None:
        while self._marks:
            mark = self._marks.pop()
            if mark.kind == kind:
                return mark
        return None

    def _restored(self, mark: _Mark | None) -> JsonObject | None:
        if mark is None:
            return None
        names = [*self.values, *(name for name in mark.slots if name not in self.values)]
        changed: JsonObject = {
            name: mark.slots.get(name)
            for name in names
            if self.values.get(name) != mark.slots.get(name)
        }
        self.values.update(changed)
        self.stack = mark.stack
        return changed
