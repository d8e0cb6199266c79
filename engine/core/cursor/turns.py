"""Caller turns: what each was composed of, and when it was committed.

A turn is committed at its `input_selected` (or a `dtmf_received`) and composed of the segments that
the record names, by id; never by time. A segment may stand before the commit of an earlier turn
that does not hold it: `before_commit_of` says so.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from heapq import merge

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.errors import EventUnavailable
from engine.core.contract.json_types import JsonObject, text, texts
from engine.core.contract.labels import Label
from engine.core.cursor.facts import event_row, find_event
from engine.core.cursor.reading import listing, page_of, text_of, unknown
from engine.core.cursor.response import Answer

SEGMENTS_MAX = 64
_COMMITS = ("input_selected", "dtmf_received")


def turn_commits(view: ArtifactView) -> Posting:
    """Return the events that commit a caller turn, in call order. Cost: O(turns)."""
    posted = merge(*(view.postings("type", kind) for kind in _COMMITS))
    return [index for index in posted if view.effective_type(index) is not None]


def turn_at(view: ArtifactView, cursor: int) -> int | None:
    """Return the commit of the latest turn committed at or before `cursor`, or None."""
    found = [
        positions[place - 1]
        for kind in _COMMITS
        if (place := bisect_right(positions := view.postings("type", kind), cursor))
    ]
    return max(found, default=None)


def turn_row(view: ArtifactView, index: int) -> JsonObject:
    """Return what the turn committed at event `index` was composed of.

    A row: the event's row with `turn_id`, `committed_ms`, `source`, `digit`, `text`, `label`,
    `reason`, `segments`, `segments_total`. `text` is the segments' texts, joined by a space; it is
    `unavailable` where the composition was not recorded or a segment is missing.
    """
    record = view.record(index)
    ids = texts(record, "segment_event_ids")
    segments = [_segment(view, event_id, index) for event_id in ids[:SEGMENTS_MAX]]
    said = [segment["text"] for segment in segments]
    whole = " ".join(part for part in said if isinstance(part, str))
    reason = _missing(record, said)
    return {
        **event_row(view, index),
        "turn_id": text(record, "turn_id"),
        "committed_ms": view.clock_ms(index),
        "source": text(record, "selected_source"),
        "digit": text(record, "digit"),
        "text": whole if reason is None else None,
        "label": (Label.RECORDED if reason is None else Label.UNAVAILABLE).value,
        "reason": reason,
        "segments": [*segments],
        "segments_total": len(ids),
    }


def _missing(record: JsonObject, said: Sequence[object]) -> str | None:
    if "segment_event_ids" not in record or not said:
        return "composition_not_recorded"
    return None if all(isinstance(part, str) for part in said) else "segment_not_recorded"


def _segment(view: ArtifactView, event_id: str, commit: int) -> JsonObject:
    index = find_event(view, event_id, before=commit)
    if index is None or view.effective_type(index) != "transcript_segment":
        names = ("event_index", "clock_ms", "speaker", "text", "start_ms", "end_ms", "final")
        return {
            "event_id": event_id,
            **dict.fromkeys(names),
            "before_commit_of": None,
            "label": Label.UNAVAILABLE.value,
            "reason": "not_in_recording",
        }
    record = view.record(index)
    return {
        "event_id": event_id,
        "event_index": index,
        "clock_ms": view.clock_ms(index),
        "speaker": record["speaker"],
        "text": record["text"],
        "start_ms": record.get("start_ms"),
        "end_ms": record.get("end_ms"),
        "final": record.get("final"),
        "before_commit_of": _overtaken(view, index, commit),
        "label": Label.RECORDED.value,
        "reason": None,
    }


def _overtaken(view: ArtifactView, segment: int, commit: int) -> str | None:
    """Return the turn that was committed between a segment and the turn that holds it."""
    commits = view.postings("type", "input_selected")
    place = bisect_left(commits, segment)
    if place == len(commits) or commits[place] >= commit:
        return None
    return text(view.record(commits[place]), "turn_id") or view.event_id(commits[place])


def list_turns(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `list_turns`: every committed caller turn, or the one with `turn_id`."""
    named = text_of(command, "turn_id")
    commits = turn_commits(view)
    if named is not None:
        commits = [i for i in commits if text(view.record(i), "turn_id") == named]
        if not commits:
            raise EventUnavailable(f"No turn {named!r} was committed.", {"turn_id": named})
    unknowns = [] if commits else [unknown("caller turns", "none_recorded")]
    offset, limit = page_of(command)
    items = [turn_row(view, index) for index in commits[offset : offset + limit]]
    return listing(
        cursor,
        items=items,
        total=len(commits),
        offset=offset,
        evidence=[str(item["event_id"]) for item in items],
        extra={"unknowns": [*unknowns]},
    )
