"""The state history of a thread as JSON: the snapshots of `get_state_history`, newest first.

The export has no routing channels and no order of a task's writes beyond that of its result; a
single object is read as a history of one. Cost of everything here: O(size).
"""

from dataclasses import replace
from pathlib import Path

from engine.core.contract.json_types import (
    JsonObject,
    JsonValue,
    integer,
    mapping,
    rows,
    text,
    texts,
)
from engine.importers.langgraph.stored_run import Checkpoint, StoredTask, StoredWrite, Thread
from engine.importers.langgraph.stored_values import objects_of, plain
from engine.importers.sources import source_error as refused


def looks_like_history(value: JsonValue) -> bool:
    """Return whether a JSON value has the shape of a state history."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return False
    if "chunk" in first or "payload" in first:
        return bool(debug_snapshots(value))
    if "values" not in first:
        return False
    return "checkpoint_id" in mapping(mapping(first, "config"), "configurable")


def debug_snapshots(value: JsonValue) -> list[JsonObject]:
    """Return the snapshots in a recorded debug stream, whole or as `{mode, chunk}`; else none.

    A task's result stands behind its checkpoint in the stream and is put into it.
    """
    found: list[JsonObject] = []
    tasks: dict[str, JsonObject] = {}
    for item in objects_of(value):
        chunk = mapping(item, "chunk") if "chunk" in item else item
        payload = mapping(chunk, "payload")
        match text(chunk, "type"):
            case "checkpoint":
                own = [{**task} for task in rows(payload, "tasks")]
                tasks.update({text(task, "id") or "": task for task in own})
                found.append({**payload, "created_at": chunk.get("timestamp"), "tasks": [*own]})
            case "task_result":
                task = tasks.get(text(payload, "id") or "")
                if task is not None:
                    told = ("result", "error", "interrupts")
                    task.update({name: payload.get(name) or task.get(name) for name in told})
            case _:
                pass
    return found


def threads_of(value: JsonValue, path: Path) -> list[Thread]:
    """Return the threads of an export, in the order of their names; `path` is for messages.

    Raises:
        SessionInvalid: not a state history.
    """
    if not looks_like_history(value):
        raise refused(
            path,
            "is JSON, but no state history: a list of snapshots with `values` and "
            "`config.configurable.checkpoint_id` is needed, as `get_state_history` gives it.",
            "NOT_A_STATE_HISTORY",
        )
    snapshots = debug_snapshots(value) or objects_of(value)
    found: dict[str, dict[str, list[Checkpoint]]] = {}
    for index, snapshot in enumerate(snapshots):
        item = _checkpoint(snapshot, {"file": path.name, "index": index})
        if item is not None:
            place = mapping(mapping(snapshot, "config"), "configurable")
            spaces = found.setdefault(text(place, "thread_id") or "", {})
            spaces.setdefault(item.namespace, []).append(item)
    return [
        Thread(thread_id=name, namespaces=_sorted(spaces), has_routing=False)
        for name, spaces in sorted(found.items())
    ]


def _sorted(spaces: dict[str, list[Checkpoint]]) -> dict[str, list[Checkpoint]]:
    """Return each namespace's checkpoints by id, each id once."""
    return {
        name: sorted({item.checkpoint_id: item for item in items}.values(), key=_by_id)
        for name, items in spaces.items()
    }


def _by_id(item: Checkpoint) -> str:
    return item.checkpoint_id


def _checkpoint(snapshot: JsonObject, pointer: JsonObject) -> Checkpoint | None:
    place = mapping(mapping(snapshot, "config"), "configurable")
    checkpoint_id = text(place, "checkpoint_id")
    if checkpoint_id is None:
        return None
    about = mapping(snapshot, "metadata")
    values = plain(mapping(snapshot, "values"))
    tasks = _in_order(rows(snapshot, "tasks"))
    bare = Checkpoint(
        checkpoint_id=checkpoint_id,
        parent_id=text(
            mapping(mapping(snapshot, "parent_config"), "configurable"), "checkpoint_id"
        ),
        namespace=text(place, "checkpoint_ns") or "",
        source=text(about, "source"),
        step=integer(about, "step"),
        recorded_at=text(snapshot, "created_at"),
        values=values if isinstance(values, dict) else {},
        pointer={**pointer, "checkpoint_id": checkpoint_id},
        next_nodes=texts(snapshot, "next"),
    )
    return replace(
        bare,
        writes=[write for task in tasks for write in _writes(task, bare.pointer)],
        tasks=[
            StoredTask(
                task_id=text(task, "id") or "",
                node=text(task, "name") or "",
                pointer={**bare.pointer, "task_id": text(task, "id")},
            )
            for task in tasks
        ],
    )


def _in_order(tasks: list[JsonObject]) -> list[JsonObject]:
    """Return tasks in the order in which their writes are applied, if all have a path."""
    if not all(isinstance(task.get("path"), list) for task in tasks):
        return tasks
    return sorted(tasks, key=lambda task: _path_text(task["path"]))


def _path_text(path: JsonValue) -> str:
    """Return a task's path in the form in which the framework compares it."""
    if isinstance(path, list):
        return f"~{', '.join(_path_text(part) for part in path)}"
    return f"{path:010d}" if type(path) is int else str(path)


def _writes(task: JsonObject, pointer: JsonObject) -> list[StoredWrite]:
    found: list[tuple[str, JsonValue]] = []
    interrupts = task.get("interrupts")
    if interrupts:
        found.append(("__interrupt__", interrupts))
    if task.get("error") is not None:
        found.append(("__error__", task["error"]))
    result = mapping(task, "result")
    found.extend(result.items())
    task_id = text(task, "id") or ""
    return [
        StoredWrite(
            task_id=task_id,
            node=text(task, "name"),
            task_path="",
            index=index,
            channel=channel,
            value=plain(value),
            pointer={**pointer, "task_id": task_id, "channel": channel},
        )
        for index, (channel, value) in enumerate(found)
    ]
