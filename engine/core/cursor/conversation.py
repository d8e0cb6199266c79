"""`conversation`: who said what up to the cursor, as bubbles in call order.

A bubble is a transcript segment, or an agent playback from its start on. An agent's bubble keeps
three texts apart (`spoken.py`); a transcript segment of the agent's own stands beside them as one
more bubble: the two are not matched. Nothing behind the cursor is told.
"""

from bisect import bisect_right
from collections.abc import Mapping
from heapq import merge

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, text
from engine.core.cursor.facts import event_row
from engine.core.cursor.reading import listing, page_of, unknown
from engine.core.cursor.response import Answer
from engine.core.cursor.spoken import kept_by_generation, stages_of, texts_of

_TEXTS = (
    "planned",
    "planned_label",
    "planned_reason",
    "heard",
    "heard_label",
    "heard_reason",
    "kept",
    "kept_label",
    "kept_reason",
    "unheard",
)


def conversation(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `conversation`: bubbles up to the cursor, in call order.

    A bubble: the event's row with `source` (`transcript`, `playback`), `speaker`, `turn_id`, `text`
    (of a segment), `start_ms`, `end_ms`, `playback_id`, `playing`, and the three texts.
    Cost: O(segments + playbacks) look-ups; the page's records are read.
    """
    offset, limit = page_of(command)
    holders = _holders(view, cursor)
    said = _upto(view, "transcript_segment", cursor)
    played = _first_starts(view, cursor)
    places = [*merge(said, played)]
    kept = kept_by_generation(view)
    items = [
        _segment(view, index, holders)
        if view.effective_type(index) == "transcript_segment"
        else _playback(view, index, kept, cursor)
        for index in places[offset : offset + limit]
    ]
    missing = [] if said else [unknown("what was said", "no_transcript_up_to_here")]
    unheard = sum(item["heard_reason"] == "not_recorded" for item in items)
    if unheard:
        missing.append(unknown(f"what was heard of {unheard} playbacks", "not_recorded"))
    return listing(
        cursor,
        items=items,
        total=len(places),
        offset=offset,
        evidence=[str(item["event_id"]) for item in items],
        extra={"unknowns": [*missing]},
    )


def _upto(view: ArtifactView, kind: str, cursor: int) -> list[int]:
    """Return the events of a type up to the cursor whose records fit it."""
    posted = view.postings("type", kind)
    found = posted[: bisect_right(posted, cursor)]
    return [index for index in found if view.effective_type(index) is not None]


def _first_starts(view: ArtifactView, cursor: int) -> list[int]:
    """Return the first start of each playback up to the cursor."""
    playing = view.columns.playing
    return [*playing.starts[: bisect_right(playing.starts, cursor)]]


def _holders(view: ArtifactView, cursor: int) -> Mapping[str, str]:
    """Return by segment id the turn that holds it, of the turns committed up to the cursor."""
    holders: dict[str, str] = {}
    for index in _upto(view, "input_selected", cursor):
        record = view.record(index)
        turn_id, ids = text(record, "turn_id"), record.get("segment_event_ids")
        if turn_id is not None and isinstance(ids, list):
            holders.update({name: turn_id for name in ids if isinstance(name, str)})
    return holders


def _segment(view: ArtifactView, index: int, holders: Mapping[str, str]) -> JsonObject:
    record = view.record(index)
    return {
        **event_row(view, index),
        "source": "transcript",
        "speaker": text(record, "speaker"),
        "turn_id": text(record, "turn_id") or holders.get(view.event_id(index)),
        "text": text(record, "text"),
        "start_ms": record.get("start_ms"),
        "end_ms": record.get("end_ms"),
        "playback_id": None,
        "playing": False,
        **dict.fromkeys(_TEXTS),
    }


def _playback(view: ArtifactView, index: int, kept: Mapping[str, int], cursor: int) -> JsonObject:
    record = view.record(index)
    playback_id = text(record, "playback_id") or ""
    stages = stages_of(view, playback_id, upto=cursor)
    return {
        **event_row(view, index),
        "source": "playback",
        "speaker": "agent",
        "turn_id": text(record, "turn_id"),
        "text": None,
        "start_ms": view.clock_ms(index),
        "end_ms": view.clock_ms(stages.end) if stages.end is not None else None,
        "playback_id": playback_id,
        "playing": stages.end is None,
        **texts_of(view, playback_id, stages, kept, upto=cursor),
    }
