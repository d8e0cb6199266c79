"""One call being recorded: its clock, its records, and what the hooks hand from one to the next.

Rules: a cause is the event id of a record that a frame, a task, a tool call or a playback carried.
A record that cannot be written is lost, counted and said once; the bot never notices.
"""

import contextvars
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.importers.pipecat_live.seen import FrameHandler, number_of
from engine.recording import Recorder

LOG = logging.getLogger("spd.pipecat")
_Handlers: TypeAlias = Mapping[str, FrameHandler]


@dataclass(slots=True, kw_only=True)
class Reason:
    """Why something runs: the turn and the record that it follows from."""

    turn: int | None = None
    caused_by: str | None = None
    trigger: str | None = None
    tool_call_id: str | None = None


@dataclass(slots=True, kw_only=True)
class Generation:
    """One run of the model."""

    generation_id: str
    turn: int | None
    node: str | None
    event_id: str | None
    words: list[str] = field(default_factory=list[str])
    calls: list[str] = field(default_factory=list[str])
    is_open: bool = True


@dataclass(slots=True, kw_only=True)
class ToolCall:
    """One call of a tool."""

    tool_call_id: str
    tool: str
    turn: int | None
    generation_id: str | None
    event_id: str | None
    is_open: bool = True
    is_running: bool = False


class Carried:
    """What a task carries in its context; a value of another call is none."""

    __slots__ = ("_call", "_variable")

    def __init__(self, call: "LiveCall", variable: contextvars.ContextVar[object]) -> None:
        self._call = call
        self._variable = variable

    def put(self, value: object) -> None:
        """Let the running task carry a value."""
        self._variable.set((self._call, value))

    def get(self) -> object:
        """Return what the running task carries for this call, or None."""
        held = self._variable.get()
        if isinstance(held, tuple) and held and held[0] is self._call:
            return cast("object", held[1])
        return None


def _variable(name: str) -> contextvars.ContextVar[object]:
    return contextvars.ContextVar(name, default=None)


TOOL_CALL = _variable("spd_tool_call")
GENERATION = _variable("spd_generation")
HANDLED = _variable("spd_handled")
WHY = _variable("spd_why")
TAKEN = _variable("spd_taken")


