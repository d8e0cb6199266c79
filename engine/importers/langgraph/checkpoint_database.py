"""A LangGraph SqliteSaver database, read and never changed.

Rules: the file is opened read-only and as immutable; where a write-ahead log lies beside it, both
are copied and the copy is read, because an immutable file's log is not. Only the two plain tables
are asked; views and virtual tables are refused, no extension is loaded, and work, rows and values
are bounded. Order is the framework's own: checkpoint ids grow with time, a step's writes go by task
path.
"""

import sqlite3
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from urllib.parse import quote

from engine.core.contract.json_types import JsonObject, integer, text
from engine.importers.langgraph.stored_bodies import StoredBodies, StoredBody
from engine.importers.langgraph.stored_run import Checkpoint, StoredWrite, Thread
from engine.importers.langgraph.stored_values import objects_of, stored_value
from engine.importers.sources import source_error as refused

SIZE_MAX = 256 << 20
"""Largest database, with its log, that is opened; in bytes."""
ROWS_MAX = 200_000
"""Most rows of a table that are read."""
VALUE_MAX = 64 << 20
"""Largest stored value, in bytes."""
WORK_STEPS = 100_000
WORK_MAX = 4_000
"""How often the database engine may report `WORK_STEPS` steps of its work."""
MAGIC = b"SQLite format 3\x00"

_PUSHED = "~__pregel_push"
_COLUMNS = {
    "checkpoints": ("thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type",
                    "checkpoint", "metadata"),
    "writes": ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "task_path", "idx",
               "channel", "type", "value"),
}  # fmt: skip
_ORDER = {
    "checkpoints": "thread_id, checkpoint_ns, checkpoint_id",
    "writes": "thread_id, checkpoint_ns, checkpoint_id, task_path, task_id, idx",
}


def is_checkpoint_database(path: Path) -> bool:
    """Return whether the file is a database with a table `checkpoints`. Raises: nothing."""
    try:
        with path.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                return False
        with _opened(path) as connection:
            return _columns_of(connection, "checkpoints") >= {"thread_id", "checkpoint"}
    except (OSError, sqlite3.Error, ValueError):
        return False


def read_checkpoint_database(path: Path) -> list[Thread]:
    """Return the threads of a database, in the order of their names. Cost: O(size).

    Raises:
        SessionInvalid: too large, damaged, or without LangGraph's tables.
    """
    try:
        size = sum(item.stat().st_size for item in (path, _log_of(path)) if item.exists())
        if size > SIZE_MAX:
            raise refused(
                path, f"is {size:,} bytes; at most {SIZE_MAX:,} are read. Copy one thread "
                "into a database of its own and import that.", "TOO_LARGE",
            )  # fmt: skip
        with _opened(path) as connection:
            _check_tables(connection, path)
            writes = _writes(connection, path)
            return _threads(connection, path, writes)
    except (sqlite3.Error, OSError, ValueError) as error:
        raise refused(
            path,
            f"cannot be read as a SQLite database ({type(error).__name__}: {error}). Copy it "
            "again while nothing writes to it.",
            "DAMAGED_DATABASE",
        ) from error


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    """Yield a connection to the file, or to a copy where its log must be read with it."""
    log = _log_of(path)
    if not (log.exists() and log.stat().st_size):
        with closing(_connected(path, "mode=ro&immutable=1")) as connection:
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="spd-import-") as folder:
        copy = Path(folder) / "copy.sqlite"
        copyfile(path, copy)
        copyfile(log, _log_of(copy))
        with closing(_connected(copy, "mode=rw")) as connection:
            yield connection


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MAX)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
        connection.execute("PRAGMA mmap_size=0")
        connection.set_progress_handler(_Patience().spent, WORK_STEPS)
    except BaseException:
        connection.close()
        raise
    return connection


class _Patience:
    """Counts the engine's reports of work and says when it is enough."""

    def __init__(self) -> None:
        self._count = 0

    def spent(self) -> bool:
        """Return whether the query is to be given up."""
        self._count += 1
        return self._count > WORK_MAX


