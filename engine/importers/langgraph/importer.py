"""The importer of LangGraph: which files are its, which run of them is told, and what it is worth.

Sources: a SqliteSaver database or a state history in JSON, then in any order `graph.json` (the
exported graph) and the Python file that builds the graph, which is parsed and never executed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.contract.canonical import sha256_of
from engine.importers.frame import (
    SURE,
    Imported,
    Importer,
    ImportOptions,
    LineageRow,
    Probe,
)
from engine.importers.sources import source_error, source_json

if TYPE_CHECKING:
    from engine.importers.langgraph.program_graph import ProgramGraph
    from engine.importers.langgraph.stored_run import Thread

_SQLITE = b"SQLite format 3\x00"
_HISTORY_MARKS = (b'"checkpoint_id"', b'"values"', b'"next"')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sources:
    """What the files are."""

    path: Path
    threads: "Sequence[Thread]"
    graph: "ProgramGraph | None"
    python: Path | None


def sniff(found: Probe) -> int:
    """Return how sure it is that a file holds checkpoints. Raises: nothing."""
    if found.head.startswith(_SQLITE):
        from engine.importers.langgraph.checkpoint_database import (  # noqa: PLC0415 - start-up
            is_checkpoint_database,
        )

        return SURE if is_checkpoint_database(found.path) else 0
    if not found.head.lstrip(b" \t\r\n").startswith((b"[", b"{")):
        return 0
    marks = sum(mark in found.head for mark in _HISTORY_MARKS)
    if marks == len(_HISTORY_MARKS):
        return SURE - 10
    return 40 if found.head.count(b'"values"') and b'"configurable"' in found.head else 0


def companions(path: Path) -> Sequence[Path]:
    """Return the exported graph and the database's log beside a source, by their usual names."""
    beside = (path.with_name("graph.json"), path.with_name(path.name + "-wal"))
    return [item for item in beside if item != path and item.is_file()]


def list_lineages(sources: Sequence[Path], options: ImportOptions) -> Sequence[LineageRow]:
    """Return the runs of a source, newest head first. Raises: SessionInvalid."""
    from engine.importers.langgraph.chosen_lineage import (  # noqa: PLC0415 - start-up
        about_lineage,
        all_lineages,
        chosen_lineage,
    )

    found = _read(sources, options)
    every = all_lineages(found.threads)
    chosen = chosen_lineage(every, options.lineage, found.path) if every else None
    return [
        LineageRow(lineage_id=line.lineage_id, about=about_lineage(line), is_default=line is chosen)
        for line in every
    ]


def import_recording(sources: Sequence[Path], options: ImportOptions) -> Imported:
    """Return one run of a source. Raises: SessionInvalid."""
    from engine.importers.langgraph.mapping import mapping_rows, notes_of  # noqa: PLC0415
    from engine.importers.langgraph.recorded_run import recorded_run  # noqa: PLC0415 - start-up
    from engine.recording import RecordedFlow  # noqa: PLC0415 - start-up

    found = _read(sources, options)
    run = recorded_run(
        found.threads,
        path=found.path,
        asked=options.lineage,
        graph=found.graph,
        source=found.python,
        slot_classes=options.slot_classes,
    )
    line = run.lineage
    return Imported(
        session_id=f"langgraph:{sha256_of(line.lineage_id.encode())[7:39]}",
        call_start_epoch=run.start_ms or 0,
        records=run.records,
        flow=RecordedFlow(
            data=run.flow,
            file_name="graph.flow.json",
            source_path=None,
        ),
        mapping=mapping_rows(run),
        ended=None if run.is_pending else "completed",
        slot_classes=options.slot_classes,
        unavailable=_unavailable(has_start=run.start_ms is not None),
        notes=notes_of(run),
        about={
            "lineage": line.lineage_id,
            "lineages": run.others + 1,
        },
    )


def _unavailable(*, has_start: bool) -> dict[str, str]:
    reasons = {
        "engine_revision": "LangGraph does not store which code ran.",
        "runtime_lock": "LangGraph does not store which packages ran.",
        "audio_refs": "Checkpoints hold no audio.",
    }
    if not has_start:
        reasons["call_start_epoch"] = "The checkpoints have no time."
    return reasons


def _read(sources: Sequence[Path], options: ImportOptions) -> _Sources:
    """Return the sources told apart: the recording first, then graph and Python file."""
    from engine.importers.langgraph.checkpoint_database import (  # noqa: PLC0415 - start-up
        MAGIC,
        read_checkpoint_database,
    )
    from engine.importers.langgraph.program_graph import read_graph  # noqa: PLC0415 - start-up
    from engine.importers.langgraph.state_history import threads_of  # noqa: PLC0415 - start-up

    if not sources:
        raise source_error(Path("nothing"), "was named. Name a checkpoint database.", "NOT_FOUND")
    path, *others = sources
    graph: ProgramGraph | None = None
    python: Path | None = None
    for other in [*others, *([options.flow] if options.flow is not None else [])]:
        if other.name == path.name + "-wal":
            continue  # it is read with its database; its content is part of what was opened
        if other.suffix in (".py", ".pyi"):
            python = other
        else:
            graph = read_graph(other)
    threads = (
        read_checkpoint_database(path)
        if _starts_with(path, MAGIC)
        else threads_of(source_json(path), path)
    )
    return _Sources(path=path, threads=threads, graph=graph, python=python)


def _starts_with(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(mark)) == mark
    except OSError:
        return False


LANGGRAPH = Importer(
    name="langgraph",
    title="LangGraph checkpoints (a SqliteSaver database, or a state history as JSON)",
    sniff=sniff,
    import_recording=import_recording,
    companions=companions,
    lineages=list_lineages,
)
