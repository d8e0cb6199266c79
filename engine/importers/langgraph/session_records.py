"""The steps of a lineage as records of a session, in the order of the framework.

Rules: one visit for each task; a write's new value is the channel's value in the next checkpoint
(after the reducer), what the task itself wrote stays in `written`. Only checkpoints have a clock.
A value that no write explains is a snapshot's difference and has no writer. Tasks of one step have
no recorded order: they stand in the order in which the framework applies their writes, and each
says with whom it ran. A cause is written only where one stored row names it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from engine.core.artifact import safe_form
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.importers.langgraph.message_records import MessageRecords
from engine.importers.langgraph.program_graph import END, ProgramGraph
from engine.importers.langgraph.steps import (
    Route,
    Step,
    StepKind,
    Task,
    inner_namespace,
    is_internal,
)
from engine.importers.langgraph.stored_run import Checkpoint, StoredWrite
from engine.importers.langgraph.stored_values import is_opaque, objects_of

IsShown = Callable[[str], bool]
"""Whether the values of a slot may be shown."""
SNAPSHOT = "snapshot_difference"


@dataclass(slots=True, kw_only=True)
class _Ran:
    """What a step's tasks left for the next one: by node, the events that sent the run there."""

    arrivals: dict[str, list[tuple[str, str | None]]] = field(
        default_factory=dict[str, list[tuple[str, str | None]]]
    )


