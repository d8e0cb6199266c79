"""The table of formats: whose file is this, and if nobody's, what does it look like."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.importers.frame import Importer, Probe
from engine.importers.sources import probe

GUIDE = "docs/guide/importing.md"


def importers() -> Sequence[Importer]:
    """Return every format. A new one takes its place here, and nowhere else."""
    from engine.importers.langgraph import LANGGRAPH  # noqa: PLC0415  only when asked
    from engine.importers.pipecat_whisk import PIPECAT_WHISK  # noqa: PLC0415  only when asked
    from engine.importers.rasa import RASA  # noqa: PLC0415  only when asked

    return (PIPECAT_WHISK, LANGGRAPH, RASA)


def importer_named(name: str) -> Importer | None:
    """Return the format of this name."""
    return next((item for item in importers() if item.name == name), None)


def format_of(path: Path) -> Importer | None:
    """Return the format that knows this file best, or None. Raises: SessionInvalid."""
    found = probe(path)
    scored = [(item.sniff(found), item) for item in importers()]
    best = max(scored, key=lambda row: row[0])
    return best[1] if best[0] > 0 else None


def unknown_format(path: Path) -> SessionInvalid:
    """Return the error for a file that no format knows: what it looks like and what is known."""
    known = "; ".join(f"{item.name}: {item.title}" for item in importers())
    likeness = looks_like(probe(path))
    guess = (
        f"This looks like {likeness}: not supported yet, see {GUIDE}."
        if likeness
        else f"See {GUIDE} for how to write an importer."
    )
    return SessionInvalid(
        f"{path.name} is in no format that is known. {guess} Known are: {known}.",
        {"file": path.name, "kind": "UNKNOWN_FORMAT", "looks_like": likeness},
    )


_KEYS: dict[str, tuple[frozenset[str], ...]] = {
    "a Retell call": (
        frozenset({"call_id", "transcript_with_tool_calls"}),
        frozenset({"call_id", "transcript_object"}),
    ),
    "an ElevenLabs conversation": (frozenset({"conversation_id", "transcript", "agent_id"}),),
    "a Vapi call": (
        frozenset({"assistantId", "artifact"}),
        frozenset({"messages", "nodes"}),
        frozenset({"messagesOpenAIFormatted", "messages"}),
        frozenset({"type", "artifact", "startedAt"}),
    ),
    "a vCon": (frozenset({"vcon", "dialog"}),),
    "a LiveKit session report": (frozenset({"chat_history", "events", "room_id"}),),
    "a Twilio Studio flow or execution": (
        frozenset({"initial_state", "states"}),
        frozenset({"execution_sid", "context"}),
        frozenset({"transitioned_from", "transitioned_to"}),
    ),
    "an Amazon Connect log": (frozenset({"ContactId", "ContactFlowId"}),),
    "an Amazon Lex log": (frozenset({"inputTranscript", "sessionState"}),),
    "OpenTelemetry spans": (
        frozenset({"trace_id", "span_id"}),
        frozenset({"name", "parent", "attributes", "events"}),
        frozenset({"name", "context", "start_time", "attributes"}),
        frozenset({"resourceSpans"}),
    ),
    "a dograh run": (frozenset({"gathered_context", "logs"}),),
    "an OpenLineage event": (frozenset({"eventType", "run", "job"}),),
}
"""Keys of the top object (of the first line or item) by which formats without importer show."""


def looks_like(found: Probe) -> str | None:
    """Return what a file seems to be, for advice only."""
    keys = _top_keys(found.head)
    if keys:
        for name, marks in _KEYS.items():
            if any(mark <= keys for mark in marks):
                return name
        if "events" in keys and b"eventId" in found.head:
            return "a Temporal history"
        if "events" in keys and b"previousEventId" in found.head:
            return "a Step Functions history"
        if {"nodes", "initial_node"} <= keys:
            return "a Pipecat flow, not a recording (give it with --flow)"
    if found.head[:4] == b"RIFF":
        return "a WAV file, which holds no events"
    return None


def _top_keys(head: bytes) -> frozenset[str]:
    """Return the keys of the first object, also of one that is cut off, a line or a list's item."""
    depth, start, keys = 0, head.lstrip(b"\xef\xbb\xbf \t\r\n[")[:HEAD_SCAN], set[str]()
    at = 0
    while at < len(start):
        byte = start[at : at + 1]
        if byte == b'"':
            end = _string_end(start, at)
            if end is None:
                break
            after = start[end:].lstrip(b" \t\r\n")[:1]
            if depth == 1 and after == b":":
                keys.add(_text_of(start[at:end]))
            at = end
            continue
        depth += (byte in b"{[") - (byte in b"}]")
        at += 1
        if depth <= 0:
            break
    return frozenset(keys)


HEAD_SCAN = 64 << 10


def _string_end(data: bytes, at: int) -> int | None:
    at += 1
    while at < len(data):
        if data[at] == 0x5C:
            at += 2
        elif data[at] == 0x22:
            return at + 1
        else:
            at += 1
    return None


def _text_of(quoted: bytes) -> str:
    try:
        return msgspec.json.decode(quoted, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def format_rows() -> list[JsonObject]:
    """Return the known formats as `--json` lists them."""
    return [{"name": item.name, "title": item.title} for item in importers()]
