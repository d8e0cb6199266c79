"""Columns and postings of an artifact: everything that stepping looks up, derived in one pass.

A posting is a sorted run of event indices under a (kind, key). Nothing here holds a record; what a
face shows is read from the event itself. All columns are flat arrays of numbers, so they can be
written to a file and mapped back. Cost: O(n) time, about 50 bytes an event.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.artifact.intervals import Intervals
from engine.core.artifact.open_work import OpenWork
from engine.core.artifact.slots import written_slots
from engine.core.artifact.streams import KIND_NAMES, PROGRESS_EVERY, Progress, no_progress
from engine.core.artifact.visits import Visit
from engine.core.contract.json_types import JsonObject, integer, rows, text, texts
from engine.core.contract.labels import Beat
from engine.core.contract.session_records import beat_of, effective_type

Posting: TypeAlias = Sequence[int]
NO_CLOCK = -(2**63)
BEATS = tuple(Beat)
_BEAT_CODES = {beat: code for code, beat in enumerate(BEATS)}
_KIND_CODES = {name: code for code, name in enumerate(KIND_NAMES)}
_VERDICTS = {True: "guard_true", False: "guard_false", None: "guard_null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """All derived columns of one artifact.

    `runs` has by posting kind and key the [start, stop) of a posting in `posted`. The events of one
    beat in visit v are the run v * 6 + beat of `beat_runs` in `beat_events`; the guard evaluations
    of visit v are run v of `guard_runs` in `guard_events`, ordered by edge (`guard_edges`, codes of
    `edge_ids`), then by index.
    """

    kinds: Sequence[int]
    clocks: Sequence[int]
    media_clocks: Sequence[int]
    media_indices: Sequence[int]
    visit_at: Sequence[int]
    entered: Sequence[int]
    beat_starts: Sequence[int]
    posted: Sequence[int]
    runs: Mapping[str, Mapping[str, Sequence[int]]]
    beat_runs: Sequence[int]
    beat_events: Sequence[int]
    guard_runs: Sequence[int]
    guard_edges: Sequence[int]
    guard_events: Sequence[int]
    edge_ids: Sequence[str]
    pending: Intervals
    playing: Intervals
    checkpoint_cursors: Sequence[int]
    checkpoint_kinds: Sequence[int]

    def posting(self, kind: str, key: str) -> Posting:
        """Return the posting under (kind, key); empty where there is none."""
        run = self.runs.get(kind, {}).get(key)
        return self.posted[run[0] : run[1]] if run is not None else ()

    def beat_posting(self, ordinal: int, beat: Beat) -> Posting:
        """Return the events of one beat in one visit."""
        group = ordinal * len(BEATS) + _BEAT_CODES[beat]
        return self.beat_events[self.beat_runs[group] : self.beat_runs[group + 1]]

    def guard_posting(self, ordinal: int, edge_id: str) -> Posting:
        """Return the evaluations of one edge's guard in one visit. Cost: O(log edges)."""
        code = bisect_left(self.edge_ids, edge_id)
        if code == len(self.edge_ids) or self.edge_ids[code] != edge_id:
            return ()
        start, stop = self.guard_runs[ordinal], self.guard_runs[ordinal + 1]
        first = bisect_left(self.guard_edges, code, start, stop)
        return self.guard_events[first : bisect_right(self.guard_edges, code, first, stop)]


def derive_columns(
    events: Sequence[JsonObject], visits: Sequence[Visit], *, progress: Progress = no_progress
) -> Columns:
    """Return the columns of `events` (the artifact's rows) framed by `visits`."""
    walk = _Walk(visits)
    for index, event in enumerate(events):
        if index % PROGRESS_EVERY == 0:
            progress("indexing", index, len(events))
        walk.add(index, event)
    return walk.columns()


class _Postings:
    """Postings while they grow."""

    def __init__(self) -> None:
        self._by_key: dict[str, dict[str, array[int]]] = {}

    def add(self, kind: str, key: str | None, index: int) -> None:
        if key is None:
            return
        posting = self._by_key.setdefault(kind, {}).setdefault(key, array("I"))
        if not posting or posting[-1] != index:
            posting.append(index)

    def flatten(self) -> tuple["array[int]", dict[str, dict[str, tuple[int, int]]]]:
        """Return all postings in one array, and the run of each."""
        posted = array("I")
        runs: dict[str, dict[str, tuple[int, int]]] = {}
        for kind, by_key in self._by_key.items():
            for key, posting in by_key.items():
                start = len(posted)
                posted.extend(posting)
                runs.setdefault(kind, {})[key] = (start, len(posted))
        return posted, runs