@dataclass(slots=True, kw_only=True)
class RunRecorder:
    """Tells the steps of a lineage and of the sub-graphs in it; `records` grows in call order.

    Attributes:
        graph: the nodes and edges, those of sub-graphs with their prefix.
        steps_within: the steps of a sub-graph's namespace, empty where there is none.
        siblings: by checkpoint id, where other lineages leave.
    """

    graph: ProgramGraph
    is_shown: IsShown
    steps_within: Callable[[str], Sequence[Step]]
    start_ms: int
    siblings: Mapping[str, Sequence[Checkpoint]]
    records: list[JsonObject] = field(default_factory=list[JsonObject])
    _visits: dict[str, int] = field(default_factory=dict[str, int])
    _messages: MessageRecords = field(default_factory=MessageRecords)
    _interrupts: set[str] = field(default_factory=set[str])
    _at: str = ""

    def tell(
        self,
        steps: Sequence[Step],
        *,
        prefix: str = "",
        namespace: str = "",
        parent: str | None = None,
    ) -> None:
        """Append the records of `steps`; `prefix` stands before the names of nodes and channels."""
        values: dict[str, JsonValue] = {}
        ran = _Ran()
        for index, step in enumerate(steps):
            self._at = step.before.checkpoint_id
            if index == 0:
                self._seed(step.before, values, prefix)
            self._checkpoint(step.before, prefix)
            ran = self._step(step, ran, values, prefix=prefix, namespace=namespace, parent=parent)

    def _append(self, record: JsonObject) -> str:
        event_id = f"cp-{self._at[-12:]}:{len(self.records) + 1}"
        self.records.append({"event_id": event_id, **record})
        return event_id

    def _seed(self, first: Checkpoint, values: dict[str, JsonValue], prefix: str) -> None:
        """Append the baseline: what the first checkpoint of the chain holds already."""
        own = {name: value for name, value in first.values.items() if not is_internal(name)}
        values.update(own)
        if not own:
            return
        slots: JsonObject = {prefix + name: value for name, value in own.items()}
        self._append(
            {
                "type": "session_slots_seeded",
                "values": [{"writer": "checkpoint", "slots": slots}],
                "provenance": "snapshot",
                "source_record": first.pointer,
            }
        )

    def _checkpoint(self, item: Checkpoint, prefix: str) -> None:
        record: JsonObject = {
            "type": "langgraph.checkpoint",
            "checkpoint_id": item.checkpoint_id,
            "stored_because": item.source,
            "step": item.step,
            "next": [prefix + name for name in next_of(item)],
            "source_record": item.pointer,
        }
        others = self.siblings.get(item.checkpoint_id, ())
        if others:
            record["other_runs_go_on_as"] = [other.checkpoint_id for other in others]
        clock = clock_of(item.recorded_at, self.start_ms)
        if clock is not None:
            record["clock_ms"] = clock
        self._append(record)

    def _step(
        self,
        step: Step,
        before: _Ran,
        values: dict[str, JsonValue],
        *,
        prefix: str,
        namespace: str,
        parent: str | None,
    ) -> _Ran:
        ran = _Ran()
        tasks = step.tasks
        together: list[JsonValue] = [prefix + (task.node or "") for task in tasks]
        self._note_step(step, together)
        after: Mapping[str, JsonValue] = {} if step.after is None else step.after.values
        last = _last_writes(tasks)
        for task in tasks:
            visit = self._enter(task, before, together, prefix=prefix, parent=parent)
            self._within(task, visit, prefix=prefix, namespace=namespace)
            self._notes(task, prefix)
            for write in task.writes:
                is_last = last.get(write.channel) is write
                self._write(step, task, write, values, after, is_last=is_last, prefix=prefix)
            self._leave(step, task, ran, prefix=prefix)
        self._unexplained(step, values, prefix)
        return ran

    def _note_step(self, step: Step, together: list[JsonValue]) -> None:
        if len(together) > 1:
            self._append(
                {
                    "type": "langgraph.parallel_step", "nodes": together,
                    "order": "not_recorded", "source_record": step.before.pointer,
                }
            )  # fmt: skip
        if step.kind is StepKind.SHARED:
            self._append(
                {
                    "type": "langgraph.writes_unattributed",
                    "reason": "several runs went on from this checkpoint and share its rows",
                    "count": len(step.before.writes), "source_record": step.before.pointer,
                }
            )  # fmt: skip

    def _enter(
        self,
        task: Task,
        before: _Ran,
        together: list[JsonValue],
        *,
        prefix: str,
        parent: str | None,
    ) -> str | None:
        """Append the entry of a task's visit and return the visit's id."""
        if task.node is None:
            return None
        state = prefix + task.node
        number = self._visits[state] = self._visits.get(state, 0) + 1
        arrivals = before.arrivals.get(state, [])
        record: JsonObject = {
            "type": "state_entered",
            "state_id": state,
            "visit_id": f"{state}#{number}",
            "via_edge": arrivals[0][1] if len(arrivals) == 1 else None,
            "parent_visit_id": parent,
            "task_id": task.task_id,
            "source_record": task.pointer,
        }
        if len(arrivals) == 1:
            record["caused_by"] = arrivals[0][0]
        if len(together) > 1:
            record["parallel_with"] = [name for name in together if name != state]
            record["order"] = "not_recorded"
        self._append(record)
        return f"{state}#{number}"

    def _notes(self, task: Task, prefix: str) -> None:
        """Append interrupts, then the answers to them, then errors; values as safe forms."""
        for note in task.notes:
            match note.channel:
                case "__interrupt__":
                    for item in self._interrupts_of(note):
                        self._append(
                            {
                                "type": "langgraph.interrupt",
                                "interrupt_id": text(item, "id"),
                                "asked": self._members(item.get("value"), prefix),
                                "source_record": note.pointer,
                            }
                        )
                case "__resume__":
                    self._append(
                        {
                            "type": "langgraph.resume", "answer": safe_form(note.value),
                            "source_record": note.pointer,
                        }
                    )  # fmt: skip
                case _:
                    self._append(
                        {
                            "type": "langgraph.task_failed", "error": safe_form(note.value),
                            "error_type": _error_type(note.value), "source_record": note.pointer,
                        }
                    )  # fmt: skip

    def _interrupts_of(self, note: StoredWrite) -> list[JsonObject]:
        """Return the interrupts that were not told: a graph within tells its own first."""
        fresh: list[JsonObject] = []
        for item in objects_of(note.value):
            key = text(item, "id") or text(item, "interrupt_id")
            if key is not None and key in self._interrupts:
                continue
            self._interrupts.update({key} if key is not None else ())
            fresh.append(item)
        return fresh

    def _members(self, value: JsonValue, prefix: str) -> JsonValue:
        """Return a value with those members shown that are named like a visible slot."""
        if not isinstance(value, dict):
            return safe_form(value)
        return {
            name: item if self.is_shown(prefix + name) else safe_form(item)
            for name, item in value.items()
        }

    def _within(self, task: Task, visit: str | None, *, prefix: str, namespace: str) -> None:
        """Append the records of the sub-graph that ran as this task, nested in its visit."""
        if task.node is None or namespace.count("|") >= 8:
            return
        inner = inner_namespace(namespace, task)
        steps = self.steps_within(inner)
        if steps:
            self.tell(steps, prefix=f"{prefix}{task.node}/", namespace=inner, parent=visit)

    def _write(
        self,
        step: Step,
        task: Task,
        write: StoredWrite,
        values: dict[str, JsonValue],
        after: Mapping[str, JsonValue],
        *,
        is_last: bool,
        prefix: str,
    ) -> None:
        slot = prefix + write.channel
        writer = f"node:{prefix}{task.node}" if task.node is not None else None
        event: JsonObject = {
            "writer": writer,
            "task_id": task.task_id,
            "source_record": write.pointer,
        }
        if step.kind is StepKind.PENDING:
            written = self._safe(slot, write.value)
            self._append(
                {"type": "langgraph.pending_write", "slot": slot, "written": written, **event}
            )
            return
        written = self._safe(slot, write.value)
        if not is_last or write.channel not in after:
            why = "not_in_the_next_checkpoint" if is_last else "value_between_writes_not_stored"
            event = {"slot": slot, "written": written, "value_after": why, **event}
            event_id = self._append({"type": "langgraph.channel_write", **event})
        else:
            new = values[write.channel] = after[write.channel]
            record: JsonObject = {
                "type": "slot_write",
                "slot": slot,
                "kind": "channel_write",
                **_new_value(new),
                "written": written,
                **event,
            }
            event_id = self._append(record)
        for message in self._messages.of(write):
            self._append({"source_record": write.pointer, **message, "caused_by": event_id})

    def _leave(self, step: Step, task: Task, ran: _Ran, *, prefix: str) -> None:
        """Append where the task sent the run; nothing where the step was not finished."""
        if task.node is None or step.kind is StepKind.PENDING:
            return
        state = prefix + task.node
        for route in task.routes:
            to = prefix + route.to
            edge_id = self.graph.edge_id(state, to)
            event_id = self._append(_taken(route, to, edge_id))
            ran.arrivals.setdefault(to, []).append((event_id, edge_id))
        if task.routes:
            return
        ends = self.graph.is_given and self.graph.only_target(state) == END
        record: JsonObject = {
            "type": "state_exited",
            "state_id": state,
            "edge_id": f"{state}:0" if ends else None,
            "source_record": task.pointer,
        }
        if ends:
            record["edge_basis"] = "the node's only edge"
        self._append(record)

    def _unexplained(self, step: Step, values: dict[str, JsonValue], prefix: str) -> None:
        """Append the differences between checkpoints that no stored write explains."""
        if step.after is None:
            return
        for channel, value in step.after.values.items():
            has_changed = channel not in values or values[channel] != value
            if is_internal(channel) or not has_changed:
                continue
            slot = prefix + channel
            self._append(
                {
                    "type": "slot_write", "slot": slot,
                    "kind": "state_edit" if step.kind is StepKind.EDITED else "snapshot",
                    "writer": "update_state" if step.after.source == "update" else None,
                    **_new_value(value),
                    "provenance": SNAPSHOT, "source_record": step.after.pointer,
                }
            )  # fmt: skip
            values[channel] = value

    def _safe(self, slot: str, value: JsonValue) -> JsonValue:
        return value if self.is_shown(slot) else safe_form(value)


