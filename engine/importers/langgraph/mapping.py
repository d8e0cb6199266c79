"""What a run of LangGraph was mapped from, and what it cannot tell."""

from collections import Counter
from collections.abc import Sequence

from engine.core.contract.json_types import text
from engine.importers.frame import Faith, MappingRow, absent_rows
from engine.importers.langgraph.recorded_run import RecordedRun

_ABSENT = {
    "times of tasks": "A checkpoint is stamped when a step is over; when a task began, ended or "
    "wrote is not stored. Only checkpoints have a clock.",
    "guard verdicts": "Routing functions are code; only the way that they chose is stored.",
    "model runs": "A model's input and the time of its run are not stored.",
    "playback": "Checkpoints hold no audio.",
}


def mapping_rows(run: RecordedRun) -> Sequence[MappingRow]:
    """Return the rows of the mapping table, with counts."""
    kinds = Counter(text(record, "type") for record in run.records)
    differences = sum(record.get("provenance") == "snapshot_difference" for record in run.records)
    return [
        _flow_row(run),
        _places_row(run),
        MappingRow(
            concept="visits",
            faith=Faith.FAITHFUL,
            origin="tasks",
            count=kinds["state_entered"],
            reason=_parallel(run),
        ),
        _transitions_row(run, kinds["transition_taken"]),
        MappingRow(
            concept="slot writes",
            faith=Faith.FAITHFUL,
            origin="rows of `writes`",
            count=kinds["slot_write"] - differences,
            reason="The writer is the task; the value is the channel's after its reducer, "
            "`written` what the task wrote.",
        ),
        MappingRow(
            concept="slot edits",
            faith=Faith.SNAPSHOT,
            origin="values of two checkpoints",
            count=differences,
            reason="snapshot_difference: no row explains it; who wrote it is not stored.",
        ),
        _told("tool calls", "messages", kinds["tool_called"], "As the model's message asks."),
        _told("transcript", "messages", kinds["transcript_segment"], "As written, not as heard."),
        _told("interrupts", "`__interrupt__`, `__resume__`", kinds["langgraph.interrupt"], None),
        *_baseline_rows(kinds["session_slots_seeded"]),
        *absent_rows(_ABSENT),
    ]


def _baseline_rows(count: int) -> list[MappingRow]:
    if not count:
        return []
    return [
        MappingRow(
            concept="slots at the start",
            faith=Faith.SNAPSHOT,
            origin="values of the first checkpoint",
            count=count,
            reason="snapshot: who wrote them, and when, lies before this source.",
        )
    ]


def _told(concept: str, origin: str, count: int, reason: str | None) -> MappingRow:
    return MappingRow(
        concept=concept, faith=Faith.FAITHFUL, origin=origin, count=count, reason=reason
    )


def _flow_row(run: RecordedRun) -> MappingRow:
    if run.graph.is_given:
        return _told("flow", "the exported graph", len(run.graph.nodes), None)
    return MappingRow(
        concept="flow",
        faith=Faith.DERIVED,
        origin="the ways taken in this run",
        count=len(run.graph.nodes),
        reason="Grown: a way that was not taken is not there. Name the exported graph.",
    )


def _places_row(run: RecordedRun) -> MappingRow:
    if not run.spans:
        why = "No Python file was named, or nothing in it has a node's name."
        return MappingRow(concept="places in Python", faith=Faith.ABSENT, origin=None, reason=why)
    return MappingRow(
        concept="places in Python",
        faith=Faith.DERIVED,
        origin="the syntax tree of the Python file",
        count=len(run.spans),
        reason="A node stands where the function that it names is defined.",
    )


def _transitions_row(run: RecordedRun, count: int) -> MappingRow:
    if run.lineage.thread.has_routing:
        return _told("transitions", "routing channels", count, None)
    return MappingRow(
        concept="transitions",
        faith=Faith.DERIVED,
        origin="`next` of the checkpoint behind",
        count=count,
        reason="derived: only where one task ran in the step, which then went there.",
    )


def notes_of(run: RecordedRun) -> Sequence[str]:
    """Return what the user should know about this run."""
    line = run.lineage
    found: list[str] = []
    if run.others:
        found.append(
            f"The source holds {run.others + 1} lineages; this is {line.lineage_id}"
            + (" (the newest head)" if run.is_newest else "")
            + ". `--list` shows all, `--lineage ID` takes another."
        )
    if run.is_pending:
        found.append("The run did not end: its last checkpoint has work that was not finished.")
    if run.has_parallel:
        found.append(
            "Some nodes ran in one step. Their order was not recorded: their visits stand in the "
            "order in which their writes are applied, and each says with whom it ran."
        )
    if run.has_shared:
        found.append(
            "Several runs went on from one checkpoint and share its rows: there, writers are "
            "unavailable and values come from the next checkpoint."
        )
    return found


def _parallel(run: RecordedRun) -> str | None:
    if not run.has_parallel:
        return None
    return "Nodes of one step supersede each other: their order was not recorded (`order`)."
