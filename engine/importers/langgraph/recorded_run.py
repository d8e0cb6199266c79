"""From LangGraph's files to the records and the flow of one session."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import SlotClass
from engine.importers.langgraph.chosen_lineage import all_lineages, chosen_lineage
from engine.importers.langgraph.node_places import node_places
from engine.importers.langgraph.program_graph import (
    START,
    ProgramGraph,
    flow_bytes,
    grown_graph,
)
from engine.importers.langgraph.session_records import RunRecorder, epoch_ms, next_of
from engine.importers.langgraph.steps import Route, Step, StepKind, inner_namespace, steps_of
from engine.importers.langgraph.stored_run import Checkpoint, Lineage, Thread, chain_to, children_of
from engine.importers.sources import path_in_session
from engine.recording.safe_values import is_shown
from engine.recording.session_context import classes_of

_NESTED_MAX = 8
"""Graphs within graphs that are looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """One lineage, told.

    Attributes:
        lineage: the chosen one; `others` counts those that were not, `is_newest`: none is newer.
        is_pending: the head has work that was not finished.
        has_parallel, has_shared: whether some step had several tasks, or rows of several runs.
        spans: the nodes' places in Python, by node.
    """

    lineage: Lineage
    others: int
    is_newest: bool
    records: Sequence[JsonObject]
    flow: bytes
    graph: ProgramGraph
    start_ms: int | None
    is_pending: bool
    has_parallel: bool
    has_shared: bool
    spans: Mapping[str, JsonObject]


def recorded_run(
    threads: Sequence[Thread],
    *,
    path: Path,
    asked: str | None,
    graph: ProgramGraph | None,
    source: Path | None,
    slot_classes: Mapping[str, SlotClass],
) -> RecordedRun:
    """Return one lineage of `threads` as records and a flow. Cost: O(size of the lineage).

    Raises:
        SessionInvalid: no lineage, or not the one asked for; `source` cannot be read.
    """
    found = all_lineages(threads)
    line = chosen_lineage(found, asked, path)
    inner = _InnerSteps(line.thread)
    steps = steps_of(line, has_routing=line.thread.has_routing)
    ran = list(_ran(steps, inner))
    nodes = list(dict.fromkeys(prefix + node for prefix, node, _ in ran))
    ways = [(prefix + node, prefix + route.to) for prefix, node, routes in ran for route in routes]
    known = grown_graph(graph, _entry_first(nodes), ways)
    places = node_places(source, shown_path=path_in_session(source)) if source is not None else {}
    spans = {
        node: places[name] for node in known.nodes if (name := node.rpartition("/")[2]) in places
    }
    start = next(
        (ms for item in line.chain if (ms := epoch_ms(item.recorded_at)) is not None), None
    )
    recorder = RunRecorder(
        graph=known,
        is_shown=partial(is_shown, classes_of({}, slot_classes)),
        steps_within=inner.of,
        start_ms=start or 0,
        siblings=line.siblings,
    )
    recorder.tell(steps)
    return RecordedRun(
        lineage=line,
        others=len(found) - 1,
        is_newest=line is found[0],
        records=recorder.records,
        flow=flow_bytes(
            known,
            flow_id="langgraph",
            spans=spans,
            slot_classes={},
        ),
        graph=known,
        start_ms=start,
        is_pending=bool(steps[-1].tasks) or bool(next_of(line.chain[-1])),
        has_parallel=any(len(step.tasks) > 1 for step in steps),
        has_shared=any(step.kind is StepKind.SHARED for step in steps),
        spans=spans,
    )


class _InnerSteps:
    """The steps of a thread's sub-graphs, by namespace; the newest head of each."""

    def __init__(self, thread: Thread) -> None:
        self._thread = thread

    def of(self, namespace: str) -> Sequence[Step]:
        """Return the steps of a namespace; empty where it has none."""
        stored: Sequence[Checkpoint] = self._thread.namespaces.get(namespace, ())
        if not namespace or not stored:
            return ()
        children = children_of(stored)
        heads = [item for item in stored if item.checkpoint_id not in children] or [stored[-1]]
        head = max(heads, key=lambda item: item.checkpoint_id)
        by_id = {item.checkpoint_id: item for item in stored}
        line = Lineage(thread=self._thread, chain=chain_to(head, by_id))
        return steps_of(line, has_routing=self._thread.has_routing)


def _ran(
    steps: Sequence[Step], inner: _InnerSteps, prefix: str = "", namespace: str = ""
) -> Iterator[tuple[str, str, Sequence[Route]]]:
    """Yield (prefix, node, routes) of each task of a node, those of its sub-graph behind it."""
    for step in steps:
        for task in step.tasks:
            if task.node is None:
                continue
            yield prefix, task.node, task.routes
            within = inner_namespace(namespace, task)
            if within.count("|") < _NESTED_MAX:
                yield from _ran(inner.of(within), inner, f"{prefix}{task.node}/", within)


def _entry_first(nodes: list[str]) -> list[str]:
    return [START, *(node for node in nodes if node != START)] if START in nodes else nodes
