"""A checkpoint database: read whole, read only, and refused where it is none."""

import hashlib
import shutil
import sqlite3
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.core.contract.errors import SessionInvalid
from engine.importers.langgraph import checkpoint_database
from engine.importers.langgraph.checkpoint_database import (
    is_checkpoint_database,
    node_of_path,
    read_checkpoint_database,
)

SAMPLE = OURS / "langgraph" / "checkpoints.sqlite"
PARALLEL = OURS / "langgraph" / "parallel.sqlite"


def refusal(path: Path) -> SessionInvalid:
    with pytest.raises(SessionInvalid) as caught:
        read_checkpoint_database(path)
    assert caught.value.detail["file"] == path.name
    assert not is_checkpoint_database(path) or caught.value.detail["kind"] == "TOO_LARGE"
    return caught.value


def test_the_sample_is_read_and_left_as_it_was(tmp_path: Path) -> None:
    copy = tmp_path / "checkpoints.sqlite"
    shutil.copyfile(SAMPLE, copy)
    before = hashlib.sha256(copy.read_bytes()).hexdigest()
    [thread] = read_checkpoint_database(copy)
    assert (thread.thread_id, thread.has_routing) == ("call-1", True)
    assert [item.step for item in thread.namespaces[""]] == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 7]
    assert sum(len(item.writes) for item in thread.namespaces[""]) == 24
    assert hashlib.sha256(copy.read_bytes()).hexdigest() == before
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoints.sqlite"]


def test_the_rows_name_their_nodes() -> None:
    [thread] = read_checkpoint_database(PARALLEL)
    nodes = {write.node for item in thread.namespaces[""] for write in item.writes}
    assert {"collect", "look_up_tables", "look_up_prices", "timing", "check", "book"} <= nodes
    assert [name.partition(":")[0] for name in thread.namespaces] == ["", "timing"]


def test_what_stands_in_the_log_beside_it_is_read(tmp_path: Path) -> None:
    """A program that still runs, or died, leaves its last rows in the write-ahead log."""
    path = tmp_path / "live.sqlite"
    shutil.copyfile(SAMPLE, path)
    with sqlite3.connect(path) as live:
        live.execute("PRAGMA journal_mode=WAL")
        live.execute("PRAGMA wal_autocheckpoint=0")
        live.execute("UPDATE checkpoints SET thread_id = 'from the log'")
        live.commit()
        assert (tmp_path / "live.sqlite-wal").stat().st_size
        names = sorted(item.name for item in tmp_path.iterdir())
        assert [item.thread_id for item in read_checkpoint_database(path)] == ["from the log"]
        assert sorted(item.name for item in tmp_path.iterdir()) == names
    live.close()


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE other (x)",
        "CREATE TABLE checkpoints (thread_id, checkpoint)",
        "CREATE VIEW checkpoints AS SELECT 1 AS thread_id; CREATE TABLE writes (x)",
        "CREATE VIRTUAL TABLE checkpoints USING fts5(thread_id, checkpoint)",
    ],
)
def test_other_databases_are_refused(schema: str, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    made = sqlite3.connect(path)
    made.executescript(schema)
    made.close()
    with pytest.raises(SessionInvalid) as caught:
        read_checkpoint_database(path)
    assert caught.value.detail["kind"] == "NOT_A_CHECKPOINT_DATABASE"


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_bytes(b"SQLite format 3\x00" + b"x" * 5000)
    assert refusal(path).detail["kind"] == "DAMAGED_DATABASE"
    assert not is_checkpoint_database(tmp_path / "nothing")


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_database, "ROWS_MAX", 3)
    assert refusal(SAMPLE).detail["kind"] == "TOO_LARGE"
    monkeypatch.setattr(checkpoint_database, "SIZE_MAX", 1000)
    assert refusal(SAMPLE).detail["kind"] == "TOO_LARGE"


def test_a_query_that_works_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_database, "WORK_STEPS", 1)
    monkeypatch.setattr(checkpoint_database, "WORK_MAX", 1)
    assert refusal_kind() == "DAMAGED_DATABASE"


def refusal_kind() -> object:
    with pytest.raises(SessionInvalid) as caught:
        read_checkpoint_database(SAMPLE)
    return caught.value.detail["kind"]


def test_a_value_that_cannot_be_read_is_opaque_and_the_rest_is_there(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    shutil.copyfile(SAMPLE, path)
    with sqlite3.connect(path) as odd:
        odd.execute("UPDATE writes SET type = 'pickle' WHERE channel = 'time'")
        odd.execute("UPDATE checkpoints SET metadata = 7, parent_checkpoint_id = 3 WHERE rowid = 1")
    odd.close()
    [thread] = read_checkpoint_database(path)
    values = [w.value for item in thread.namespaces[""] for w in item.writes if w.channel == "time"]
    assert values == [{"opaque": "pickle value, not opened", "bytes": 6}] * 2


@pytest.mark.parametrize(
    ("path", "node"),
    [("~__pregel_pull, agent", "agent"), ("~__pregel_push, 0000000000", None), ("", None)],
)
def test_a_task_path_names_a_node_or_not(path: str, node: str | None) -> None:
    assert node_of_path(path) == node
