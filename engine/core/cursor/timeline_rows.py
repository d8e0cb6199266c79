"""The rows of `timeline`: one event or span each, with its words and its label.

A row says what the record says. `label` is `recorded`, `redacted` (its text or value is a safe
form), `unavailable` (with a reason) or `simulated`. `timed`: whether its own clock was recorded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.artifact.open_work import PENDING_KINDS
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, text
from engine.core.contract.labels import Label
from engine.core.cursor.audible import media_ms_at
from engine.core.cursor.facts import quoted, shortened, shown, what_of
from engine.core.cursor.pending import end_of
from engine.core.cursor.playbacks import DUPLICATE
from engine.core.cursor.variables import slot_value

_SAFE_FORM = re.compile(r"<(?:str len|list len|dict keys)=\d+>|<(?:int|float|bool)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """What a row says; `safe` is the text whose form tells whether it is redacted."""

    title: str
    words: str
    kind: str
    id_: str | None = None
    safe: str | None = None
    reason: str | None = None
    label: Label | None = None
    depth: int = 0
    visit_id: str | None = None


def visit_row(view: ArtifactView, ordinal: int) -> JsonObject:
    """Return the row of a visit, from its entry to the event that closed it."""
    visit = view.visits[ordinal]
    closed = visit.closed_index
    depth, parent = 0, visit.parent
    while parent is not None:
        depth, parent = depth + 1, view.visits[parent].parent
    reason = None if closed is not None else "no_recorded_end"
    return _row(
        view,
        visit.entered_index,
        closed if closed is not None else view.event_count - 1,
        _About(
            id_=visit.visit_id,
            title=visit.visit_id,
            words=f"visit {visit.visit_id}",
            reason=reason,
            kind="visit",
            depth=depth,
            visit_id=visit.visit_id,
        ),
    )


def repeated_playbacks(view: ArtifactView) -> Mapping[str, str]:
    """Return by id of a playback that was said before the id of that finding.

    Cost: O(such findings).
    """
    found: dict[str, str] = {}
    for number in view.finding_places.by_code.get(DUPLICATE, ()):
        finding = view.findings[number]
        name = text(mapping(finding, "detail"), "duplicate_playback_id")
        found.setdefault(name or "", text(finding, "finding_id") or "")
    return found


def playback_row(
    view: ArtifactView, start: int, key: int, repeated: Mapping[str, str]
) -> JsonObject:
    """Return the row of an audible playback, from `audio_started` to its end."""
    span = view.playback[key]
    playback_id = text(span, "playback_id") or ""
    ended = text(span, "ended_event_id")
    end = view.index_of(ended) if ended is not None else None
    how = (text(span, "end_type") or "end not recorded").removeprefix("audio_")
    said = text(view.record(start), "planned")
    if said is None and end is not None:
        said = text(view.record(end), "heard")
    title = said if said is not None else playback_id
    row = _row(
        view,
        start,
        end,
        _About(
            id_=playback_id,
            title=title,
            words=f"agent playback {playback_id}, {how}",
            safe=said,
            reason=None if end is not None else "end_not_recorded",
            kind="repeated" if playback_id in repeated else how,
            visit_id=text(span, "visit_id"),
        ),
    )
    if playback_id in repeated:
        row["text"] = f"{row['text']}; said before ({repeated[playback_id]})"
    return row


def speech_row(view: ArtifactView, index: int) -> JsonObject:
    """Return the row of a transcript segment, over the milliseconds in which it was said."""
    record = view.record(index)
    said, speaker = text(record, "text"), text(record, "speaker") or "speaker not recorded"
    row = _row(
        view,
        index,
        None,
        _About(
            title=said or "",
            words=f"{speaker}: {quoted(said)}" if said is not None else f"{speaker}: no text",
            safe=said,
            reason=None if said is not None else "not_recorded",
            kind=speaker,
        ),
    )
    start, end = integer(record, "start_ms"), integer(record, "end_ms")
    if start is not None and end is not None and start <= end:
        row["start_ms"], row["end_ms"] = start, end
    return row


def write_row(view: ArtifactView, index: int) -> JsonObject:
    """Return the row of a slot write."""
    name = text(view.record(index), "slot") or ""
    slot: JsonObject = next((row for row in view.slots if row["slot"] == name), {"slot": name})
    value = slot_value(view, slot, index)
    title = f"{name} = {shown(value.value)}" if value.label is not Label.UNAVAILABLE else name
    return _row(
        view,
        index,
        None,
        _About(
            id_=name,
            title=title,
            words=what_of(view, index),
            reason=value.reason,
            label=value.label,
            kind=value.writer or "",
        ),
    )


def guard_row(view: ArtifactView, index: int) -> JsonObject:
    """Return the row of a guard's evaluation; kind `true`, `false` or `none`."""
    record = view.record(index)
    verdict = record.get("verdict")
    kind = "true" if verdict is True else "false" if verdict is False else "none"
    return _row(
        view,
        index,
        None,
        _About(
            id_=text(record, "edge_id"),
            title=text(record, "edge_id") or "",
            words=what_of(view, index),
            reason=None if verdict is not None else "no_verdict",
            kind=kind,
        ),
    )


def transition_row(view: ArtifactView, index: int) -> JsonObject:
    """Return the row of a transition taken."""
    record = view.record(index)
    return _row(
        view,
        index,
        None,
        _About(
            id_=text(record, "edge_id"),
            title=f"to {text(record, 'to') or 'nowhere recorded'}",
            words=what_of(view, index),
            kind="transition",
        ),
    )


def pending_row(view: ArtifactView, start: int, key: int) -> JsonObject:
    """Return the row of pending work, from the request to what ended it."""
    end = end_of(view, start)
    record = view.record(start)
    keys = ("tool", "to", "planned", "playback_id")
    name = next((found for key in keys if (found := text(record, key)) is not None), "")
    return _row(
        view,
        start,
        end,
        _About(
            title=f"{PENDING_KINDS[key]}: {name}" if name else PENDING_KINDS[key],
            words=what_of(view, start),
            reason=None if end is not None else "no_recorded_end",
            kind=PENDING_KINDS[key],
        ),
    )


def finding_row(view: ArtifactView, at: int, number: int) -> JsonObject:
    """Return the row of a finding, at the event where it stands."""
    finding = view.findings[number]
    return _row(
        view,
        at,
        None,
        _About(
            id_=text(finding, "finding_id"),
            title=text(finding, "finding_id") or "",
            words=text(finding, "text") or "",
            kind=text(finding, "severity") or "",
        ),
    )


def _row(view: ArtifactView, start: int, end: int | None, about: _About) -> JsonObject:
    label = about.label
    if label is None:
        redacted = about.safe is not None and _SAFE_FORM.fullmatch(about.safe) is not None
        label = Label.REDACTED if redacted else Label.RECORDED
        label = label if about.reason is None else Label.UNAVAILABLE
    owner: JsonValue = view.payload(start)["owner"] if start >= 0 else None
    return {
        "event_index": start,
        "end_index": end,
        "start_ms": media_ms_at(view, start),
        "end_ms": media_ms_at(view, end) if end is not None else None,
        "timed": start >= 0 and view.clock_ms(start) is not None,
        "id": about.id_,
        "title": shortened(about.title),
        "text": about.words,
        "label": label.value,
        "reason": about.reason,
        "kind": about.kind,
        "depth": about.depth,
        "visit_id": about.visit_id if about.visit_id is not None else owner,
        "count": 1,
    }
