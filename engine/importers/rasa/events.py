"""A Rasa tracker as a list of events with one vocabulary, whichever version wrote it.

Rules: the list's order is kept, whatever the stamps say. The old shape (a pickled object written as
JSON, `py/object`) is read as the plain data it is; no class is looked up. What an event does not
say is absent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.importers.sources import source_error


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerEvent:
    """One event.

    Attributes:
        kind: Rasa's `event`, such as `slot`, `user`, `stack`.
        index: place in the tracker's list, from 0.
        stamp: Unix seconds, or null.
    """

    kind: str
    index: int
    stamp: float | None
    fields: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracker:
    """A conversation; `slots` are the values at its end as the tracker says them, or null."""

    sender_id: str | None
    events: Sequence[TrackerEvent]
    slots: JsonObject | None
    is_legacy: bool

    @property
    def has_stack(self) -> bool:
        """Whether the dialogue stack is recorded (CALM)."""
        return any(event.kind == "stack" for event in self.events)


_LEGACY = {
    "ActionExecuted": "action",
    "UserUttered": "user",
    "BotUttered": "bot",
    "SlotSet": "slot",
    "Form": "active_loop",
    "ActiveLoop": "active_loop",
    "AllSlotsReset": "reset_slots",
    "Restarted": "restart",
    "UserUtteranceReverted": "rewind",
    "ActionReverted": "undo",
    "ConversationPaused": "pause",
    "ConversationResumed": "resume",
    "FollowupAction": "followup",
    "StoryExported": "export",
    "ReminderScheduled": "reminder",
    "ReminderCancelled": "cancel_reminder",
    "ActionExecutionRejected": "action_execution_rejected",
    "FormValidation": "loop_interrupted",
    "LoopInterrupted": "loop_interrupted",
    "SessionStarted": "session_started",
    "AgentUttered": "agent",
}


def looks_like_tracker(value: JsonValue) -> bool:
    """Return whether a JSON value has the shape of a tracker, old or new."""
    if not isinstance(value, dict):
        return False
    events = rows(value, "events")
    if not events:
        return isinstance(value.get("events"), list) and "sender_id" in value
    return any(_kind(event) is not None for event in events[:8])


def read_tracker(value: JsonValue, path: Path) -> Tracker:
    """Return the conversation; `path` is for messages. Cost: O(size).

    Raises:
        SessionInvalid: the value is no tracker.
    """
    if not isinstance(value, dict) or not looks_like_tracker(value):
        raise source_error(
            path,
            "is JSON, but no Rasa tracker: an object with `events` is needed, as "
            "`GET /conversations/ID/tracker` or a tracker store gives it.",
            "NOT_A_TRACKER",
        )
    listed = value.get("events")
    events: list[TrackerEvent] = []
    for index, item in enumerate(listed if isinstance(listed, list) else []):
        kind = _kind(item) if isinstance(item, dict) else None
        fields = item if isinstance(item, dict) else {}
        events.append(
            TrackerEvent(
                kind=kind or "unreadable",
                index=index,
                stamp=_stamp(fields.get("timestamp")),
                fields=_renamed(fields),
            )
        )
    return Tracker(
        sender_id=text(value, "sender_id") or text(value, "name"),
        events=events,
        slots=mapping(value, "slots") if isinstance(value.get("slots"), dict) else None,
        is_legacy="py/object" in value,
    )


def _stamp(value: JsonValue) -> float | None:
    """Return Unix seconds; null where the value is none of the years up to 5138."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or abs(value) > 1e11:
        return None
    return float(value)


def _kind(event: JsonObject) -> str | None:
    kind = text(event, "event")
    if kind is not None:
        return "active_loop" if kind == "form" else kind
    name = (text(event, "py/object") or "").rpartition(".")[2]
    return _LEGACY.get(name)


def _renamed(fields: JsonObject) -> JsonObject:
    """Return the fields under their present names."""
    if "py/object" not in fields:
        return fields
    kept = {name: value for name, value in fields.items() if name != "py/object"}
    if "action_name" in kept:
        kept["name"] = kept.pop("action_name")
    if "key" in kept and "name" not in kept:
        kept["name"] = kept.pop("key")
    return kept
