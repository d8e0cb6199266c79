"""One thread's checkpoints and writes, as read from a source; and its lineages.

Rules: values only, nothing is inferred. A lineage is a chain of checkpoints from the root to a
head, that is to a checkpoint which none of its namespace names as its parent. Where a run was
forked or retried there is more than one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWrite:
    """What one task wrote to one channel, before the channel's reducer.

    Attributes:
        node: the task's node; null where the source does not name it.
        task_path: the path by which the framework applies a step's writes in order.
        index: place among the task's writes; special channels have negative ones.
        pointer: where it stands in the source.
    """

    task_id: str
    node: str | None
    task_path: str
    index: int
    channel: str
    value: JsonValue
    pointer: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTask:
    """A task that a source names beside its writes (state history); see `StoredWrite`."""

    task_id: str
    node: str
    pointer: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One stored state of one namespace.

    Attributes:
        source: why it was stored: `input`, `loop`, `update`, `fork`.
        recorded_at: ISO time as stored, or null.
        values: every channel's value, routing channels included where the source has them.
        next_nodes: who runs next, where the source says so.
        writes: what the tasks of the step after it wrote, in the source's order.
        tasks: the tasks of that step, where the source lists them.
    """

    checkpoint_id: str
    parent_id: str | None
    namespace: str
    source: str | None
    step: int | None
    recorded_at: str | None
    values: Mapping[str, JsonValue]
    pointer: JsonObject
    next_nodes: Sequence[str] | None = None
    writes: Sequence[StoredWrite] = ()
    tasks: Sequence[StoredTask] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """All that a source holds of one thread, by namespace; checkpoints by id."""

    thread_id: str
    namespaces: Mapping[str, Sequence[Checkpoint]]
    has_routing: bool
    """Whether the source keeps the routing channels (`branch:to:...`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """A chain of checkpoints of the root namespace, oldest first, never empty.

    `siblings` are, by checkpoint id, the other children of it: where other lineages leave.
    """

    thread: Thread
    chain: Sequence[Checkpoint]
    siblings: Mapping[str, Sequence[Checkpoint]] = field(
        default_factory=dict[str, Sequence[Checkpoint]]
    )

    @property
    def lineage_id(self) -> str:
        """The id of its head."""
        return self.chain[-1].checkpoint_id


def lineages(thread: Thread) -> list[Lineage]:
    """Return the thread's lineages, the one with the newest head first. Cost: O(heads * depth)."""
    stored = thread.namespaces.get("", ())
    children = children_of(stored)
    by_id = {item.checkpoint_id: item for item in stored}
    heads = [item for item in stored if item.checkpoint_id not in children]
    found = [_lineage(thread, head, by_id, children) for head in heads]
    return sorted(found, key=lambda line: line.lineage_id, reverse=True)


def children_of(stored: Sequence[Checkpoint]) -> dict[str, list[Checkpoint]]:
    """Return the checkpoints by the parent that they name."""
    found: dict[str, list[Checkpoint]] = {}
    for item in stored:
        if item.parent_id is not None:
            found.setdefault(item.parent_id, []).append(item)
    return found


def chain_to(head: Checkpoint, by_id: Mapping[str, Checkpoint]) -> list[Checkpoint]:
    """Return the chain that ends at `head`, oldest first; it stops at a repeated id."""
    chain: list[Checkpoint] = []
    seen: set[str] = set()
    item: Checkpoint | None = head
    while item is not None and item.checkpoint_id not in seen:
        seen.add(item.checkpoint_id)
        chain.append(item)
        item = by_id.get(item.parent_id) if item.parent_id is not None else None
    return chain[::-1]


def _lineage(
    thread: Thread,
    head: Checkpoint,
    by_id: Mapping[str, Checkpoint],
    children: Mapping[str, Sequence[Checkpoint]],
) -> Lineage:
    chain = chain_to(head, by_id)
    own = {item.checkpoint_id for item in chain}
    siblings = {
        item.checkpoint_id: [
            child
            for child in children.get(item.checkpoint_id, ())
            if child.checkpoint_id not in own
        ]
        for item in chain
    }
    return Lineage(
        thread=thread, chain=chain, siblings={key: rows for key, rows in siblings.items() if rows}
    )
