"""Responses: one closed shape for every action, with the hash that proves what was shown.

Source: design section 10, contract "Projection", "Errors and output".
"""

from bisect import bisect_right
from dataclasses import dataclass

from engine.core.artifact import ARTIFACT_SCHEMA, ArtifactView
from engine.core.contract.canonical import canonical_bytes, printable, sha256_of
from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject, JsonValue, rows, text
from engine.core.cursor.project import project

RESPONSE_SCHEMA = "riff.state_program_response/v1"
MODE = "recorded"
EVIDENCE_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an action comes to: the new cursor, and for a query its result and evidence."""

    cursor: int
    result: JsonObject | None = None
    evidence: tuple[str, ...] | None = None
    """Event ids of a query's items; None: the projection's own evidence."""


def determinism_hash(view: ArtifactView, cursor: int, projection: JsonObject) -> str:
    """Return `sha256:` over RFC 8785 of what is shown at `cursor`.

    Equal on every face, machine and way to the cursor. Cost: O(projection).
    """
    shown: JsonObject = {
        "schema": ARTIFACT_SCHEMA,
        "mode": MODE,
        "artifact_hash": view.artifact_hash,
        "new_cursor": cursor,
        "projection": projection,
    }
    return sha256_of(canonical_bytes(shown))


def respond(
    view: ArtifactView,
    *,
    action: JsonValue,
    old_cursor: int,
    answer: Answer,
    error: EngineError | None = None,
) -> JsonObject:
    """Return the response object; with `error` the cursor has not moved."""
    projection = project(view, answer.cursor)
    return {
        "schema": RESPONSE_SCHEMA,
        "mode": MODE,
        "action": printable(action) if isinstance(action, str) else None,
        "artifact_hash": view.artifact_hash,
        "old_cursor": old_cursor,
        "new_cursor": answer.cursor,
        "projection": projection,
        "result": answer.result,
        "evidence_refs": [*_evidence(view, answer, projection)],
        "determinism_hash": determinism_hash(view, answer.cursor, projection),
        "error": None if error is None else error.as_json(),
    }


def respond_without_recording(*, action: JsonValue, error: EngineError) -> JsonObject:
    """Return the response where there is no readable artifact: what depends on one is null."""
    return {
        "schema": RESPONSE_SCHEMA,
        "mode": MODE,
        "action": printable(action) if isinstance(action, str) else None,
        "artifact_hash": None,
        "old_cursor": None,
        "new_cursor": None,
        "projection": None,
        "result": None,
        "evidence_refs": [],
        "determinism_hash": None,
        "error": error.as_json(),
    }


def _evidence(view: ArtifactView, answer: Answer, projection: JsonObject) -> list[str]:
    """Return the event ids that a reader may check the answer against; at most 32, no repeats."""
    refs = [view.event_id(answer.cursor)] if answer.cursor >= 0 else []
    if answer.evidence is not None:
        refs += answer.evidence
    else:
        changed = (row for row in rows(projection, "variables") if row["changed"] is True)
        refs += [event_id for row in changed if (event_id := text(row, "write_event_id"))]
        refs += _evaluations(view, answer.cursor, projection)
        refs += [
            event_id for row in rows(projection, "pending") if (event_id := text(row, "event_id"))
        ]
    return list(dict.fromkeys(refs))[:EVIDENCE_MAX]


def _evaluations(view: ArtifactView, cursor: int, projection: JsonObject) -> list[str]:
    """Return the ids of the guard evaluations shown in `exits`."""
    ordinal = view.visit_at(cursor)
    shown: list[str] = []
    for row in rows(projection, "exits"):
        edge_id = text(row, "edge_id")
        if edge_id is not None and row["verdict"] != "not_evaluated":
            evaluations = view.guard_events(ordinal, edge_id)
            shown.append(view.event_id(evaluations[bisect_right(evaluations, cursor) - 1]))
    return shown
