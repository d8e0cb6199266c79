"""The Findings and Call scopes: rows of what the core answers about the whole call.

Rules: a row is one line of what the core said; its value behind it is the core's own JSON. Lists
are asked for a page at a time. Nothing here is computed before somebody opens the scope.
"""

from collections.abc import Callable

from dap_adapter.containers import CallPart, Member, Part, ScopeOf
from dap_adapter.convert import bounded, clock_text, json_text, safe_text, value_text
from dap_adapter.opened import Opened
from dap_adapter.protocol import Variable, VariablePresentationHint
from dap_adapter.requests.findings import finding_text
from dap_adapter.session_state import SessionState
from engine.core.contract.json_types import JsonObject, JsonValue, integer, rows, text

PAGE_MAX = 500
"""Most rows that are asked of the core at once."""

_READ_ONLY = VariablePresentationHint(kind="data", attributes=["readOnly"])
_VIRTUAL = VariablePresentationHint(kind="virtual", attributes=["readOnly"])

HERE = "at this event"
"""The type of a finding that stands at the cursor."""


def finding_row(state: SessionState, scope: ScopeOf, place: int) -> Variable:
    """Return a finding of the call in one line."""
    row = state.opened.view.findings[place]
    line = finding_text(state.opened, row)
    name = safe_text(text(row, "finding_id") or f"[{place}]")
    return Variable(
        name=name,
        value=line.removeprefix(f"{name} · "),
        type=HERE if integer(row, "at") == scope.at else text(row, "severity"),
        presentation_hint=_READ_ONLY,
        variables_reference=state.containers.number_of(Member(scope, place)),
    )


def call_parts(state: SessionState, scope: ScopeOf) -> list[Variable]:
    """Return the parts of the call; what is in them is looked up when they are opened."""
    return [
        Variable(
            name=name.value,
            value=_summary(state.opened, name),
            presentation_hint=_VIRTUAL,
            variables_reference=state.containers.number_of(Part(name, scope.at, scope.visit)),
        )
        for name in CallPart
    ]


def _summary(opened: Opened, name: CallPart) -> str:
    match name:
        case CallPart.IDENTITY:
            return safe_text(opened.session_id)
        case CallPart.REVISIONS:
            return value_text(opened.view.flow["revision"])
        case CallPart.AUDIO:
            return f"{len(opened.view.audio)} files"
        case CallPart.PLAYBACK:
            return f"{len(opened.view.playback)} spans"
        case CallPart.BEATS | CallPart.CONVERSATION:
            return ""


def part_object(opened: Opened, name: CallPart) -> JsonObject | None:
    """Return a part that is an object; None for one that is a list."""
    view = opened.view
    if name is CallPart.IDENTITY:
        kept = ("session_id", "call_start_epoch", "sequence", "ended", "unavailable")
        return {key: view.session.get(key) for key in kept} | {"artifact_hash": view.artifact_hash}
    if name is CallPart.REVISIONS:
        flow: JsonObject = {
            f"flow_{key}": view.flow.get(key) for key in ("revision", "path", "source_path")
        }
        kept = ("engine_revision", "runtime_lock")
        return {
            "flow_id": view.flow.get("flow_id"),
            **flow,
            **{key: view.session.get(key) for key in kept},
        }
    return None


def part_rows(opened: Opened, part: Part, start: int, end: int) -> tuple[int, list[JsonObject]]:
    """Return how many rows a part has, and those from `start` to `end`."""
    match part.name:
        case CallPart.BEATS:
            if part.visit < 0:
                return 0, []
            visit_id = opened.visit(part.visit).visit_id
            result = opened.query(
                part.at, {"action": "inspect_evidence", "visit_id": visit_id, "limit": 1}
            )
            found = rows(result, "beats")
            return len(found), found[start:end]
        case CallPart.CONVERSATION:
            return _paged(opened, part.at, "conversation", start, end)
        case CallPart.PLAYBACK:
            return _paged(opened, part.at, "playback", start, end)
        case CallPart.AUDIO:
            audio = opened.view.audio
            return len(audio), [audio[place] for place in range(start, min(end, len(audio)))]
        case CallPart.IDENTITY | CallPart.REVISIONS:
            return 0, []


def _paged(
    opened: Opened, at: int, action: str, start: int, end: int
) -> tuple[int, list[JsonObject]]:
    limit = max(1, min(end - start, PAGE_MAX))
    result = opened.query(at, {"action": action, "offset": start, "limit": limit})
    return integer(result, "total") or 0, rows(result, "items")[: max(0, end - start)]


def part_row(state: SessionState, member: Member, name: CallPart, row: JsonObject) -> Variable:
    """Return a row of a list part in one line, its JSON behind it."""
    return Variable(
        name=_NAMES[name](row) if name in _NAMES else f"[{member.key}]",
        value=bounded(_LINES[name](row)),
        presentation_hint=_READ_ONLY,
        variables_reference=state.containers.number_of(member),
    )


def bubble_text(row: JsonObject) -> str:
    """Return what was said in one line: when, by whom, the words, and what was not heard."""
    parts = [_clock(row, "start_ms") or _clock(row, "clock_ms"), value_text(row.get("speaker"))]
    said = next(
        (row[key] for key in ("text", "heard", "planned") if row.get(key) is not None), None
    )
    parts.append(json_text(said) if said is not None else "(no text recorded)")
    if unheard := text(row, "unheard"):
        parts.append(f"not heard: {json_text(unheard)}")
    return " · ".join(part for part in parts if part)


def _span_text(row: JsonObject) -> str:
    parts = [
        f"{_clock(row, 'start_ms') or '?'} to {_clock(row, 'end_ms') or '?'}",
        value_text(row.get("end_type")),
        value_text(row.get("visit_id")),
    ]
    if (words := row.get("heard") or row.get("planned")) is not None:
        parts.append(json_text(words))
    return " · ".join(parts)


def _beat_text(row: JsonObject) -> str:
    events = f"{row['count']} events"
    if not row["count"]:
        return events
    return f"{events} · {value_text(row['first_event_id'])} to {value_text(row['last_event_id'])}"


def _audio_text(row: JsonObject) -> str:
    parts = [value_text(row.get(key)) for key in ("role", "availability", "path", "code")]
    return " · ".join(part for part in parts if part != "null")


def _clock(row: JsonObject, key: str) -> str:
    value: JsonValue = row.get(key)
    return clock_text(value, digits=1) if isinstance(value, int) else ""


_LINES: dict[CallPart, Callable[[JsonObject], str]] = {
    CallPart.BEATS: _beat_text,
    CallPart.CONVERSATION: bubble_text,
    CallPart.PLAYBACK: _span_text,
    CallPart.AUDIO: _audio_text,
}
_NAMES: dict[CallPart, Callable[[JsonObject], str]] = {
    CallPart.BEATS: lambda row: value_text(row["beat"]),
    CallPart.PLAYBACK: lambda row: value_text(row["playback_id"]),
    CallPart.AUDIO: lambda row: value_text(row.get("audio_id")),
}
