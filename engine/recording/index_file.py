"""An artifact's columns as a file: flat arrays behind a small head, mapped back without decoding.

Layout: a line of JSON (the head: version, byte order, artifact hash and size, where each section
lies), then the sections, each aligned to 8 bytes. The head names the hash of everything behind it,
so a damaged file is found and made anew. The index is no evidence: delete it at any time.
"""

import hashlib
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Literal, TypeAlias

import msgspec

from engine.core.artifact import Columns, Lines
from engine.core.artifact.intervals import Intervals

VERSION = 1
_Run: TypeAlias = tuple[int, int]


class _Section(msgspec.Struct):
    name: str
    kind: str
    offset: int
    length: int


class _Head(msgspec.Struct):
    version: Literal[1]
    byte_order: str
    artifact_hash: str
    artifact_size: int
    digest: str
    sections: list[_Section]


class IndexDamaged(Exception):
    """The file is no index of this artifact, of this version, on this kind of machine."""


_PLAIN = tuple(
    field.name
    for field in fields(Columns)
    if field.name not in {"runs", "edge_ids", "pending", "playing"}
)
_INTERVALS = ("pending", "playing")
_JSON_KIND = "json"


def index_bytes(columns: Columns, lines: Lines, *, artifact_hash: str) -> Iterator[bytes]:
    """Yield the index file of an artifact in pieces."""
    pieces: list[bytes] = []
    sections: list[_Section] = []
    size = 0

    def add(name: str, kind: str, data: bytes) -> None:
        nonlocal size
        sections.append(_Section(name=name, kind=kind, offset=size, length=len(data)))
        padding = bytes(-len(data) % 8)
        pieces.extend((data, padding))
        size += len(data) + len(padding)

    for name, column in _numbers(columns, lines):
        add(name, *_packed(column))
    for kind, runs in columns.runs.items():
        add(f"runs.{kind}", _JSON_KIND, msgspec.json.encode(runs))
    add("edge_ids", _JSON_KIND, msgspec.json.encode(columns.edge_ids))
    add("keys", _JSON_KIND, msgspec.json.encode(lines.keys))
    head = _Head(
        version=VERSION,
        byte_order=sys.byteorder,
        artifact_hash=artifact_hash,
        artifact_size=lines.offsets[-1],
        digest=_digest(sections, pieces),
        sections=sections,
    )
    yield _head_bytes(head)
    yield from pieces


def _numbers(columns: Columns, lines: Lines) -> Iterator[tuple[str, Sequence[int]]]:
    for name in _PLAIN:
        yield name, getattr(columns, name)
    for name in _INTERVALS:
        intervals: Intervals = getattr(columns, name)
        for part in fields(Intervals):
            yield f"{name}.{part.name}", getattr(intervals, part.name)
    yield "offsets", lines.offsets


def _packed(column: Sequence[int]) -> tuple[str, bytes]:
    """Return (type code, bytes) of a column of numbers."""
    assert isinstance(column, array), "an index is written from derived columns only"
    return column.typecode, column.tobytes()


def _digest(sections: list[_Section], pieces: Iterable[bytes | memoryview]) -> str:
    """Return the hash of what the index says: where its sections lie, and what is in them."""
    digest = hashlib.sha256(msgspec.json.encode(sections))
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _head_bytes(head: _Head) -> bytes:
    """Return the head as one line whose length keeps what follows aligned to 8 bytes."""
    line = msgspec.json.encode(head)
    return line + b" " * (-(len(line) + 1) % 8) + b"\n"


def read_index(
    data: bytes | memoryview, *, artifact_hash: str, artifact_size: int
) -> tuple[Columns, Lines]:
    """Return the columns and lines in an index file; they stay mapped to `data`.

    Cost: O(size) for the hash, else O(keys). Raises: IndexDamaged.
    """
    view = memoryview(data)
    head, body = _head_and_body(view)
    if (
        head.byte_order != sys.byteorder
        or head.artifact_hash != artifact_hash
        or head.artifact_size != artifact_size
        or head.digest != _digest(head.sections, [body])
    ):
        raise IndexDamaged
    sections = {section.name: section for section in head.sections}

    def numbers(name: str) -> Sequence[int]:
        section = sections[name]
        part = body[section.offset : section.offset + section.length]
        return part.cast(section.kind)  # pyright: ignore[reportUnknownVariableType, reportCallIssue, reportArgumentType]

    def raw(name: str) -> memoryview:
        section = sections[name]
        return body[section.offset : section.offset + section.length]

    prefix = "runs."
    columns = Columns(
        kinds=numbers("kinds"),
        clocks=numbers("clocks"),
        media_clocks=numbers("media_clocks"),
        media_indices=numbers("media_indices"),
        visit_at=numbers("visit_at"),
        entered=numbers("entered"),
        beat_starts=numbers("beat_starts"),
        posted=numbers("posted"),
        runs={
            name.removeprefix(prefix): _LazyRuns(raw(name))
            for name in sections
            if name.startswith(prefix)
        },
        beat_runs=numbers("beat_runs"),
        beat_events=numbers("beat_events"),
        guard_runs=numbers("guard_runs"),
        guard_edges=numbers("guard_edges"),
        guard_events=numbers("guard_events"),
        edge_ids=msgspec.json.decode(raw("edge_ids"), type=list[str]),
        pending=_intervals("pending", numbers),
        playing=_intervals("playing", numbers),
        checkpoint_cursors=numbers("checkpoint_cursors"),
        checkpoint_kinds=numbers("checkpoint_kinds"),
    )
    keys = msgspec.json.decode(raw("keys"), type=dict[str, _Run])
    return columns, Lines(offsets=numbers("offsets"), keys=keys)


def _intervals(name: str, numbers: Callable[[str], Sequence[int]]) -> Intervals:
    return Intervals(
        starts=numbers(f"{name}.starts"),
        keys=numbers(f"{name}.keys"),
        sorted_ends=numbers(f"{name}.sorted_ends"),
        tree=numbers(f"{name}.tree"),
    )


def _head_and_body(view: memoryview) -> tuple[_Head, memoryview]:
    window = bytes(view[: 1 << 16])
    end = window.find(b"\n")
    if end < 0:
        raise IndexDamaged
    try:
        head = msgspec.json.decode(window[:end].rstrip(), type=_Head)
    except msgspec.DecodeError as error:
        raise IndexDamaged from error
    return head, view[end + 1 :]


class _LazyRuns(Mapping[str, _Run]):
    """The runs of one posting kind, decoded when first asked for."""

    def __init__(self, raw: memoryview) -> None:
        self._raw = raw
        self._runs: dict[str, _Run] | None = None

    def _decoded(self) -> dict[str, _Run]:
        if self._runs is None:
            self._runs = msgspec.json.decode(self._raw, type=dict[str, _Run])
        return self._runs

    def __getitem__(self, key: str) -> _Run:
        return self._decoded()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._decoded())

    def __len__(self) -> int:
        return len(self._decoded())
