"""What actions share: reading the keys of a command, and the shape of a list.

Nothing here looks at events. A key that is wrong is an `InvalidCommand`; a place that is not in the
recording is an `EventUnavailable`.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import INTEGER_MAX
from engine.core.contract.errors import EventUnavailable, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor.response import Answer

LIMIT_DEFAULT = 100
LIMIT_MAX = 1000
PAGE_KEYS = frozenset({"offset", "limit"})

_Choice = TypeVar("_Choice", bound=StrEnum)


def page_of(command: JsonObject) -> tuple[int, int]:
    """Return (offset, limit) of a list command."""
    offset, limit = command.get("offset", 0), command.get("limit", LIMIT_DEFAULT)
    if type(offset) is not int or not 0 <= offset <= INTEGER_MAX:
        raise InvalidCommand("`offset` is an integer from 0 to 2^53-1.", {"offset": offset})
    if type(limit) is not int or not 1 <= limit <= LIMIT_MAX:
        raise InvalidCommand(f"`limit` is an integer from 1 to {LIMIT_MAX}.", {"limit": limit})
    return offset, limit


def choice_of(command: JsonObject, key: str, choices: type[_Choice], default: _Choice) -> _Choice:
    """Return the member of `choices` that the command names under `key`."""
    value = command.get(key, default.value)
    names = [choice.value for choice in choices]
    if value not in names:
        raise InvalidCommand(f"`{key}` is one of {', '.join(names)}.", {key: value})
    return choices(value)


def text_of(command: JsonObject, key: str) -> str | None:
    """Return the text under `key`, or None where the command has no such key."""
    value = command.get(key)
    if value is None or isinstance(value, str):
        return value
    raise InvalidCommand(f"`{key}` is a text.", {key: value})


def flag_of(command: JsonObject, key: str) -> bool:
    """Return the truth value under `key`; false where the command has no such key."""
    value = command.get(key, False)
    if isinstance(value, bool):
        return value
    raise InvalidCommand(f"`{key}` is true or false.", {key: value})


def slot_name_of(view: ArtifactView, command: JsonObject) -> str:
    """Return the command's `slot`, which is one of the call's."""
    name = command.get("slot")
    if not isinstance(name, str):
        raise InvalidCommand("`slot` is a text.", {"slot": name})
    names = [str(slot["slot"]) for slot in view.slots]
    if name not in names:
        raise InvalidCommand(
            f"There is no slot {name!r} in this call. It has: {', '.join(names) or 'none'}.",
            {"slot": name, "nearest": [*get_close_matches(name, names)]},
        )
    return name


def visit_named(view: ArtifactView, name: str) -> int:
    """Return the ordinal of the visit with this id."""
    ordinal = view.ordinal_of(name)
    if ordinal is None:
        ids = [visit.visit_id for visit in view.visits]
        near: list[JsonValue] = [*get_close_matches(name, ids)]
        raise EventUnavailable(
            f"There is no visit {name!r} in this call; `list_visits` lists them.",
            {"visit_id": name, "nearest": near},
        )
    return ordinal


def visit_asked(view: ArtifactView, cursor: int, command: JsonObject) -> int:
    """Return the ordinal of the command's `visit_id`; without one, of the visit at the cursor."""
    name = text_of(command, "visit_id")
    if name is not None:
        return visit_named(view, name)
    ordinal = view.visit_at(cursor)
    if ordinal == -1:
        raise EventUnavailable(
            "No visit has begun at this cursor; give `visit_id`.", {"cursor": cursor}
        )
    return ordinal


def finding_named(view: ArtifactView, name: str) -> JsonObject:
    """Return the finding with this id. Cost: O(findings)."""
    for finding in view.findings:
        if finding.get("finding_id") == name and type(finding.get("at")) is int:
            return finding
    raise EventUnavailable(f"There is no finding {name!r} in this call.", {"finding": name})


def places(view: ArtifactView) -> str:
    """Return in words which cursors a recording has."""
    if not view.event_count:
        return "-1, the start: this recording has no events"
    return f"an integer from -1 (the start) to {view.event_count - 1}"


def listing(
    cursor: int,
    *,
    items: Sequence[JsonObject],
    total: int,
    offset: int,
    evidence: Sequence[str],
    extra: JsonObject | None = None,
) -> Answer:
    """Return the answer `{items, total, offset}` of a list, with what `extra` adds to it."""
    result: JsonObject = {"items": [*items], "total": total, "offset": offset, **(extra or {})}
    return Answer(cursor=cursor, result=result, evidence=tuple(evidence))


def listed(
    cursor: int, command: JsonObject, items: Sequence[JsonObject], *, extra: JsonObject
) -> Answer:
    """Return the command's page of `items`; the evidence are the event ids of its rows."""
    offset, limit = page_of(command)
    page = items[offset : offset + limit]
    ids = [event_id for row in page if isinstance(event_id := row.get("event_id"), str)]
    return listing(cursor, items=page, total=len(items), offset=offset, evidence=ids, extra=extra)


def unknown(what: str, reason: str) -> JsonObject:
    """Return a row of `unknowns`: what the recording does not hold for the question asked."""
    return {"what": what, "reason": reason}
