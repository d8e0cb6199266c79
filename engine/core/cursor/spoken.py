"""Three texts of a playback side by side: planned, heard, kept.

`planned` are the sentences sent to speech: the `planned` of its audio events, then the `text` of
the `playback_planned` records of the playback. `heard` is what the end of the playback says was
heard; it is known from that event on. `kept` is what stayed in the model's context: the `content`
of the `assistant_turn` record of its generation. Both record types are companions that a recorder
may add; records are joined by the ids that they carry. What no record says is null, with a reason.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Label
from engine.core.contract.session_records import AUDIO_ENDS, AUDIO_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The first event of each stage in a playback's life, by audio type, up to a cursor."""

    events: Mapping[str, int]

    @property
    def first(self) -> int:
        """The playback's first event."""
        return min(self.events.values())

    @property
    def end(self) -> int | None:
        """The event that ended the playback, or None."""
        return min((i for kind, i in self.events.items() if kind in AUDIO_ENDS), default=None)


def stages_of(view: ArtifactView, playback_id: str, *, upto: int) -> Stages:
    """Return the stages of a playback at or before event `upto`; empty before its first.

    Cost: O(its events).
    """
    found: dict[str, int] = {}
    for index in view.postings("playback", playback_id):
        kind = view.effective_type(index)
        if kind in AUDIO_TYPES and index <= upto:
            found.setdefault(kind, index)
    return Stages(events=found)


def kept_by_generation(view: ArtifactView) -> Mapping[str, int]:
    """Return the `assistant_turn` record of each generation. Cost: O(those records)."""
    kept: dict[str, int] = {}
    for index in view.postings("type", "assistant_turn"):
        kept.setdefault(text(view.record(index), "generation_id") or "", index)
    return kept


def texts_of(
    view: ArtifactView, playback_id: str, stages: Stages, kept: Mapping[str, int], *, upto: int
) -> JsonObject:
    """Return `planned`, `heard`, `kept` with `<name>_label`, `<name>_reason`, and `unheard`.

    `unheard` is the end of the planned text that was not heard; null where the heard text is not
    its beginning, or one of them is unknown.
    """
    planned = _planned(view, playback_id, stages, upto=upto)
    heard, heard_reason = _heard(view, stages)
    kept_text, kept_reason = _kept(view, stages, kept, upto=upto)
    unheard = None
    if planned is not None and heard is not None and planned.startswith(heard):
        unheard = planned[len(heard) :].strip()
    return {
        **_labelled("planned", planned, "not_recorded"),
        **_labelled("heard", heard, heard_reason),
        **_labelled("kept", kept_text, kept_reason),
        "unheard": unheard,
    }


def _labelled(name: str, value: str | None, reason: str) -> JsonObject:
    known = value is not None
    return {
        name: value,
        f"{name}_label": (Label.RECORDED if known else Label.UNAVAILABLE).value,
        f"{name}_reason": None if known else reason,
    }


def _planned(view: ArtifactView, playback_id: str, stages: Stages, *, upto: int) -> str | None:
    """Return the planned sentences, joined by a space; sentences come while the playback lasts."""
    sentences: list[str] = []
    for index in sorted(stages.events.values()):
        said = text(view.record(index), "planned")
        if said is not None and said not in sentences:
            sentences.append(said)
    further = view.postings("type", "playback_planned")
    stop = upto if stages.end is None else min(upto, stages.end)
    for index in further[bisect_left(further, stages.first) : bisect_right(further, stop)]:
        record = view.record(index)
        said = text(record, "text")
        if text(record, "playback_id") == playback_id and said is not None:
            sentences.append(said)
    return " ".join(sentences) if sentences else None


def _heard(view: ArtifactView, stages: Stages) -> tuple[str | None, str]:
    if "audio_started" not in stages.events:
        return None, "never_started"
    if stages.end is None:
        return None, "not_ended"
    return text(view.record(stages.end), "heard"), "not_recorded"


def _kept(
    view: ArtifactView, stages: Stages, kept: Mapping[str, int], *, upto: int
) -> tuple[str | None, str]:
    generations = (text(view.record(i), "generation_id") for i in stages.events.values())
    generation = next((name for name in generations if name is not None), None)
    if generation is None:
        return None, "no_generation"
    index = kept.get(generation)
    if index is None:
        return None, "not_recorded"
    return (
        (text(view.record(index), "content"), "not_recorded")
        if index <= upto
        else (None, "not_yet")
    )