class LiveCall:
    """What all hooks of one call share."""

    def __init__(self, recorder: Recorder, *, zero: float, ids: set[str]) -> None:
        """Take an open recorder.

        Args:
            recorder: the call's, open.
            zero: the monotonic clock at the call's start.
            ids: takes what is an id and no text, see `note_ids`.
        """
        self._ids = ids
        self.recorder = recorder
        self.turn = 0
        self.node: str | None = None
        self.seen: dict[int, str | None] = {}
        self.reasons: dict[int, Reason | None] = {}
        self.generations: dict[str, Generation] = {}
        self.generation_of: dict[int, str | None] = {}
        self.tool_calls: dict[str, ToolCall] = {}
        self.find_slot_changes: Callable[[], None] | None = None
        """Called before and after a tool's handler runs: what changed in the slots since then."""
        self.on_branch: Callable[[object, object, object], None] | None = None
        """Called with what a declared branch chose: the function, its result, the node."""
        self.is_over = False
        self.tool_call = Carried(self, TOOL_CALL)
        self.generation = Carried(self, GENERATION)
        self.handled = Carried(self, HANDLED)
        self.why = Carried(self, WHY)
        self.taken = Carried(self, TAKEN)
        self.lost = 0
        self._zero = zero
        self._failed = set[str]()

    def on_handlers_change(self) -> None:
        """Record what changed in the slots, where slots are watched."""
        if self.find_slot_changes is not None:
            self.find_slot_changes()

    def note_ids(self, *names: str | None) -> None:
        """Say that these are ids: no redactor changes them."""
        self._ids.update(name for name in names if name is not None)

    def clock_ms(self) -> int:
        """Return milliseconds since the call's start; they never run back."""
        return int((time.monotonic() - self._zero) * 1000)

    def write(self, record: JsonObject) -> str | None:
        """Write a record with the clock; return its event id, None where it was lost.

        Members that are None are left out, but those that a null says something of.
        """
        if self.is_over:
            return None
        row: JsonObject = {name: value for name, value in record.items() if value is not None}
        row["clock_ms"] = self.clock_ms()
        for name in ("parent_visit_id", "via_edge", "error", "verdict"):
            if name in record:
                row[name] = record[name]
        try:
            return self.recorder.append(row)
        except EngineError as error:
            self.lose("append", error)
            return None

    def lose(self, what: str, error: Exception) -> None:
        """Count something that could not be recorded, and say it the first time."""
        if self.is_over:
            return
        self.lost += 1
        name = f"{what}: {type(error).__name__}"
        if name in self._failed:
            return
        self._failed.add(name)
        LOG.warning("The recorder missed something (%s); the bot goes on.", name)
        note: JsonObject = {
            "type": "recorder_missed",
            "availability": "unavailable",
            "reason": f"the recorder's hook failed ({name})",
            "clock_ms": self.clock_ms(),
        }
        try:
            self.recorder.append(note)
        except EngineError:
            LOG.warning("Nor can this be written into the recording.")

    def lost_record(self) -> JsonObject:
        """Return the record that says how much is missing."""
        return {
            "type": "recorder_missed_count",
            "availability": "unavailable",
            "count": self.lost,
            "reason": "records that could not be written, or hooks that failed",
        }

    def guarded(self, what: str, action: Callable[[], None]) -> None:
        """Do something that must not reach the bot when it fails."""
        try:
            action()
        except Exception as error:  # noqa: BLE001  the bot goes on, whatever it is
            self.lose(what, error)

    def was_seen(self, frame: object) -> str | None:
        """Return the record of a frame or of its broadcast sibling."""
        own, sibling = number_of(frame, "id"), number_of(frame, "broadcast_sibling_id")
        return self.seen.get(own or -1) or self.seen.get(sibling or -1)

    def is_new(self, frame: object) -> bool:
        """Return whether neither a frame nor its broadcast sibling has a record."""
        own, sibling = number_of(frame, "id"), number_of(frame, "broadcast_sibling_id")
        return own not in self.seen and (sibling is None or sibling not in self.seen)

    def write_once(self, frame: object, record: JsonObject) -> str | None:
        """Write a frame's record at its first hop; None at the others."""
        if not self.is_new(frame):
            return None
        event_id = self.write(record)
        self.seen[number_of(frame, "id") or -1] = event_id
        return event_id

    def reason_now(self) -> Reason | None:
        """Return why the running task acts."""
        reason = self.why.get()
        return reason if isinstance(reason, Reason) else None

    def generation_now(self) -> Generation | None:
        """Return the model run that the running task handles."""
        name = self.generation.get()
        return self.generations.get(name) if isinstance(name, str) else None

    def tool_call_now(self) -> ToolCall | None:
        """Return the tool call whose handler runs in this task."""
        name = self.tool_call.get()
        return self.tool_calls.get(name) if isinstance(name, str) else None


def call_fields(call: ToolCall | None) -> JsonObject:
    """Return what a record says of the tool call that it follows from."""
    if call is None:
        return {}
    return {
        "tool_call_id": call.tool_call_id,
        "turn_id": turn_id(call.turn),
        "generation_id": call.generation_id,
        "caused_by": call.event_id,
    }


def turn_id(turn: int | None) -> JsonValue:
    """Return a turn's id."""
    return None if turn is None else f"t{turn}"


class Hook:
    """A handler of one of a processor's frame events: picks by the frame's class, never raises."""

    __slots__ = ("_by_type", "_call", "_handlers", "_what")

    def __init__(self, call: LiveCall, what: str, handlers: _Handlers) -> None:
        self._call = call
        self._what = what
        self._handlers = handlers
        self._by_type: dict[type[object], FrameHandler | None] = {}

    def __call__(self, _processor: object, frame: object) -> None:
        """Take a frame."""
        kind = type(frame)
        try:
            handler = self._by_type[kind]
        except KeyError:
            names = (base.__name__ for base in kind.__mro__)
            handler = next((self._handlers[name] for name in names if name in self._handlers), None)
            self._by_type[kind] = handler
        if handler is None:
            return
        try:
            handler(frame)
        except Exception as error:  # noqa: BLE001  the bot goes on, whatever it is
            self._call.lose(self._what, error)
