"""Index files: an artifact's columns and lines, written and mapped back; damage is found."""

import random
from dataclasses import fields

import pytest
from hypothesis import given
from support.records import build_call, build_in_order, calls, entered, file_of, guard, noise

from engine.core.artifact import ArtifactView, Columns, FileArtifact, read_artifact, view_of
from engine.core.artifact.intervals import Intervals
from engine.core.contract.canonical import sha256_of
from engine.core.contract.json_types import JsonObject
from engine.recording.index_file import IndexDamaged, index_bytes, read_index

CALL = [entered("a"), guard("a:0"), noise(clock_ms=5), entered("b", parent_visit_id="a#1")]
SMALL = file_of(build_in_order(CALL))
HASH = sha256_of(SMALL)


def index_of(data: bytes) -> bytes:
    source = read_artifact(data)
    view = view_of(source, digest=sha256_of(data))
    pieces = index_bytes(view.columns, source.lines, artifact_hash=sha256_of(data))
    return b"".join(pieces)


def plain(columns: Columns) -> dict[str, object]:
    """All columns as lists and dicts, to be compared."""
    out: dict[str, object] = {}
    for field in fields(Columns):
        value = getattr(columns, field.name)
        if isinstance(value, Intervals):
            out[field.name] = [list(getattr(value, part.name)) for part in fields(Intervals)]
        elif field.name == "runs":
            out[field.name] = {
                kind: {key: tuple(run) for key, run in runs.items()}
                for kind, runs in columns.runs.items()
            }
        else:
            out[field.name] = list(value)
    return out


@given(calls())
def test_columns_and_lines_come_back(call: tuple[JsonObject, JsonObject]) -> None:
    data = file_of(build_call(*call))
    source = read_artifact(data)
    view = view_of(source, digest=sha256_of(data))
    columns, lines = read_index(
        index_of(data), artifact_hash=sha256_of(data), artifact_size=len(data)
    )
    assert plain(columns) == plain(view.columns)
    assert list(lines.offsets) == list(source.lines.offsets)
    assert {k: tuple(v) for k, v in lines.keys.items()} == source.lines.keys
    again = ArtifactView(FileArtifact(data, lines), columns, digest=sha256_of(data))
    for cursor in range(-1, view.event_count):
        assert again.path_at(cursor) == view.path_at(cursor)
        assert again.pending_at(cursor, limit=9) == view.pending_at(cursor, limit=9)


def test_the_lookups_of_a_mapped_index() -> None:
    columns, _ = read_index(
        memoryview(index_of(SMALL)), artifact_hash=HASH, artifact_size=len(SMALL)
    )
    assert list(columns.posting("state_enter", "b")) == [3]
    assert list(columns.posting("state_enter", "nobody")) == []
    assert list(columns.posting("nothing", "a")) == []
    assert list(columns.guard_posting(0, "a:0")) == [1]
    assert len(columns.runs["state_enter"]) == 2
    assert sorted(columns.runs["state_enter"]) == ["a", "b"]


@pytest.mark.parametrize(
    "changed", [{"artifact_hash": "sha256:00"}, {"artifact_size": len(SMALL) + 1}]
)
def test_another_artifacts_index(changed: dict[str, str | int]) -> None:
    arguments: dict[str, str | int] = {"artifact_hash": HASH, "artifact_size": len(SMALL)}
    with pytest.raises(IndexDamaged):
        read_index(index_of(SMALL), **{**arguments, **changed})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"x" * 100_000, b"[]\n" + b"x" * 64])
def test_no_index_at_all(data: bytes) -> None:
    with pytest.raises(IndexDamaged):
        read_index(data, artifact_hash=HASH, artifact_size=len(SMALL))


def test_another_version_or_byte_order() -> None:
    data = index_of(SMALL)
    for old, new in ((b'"version":1', b'"version":2'), (b"little", b"middle"), (b"big", b"bug")):
        if old in data[:200]:
            with pytest.raises(IndexDamaged):
                read_index(data.replace(old, new, 1), artifact_hash=HASH, artifact_size=len(SMALL))


def test_any_damage_behind_the_head_is_found() -> None:
    data = index_of(SMALL)
    start = data.index(b"\n") + 1
    chance = random.Random(1)
    for _ in range(200):
        at = chance.randrange(start, len(data))
        damaged = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        with pytest.raises(IndexDamaged):
            read_index(damaged, artifact_hash=HASH, artifact_size=len(SMALL))
    for length in range(0, len(data), 97):
        with pytest.raises(IndexDamaged):
            read_index(data[:length], artifact_hash=HASH, artifact_size=len(SMALL))


def test_any_damage_in_the_head_is_found_or_harmless() -> None:
    data = index_of(SMALL)
    intact, _ = read_index(data, artifact_hash=HASH, artifact_size=len(SMALL))
    end = data.index(b"\n")
    chance = random.Random(2)
    for _ in range(600):
        at = chance.randrange(end)
        damaged = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        try:
            columns, _ = read_index(damaged, artifact_hash=HASH, artifact_size=len(SMALL))
        except IndexDamaged:
            continue
        assert plain(columns) == plain(intact)
