"""A lineage as steps: which tasks ran between two checkpoints, what they wrote, where they went.

Rules: a write row belongs to the checkpoint *before* its step. It counts for the next checkpoint of
the chain only if that is the one child which a run made; after an edit or a new input it was never
applied, and where several runs share a checkpoint nobody can say whose it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.importers.langgraph.stored_run import Checkpoint, Lineage, StoredWrite
from engine.importers.langgraph.stored_values import objects_of


class StepKind(StrEnum):
    """How the chain went on from a checkpoint."""

    RUN = "run"
    EDITED = "edited"
    INPUT = "input"
    SHARED = "shared"
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a task sends the run next.

    Attributes:
        basis: null where the route is stored; else by which rule it is derived.
        waits_for: the nodes whose end is waited for, itself among them; empty for none.
    """

    to: str
    pointer: JsonObject
    basis: str | None = None
    waits_for: tuple[str, ...] = ()
    kind: str = "edge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One run of one node; `node` is null where the source does not name it."""

    task_id: str
    node: str | None
    pointer: JsonObject
    writes: Sequence[StoredWrite]
    """Writes to channels of the program."""
    notes: Sequence[StoredWrite]
    """Interrupts, then answers to them, then errors."""
    routes: Sequence[Route]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What lies between two checkpoints of a chain; `after` is null at the head."""

    before: Checkpoint
    after: Checkpoint | None
    kind: StepKind
    tasks: Sequence[Task]


_NOTES = {"__interrupt__": 0, "__resume__": 1, "__error__": 2}


def steps_of(lineage: Lineage, *, has_routing: bool) -> list[Step]:
    """Return the steps of a chain in order; the last one is what is pending at its head."""
    chain = lineage.chain
    found: list[Step] = []
    for index, before in enumerate(chain):
        after = chain[index + 1] if index + 1 < len(chain) else None
        kind = _kind(after, lineage.siblings.get(before.checkpoint_id, ()))
        tasks = _tasks(before) if kind in (StepKind.RUN, StepKind.PENDING) else []
        if kind is StepKind.PENDING:
            tasks = [task for task in tasks if task.writes or task.notes or task.routes]
        if not has_routing and after is not None:
            tasks = _with_next(tasks, after)
        found.append(Step(before=before, after=after, kind=kind, tasks=tasks))
    return found


def is_internal(channel: str) -> bool:
    """Return whether a channel is the framework's own: routing, input, tasks."""
    return channel.startswith(("__", "branch:", "join:", "start:"))


def _kind(after: Checkpoint | None, siblings: Sequence[Checkpoint]) -> StepKind:
    if after is None:
        runs = [item for item in siblings if item.source in (None, "loop")]
        return StepKind.SHARED if runs else StepKind.PENDING
    if after.source in ("update", "fork"):
        return StepKind.EDITED
    if after.source == "input":
        return StepKind.INPUT
    if any(item.source in (None, "loop") for item in siblings):
        return StepKind.SHARED
    return StepKind.RUN


def _tasks(before: Checkpoint) -> list[Task]:
    """Return the tasks in the order in which the framework applies their writes."""
    groups: dict[str, list[StoredWrite]] = {task.task_id: [] for task in before.tasks}
    nodes: dict[str, str | None] = {task.task_id: task.node for task in before.tasks}
    pointers: dict[str, JsonObject] = {task.task_id: task.pointer for task in before.tasks}
    for write in before.writes:
        groups.setdefault(write.task_id, []).append(write)
        nodes[write.task_id] = nodes.get(write.task_id) or write.node
        pointers.setdefault(write.task_id, {**before.pointer, "task_id": write.task_id})
    return [
        Task(
            task_id=task_id,
            node=nodes[task_id],
            pointer=pointers[task_id],
            writes=[item for item in writes if not is_internal(item.channel)],
            notes=sorted(
                (item for item in writes if item.channel in _NOTES),
                key=lambda item: _NOTES[item.channel],
            ),
            routes=[route for item in writes for route in _routes(item)],
        )
        for task_id, writes in groups.items()
        if nodes[task_id] is not None or not all(is_internal(item.channel) for item in writes)
    ]


def _routes(write: StoredWrite) -> Iterator[Route]:
    channel = write.channel
    if channel.startswith("branch:"):
        yield Route(to=channel.removeprefix("branch:to:").rsplit(":", 1)[-1]
                    if not channel.startswith("branch:to:") else channel[len("branch:to:"):],
                    pointer=write.pointer)  # fmt: skip
    elif channel.startswith("join:"):
        sources, _, to = channel[len("join:") :].rpartition(":")
        yield Route(to=to, pointer=write.pointer, waits_for=tuple(sources.split("+")), kind="join")
    elif channel == "__pregel_tasks":
        for to in _sent_to(write.value):
            yield Route(to=to, pointer=write.pointer, kind="send")


def _sent_to(value: JsonValue) -> list[str]:
    names = (text(item, "send_to") for item in objects_of(value))
    return [name for name in names if name is not None]


def _with_next(tasks: list[Task], after: Checkpoint) -> list[Task]:
    """Return the tasks with routes, where the source has none: only one task can have gone on."""
    if len(tasks) != 1 or not after.next_nodes:
        return tasks
    routes = [
        Route(to=name, pointer=after.pointer, basis="the only task before `next`")
        for name in dict.fromkeys(after.next_nodes)
    ]
    only = tasks[0]
    return [
        Task(
            task_id=only.task_id, node=only.node, pointer=only.pointer, writes=only.writes,
            notes=only.notes, routes=routes,
        )
    ]  # fmt: skip


def inner_namespace(namespace: str, task: Task) -> str:
    """Return the namespace of the sub-graph that ran as a task of `namespace`."""
    own = f"{task.node}:{task.task_id}"
    return f"{namespace}|{own}" if namespace else own