def _columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a plain table; none where it is a view, virtual, or not there."""
    found = connection.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
    ).fetchone()
    sql = found[0] if found else None
    if not isinstance(sql, str) or not sql.lstrip().upper().startswith("CREATE TABLE"):
        return set()
    return {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    for table, needed in _COLUMNS.items():
        missing = sorted(set(needed) - _columns_of(connection, table) - {"task_path"})
        if missing:
            raise refused(
                path,
                f"has no table `{table}` with {', '.join(missing)}: it is no database of "
                "LangGraph's SqliteSaver (langgraph-checkpoint-sqlite 2 or later).",
                "NOT_A_CHECKPOINT_DATABASE",
            )


def _rows_of(
    connection: sqlite3.Connection, path: Path, table: str
) -> Iterator[tuple[object, ...]]:
    has_path = "task_path" in _columns_of(connection, table)
    columns = [
        name if name != "task_path" or has_path else "'' AS task_path" for name in _COLUMNS[table]
    ]
    query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {_ORDER[table]} LIMIT ?"
    for count, row in enumerate(connection.execute(query, (ROWS_MAX + 1,))):
        if count == ROWS_MAX:
            raise refused(
                path, f"has more than {ROWS_MAX:,} rows in `{table}`. Copy one thread into a "
                "database of its own and import that.", "TOO_LARGE",
            )  # fmt: skip
        yield row


_Key = tuple[str, str, str]


def _writes(connection: sqlite3.Connection, path: Path) -> dict[_Key, list[StoredWrite]]:
    found: dict[_Key, list[StoredWrite]] = {}
    for row in _rows_of(connection, path, "writes"):
        thread, namespace, checkpoint, task, task_path, index, channel, kind, value = row
        key = (_text(thread), _text(namespace), _text(checkpoint))
        place = index if isinstance(index, int) else 0
        write = StoredWrite(
            task_id=_text(task),
            node=node_of_path(_text(task_path)),
            task_path=_text(task_path),
            index=place,
            channel=_text(channel),
            value=stored_value(_kind(kind), _blob(value)),
            pointer={
                "file": path.name, "table": "writes", "checkpoint_id": key[2],
                "task_id": _text(task), "idx": place,
            },
        )  # fmt: skip
        found.setdefault(key, []).append(write)
    return found


def node_of_path(task_path: str) -> str | None:
    """Return the node that a stored task path names: `~__pregel_pull, <node>`; else null.

    >>> node_of_path("~__pregel_pull, confirm")
    'confirm'
    """
    head, _, rest = task_path.partition(", ")
    return rest.split(", ", 1)[0] or None if head == "~__pregel_pull" else None


def _threads(
    connection: sqlite3.Connection, path: Path, writes: dict[_Key, list[StoredWrite]]
) -> list[Thread]:
    found: dict[str, dict[str, list[Checkpoint]]] = {}
    bodies = StoredBodies()
    for row in _rows_of(connection, path, "checkpoints"):
        thread, namespace, checkpoint_id, parent, kind, body, metadata = row
        key = (_text(thread), _text(namespace), _text(checkpoint_id))
        stored = bodies.add(_kind(kind), _blob(body))
        item = _checkpoint(
            key, parent=_kind(parent), stored=stored, about=_metadata(metadata),
            writes=writes.get(key, []), file=path.name,
        )  # fmt: skip
        found.setdefault(key[0], {}).setdefault(key[1], []).append(item)
    return [
        Thread(thread_id=name, namespaces=spaces, has_routing=True)
        for name, spaces in sorted(found.items())
    ]


def _checkpoint(
    key: _Key,
    *,
    parent: str | None,
    stored: StoredBody,
    about: JsonObject,
    writes: list[StoredWrite],
    file: str,
) -> Checkpoint:
    is_sent = any(write.task_path.startswith(_PUSHED) for write in writes)
    sends = objects_of(stored.get("__pregel_tasks")) if is_sent else []
    return Checkpoint(
        checkpoint_id=key[2],
        parent_id=parent,
        namespace=key[1],
        source=text(about, "source"),
        step=integer(about, "step"),
        recorded_at=stored.recorded_at,
        values=stored,
        pointer={"file": file, "table": "checkpoints", "checkpoint_id": key[2]},
        writes=[_named(write, sends) for write in writes],
    )


def _named(write: StoredWrite, sends: list[JsonObject]) -> StoredWrite:
    """Return a write of a task that was sent to a node with the node's name."""
    head, _, rest = write.task_path.partition(", ")
    place = rest.split(", ", 1)[0].lstrip("0") or "0"
    if write.node is not None or head != _PUSHED or not place.isascii():
        return write
    if not place.isdigit() or len(place) > 9 or int(place) >= len(sends):
        return write
    return replace(write, node=text(sends[int(place)], "send_to"))


def _metadata(value: object) -> JsonObject:
    """Return the metadata, which is JSON in a column of either kind."""
    data = value.encode() if isinstance(value, str) else _blob(value)
    found = stored_value("json", data) if data is not None else None
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _kind(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _blob(value: object) -> bytes | None:
    return value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else None
