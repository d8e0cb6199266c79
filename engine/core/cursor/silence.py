"""`why` with `silence_ms`: the gap around a moment in which nothing of the agent was audible.

Says how long the gap was, what was awaited at the moment, what the caller said within it, and the
recorded causes of the sound that ended it. A recording of the agent's voice is not looked at: what
counts are `audio_started` and the ends of playbacks.
"""

from bisect import bisect_left, bisect_right

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue, integer, text
from engine.core.contract.labels import Label
from engine.core.cursor.audible import last_end_before, next_start_after
from engine.core.cursor.causes import causes_of, chain_unknowns, end_row, hops_of
from engine.core.cursor.facts import described
from engine.core.cursor.pending import pending_detail
from engine.core.cursor.reading import unknown

SHOWN_MAX = 32


def why_silence(view: ArtifactView, moment: JsonValue) -> tuple[list[JsonObject], JsonObject]:
    """Return the chain behind what ended the silence at `moment` ms, and what is known of the gap.

    `target` has `silent`: true, false (with the playback that is audible) or null (not known).
    Cost: O(log n) and the chain; O(segments within the gap).
    """
    if type(moment) is not int:
        raise InvalidCommand("`silence_ms` is whole milliseconds.", {"silence_ms": moment})
    cursor = view.index_at_clock(moment)
    audible = view.columns.playing.open_at(cursor, limit=1)
    sounding = view.playback[audible[0][1]] if audible else None
    if not view.columns.media_clocks:
        return _unknown(moment, "no_clock", None)
    if sounding is not None and integer(sounding, "end_ms") is None:
        return _unknown(moment, "playback_without_end", text(sounding, "playback_id"))
    if sounding is not None:
        return _not_silent(view, moment, sounding)
    return _silent(view, moment, cursor)


def _target(moment: int, known: JsonObject) -> JsonObject:
    """Return the answer's `target` with what is known of the moment."""
    base: JsonObject = {
        "kind": "silence",
        "silence_ms": moment,
        "silent": None,
        "label": Label.RECORDED.value,
        "reason": None,
        "playback_id": None,
        "gap": None,
    }
    return {**base, **known}


def _extra(target: JsonObject, known: JsonObject) -> JsonObject:
    """Return what stands beside the chain."""
    base: JsonObject = {"awaited": [], "caller": [], "last_event": None, "unknowns": []}
    return {"target": target, **base, **known}


def _unknown(
    moment: int, reason: str, playback_id: str | None
) -> tuple[list[JsonObject], JsonObject]:
    label = Label.UNAVAILABLE.value
    target = _target(moment, {"label": label, "reason": reason, "playback_id": playback_id})
    missing = unknown("whether the agent was audible then", reason)
    return [end_row("whether it was silent", reason)], _extra(target, {"unknowns": [missing]})


def _not_silent(
    view: ArtifactView, moment: int, sounding: JsonObject
) -> tuple[list[JsonObject], JsonObject]:
    """Return the chain behind the playback that is audible at the moment."""
    index = view.index_of(text(sounding, "started_event_id") or "")
    assert index is not None
    chain = causes_of(view, index)
    target = _target(moment, {"silent": False, "playback_id": text(sounding, "playback_id")})
    return hops_of(view, chain), _extra(target, {"unknowns": [*chain_unknowns(view, chain)]})


def _silent(view: ArtifactView, moment: int, cursor: int) -> tuple[list[JsonObject], JsonObject]:
    began, ended = last_end_before(view, cursor), next_start_after(view, cursor)
    start_ms = view.clock_ms(began) if began is not None else None
    end_ms = view.clock_ms(ended) if ended is not None else None
    gap: JsonObject = {
        "start_ms": start_ms,
        "end_ms": end_ms,
        "duration_ms": end_ms - start_ms if start_ms is not None and end_ms is not None else None,
        "began_with": described(view, began) if began is not None else None,
        "ended_with": described(view, ended) if ended is not None else None,
    }
    target = _target(moment, {"silent": True, "gap": gap})
    missing = [unknown("why nothing was said at the start of the gap", "not_observed")]
    if ended is None:
        items = [end_row("what ended the silence", "never_ended")]
    else:
        chain = causes_of(view, ended)
        items = hops_of(view, chain)
        missing += chain_unknowns(view, chain)
    known: JsonObject = {
        "awaited": [*pending_detail(view, cursor, limit=SHOWN_MAX)],
        "caller": [*_said_within(view, began, ended)],
        "last_event": described(view, cursor) if cursor >= 0 else None,
        "unknowns": [*missing],
    }
    return items, _extra(target, known)


def _said_within(view: ArtifactView, began: int | None, ended: int | None) -> list[JsonObject]:
    """Return the segments between two events, at most `SHOWN_MAX`."""
    segments = view.postings("type", "transcript_segment")
    start = 0 if began is None else bisect_right(segments, began)
    stop = len(segments) if ended is None else bisect_left(segments, ended)
    return [described(view, index) for index in segments[start:stop][:SHOWN_MAX]]