def _new_value(value: JsonValue) -> JsonObject:
    """Return the fields of a write's new value; one that could not be read is unavailable."""
    if is_opaque(value) and isinstance(value, dict):
        return {"new": None, "availability": "unavailable", "reason": value["opaque"]}
    return {"new": value}


def clock_of(recorded_at: str | None, start_ms: int) -> int | None:
    """Return the milliseconds from `start_ms` to an ISO time; null where there is none."""
    at = epoch_ms(recorded_at)
    return None if at is None else at - start_ms


def epoch_ms(recorded_at: str | None) -> int | None:
    """Return an ISO time as milliseconds of Unix time, rounded down; null where it is none."""
    try:
        moment = datetime.fromisoformat(recorded_at or "")
    except ValueError:
        return None
    return int(moment.timestamp() * 1_000_000) // 1000 if moment.tzinfo is not None else None


def next_of(item: Checkpoint) -> list[str]:
    """Return who runs next, as the source says it or as the routing channels hold it."""
    if item.next_nodes is not None:
        return list(item.next_nodes)
    return [
        channel.removeprefix("branch:to:")
        for channel in item.values
        if channel.startswith("branch:to:")
    ]


def _last_writes(tasks: Sequence[Task]) -> dict[str, StoredWrite]:
    return {write.channel: write for task in tasks for write in task.writes}


def _taken(route: Route, to: str, edge_id: str | None) -> JsonObject:
    record: JsonObject = {
        "type": "transition_taken", "to": to, "edge_id": edge_id, "source_record": route.pointer,
        "route": route.kind,
    }  # fmt: skip
    if route.waits_for:
        record["waits_for"] = [*route.waits_for]
    if route.basis is not None:
        record["provenance"] = "derived"
        record["basis"] = route.basis
    return record


def _error_type(value: JsonValue) -> str | None:
    """Return the class of a stored error, `repr` or object: never its words."""
    if isinstance(value, dict):
        return text(value, "type") or text(mapping(value, "error"), "type")
    head = value.partition("(")[0] if isinstance(value, str) else ""
    return head if head.isidentifier() else None
