"""A Whisker file as frames: each record of the stream with its place, in the file's order.

One frame is recorded once a hop and action, and a broadcast frame is two frames that name each
other. `WhiskFile.distinct` tells which record is the first of a frame, siblings counted as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, text
from engine.importers.message_pack import NotMessagePack, packed_values
from engine.importers.sources import source_bytes, source_error

CLOCK_MAX = 1 << 42
"""Largest unix time in seconds that is taken for one: what is later is damage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One record of a frame.

    Attributes:
        record_id: the record's own number, null where it has none.
        name: such as `TTSTextFrame#7`, unique to a frame; `kind` is its part before `#`.
        origin: the processor that pushed or processed it.
        at: unix seconds.
        offset: bytes into the unpacked file.
    """

    record_id: int | None
    name: str
    kind: str
    origin: str
    action: str
    direction: str
    at: float
    payload: JsonObject
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WhiskFile:
    """All frames of a file.

    Attributes:
        started_at: unix seconds of the first record.
        versions: what the snapshot says of the bot's environment.
        frames: by time, then by place.
        distinct: the offsets of the first record of each frame, a broadcast pair counted once.
        records: records of the file, of every kind; `skipped`: those that are no frame of ours.
        flaw: why the file is not read to its end, null if it is.
    """

    started_at: float
    versions: JsonObject
    frames: Sequence[Frame]
    distinct: frozenset[int]
    records: int
    skipped: int
    flaw: str | None


def read_whisk(path: Path) -> WhiskFile:
    """Return what a Whisker file holds; one that ends inside a record gives what is before it.

    Raises: SessionInvalid: it cannot be read, its first record is no snapshot, or it is damaged.
    """
    data = source_bytes(path)
    frames: list[Frame] = []
    snapshot: JsonObject | None = None
    records = skipped = 0
    flaw: str | None = None
    try:
        for packed in packed_values(data):
            records += 1
            row = packed.value
            if snapshot is None:
                snapshot = _snapshot(path, row)
                continue
            frame = _frame(row, packed.offset)
            if frame is None:
                skipped += 1
            else:
                frames.append(frame)
    except NotMessagePack as error:
        if error.kind != "CUT_OFF" or snapshot is None:
            raise source_error(
                path,
                f"{error.reason} at byte {error.offset} of what is unpacked. Copy the file anew.",
                error.kind,
                byte_offset=error.offset,
            ) from error
        flaw = f"the file ends inside the record at byte {error.offset}"
    if snapshot is None:
        raise source_error(path, "is empty: nothing was recorded.", "EMPTY", byte_offset=0)
    frames.sort(key=lambda frame: frame.at)
    started = _seconds(snapshot)
    return WhiskFile(
        started_at=started if started is not None else (frames[0].at if frames else 0.0),
        versions=mapping(snapshot, "server"),
        frames=frames,
        distinct=_distinct(frames),
        records=records,
        skipped=skipped,
        flaw=flaw,
    )


def _snapshot(path: Path, row: JsonValue) -> JsonObject:
    if not isinstance(row, dict) or text(row, "type") != "snapshot":
        what = "does not start with a snapshot: it is no Whisker file. Name the .whisk file."
        raise source_error(path, what, "NOT_A_WHISK", byte_offset=0)
    return row


def _seconds(row: JsonObject) -> float | None:
    value = row.get("timestamp")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= CLOCK_MAX else None


def _frame(row: JsonValue, offset: int) -> Frame | None:
    """Return a record as a frame, or None: another kind of record, or not as a frame should be."""
    if not isinstance(row, dict) or text(row, "type") != "frame":
        return None
    name, at = text(row, "name"), _seconds(row)
    if name is None or at is None:
        return None
    return Frame(
        record_id=integer(row, "id"),
        name=name,
        kind=name.split("#")[0],
        origin=text(row, "from") or "",
        action=text(row, "action") or "",
        direction=text(row, "direction") or "",
        at=at,
        payload=mapping(row, "payload"),
        offset=offset,
    )


def _distinct(frames: Sequence[Frame]) -> frozenset[int]:
    """Return the offsets of the first records; of two siblings the one that was seen first."""
    names, siblings, first = set[str](), set[int](), set[int]()
    for frame in frames:
        if frame.name in names:
            continue
        names.add(frame.name)
        own, sibling = integer(frame.payload, "id"), integer(frame.payload, "broadcast_sibling_id")
        if own is not None and own in siblings:
            continue
        if sibling is not None:
            siblings.add(sibling)
        first.add(frame.offset)
    return frozenset(first)
