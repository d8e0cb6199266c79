"""A conversation's events as records of a session, in the tracker's order.

Rules: the list's order holds, whatever the stamps say. Who set a slot is not in a tracker: a
writer stands only where the event before it leaves one reading, and says so (`provenance`
`neighbour`). An action is logged when it has run: call and result are one event, and what it
answered is not there.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor

from engine.core.artifact import safe_form
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.importers.rasa.conversation_flow import ConversationFlow
from engine.importers.rasa.dialogue_visits import DialogueVisits
from engine.importers.rasa.events import Tracker, TrackerEvent
from engine.importers.rasa.replayed_slots import ReplayedSlots
from engine.importers.rasa.stack_patches import PatchRefused, patched

OWN_ACTIONS = frozenset(
    {
        "action_listen", "action_session_start", "action_restart", "action_back",
        "action_default_fallback", "action_deactivate_loop", "action_deactivate_form",
        "action_revert_fallback_events", "action_default_ask_affirmation",
        "action_default_ask_rephrase", "action_two_stage_fallback", "action_extract_slots",
        "action_unlikely_intent", "action_validate_slot_mappings", "action_run_slot_rejections",
        "action_clean_stack", "action_cancel_flow", "action_correct_flow_slot",
        "action_clarify_flows", "action_trigger_search", "action_trigger_chitchat",
        "action_reset_routing", "action_hangup", "action_repeat_bot_messages",
        "action_continue_interrupted_flow", "action_block_digressions",
    }
)  # fmt: skip
"""Rasa's own actions: they call no tool."""
_KEPT = (
    "flow_id", "step_id", "name", "policy", "action_name", "command", "flow", "date_time",
    "intent", "extractor", "input_channel",
)  # fmt: skip
"""Fields that hold names and are shown."""
_TAKES_BACK = frozenset({"rewind", "undo", "restart", "reset_slots"})
_RAN = "logged when the action had run; its arguments and its answer are not in a tracker"


