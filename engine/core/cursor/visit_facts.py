"""What happened in a visit, counted: how long, how many turns and tools, how long audible.

All is of the whole visit, with hindsight. Only events that belong to the visit count.
"""

from collections.abc import Sequence

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Beat
from engine.core.cursor.audible import audible_in_visit, media_ms_at
from engine.core.cursor.facts import shortened

WORDS_MAX = 8
"""Caller segments that are quoted of a visit."""


def visit_facts(view: ArtifactView, ordinal: int) -> JsonObject:
    """Return the facts of one visit.

    `{duration_ms, duration_is_open, turn_count, tool_call_count, caller_texts, caller_texts_total,
    audible_ms, audible_label, audible_reason, playback_count}`. `duration_ms` is null without
    clocks; of a visit that was not left it runs to the recording's last clock, and
    `duration_is_open` is true. Cost: O(caller input and work of the visit).
    """
    inputs = view.beat_events(ordinal, Beat.CALLER_INPUT)
    segments = _of_type(view, inputs, "transcript_segment")
    said = [shortened(text(view.record(i), "text") or "") for i in segments[:WORDS_MAX]]
    turns = len(_of_type(view, inputs, "input_selected"))
    turns += len(_of_type(view, inputs, "dtmf_received"))
    return {
        "duration_ms": duration_ms(view, ordinal),
        "duration_is_open": view.visits[ordinal].closed_index is None,
        "turn_count": turns,
        "tool_call_count": len(_of_type(view, view.beat_events(ordinal, Beat.WORK), "tool_called")),
        "caller_texts": [*said],
        "caller_texts_total": len(segments),
        **audible_in_visit(view, ordinal).as_json(),
    }


def duration_ms(view: ArtifactView, ordinal: int) -> int | None:
    """Return how long a visit lasted, to the recording's end if it was not left; None: no clock."""
    visit = view.visits[ordinal]
    closed = visit.closed_index
    entered_ms = view.clock_ms(visit.entered_index)
    left_ms = media_ms_at(view, closed if closed is not None else view.event_count - 1)
    return None if entered_ms is None or left_ms is None else max(0, left_ms - entered_ms)


def _of_type(view: ArtifactView, events: Sequence[int], kind: str) -> list[int]:
    return [index for index in events if view.effective_type(index) == kind]
