"""From a session's records to its artifact: `build_state_program_artifact`.

Pure: same values in, same artifact out. Every flaw of a record becomes a problem; only a manifest
or an audio reference that is not what it claims to be is an error. One code path builds from lists
and from files: records are asked for one at a time. Source: design sections 6 to 9.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from engine.core.artifact.assembled import Assembled
from engine.core.artifact.encode import ARTIFACT_SCHEMA
from engine.core.artifact.event_rows import EventRows
from engine.core.artifact.findings import find_all
from engine.core.artifact.framing import FramedVisit, Owners, find_visits
from engine.core.artifact.order import order_records
from engine.core.artifact.playback import PlaybackSpans
from engine.core.artifact.settings import finding_settings
from engine.core.artifact.slots import SlotClasses, SlotTable
from engine.core.artifact.streams import (
    PROGRESS_EVERY,
    OrderedRecords,
    Progress,
    StreamInput,
    clean_stream,
    no_progress,
    rank_of,
)
from engine.core.artifact.view import view_of_built
from engine.core.artifact.visit_rows import VisitExits, visit_rows
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.core.contract.labels import Stream
from engine.core.contract.numbers import KeptNumbers, keep_numbers
from engine.core.contract.problems import Problem
from engine.core.contract.session_records import SESSION_ID_PATTERN, AudioReference, Manifest


def build_state_program_artifact(
    *,
    manifest: JsonObject,
    bus_events: list[JsonObject],
    trace_events: list[JsonObject],
    flow_metadata: JsonObject,
    transcript_events: list[JsonObject],
    audio_refs: list[JsonObject],
) -> JsonObject:
    """Return the artifact of one call; the arguments are not changed.

    `flow_metadata` is what `engine.core.flow.flow_metadata` gives. Record `i` of a list stands on
    line `i + 1` of its stream.

    Raises:
        SessionInvalid: manifest or audio reference with a missing or wrong field.
    """
    for record in (manifest, flow_metadata, *bus_events, *trace_events, *transcript_events):
        _check_text(record)
    streams = (
        StreamInput(stream=Stream.TRACE, records=trace_events),
        StreamInput(stream=Stream.BUS, records=bus_events),
        StreamInput(stream=Stream.TRANSCRIPT, records=transcript_events),
    )
    return build_artifact(
        manifest=manifest, streams=streams, flow_metadata=flow_metadata, audio_refs=audio_refs
    )


def _check_text(record: JsonObject) -> None:
    """Refuse text that UTF-8 cannot hold; whatever was read from a file is free of it."""
    try:
        msgspec.json.encode(record)
    except UnicodeEncodeError as error:
        raise SessionInvalid(
            f"A record holds half of a surrogate pair ({error.reason}), which no file can hold.",
            {"kind": "LONE_SURROGATE"},
        ) from error


def build_artifact(
    *,
    manifest: JsonObject,
    streams: Sequence[StreamInput],
    flow_metadata: JsonObject,
    audio_refs: Sequence[JsonObject],
    problems: Sequence[Problem] = (),
) -> JsonObject:
    """Return the artifact of streams whose physical lines and reading problems are known."""
    assembled = assemble(
        manifest=manifest,
        streams=streams,
        flow_metadata=flow_metadata,
        audio_refs=audio_refs,
        problems=problems,
        keep=True,
    )
    return assembled.as_object()


def assemble(
    *,
    manifest: JsonObject,
    streams: Sequence[StreamInput],
    flow_metadata: JsonObject,
    audio_refs: Sequence[JsonObject],
    problems: Sequence[Problem] = (),
    keep: bool,
    progress: Progress = no_progress,
) -> Assembled:
    """Return the artifact with its events as a sequence that is made when looked at.

    `keep`: hold clean records in memory. Otherwise each look decodes its line again, and memory is
    that of the header's rows and some dozens of bytes a record. Cost: O(n) looks at the streams,
    three each.

    Raises:
        SessionInvalid: manifest or audio reference with a missing or wrong field.
    """
    kept = keep_numbers(manifest)
    session = _session(kept.record)
    session_wide = session["sequence"] == "session"
    classes = SlotClasses.of(flow_metadata, session)
    key = "seq" if session_wide else "clock_ms"
    cleaned = [
        clean_stream(source, classes, key=key, keep=keep, progress=progress)
        for source in sorted(streams, key=rank_of)
    ]
    _check_count(sum(len(stream.records) for stream in cleaned))
    order, found = order_records([stream.keys for stream in cleaned], session_wide=session_wide)
    records = OrderedRecords(cleaned, order)
    visits = find_visits(records, records.kinds)
    events, folds = _fold(records, visits, classes, session_wide=session_wide, progress=progress)
    audio = [keep_numbers(row) for row in audio_refs]
    found += [*problems, *_revision_problem(session, flow_metadata), *folds.problems]
    found += _number_problems("manifest.json", kept)
    found += [problem for row in audio for problem in _number_problems("audio_refs.json", row)]
    found += [problem for stream in cleaned for problem in stream.problems]
    found += _alias_problems(records, visits)
    header: JsonObject = {
        "schema": ARTIFACT_SCHEMA,
        "session": session,
        "flow": flow_metadata,
        "settings": finding_settings(),
        "slots": folds.slots.rows(),
        "visits": visit_rows(visits, events.event_id, folds.exits, session, flow_metadata),
        "playback": folds.playback.rows(),
        "audio": [_checked(row.record, AudioReference, "audio_refs.json") for row in audio],
        "findings": [],
        "problems": _problem_rows(found, events),
        "unowned_events": folds.unowned,
    }
    assembled = Assembled(header=header, events=events)
    header["findings"] = find_all(view_of_built(assembled, progress=progress))
    return assembled


EVENTS_MAX = 50_000_000
"""More records than any call has; columns count events in 32 bits."""


def _check_count(count: int) -> None:
    if count > EVENTS_MAX:
        raise SessionInvalid(
            f"The session has {count:,} records; a recording has at most {EVENTS_MAX:,}.",
            {"kind": "TOO_LARGE", "count": count},
        )


def _session(manifest: JsonObject) -> JsonObject:
    """Return the manifest as the artifact holds it, checked."""
    session = _checked(manifest, Manifest, "manifest.json")
    if not SESSION_ID_PATTERN.fullmatch(text(session, "session_id") or ""):
        raise SessionInvalid(
            "`session_id` must look like `v3:some-name` (lower-case prefix, colon, 1 to 64 of "
            "A-Z a-z 0-9 _ -).",
            {"file": "manifest.json", "field": "session_id", "kind": "FIELD_INVALID"},
        )
    return session


def _number_problems(file: str, kept: KeptNumbers) -> list[Problem]:
    return [
        Problem(code="NUMBER_KEPT_AS_TEXT", detail={"file": file, "pointer": pointer})
        for pointer in kept.pointers
    ]


def _checked(value: JsonObject, schema: type[msgspec.Struct], file: str) -> JsonObject:
    """Return `value` if it fits `schema`, else raise `SessionInvalid` that names file and field."""
    try:
        msgspec.convert(value, schema)
    except msgspec.ValidationError as error:
        raise SessionInvalid(
            f"{file} does not fit its schema: {error}", {"file": file, "kind": "FIELD_INVALID"}
        ) from error
    return value


@dataclass(slots=True, kw_only=True)
class _Folds:
    """What one walk over the ordered records gathers."""

    slots: SlotTable
    playback: PlaybackSpans
    exits: VisitExits
    unowned: list[JsonValue]
    problems: list[Problem]


def _fold(
    records: OrderedRecords,
    visits: Sequence[FramedVisit],
    classes: SlotClasses,
    *,
    session_wide: bool,
    progress: Progress,
) -> tuple[EventRows, _Folds]:
    """Walk the records once in call order: ids, owners, slots, playback, exits."""
    folds = _Folds(
        slots=SlotTable(classes), playback=PlaybackSpans(), exits={}, unowned=[], problems=[]
    )
    events = EventRows(records, visits)
    owners = Owners(visits, session_wide=session_wide)
    for index, record in enumerate(records):
        if index % PROGRESS_EVERY == 0:
            progress("placing events", index, len(records))
        kind = records.kinds[index]
        event_id = events.name(index, record, folds.problems)
        owner, reason = owners.of(index, record, kind)
        events.place(owner, reason)
        if reason is not None:
            row: JsonObject = {
                "event_index": index,
                "event_id": event_id,
                "reason": reason.value,
            }
            folds.unowned.append(row)
        if kind is not None:
            folds.slots.add(kind, record, event_id)
            folds.playback.add(kind, record, event_id, events.owner_id(index))
            folds.exits.update(_exit_of(folds.exits, kind, record, owner))
    return events, folds


def _exit_of(exits: VisitExits, kind: str, record: JsonObject, owner: int | None) -> VisitExits:
    """Return what an exit record says of its visit: (edge id, target), later records first."""
    if owner is None:
        return {}
    if kind == "transition_taken":
        return {owner: (text(record, "edge_id"), text(record, "to"))}
    if kind == "state_exited":
        edge_before, to_before = exits.get(owner, (None, None))
        edge_id = text(record, "edge_id")
        same = edge_id is None or edge_id == edge_before
        return {owner: (edge_before, to_before) if same else (edge_id, None)}
    return {}


def _revision_problem(session: JsonObject, flow: JsonObject) -> list[Problem]:
    """Report a manifest that names another flow than the one whose text is here."""
    said, found = text(session, "flow_revision"), text(flow, "revision")
    if said is None or said == found:
        return []
    return [Problem(code="FLOW_REVISION_DIFFERS", detail={"manifest": said, "flow": found})]


def _alias_problems(records: OrderedRecords, visits: Sequence[FramedVisit]) -> list[Problem]:
    return [
        Problem(
            code="VISIT_ID_DIFFERS",
            stream=records.stream_of(visit.entered_index),
            line=records.line_of(visit.entered_index),
            detail={"recorded": visit.recorded_id, "computed": visit.visit_id},
        )
        for visit in visits
        if visit.recorded_id is not None and visit.recorded_id != visit.visit_id
    ]


def _problem_rows(problems: Sequence[Problem], events: EventRows) -> list[JsonValue]:
    """Return the artifact's `problems`, each with the id of the event on its line."""
    places = {p.place for p in problems if p.place is not None}
    ids = events.ids_on(places) if places else {}
    return [
        replace(problem, event_id=ids.get(problem.place) if problem.place else None).as_json()
        for problem in sorted(problems, key=lambda p: p.sort_key)
    ]
