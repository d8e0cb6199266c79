"""Streams of records on their way into an artifact: cleaned, keyed, ordered.

A stream's records are a sequence, held in memory or decoded when looked at; everything here asks
for one record at a time, so the same code builds from lists and from files of any size.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import floor

from engine.core.artifact.order import NO_KEY, Order, StreamKeys
from engine.core.artifact.slots import SlotClasses, redact
from engine.core.contract.json_types import JsonObject, integer, text
from engine.core.contract.labels import STREAM_RANK, Stream
from engine.core.contract.numbers import keep_numbers
from engine.core.contract.problems import Problem
from engine.core.contract.session_records import RECORD_TYPES, record_flaw

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) now and then while a long work goes on."""

KIND_NAMES: tuple[str | None, ...] = (*RECORD_TYPES, None)
"""Effective types by code; the last code stands for none."""
_KIND_CODES = {name: code for code, name in enumerate(KIND_NAMES)}
PROGRESS_EVERY = 4096


def no_progress(stage: str, done: int, total: int) -> None:
    """Take progress and do nothing with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamInput:
    """The records of one stream in file order.

    `lines[i]` is the 1-based physical line of `records[i]`; None: one record a line, from line 1.
    `problems` are flaws that whoever read the stream has seen already, `line_problems` those that
    are found while records are looked at (complete once all have been).
    """

    stream: Stream
    records: Sequence[JsonObject]
    lines: Sequence[int] | None = None
    problems: Sequence[Problem] = field(default_factory=tuple)

    @property
    def line_numbers(self) -> Sequence[int]:
        """The physical line of each record."""
        return self.lines if self.lines is not None else range(1, len(self.records) + 1)


class Kinds(Sequence[str | None]):
    """Effective types in one byte each."""

    def __init__(self, codes: Sequence[int]) -> None:
        """Take codes of `KIND_NAMES`."""
        self._codes = codes

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, index: int) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        return KIND_NAMES[self._codes[index]]


class CleanRecords(Sequence[JsonObject]):
    """The records of a stream as they may stand in an artifact, cleaned when looked at.

    `untouched[i]`: cleaning leaves record i as it is.
    """

    def __init__(
        self, records: Sequence[JsonObject], classes: SlotClasses, untouched: Sequence[int]
    ) -> None:
        """Take raw records and the classes that decide what may be shown."""
        self._records = records
        self._classes = classes
        self._untouched = untouched

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, position: int) -> JsonObject:  # pyright: ignore[reportIncompatibleMethodOverride]
        raw = self._records[position]
        return raw if self._untouched[position] else clean_record(raw, self._classes).record


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanStream:
    """One stream read once: its clean records, what orders them, their types and problems."""

    stream: Stream
    records: Sequence[JsonObject]
    keys: StreamKeys
    kinds: Sequence[int]
    problems: list[Problem]


def clean_stream(
    source: StreamInput, classes: SlotClasses, *, key: str, keep: bool, progress: Progress
) -> CleanStream:
    """Read a stream once.

    `key` (`seq` or `clock_ms`) orders it. `keep`: hold the clean records in memory; else they are
    cleaned again when looked at.
    """
    problems: list[Problem] = []
    kept: list[JsonObject] = []
    keys, kinds, untouched = array("q"), array("B"), bytearray()
    unknown: dict[str, tuple[int, int]] = {}
    stage = f"reading {source.stream.value}"
    total = len(source.records)
    for position, (line, raw) in enumerate(zip(source.line_numbers, source.records, strict=True)):
        if position % PROGRESS_EVERY == 0:
            progress(stage, position, total)
        clean = clean_record(raw, classes)
        if keep:
            kept.append(clean.record)
        own_key = integer(clean.record, key)
        keys.append(NO_KEY if own_key is None else own_key)
        kinds.append(_KIND_CODES[clean.kind])
        untouched.append(clean.record is raw)
        problems += [replace(p, stream=source.stream, line=line) for p in clean.problems]
        kind = text(clean.record, "type")
        if kind is not None and kind not in RECORD_TYPES:
            first, count = unknown.get(kind, (line, 0))
            unknown[kind] = (first, count + 1)
    problems += source.problems
    problems += [_unknown_type(source.stream, kind, *seen) for kind, seen in unknown.items()]
    return CleanStream(
        stream=source.stream,
        records=kept if keep else CleanRecords(source.records, classes, untouched),
        keys=StreamKeys(stream=source.stream, lines=source.line_numbers, keys=keys),
        kinds=kinds,
        problems=problems,
    )


def _unknown_type(stream: Stream, kind: str, line: int, count: int) -> Problem:
    detail: JsonObject = {"type": kind, "count": count}
    return Problem(code="UNKNOWN_TYPE", stream=stream, line=line, detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanRecord:
    """One record as it may stand in an artifact; `kind` is its type if it has its effect."""

    record: JsonObject
    kind: str | None
    problems: list[Problem]


def clean_record(raw: JsonObject, classes: SlotClasses) -> CleanRecord:
    """Return a record as it may stand in an artifact, with the problems that this met.

    Numbers keep their value, the clock is whole milliseconds, personal slots hold safe forms.
    """
    shown, raw_slots = redact(raw, classes)
    kept = keep_numbers(shown)
    record = kept.record
    problems = [Problem(code="RAW_PERSONAL_VALUE", detail={"slot": slot}) for slot in raw_slots]
    problems += [
        Problem(code="NUMBER_KEPT_AS_TEXT", detail={"pointer": pointer})
        for pointer in kept.pointers
    ]
    clock = record.get("clock_ms")
    if isinstance(clock, float):
        record = {**record, "clock_ms": floor(clock)}
        detail: JsonObject = {"clock_ms": str(clock)}
        problems.append(Problem(code="CLOCK_NOT_INTEGER", detail=detail))
    problems += [
        Problem(code="FIELD_INVALID", detail={"field": name})
        for name, kinds in _COMMON_FIELDS
        if not isinstance(record.get(name), kinds) or isinstance(record.get(name), bool)
    ]
    flaw = record_flaw(record)
    if flaw is not None:
        problems.append(Problem(code=flaw.code, detail=flaw.detail))
    kind = text(record, "type") if flaw is None else None
    return CleanRecord(
        record=record, kind=kind if kind in RECORD_TYPES else None, problems=problems
    )


_COMMON_FIELDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("clock_ms", (int, type(None))),
    ("event_id", (str, type(None))),
    ("visit_id", (str, type(None))),
    ("turn_id", (str, type(None))),
    ("caused_by", (str, type(None))),
)
"""Fields that any record may have; one of a wrong type counts as absent."""


class OrderedRecords(Sequence[JsonObject]):
    """All clean records of a call in call order."""

    def __init__(self, streams: Sequence[CleanStream], order: Order) -> None:
        """Take the streams in rank order and their merged order."""
        self._streams = streams
        self._order = order
        self.kinds = Kinds(array("B", self._codes()))

    def _codes(self) -> Iterator[int]:
        order = self._order
        for number, position in zip(order.streams, order.positions, strict=True):
            yield self._streams[number].kinds[position]

    def __len__(self) -> int:
        return len(self._order.positions)

    def __getitem__(self, index: int) -> JsonObject:  # pyright: ignore[reportIncompatibleMethodOverride]
        number = self._order.streams[index]
        return self._streams[number].records[self._order.positions[index]]

    def stream_of(self, index: int) -> Stream:
        """Return the stream of event `index`."""
        return self._streams[self._order.streams[index]].stream

    def line_of(self, index: int) -> int:
        """Return the physical line of event `index` in its stream's file."""
        return self._streams[self._order.streams[index]].keys.lines[self._order.positions[index]]


def rank_of(source: StreamInput) -> int:
    """Return the rank of a stream: trace, bus, transcript."""
    return STREAM_RANK[source.stream]
