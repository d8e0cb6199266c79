"""The flow manager's state as a mapping that records its writes, nested ones too.

A write through the mapping is recorded at once, by the tool call whose handler runs in this task.
What changed without one (a list that was appended to) is found by comparing, before and after each
handler and before each write; its writer is the only handler that ran since, or it is unknown.
"""

from collections.abc import MutableMapping
from typing import Self

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonValue
from engine.importers.pipecat_live.live_call import LiveCall, ToolCall, turn_id
from engine.importers.pipecat_live.seen import named_of, plain

_UNKNOWN = "unknown"


class SlotState(dict[str, object]):
    """A dict like the one it replaces; never fails where that would not."""

    def __init__(self, call: LiveCall, held: dict[str, object]) -> None:
        """Take over what is there already: the call's baseline."""
        super().__init__(held)
        self._call = call
        self._last: dict[str, JsonValue] = {name: plain(value) for name, value in held.items()}

    def __setitem__(self, name: str, value: object) -> None:
        self._call.guarded("slots", self.find_changes)
        super().__setitem__(name, value)
        self._call.guarded("slots", lambda: self._write(name, self._call.tool_call_now()))

    def __delitem__(self, name: str) -> None:
        self._call.guarded("slots", self.find_changes)
        super().__delitem__(name)
        self._call.guarded("slots", lambda: self._write(name, self._call.tool_call_now()))

    # A dict's own would write past `__setitem__`; these go through it.
    update = MutableMapping[str, object].update  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    setdefault = MutableMapping[str, object].setdefault  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    clear = MutableMapping[str, object].clear  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def pop(self, name: str, *default: object) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Take a slot away and return its value, or the default. Raises: KeyError."""
        if name not in self and default:
            return default[0]
        value = self[name]
        del self[name]
        return value

    def popitem(self) -> tuple[str, object]:
        """Take the last slot away. Raises: KeyError."""
        for name in reversed(self):
            return name, self.pop(name)
        raise KeyError("popitem(): dictionary is empty")

    def __ior__(self, other: object) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        for name, value in named_of(other).items():
            self[name] = value
        return self

    def find_changes(self) -> None:
        """Record what changed without a write through the mapping."""
        running = [called for called in self._call.tool_calls.values() if called.is_running]
        for name in dict.fromkeys([*self._last, *self]):
            is_there = name in self
            now = plain(self.get(name)) if is_there else None
            if is_there != (name in self._last) or now != self._last.get(name):
                only = running[0] if len(running) == 1 else None
                candidates: list[JsonValue] = [called.tool_call_id for called in running]
                nested: JsonValue = True if only or not candidates else {"one_of": candidates}
                self._write(name, only, nested=nested)

    def _write(self, name: str, called: ToolCall | None, *, nested: JsonValue = None) -> None:
        call = self._call
        new = plain(self.get(name))
        if name in self:
            self._last[name] = new
        else:
            self._last.pop(name, None)
        try:
            call.recorder.write_slot(
                slot=name,
                new=new,
                kind="tool_result" if called else "program",
                writer=f"tool:{called.tool}" if called else _UNKNOWN,
                clock_ms=call.clock_ms(),
                turn_id=str(turn_id(called.turn)) if called and called.turn is not None else None,
                caused_by=called.event_id if called else None,
                tool_call_id=called.tool_call_id if called else None,
                nested=nested,
            )
        except EngineError as error:
            call.lose("slot_write", error)
