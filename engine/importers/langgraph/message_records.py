"""The messages in a stored write as transcript and tool records.

Rules: a message is told once, by its id. A model's request for a tool is a `tool_called`, the
tool's message its `tool_result`; `ok` is what the message's status says, else null. Arguments and
results are as stored; the writer makes them safe. No record has a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, rows, text
from engine.importers.langgraph.stored_run import StoredWrite
from engine.importers.langgraph.stored_values import objects_of

_SPEAKERS = {
    "human": "caller",
    "HumanMessageChunk": "caller",
    "ai": "agent",
    "AIMessageChunk": "agent",
}
_OK = {"success": True, "error": False}


@dataclass(slots=True)
class MessageRecords:
    """Tells messages; remembers which it has told."""

    _told: set[str] = field(default_factory=set[str])

    def of(self, write: StoredWrite) -> Iterator[JsonObject]:
        """Yield the records of the messages in a write, in their order."""
        for message in objects_of(write.value):
            role, told = text(message, "role"), text(message, "id")
            if role is None or "text" not in message or (told is not None and told in self._told):
                continue
            if told is not None:
                self._told.add(told)
            yield from _records(message, role, write.channel)


def _records(message: JsonObject, role: str, channel: str) -> Iterator[JsonObject]:
    said = text(message, "text") or ""
    if role in ("tool", "ToolMessageChunk"):
        yield {
            "type": "tool_result",
            "tool_call_id": text(message, "tool_call_id") or "",
            "tool": text(message, "name"),
            "ok": _OK.get(text(message, "status") or ""),
            "result_safe": said,
            "error": None,
            "message_id": text(message, "id"),
        }
        return
    if said and role in _SPEAKERS:
        yield {
            "type": "transcript_segment",
            "speaker": _SPEAKERS[role],
            "text": said,
            "source": f"langgraph:{channel}",
            "start_ms": None,
            "end_ms": None,
            "final": True,
            "message_id": text(message, "id"),
        }
    for call in rows(message, "tool_calls"):
        yield {
            "type": "tool_called",
            "tool": text(call, "name") or "",
            "tool_call_id": text(call, "id") or "",
            "args_safe": call.get("args"),
            "message_id": text(message, "id"),
        }
