"""Columns and postings of an artifact: everything that stepping looks up, derived in one pass.

A posting is a sorted array of event indices under a (kind, key). Nothing here holds a record; what
a face shows is read from the event itself. Cost: O(n) time, a few dozen bytes an event.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.core.artifact.intervals import Interval, Intervals
from engine.core.artifact.slots import written_slots
from engine.core.contract.json_types import JsonObject, integer, rows, text, texts
from engine.core.contract.session_records import AUDIO_ENDS, beat_of, effective_type

Posting = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One stay in a state; `parent` is the ordinal of the visit it is nested in."""

    visit_id: str
    state_id: str
    occurrence: int
    parent: int | None
    via_edge: str | None
    entered_index: int
    closed_index: int | None
    exit_edge: str | None
    exit_to: str | None
    exit_label: str
    exit_reason: str | None

    @property
    def superseded(self) -> bool:
        """Whether the visit was closed by another's entry or exit, without a record of its own."""
        return self.exit_reason == "superseded"

    def is_open_at(self, cursor: int) -> bool:
        """Return whether the visit is open at `cursor`; its closing record still shows it open."""
        return self.entered_index <= cursor and (
            self.closed_index is None or cursor <= self.closed_index
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """Restorable places: `kinds[k]` may be restored at cursor `cursors[k]`; sorted by cursor."""

    cursors: Sequence[int]
    kinds: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """All derived columns of one artifact; index = event index unless said otherwise."""

    event_ids: Sequence[str]
    kinds: Sequence[str | None]
    clocks: Sequence[int | None]
    media_clocks: Sequence[int]
    media_indices: Sequence[int]
    visit_at: Sequence[int]
    postings: dict[tuple[str, str], Posting]
    visit_beats: dict[tuple[int, str], Posting]
    visit_guards: dict[tuple[int, str], Posting]
    beat_starts: Posting
    visit_starts: Posting
    pending: Intervals
    playing: Intervals
    checkpoints: Checkpoints


def derive_columns(events: Sequence[JsonObject], visits: Sequence[Visit]) -> Columns:
    """Return the columns of `events` (the artifact's rows) framed by `visits`."""
    pass_ = _Pass(visits)
    for index, event in enumerate(events):
        pass_.add(index, event)
    return pass_.columns()


def _indices() -> "array[int]":
    return array("q")


@dataclass(slots=True)
class _Lists:
    """Growing postings by key."""

    by_key: dict[tuple[str, str], "array[int]"] = field(
        default_factory=dict[tuple[str, str], "array[int]"]
    )

    def add(self, kind: str, key: str | None, index: int) -> None:
        if key is None:
            return
        posting = self.by_key.setdefault((kind, key), _indices())
        if not posting or posting[-1] != index:
            posting.append(index)


class _Pass:
    """One walk over the events that fills every column."""

    def __init__(self, visits: Sequence[Visit]) -> None:
        self._visits = visits
        self._ordinals = {visit.visit_id: o for o, visit in enumerate(visits)}
        self._entered = {visit.entered_index: o for o, visit in enumerate(visits)}
        self._closing: dict[int, list[int]] = {}
        self._lists = _Lists()
        self._open = _OpenWork()
        self._place = _Place(visits)
        self._event_ids: list[str] = []
        self._kinds: list[str | None] = []
        self._clocks: list[int | None] = []
        self._media = (_indices(), _indices())
        self._visit_at = _indices()
        self._visit_beats: dict[tuple[int, str], array[int]] = {}
        self._visit_guards: dict[tuple[int, str], array[int]] = {}
        self._beat_starts = _indices()
        self._visit_starts = _indices()
        self._previous: tuple[str, int | None] | None = None
        for ordinal, visit in enumerate(visits):
            self._lists.add("visit_id", visit.visit_id, visit.entered_index)
            if visit.closed_index is not None:
                self._closing.setdefault(visit.closed_index, []).append(ordinal)

    def add(self, index: int, event: JsonObject) -> None:
        record = event["record"]
        assert isinstance(record, dict)
        kind = effective_type(record)
        event_id = text(event, "event_id")
        owner = self._ordinals.get(text(event, "owner") or "")
        assert event_id is not None
        self._event_ids.append(event_id)
        self._kinds.append(kind)
        self._add_clock(index, record)
        self._add_place(index, owner, beat_of(record).value)
        self._lists.add("type", text(record, "type"), index)
        if kind is not None:
            self._add_effect(index, kind, record, owner)
            self._open.add(index, kind, record, event_id, owner)
        for ordinal in self._closing.get(index, ()):
            self._lists.add("state_exit", self._visits[ordinal].state_id, index)
            self._open.visit_closed(ordinal, index)

    def _add_clock(self, index: int, record: JsonObject) -> None:
        clock = integer(record, "clock_ms")
        self._clocks.append(clock)
        if clock is not None:
            clocks, indices = self._media
            clocks.append(max(clock, clocks[-1]) if clocks else clock)
            indices.append(index)

    def _add_place(self, index: int, owner: int | None, beat: str) -> None:
        entered = self._entered.get(index)
        self._visit_at.append(self._place.at(index, entered))
        if entered is not None:
            self._visit_starts.append(index)
            self._lists.add("state_enter", self._visits[entered].state_id, index)
        if entered is not None or (beat, owner) != self._previous:
            self._beat_starts.append(index)
        self._previous = (beat, owner)
        if owner is not None:
            self._visit_beats.setdefault((owner, beat), _indices()).append(index)

    def _add_effect(self, index: int, kind: str, record: JsonObject, owner: int | None) -> None:
        add = self._lists.add
        for slot in texts(record, "slots_read"):
            add("slot_read", slot, index)
        match kind:
            case "slot_write" | "session_slots_seeded":
                for slot in written_slots(record):
                    add("slot_write", slot, index)
                add("writer", text(record, "writer"), index)
                for row in rows(record, "slots"):
                    add("writer", text(row, "writer"), index)
            case "transition_taken":
                add("edge_taken", text(record, "edge_id"), index)
            case "guard_evaluated":
                edge_id = text(record, "edge_id")
                assert edge_id is not None
                add(f"guard_{_VERDICTS[record.get('verdict')]}", edge_id, index)  # pyright: ignore[reportArgumentType]
                if owner is not None:
                    self._visit_guards.setdefault((owner, edge_id), _indices()).append(index)
            case _:
                add("playback", text(record, "playback_id"), index)

    def columns(self) -> Columns:
        """Return what the walk found."""
        postings: dict[tuple[str, str], Posting] = dict(self._lists.by_key)
        return Columns(
            event_ids=self._event_ids,
            kinds=self._kinds,
            clocks=self._clocks,
            media_clocks=self._media[0],
            media_indices=self._media[1],
            visit_at=self._visit_at,
            postings=postings,
            visit_beats=dict(self._visit_beats),
            visit_guards=dict(self._visit_guards),
            beat_starts=self._beat_starts,
            visit_starts=self._visit_starts,
            pending=Intervals(self._open.pending()),
            playing=Intervals(self._open.playing()),
            checkpoints=self._open.checkpoints(),
        )


_VERDICTS = {True: "true", False: "false", None: "null"}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A transition asked for at event `start` and not answered yet."""

    start: int
    event_id: str
    request_id: str | None
    owner: int | None


class _OpenRequests:
    """Transitions asked for and still open, found by id, by event and by visit."""

    def __init__(self) -> None:
        self._open: dict[int, _Request] = {}
        self._by_request_id: dict[str, list[_Request]] = {}
        self._by_event_id: dict[str, _Request] = {}
        self._by_visit: dict[int, list[_Request]] = {}

    def add(self, request: _Request) -> None:
        """Take a request."""
        self._open[request.start] = request
        self._by_event_id[request.event_id] = request
        if request.request_id is not None:
            self._by_request_id.setdefault(request.request_id, []).append(request)
        if request.owner is not None:
            self._by_visit.setdefault(request.owner, []).append(request)

    def end_taken(self, request_id: str | None, cause: str | None) -> list[int]:
        """End the requests that a `transition_taken` answers; return where they began."""
        taken = self._by_request_id.pop(request_id, []) if request_id is not None else []
        if cause in self._by_event_id:
            taken.append(self._by_event_id[cause])
        return self._end(taken)

    def end_visit(self, owner: int | None) -> list[int]:
        """End the requests of a visit; return where they began."""
        return self._end(self._by_visit.pop(owner, [])) if owner is not None else []

    def never_ended(self) -> list[int]:
        """Return where the requests began that are still open."""
        return list(self._open)

    def _end(self, requests: Sequence[_Request]) -> list[int]:
        ended = [request.start for request in requests if request.start in self._open]
        for request in requests:
            self._open.pop(request.start, None)
        return list(dict.fromkeys(ended))


class _OpenWork:
    """Follows what was asked for and has not come (transitions, tools, audio); and checkpoints."""

    def __init__(self) -> None:
        self._done: list[Interval] = []
        self._requests = _OpenRequests()
        self._tools: dict[str, list[int]] = {}
        self._audio: dict[str, list[int]] = {}
        self._started: dict[str, int] = {}
        self._ended: dict[str, int] = {}
        self._checkpoints: list[tuple[int, int, str]] = []

    def add(
        self, index: int, kind: str, record: JsonObject, event_id: str, owner: int | None
    ) -> None:
        """Take one event of a known type."""
        match kind:
            case "state_entered":
                self._checkpoints.append((index, index, "visit_entry"))
            case "input_selected" | "dtmf_received":
                self._checkpoints.append((index - 1, index, "before_input_selection"))
            case "transition_requested":
                request_id = text(record, "request_id")
                self._requests.add(
                    _Request(start=index, event_id=event_id, request_id=request_id, owner=owner)
                )
            case "transition_taken":
                taken = self._requests.end_taken(
                    text(record, "request_id"), text(record, "caused_by")
                )
                self._end("transition", taken + self._requests.end_visit(owner), index)
            case "tool_called":
                self._tools.setdefault(text(record, "tool_call_id") or "", []).append(index)
            case "tool_result":
                called = self._tools.pop(text(record, "tool_call_id") or "", [])
                self._checkpoints += [(start - 1, start, "before_tool") for start in called]
                self._end("tool", called, index)
            case _ if kind.startswith("audio_"):
                self._audio_event(index, kind, text(record, "playback_id") or "")
            case _:
                pass

    def _end(self, kind: str, starts: Sequence[int], end: int) -> None:
        self._done += [Interval(start=start, end=end, key=kind) for start in starts]

    def _audio_event(self, index: int, kind: str, playback_id: str) -> None:
        if kind == "audio_requested":
            if playback_id not in self._ended:
                self._audio.setdefault(playback_id, []).append(index)
        elif kind == "audio_started":
            self._started.setdefault(playback_id, index)
        elif kind in AUDIO_ENDS:
            if kind != "audio_stopped":
                self._checkpoints.append((index - 1, index, "before_audio_outcome"))
            self._ended.setdefault(playback_id, index)
            self._end("audio", self._audio.pop(playback_id, []), index)

    def visit_closed(self, ordinal: int, index: int) -> None:
        """End the requests of a visit that closes at `index`."""
        self._end("transition", self._requests.end_visit(ordinal), index)

    def pending(self) -> list[Interval]:
        """Return every interval of pending work, whatever ended it."""
        never = [("transition", start) for start in self._requests.never_ended()]
        never += [("tool", start) for starts in self._tools.values() for start in starts]
        never += [("audio", start) for starts in self._audio.values() for start in starts]
        return self._done + [Interval(start=s, end=None, key=kind) for kind, s in never]

    def playing(self) -> list[Interval]:
        """Return when each playback was audible, by playback id."""
        return [
            Interval(start=start, end=self._ended.get(playback_id), key=playback_id)
            for playback_id, start in self._started.items()
        ]

    def checkpoints(self) -> Checkpoints:
        """Return the checkpoints; of several at one cursor the one of the latest event is last."""
        ordered = sorted(self._checkpoints)
        return Checkpoints(cursors=[c for c, _, _ in ordered], kinds=[k for _, _, k in ordered])
