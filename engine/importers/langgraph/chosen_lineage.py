"""Which of a source's lineages is told: the one asked for, else the one with the newest head."""

from collections.abc import Sequence
from pathlib import Path

from engine.importers.langgraph.stored_run import Lineage, Thread, lineages
from engine.importers.sources import source_error as refused


def all_lineages(threads: Sequence[Thread]) -> list[Lineage]:
    """Return the lineages of all threads, the newest head first."""
    found = [line for thread in threads for line in lineages(thread)]
    return sorted(found, key=lambda line: line.lineage_id, reverse=True)


def chosen_lineage(found: Sequence[Lineage], asked: str | None, path: Path) -> Lineage:
    """Return the lineage whose id is, or ends or begins with, `asked`; the newest for null.

    A thread's name asks for that thread's newest lineage.

    Raises:
        SessionInvalid: there is none, or several are meant.
    """
    if not found:
        raise refused(path, "holds no checkpoint: there is nothing to import.", "EMPTY")
    if asked is None:
        return found[0]
    exact = [line for line in found if line.lineage_id == asked]
    of_thread = [line for line in found if line.thread.thread_id == asked][:1]
    alike = [
        line
        for line in found
        if line.lineage_id.endswith(asked) or line.lineage_id.startswith(asked)
    ]
    meant = exact or of_thread or alike
    if len(meant) == 1:
        return meant[0]
    known = ", ".join(line.lineage_id for line in found[:5])
    what = "fits several lineages" if meant else "is no lineage of it"
    raise refused(path, f"was asked for lineage {asked!r}, which {what}. It has: {known}.",
                  "UNKNOWN_LINEAGE")  # fmt: skip


def about_lineage(line: Lineage) -> str:
    """Return what a list of lineages says of one."""
    head = line.chain[-1]
    said = f"thread {line.thread.thread_id}, {len(line.chain)} checkpoints"
    if head.recorded_at is not None:
        said += f", last at {head.recorded_at}"
    if head.source in ("update", "fork"):
        said += ", its head is an edit"
    if line.siblings:
        places = ", ".join(
            f"step {item.step}" for item in line.chain if item.checkpoint_id in line.siblings
        )
        said += f"; other lineages leave at {places}"
    return said
