"""`playback`: of each agent playback what was asked for, generated, started, stopped, completed.

Also whose it was, whether it was said twice and by which mechanism, when the first repetition
began, and where one can go back to before it (checklist PBR-003 to PBR-007); what cut it; and its
planned, heard and kept text (`spoken.py`). Told with hindsight, over the whole recording.
"""

from collections.abc import Mapping, Sequence

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import EventUnavailable
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.core.contract.labels import Label
from engine.core.contract.session_records import AUDIO_TYPES
from engine.core.cursor.audible import span_ms
from engine.core.cursor.facts import event_row, known_row
from engine.core.cursor.reading import flag_of, listing, page_of, text_of, unknown
from engine.core.cursor.response import Answer
from engine.core.cursor.spoken import Stages, kept_by_generation, stages_of, texts_of

PLAYBACK_KEYS = frozenset({"playback_id", "visit_id", "cut"})
DUPLICATE = "DUPLICATE_AGENT_PLAYBACK"


def playback(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `playback`: a row a span, in order of their first events.

    Narrowed by `playback_id`, `visit_id`, and `cut` (interrupted ones only). Cost: O(playbacks +
    model runs), and the events of the spans shown.
    """
    offset, limit = page_of(command)
    spans = _chosen(view, command)
    kept, runs, twice = kept_by_generation(view), _runs(view), _duplicates(view)
    items = [_row(view, span, kept, runs, twice) for span in spans[offset : offset + limit]]
    return listing(
        cursor,
        items=items,
        total=len(spans),
        offset=offset,
        evidence=[str(item["event_id"]) for item in items],
        extra={"playbacks_total": len(view.playback), "unknowns": [*_unknowns(view, items)]},
    )


def _chosen(view: ArtifactView, command: JsonObject) -> list[JsonObject]:
    named, visit_id = text_of(command, "playback_id"), text_of(command, "visit_id")
    cut = flag_of(command, "cut")
    spans = [
        span
        for span in view.playback
        if (named is None or span["playback_id"] == named)
        and (visit_id is None or span["visit_id"] == visit_id)
        and (not cut or span["end_type"] == "audio_interrupted")
    ]
    if named is not None and not spans:
        raise EventUnavailable(f"No playback has the id {named!r}.", {"playback_id": named})
    return spans


def _runs(view: ArtifactView) -> Mapping[str, int]:
    """Return where each generation's model run began."""
    runs: dict[str, int] = {}
    for index in view.postings("type", "llm_requested"):
        runs.setdefault(text(view.record(index), "generation_id") or "", index)
    return runs


def _duplicates(view: ArtifactView) -> Mapping[str, Sequence[JsonObject]]:
    """Return the duplicate findings that each playback is part of."""
    found: dict[str, list[JsonObject]] = {}
    for finding in view.findings:
        if finding.get("code") == DUPLICATE:
            detail = mapping(finding, "detail")
            for key in ("first_playback_id", "duplicate_playback_id"):
                found.setdefault(text(detail, key) or "", []).append(finding)
    return found


def _row(
    view: ArtifactView,
    span: JsonObject,
    kept: Mapping[str, int],
    runs: Mapping[str, int],
    twice: Mapping[str, Sequence[JsonObject]],
) -> JsonObject:
    playback_id = text(span, "playback_id") or ""
    stages = stages_of(view, playback_id, upto=view.event_count - 1)
    run = runs.get(text(span, "generation_id") or "")
    names = ("playback_id", "visit_id", "state_id", "source_kind", "content_fingerprint")
    return {
        "event_id": view.event_id(stages.first),
        "event_index": stages.first,
        **{name: span[name] for name in names},
        "generation": generation_row(view, run) if run is not None else None,
        "stages": {
            kind.removeprefix("audio_"): event_row(view, stages.events[kind])
            if kind in stages.events
            else None
            for kind in AUDIO_TYPES
        },
        "end_type": span["end_type"],
        "start_ms": span["start_ms"],
        "end_ms": span["end_ms"],
        "audible_ms": span_ms(span),
        "acknowledged": span["acknowledged"],
        **texts_of(view, playback_id, stages, kept, upto=view.event_count - 1),
        "cut_by": _cut_by(view, span, stages),
        "said_twice": _said_twice(view, playback_id, twice.get(playback_id, ())),
        "go_back_to": _go_back_to(view, stages),
    }


def generation_row(view: ArtifactView, index: int) -> JsonObject:
    """Return the event's row of a model run with `generation_id`, `trigger`, `context_size`."""
    record = view.record(index)
    return {
        **event_row(view, index),
        "generation_id": text(record, "generation_id"),
        "trigger": text(record, "trigger"),
        "context_size": record.get("context_size"),
        "caused_by": known_row(view, text(record, "caused_by")),
    }


def _cut_by(view: ArtifactView, span: JsonObject, stages: Stages) -> JsonObject | None:
    """Return the recorded cause of an interruption; null where the playback was not cut."""
    if span["end_type"] != "audio_interrupted" or stages.end is None:
        return None
    cause = known_row(view, text(view.record(stages.end), "caused_by"))
    reason = None if cause is not None else "cause_not_recorded"
    label = Label.RECORDED if cause is not None else Label.UNAVAILABLE
    return {"event": cause, "label": label.value, "reason": reason}


def _said_twice(
    view: ArtifactView, playback_id: str, findings: Sequence[JsonObject]
) -> JsonObject | None:
    """Return the duplicate findings of a playback: ids, mechanism, when the first one began."""
    if not findings:
        return None
    first = findings[0]
    other = text(mapping(first, "detail"), "duplicate_playback_id") or ""
    start = stages_of(view, other, upto=view.event_count - 1).events.get("audio_started")
    ids: list[JsonValue] = [finding["finding_id"] for finding in findings]
    return {
        "findings": ids,
        "is_repetition": any(
            mapping(finding, "detail").get("duplicate_playback_id") == playback_id
            for finding in findings
        ),
        "mechanism": first.get("mechanism"),
        "first_began": event_row(view, start) if start is not None else None,
    }


def _go_back_to(view: ArtifactView, stages: Stages) -> JsonObject:
    """Return where to stand right before the playback; a recording is only read, never forked."""
    before = stages.events.get("audio_requested", stages.first) - 1
    checkpoint = view.checkpoint_at(before)
    return {
        "cursor": before,
        "checkpoint": None
        if checkpoint is None
        else {"kind": checkpoint[0], "event_index": checkpoint[1]},
        "fork": False,
        "fork_reason": "simulation_not_supported",
    }


def _unknowns(view: ArtifactView, items: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what the rows shown lack."""
    missing: list[JsonObject] = []
    total = len(items)
    checks = (
        ("what was heard", "heard", "heard_reason"),
        ("what was kept", "kept", "kept_reason"),
        ("what was planned", "planned", "planned_reason"),
    )
    for words, key, reason in checks:
        lacking = [item for item in items if item[key] is None]
        if lacking:
            found = str(lacking[0][reason])
            missing.append(unknown(f"{words} of {len(lacking)} of {total} playbacks", found))
    if any(item["end_type"] == "audio_interrupted" for item in items):
        missing.append(unknown("how much of a cut sentence sounded", "only_the_audio_holds_it"))
    missing += duplicate_unknowns(view)
    return missing


def duplicate_unknowns(view: ArtifactView) -> list[JsonObject]:
    """Return what is lacking to say whether anything was said twice. Cost: O(playbacks)."""
    total = len(view.playback)
    blank = sum(span["content_fingerprint"] is None for span in view.playback)
    silent = sum(not span["acknowledged"] for span in view.playback)
    missing: list[JsonObject] = []
    if blank:
        missing.append(
            unknown(f"the content fingerprint of {blank} of {total} playbacks", "not_recorded")
        )
    if silent:
        missing.append(
            unknown(f"the client's word for {silent} of {total} playbacks", "not_recorded")
        )
    return missing