class _Walk:
    """One walk over the events that fills every column."""

    def __init__(self, visits: Sequence[Visit]) -> None:
        self._visits = visits
        self._ordinals = {visit.visit_id: o for o, visit in enumerate(visits)}
        self._entered = {visit.entered_index: o for o, visit in enumerate(visits)}
        self._closing: dict[int, list[int]] = {}
        for ordinal, visit in enumerate(visits):
            if visit.closed_index is not None:
                self._closing.setdefault(visit.closed_index, []).append(ordinal)
        self._postings = _Postings()
        self._open_work = OpenWork()
        self._place = _Place(visits)
        self._kinds, self._clocks = array("B"), array("q")
        self._media_clocks, self._media_indices = array("q"), array("I")
        self._visit_at = array("i")
        self._owners, self._beats = array("i"), array("B")
        self._beat_starts = array("I")
        self._guards: list[tuple[int, str, int]] = []

    def add(self, index: int, event: JsonObject) -> None:
        record = event["record"]
        assert isinstance(record, dict)
        kind = effective_type(record)
        owner = self._ordinals.get(text(event, "owner") or "", -1)
        self._kinds.append(_KIND_CODES[kind])
        self._add_clock(index, record)
        self._add_place(index, owner, _BEAT_CODES[beat_of(record)])
        self._postings.add("type", text(record, "type"), index)
        if kind is not None:
            self._add_effect(index, kind, record, owner)
            self._open_work.add(index, kind, record, text(event, "event_id") or "", owner)
        for ordinal in self._closing.get(index, ()):
            self._postings.add("state_exit", self._visits[ordinal].state_id, index)
            self._open_work.visit_closed(ordinal, index)

    def _add_clock(self, index: int, record: JsonObject) -> None:
        clock = integer(record, "clock_ms")
        self._clocks.append(NO_CLOCK if clock is None else clock)
        if clock is not None:
            before = self._media_clocks[-1] if self._media_clocks else clock
            self._media_clocks.append(max(clock, before))
            self._media_indices.append(index)

    def _add_place(self, index: int, owner: int, beat: int) -> None:
        entered = self._entered.get(index)
        self._visit_at.append(self._place.at(index, entered))
        if entered is not None:
            self._postings.add("state_enter", self._visits[entered].state_id, index)
        if not index or entered is not None or beat != self._beats[-1] or owner != self._owners[-1]:
            self._beat_starts.append(index)
        self._owners.append(owner)
        self._beats.append(beat)

    def _add_effect(self, index: int, kind: str, record: JsonObject, owner: int) -> None:
        add = self._postings.add
        for slot in texts(record, "slots_read"):
            add("slot_read", slot, index)
        match kind:
            case "slot_write" | "session_slots_seeded":
                for slot in written_slots(record):
                    add("slot_write", slot, index)
                for row in (record, *rows(record, "slots")):
                    add("writer", text(row, "writer"), index)
            case "transition_taken":
                add("edge_taken", text(record, "edge_id"), index)
            case "guard_evaluated":
                edge_id, verdict = text(record, "edge_id"), record.get("verdict")
                assert edge_id is not None
                assert verdict is None or isinstance(verdict, bool)
                add(_VERDICTS[verdict], edge_id, index)
                if owner >= 0:
                    self._guards.append((owner, edge_id, index))
            case _:
                add("playback", text(record, "playback_id"), index)

    def columns(self) -> Columns:
        """Return what the walk found."""
        posted, runs = self._postings.flatten()
        beat_runs, beat_events = self._beat_groups()
        edge_ids = sorted({edge_id for _, edge_id, _ in self._guards})
        codes = {edge_id: code for code, edge_id in enumerate(edge_ids)}
        guards = sorted((owner, codes[edge_id], index) for owner, edge_id, index in self._guards)
        checkpoints = sorted(self._open_work.checkpoints)
        return Columns(
            kinds=self._kinds,
            clocks=self._clocks,
            media_clocks=self._media_clocks,
            media_indices=self._media_indices,
            visit_at=self._visit_at,
            entered=array("I", (visit.entered_index for visit in self._visits)),
            beat_starts=self._beat_starts,
            posted=posted,
            runs=runs,
            beat_runs=beat_runs,
            beat_events=beat_events,
            guard_runs=_runs([owner for owner, _, _ in guards], len(self._visits)),
            guard_edges=array("I", (code for _, code, _ in guards)),
            guard_events=array("I", (index for _, _, index in guards)),
            edge_ids=edge_ids,
            pending=Intervals.of(self._open_work.pending()),
            playing=Intervals.of(self._open_work.playing()),
            checkpoint_cursors=array("i", (cursor for cursor, _, _ in checkpoints)),
            checkpoint_kinds=array("B", (kind for _, _, kind in checkpoints)),
        )

    def _beat_groups(self) -> tuple["array[int]", "array[int]"]:
        """Return owned events grouped by (visit, beat), in index order within a group."""
        groups = (
            o * len(BEATS) + b for o, b in zip(self._owners, self._beats, strict=True) if o >= 0
        )
        runs = _runs(groups, len(self._visits) * len(BEATS))
        events, free = array("I", bytes(4 * runs[-1])), array("I", runs)
        for index, (owner, beat) in enumerate(zip(self._owners, self._beats, strict=True)):
            if owner >= 0:
                group = owner * len(BEATS) + beat
                events[free[group]] = index
                free[group] += 1
        return runs, events


def _runs(groups: Iterable[int], count: int) -> "array[int]":
    """Return where each of `count` groups begins once its members stand together; one more: all."""
    runs = array("I", bytes(4 * (count + 1)))
    for group in groups:
        runs[group + 1] += 1
    for group in range(count):
        runs[group + 1] += runs[group]
    return runs


class _Place:
    """Follows the innermost open visit, or the last closed one, event by event."""

    def __init__(self, visits: Sequence[Visit]) -> None:
        self._visits = visits
        self._stack: list[int] = []
        self._last_closed = -1

    def at(self, index: int, entered: int | None) -> int:
        """Return the ordinal at cursor `index`, where visit `entered` begins; -1: none yet."""
        while self._stack and not self._visits[self._stack[-1]].is_open_at(index):
            self._last_closed = self._stack.pop()
        if entered is not None:
            self._stack.append(entered)
        return self._stack[-1] if self._stack else self._last_closed
