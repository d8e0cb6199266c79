"""Record order: which event stands where in the call.

`session`: the session-wide integer `seq` is the order. `per_stream`: the streams merge on
`clock_ms`; time never reorders a stream. Only keys are looked at here, never a record, so a
recording of any size is ordered in a few bytes a record.

Source: design section 7.1, contract "Order and ownership".
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import pairwise

from engine.core.contract.labels import STREAM_RANK, Stream
from engine.core.contract.problems import Problem

NO_KEY = -(2**63)
"""Stands in a stream's keys where a record has no usable `seq` or `clock_ms`."""

_Key = tuple[int, int, int, int]
_HEAD = -(2**62)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamKeys:
    """What orders one stream: per record its physical line and its `seq` or `clock_ms`."""

    stream: Stream
    lines: Sequence[int]
    keys: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The call's order: event i is record `positions[i]` of stream number `streams[i]`."""

    streams: Sequence[int]
    positions: Sequence[int]


def order_records(
    streams: Sequence[StreamKeys], *, session_wide: bool
) -> tuple[Order, list[Problem]]:
    """Return the order of all records, and what was wrong with their sequence numbers.

    `streams` come in rank order (trace, bus, transcript). Cost: O(n) for streams whose keys rise,
    O(n log n) otherwise.
    """
    problems: list[Problem] = []
    if session_wide:
        keyed = _sequence_keys(streams, problems)
    else:
        keyed = [_clock_keys(stream) for stream in streams]
    order = _merged(keyed)
    if session_wide:
        problems.extend(_gaps(streams, order))
    return order, problems


def _merged(keyed: Sequence[Sequence[_Key]]) -> Order:
    """Return the order of keys; equal keys do not occur."""
    sources = [_numbered(number, keys) for number, keys in enumerate(keyed)]
    if all(a < b for keys in keyed for a, b in pairwise(keys)):
        ordered: Iterator[tuple[_Key, int, int]] = merge(*sources)
    else:
        ordered = iter(sorted(row for source in sources for row in source))
    streams, positions = array("b"), array("q")
    for _, number, position in ordered:
        streams.append(number)
        positions.append(position)
    return Order(streams=streams, positions=positions)


def _numbered(number: int, keys: Sequence[_Key]) -> Iterator[tuple[_Key, int, int]]:
    return ((key, number, position) for position, key in enumerate(keys))


class _Keys(Sequence[_Key]):
    """The keys of a stream whose own keys need no repair, made when looked at."""

    def __init__(self, stream: StreamKeys) -> None:
        self._stream = stream
        self._rank = STREAM_RANK[stream.stream]

    def __len__(self) -> int:
        return len(self._stream.keys)

    def __getitem__(self, position: int) -> _Key:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._stream.keys[position], self._rank, self._stream.lines[position], 0


def _sequence_keys(streams: Sequence[StreamKeys], problems: list[Problem]) -> list[Sequence[_Key]]:
    """Key = (seq, rank, line, place behind it); a broken `seq` stands behind its predecessor."""
    plain = [_Keys(stream) for stream in streams]
    if _is_sound(streams):
        return [*plain]
    seen: set[int] = set()
    return [_repaired(stream, seen, problems) for stream in streams]


def _is_sound(streams: Sequence[StreamKeys]) -> bool:
    """Return whether every record has a `seq` that rises in its stream and occurs once."""
    merged = merge(*(stream.keys for stream in streams))
    rises = all(a < b for stream in streams for a, b in pairwise(stream.keys))
    return (
        rises
        and all(NO_KEY not in stream.keys[:1] for stream in streams)
        and all(a < b for a, b in pairwise(merged))
    )


def _repaired(stream: StreamKeys, seen: set[int], problems: list[Problem]) -> list[_Key]:
    keys: list[_Key] = []
    rank = STREAM_RANK[stream.stream]
    previous: _Key = (_HEAD, rank, 0, 0)
    for seq, line in zip(stream.keys, stream.lines, strict=True):
        if seq != NO_KEY and seq not in seen:
            seen.add(seq)
            previous = (seq, rank, line, 0)
        else:
            repeated = seq != NO_KEY
            problems.append(
                Problem(
                    code="SEQUENCE_BROKEN",
                    stream=stream.stream,
                    line=line,
                    detail={"seq": seq if repeated else None, "repeated": repeated},
                )
            )
            seq_before, _, line_before, behind = previous
            previous = (seq_before, rank, line_before, behind + 1)
        keys.append(previous)
    return keys


def _clock_keys(stream: StreamKeys) -> Sequence[_Key]:
    """Key = (running maximum of the clock, rank, line, 0): a step back or no clock follows on."""
    clocks = array("q")
    clock = _HEAD
    for own in stream.keys:
        clock = max(clock, own)
        clocks.append(clock)
    return _Keys(StreamKeys(stream=stream.stream, lines=stream.lines, keys=clocks))


def _gaps(streams: Sequence[StreamKeys], order: Order) -> list[Problem]:
    """Report each record before which sequence numbers are missing."""
    problems: list[Problem] = []
    highest: int | None = None
    for number, position in zip(order.streams, order.positions, strict=True):
        stream = streams[number]
        seq = stream.keys[position]
        if seq == NO_KEY or (highest is not None and seq <= highest):
            continue
        if highest is not None and seq > highest + 1:
            problems.append(
                Problem(
                    code="SEQUENCE_GAP",
                    stream=stream.stream,
                    line=stream.lines[position],
                    detail={"after": highest, "seq": seq, "missing": seq - highest - 1},
                )
            )
        highest = seq
    return problems
