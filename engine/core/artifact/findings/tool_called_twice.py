"""`TOOL_CALLED_TWICE`: the same tool was called with the same arguments, close to each other.

The earlier call belongs to the same visit, or its clock is at most `tool_repeat_window_ms` before.
Arguments that hold a safe form are compared by the fingerprints that their recorder gave; without
one, and where they are not recorded, they are not known to be the same. A second record with the
same `tool_call_id` is the same call.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import elapsed_ms, of_type, setting, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.words import is_hidden
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each repeated call, with the latest earlier one that is close."""
    window_ms = setting(view, "tool_repeat_window_ms")
    latest: dict[tuple[str, bytes], int] = {}
    latest_in_visit: dict[tuple[str, bytes, str], int] = {}
    for index in of_type(view, "tool_called"):
        event = view.payload(index)
        call, visit_id = _call(mapping(event, "record")), text(event, "owner")
        if call is None:
            continue
        earlier = latest.get(call)
        gap_ms = (
            None if earlier is None else elapsed_ms(view.clock_ms(earlier), view.clock_ms(index))
        )
        if gap_ms is None or not 0 <= gap_ms <= window_ms:
            earlier = latest_in_visit.get((*call, visit_id)) if visit_id is not None else None
        if earlier is not None and _call_id(view, earlier) == _call_id(view, index):
            continue
        latest[call] = index
        if visit_id is not None:
            latest_in_visit[(*call, visit_id)] = index
        if earlier is not None:
            yield _finding(view, call[0], earlier, index)


def _finding(view: "ArtifactView", tool: str, first: int, second: int) -> Finding:
    return Finding(
        at=second,
        visits=visits_of(view, first, second),
        events=(second, first),
        text=f"Tool {tool} was called at {view.event_id(first)} and again with the same arguments "
        f"at {view.event_id(second)}.",
        detail={
            "tool": tool,
            "first_tool_call_id": _call_id(view, first),
            "second_tool_call_id": _call_id(view, second),
            "gap_ms": elapsed_ms(view.clock_ms(first), view.clock_ms(second)),
        },
    )


def _call(record: JsonObject) -> tuple[str, bytes] | None:
    """Return tool and arguments of a call as a key; None where they cannot be compared."""
    tool, arguments = text(record, "tool"), record.get("args_safe")
    if tool is None or arguments is None:
        return None
    if not _hides(arguments):
        return tool, canonical_bytes(arguments)
    fingerprint = text(record, "args_fingerprint")
    return None if fingerprint is None else (tool, fingerprint.encode())


def _hides(value: JsonValue) -> bool:
    """Return whether a safe form stands anywhere in a value."""
    match value:
        case str():
            return is_hidden(value)
        case list():
            return any(_hides(item) for item in value)
        case dict():
            return any(_hides(item) for item in value.values())
        case _:
            return False


def _call_id(view: "ArtifactView", index: int) -> str | None:
    return text(view.record(index), "tool_call_id")