@dataclass(slots=True, kw_only=True)
class ConversationTeller:
    """Tells a tracker; `records` grows in its order.

    Attributes:
        file: the source's name, for each record's pointer.
        refused: patches that did not fit, as (event index, why).
    """

    file: str
    flow: ConversationFlow
    start: float
    has_stack: bool
    slots: ReplayedSlots
    records: list[JsonObject] = field(default_factory=list[JsonObject])
    refused: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _visits: DialogueVisits = field(init=False)
    _turns: int = 0
    _at: TrackerEvent | None = None
    _part: int = 0
    _before: TrackerEvent | None = None
    _last_action: str | None = None
    _loop: str | None = None

    def __post_init__(self) -> None:
        """Start without an open frame."""
        self._visits = DialogueVisits(flow=self.flow)

    def tell(self, tracker: Tracker) -> None:
        """Append the records of all events."""
        tellers = self._tellers()
        for event in tracker.events:
            self._at, self._part = event, 0
            tellers.get(event.kind, self._other)(event)
            if event.kind not in ("slot", "bot", "active_loop"):
                self._before = event

    def _tellers(self) -> Mapping[str, Callable[[TrackerEvent], None]]:
        return {
            "user": self._user,
            "bot": self._bot,
            "action": self._action,
            "slot": self._slot,
            "stack": self._stack,
            "active_loop": self._active_loop,
            **dict.fromkeys(_TAKES_BACK, self._taken_back),
        }

    def _append(self, record: JsonObject) -> str:
        event = self._at
        assert event is not None, "records are told of an event"
        event_id = f"event-{event.index}" + (f":{self._part}" if self._part else "")
        self._part += 1
        row: JsonObject = {"event_id": event_id, **record}
        if event.stamp is not None:
            row["clock_ms"] = floor((event.stamp - self.start) * 1000)
        pointer: JsonObject = {"file": self.file, "id": f"events/{event.index}"}
        row["source_record"] = pointer
        self.records.append(row)
        return event_id

    def _other(self, event: TrackerEvent) -> None:
        kept: JsonObject = {
            name: value for name in _KEPT if isinstance(value := event.fields.get(name), str)
        }
        self._append({"type": f"rasa.{event.kind[:60]}", **kept})

    def _user(self, event: TrackerEvent) -> None:
        self.slots.mark("user")
        self._turns += 1
        turn: JsonObject = {"turn_id": f"t{self._turns}"}
        said = text(event.fields, "text")
        segment = None
        channel = text(event.fields, "input_channel")
        if said is not None:
            segment = self._append(
                {
                    "type": "transcript_segment", "speaker": "caller", "text": said,
                    "source": channel or "rasa", "start_ms": None, "end_ms": None, "final": True,
                    **turn,
                }
            )  # fmt: skip
        self._append(
            {
                "type": "input_selected", "selected_source": channel,
                "segment_event_ids": [segment] if segment else [], **turn,
            }
        )  # fmt: skip
        for record in _understood(mapping(event.fields, "parse_data")):
            self._append({**record, **turn})

    def _bot(self, event: TrackerEvent) -> None:
        said = text(event.fields, "text")
        about = text(mapping(event.fields, "metadata"), "utter_action")
        if said is None:
            self._append({"type": "rasa.bot", "utter_action": about})
            return
        self._append(
            {
                "type": "transcript_segment", "speaker": "agent", "text": said, "source": "rasa",
                "start_ms": None, "end_ms": None, "final": True, "utter_action": about,
            }
        )  # fmt: skip

    def _action(self, event: TrackerEvent) -> None:
        self.slots.mark("action")
        name = text(event.fields, "name") or "unnamed"
        about: JsonObject = {
            "policy": text(event.fields, "policy"),
            "confidence": _number(event.fields.get("confidence")),
        }
        if not self.has_stack:
            entry = self._visits.enter_action(name, parent=self._loop, about=about)
            self._append({**entry, "provenance": "executed_action"})
            self._last_action = text(entry, "visit_id")
        else:
            self._append({"type": "rasa.action", "name": name, **about})
        if name.startswith("action_") and name not in OWN_ACTIONS:
            call_id = f"action-{event.index}"
            self._append(
                {
                    "type": "tool_called", "tool": name, "tool_call_id": call_id,
                    "args_safe": None, "reason": _RAN,
                }
            )  # fmt: skip
            self._append(
                {
                    "type": "tool_result", "tool_call_id": call_id, "ok": None,
                    "result_safe": None, "error": None, "reason": _RAN,
                }
            )  # fmt: skip

    def _slot(self, event: TrackerEvent) -> None:
        slot, value = text(event.fields, "name"), event.fields.get("value")
        if slot is None:
            self._append({"type": "rasa.slot", "reason": "the event names no slot"})
            return
        self.slots.write(slot, value)
        writer, basis = self._writer(slot, value)
        record: JsonObject = {
            "type": "slot_write",
            "slot": slot,
            "kind": "slot_event",
            "new": value,
        }
        if writer is None:
            self._append({**record, "writer": None, "reason": "a tracker does not say who"})
        else:
            self._append({**record, "writer": writer, "provenance": "neighbour", "basis": basis})

    def _writer(self, slot: str, value: JsonValue) -> tuple[str | None, str | None]:
        """Return who wrote a slot where the event before leaves one reading, and why."""
        before = self._before
        if before is None or before.kind not in ("action", "user"):
            return None, None
        if before.kind == "action":
            name = text(before.fields, "name")
            if name is None or name in ("action_listen", "action_session_start"):
                return None, None
            return f"action:{name}", "the slot event follows the action's"
        parsed = mapping(before.fields, "parse_data")
        for command in rows(parsed, "commands"):
            kind = text(command, "command") or ""
            if text(command, "name") == slot and command.get("value") == value and "slot" in kind:
                return f"command:{kind}", "the message before has a command with slot and value"
        for entity in rows(parsed, "entities"):
            if text(entity, "entity") == slot and entity.get("value") == value:
                return f"entity:{slot}", "the message before has an entity with name and value"
        return None, None

    def _stack(self, event: TrackerEvent) -> None:
        update = event.fields.get("update")
        try:
            self.slots.stack = patched(self.slots.stack, update)
        except PatchRefused as error:
            self.refused.append((event.index, str(error)))
            self._append({"type": "rasa.stack", "refused": str(error)})
            return
        for record in self._visits.moved(self.slots.stack, self.slots.values):
            self._append(record)
        if not self._part:
            self._append({"type": "rasa.stack", "depth": len(self.slots.stack)})

    def _active_loop(self, event: TrackerEvent) -> None:
        name = text(event.fields, "name")
        if not self.has_stack:
            self._loop = self._last_action if name is not None else None
        self._append({"type": "rasa.active_loop", "name": name})

    def _taken_back(self, event: TrackerEvent) -> None:
        """Append what an event takes back, as writes of its own kind."""
        changed = self.slots.taken_back(event.kind)
        self._append({"type": f"rasa.{event.kind}", "found": changed is not None})
        for slot, value in (changed or {}).items():
            self._append(
                {
                    "type": "slot_write", "slot": slot, "kind": event.kind, "new": value,
                    "writer": f"event:{event.kind}", "provenance": "replayed",
                }
            )  # fmt: skip
        if self.has_stack:
            for record in self._visits.moved(self.slots.stack, self.slots.values):
                self._append({**record, "provenance": "replayed"})


def _understood(parsed: JsonObject) -> Iterator[JsonObject]:
    """Yield what the assistant made of a message: intent, entities, commands."""
    intent = mapping(parsed, "intent")
    if text(intent, "name") is not None:
        yield {
            "type": "rasa.intent",
            "name": text(intent, "name"),
            "confidence": _number(intent.get("confidence")),
            "entities": [
                {"entity": text(item, "entity"), "value": safe_form(item.get("value"))}
                for item in rows(parsed, "entities")
            ],
        }
    for command in rows(parsed, "commands"):
        record: JsonObject = {"type": "rasa.command"}
        for name in ("command", "flow", "name", "extractor"):
            if text(command, name) is not None:
                record[name] = text(command, name)
        if "value" in command:
            record["value"] = safe_form(command["value"])
        yield record


def _number(value: JsonValue) -> JsonValue:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
