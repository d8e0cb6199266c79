"""`ArtifactView`: the one interface through which stepping reads a recording.

Whatever backs it (an object in memory, a mapped file) answers by event index in constant or
logarithmic time.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.artifact.columns import NO_CLOCK, Columns, Posting, derive_columns
from engine.core.artifact.encode import artifact_hash
from engine.core.artifact.intervals import Intervals
from engine.core.artifact.load import hold_artifact
from engine.core.artifact.open_work import CHECKPOINT_KINDS, PENDING_KINDS
from engine.core.artifact.source import ArtifactSource
from engine.core.artifact.streams import KIND_NAMES, Progress, no_progress
from engine.core.artifact.visits import Visit, Visits, visit_of
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, rows, text
from engine.core.contract.labels import Beat

_OCCURRENCE = re.compile(r"[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingPlaces:
    """Findings by the event they stand at: sorted indices, beside them places in `findings`."""

    starts: Sequence[int]
    numbers: Sequence[int]
    by_code: Mapping[str, Sequence[int]]


class ArtifactView:
    """A read-only recording; event indices run from 0 to `event_count` - 1, cursors from -1."""

    def __init__(self, source: ArtifactSource, columns: Columns, *, digest: str) -> None:
        """Take a source with its columns and hash; see `ArtifactView.of` and `view_of`."""
        self.artifact_hash = digest
        self.session: JsonObject = _object(source.member("session"))
        self.flow: JsonObject = _object(source.member("flow"))
        self.settings: JsonObject = _object(source.member("settings"))
        self.slots: Sequence[JsonObject] = [*source.rows("slots")]
        self.playback: Sequence[JsonObject] = source.rows("playback")
        self.audio: Sequence[JsonObject] = source.rows("audio")
        self.findings: Sequence[JsonObject] = source.rows("findings")
        self.problems: Sequence[JsonObject] = source.rows("problems")
        self.unowned_count = len(source.rows("unowned_events"))
        self._source = source
        self._events: Sequence[JsonObject] = source.rows("events")
        self.event_count = len(self._events)
        self.visits: Sequence[Visit] = Visits(source.rows("visits"), self.ordinal_of)
        self.columns = columns
        self._index_of_id: dict[str, int] | None = None
        self._findings_at: dict[int, list[str]] | None = None
        self._finding_places: FindingPlaces | None = None
        self._seeds: dict[int, dict[str, JsonObject]] = {}
        self._edges: dict[str, list[JsonObject]] = {
            state_id: rows(state, "edges")
            for state_id, state in mapping(self.flow, "states").items()
            if isinstance(state, dict)
        }

    @classmethod
    def of(cls, artifact: JsonObject) -> "ArtifactView":
        """Return the view of an artifact in memory.

        Cost: O(size), once. Raises: ArtifactInvalid where the artifact contradicts itself.
        """
        return view_of(hold_artifact(artifact), digest=artifact_hash(artifact))

    # -- events ------------------------------------------------------------------------------------

    def payload(self, index: int) -> JsonObject:
        """Return event `index`: `{event_id, owner, unowned, stream, record}`."""
        return self._events[index]

    def record(self, index: int) -> JsonObject:
        """Return the record of event `index`."""
        return mapping(self._events[index], "record")

    def event_id(self, index: int) -> str:
        """Return the id of event `index`."""
        return self._source.event_id(index)

    def index_of(self, event_id: str) -> int | None:
        """Return the index of the event with this id, or None. Cost: O(n) once, then O(1)."""
        if self._index_of_id is None:
            self._index_of_id = {self.event_id(i): i for i in range(self.event_count)}
        return self._index_of_id.get(event_id)

    def event_type(self, index: int) -> str | None:
        """Return the recorded type of event `index`, known or not."""
        return self.effective_type(index) or text(self.record(index), "type")

    def effective_type(self, index: int) -> str | None:
        """Return the type of event `index` if it is known and the record fits it."""
        return KIND_NAMES[self.columns.kinds[index]]

    def clock_ms(self, index: int) -> int | None:
        """Return the call-clock millisecond of event `index`, or None."""
        clock = self.columns.clocks[index]
        return None if clock == NO_CLOCK else clock

    def index_at_clock(self, clock_ms: int) -> int:
        """Return the last event at or before a media cursor (ties: highest), or -1."""
        position = bisect_right(self.columns.media_clocks, clock_ms)
        return self.columns.media_indices[position - 1] if position else -1

    def first_index_from_clock(self, clock_ms: int) -> int | None:
        """Return the first event at or after a millisecond of the call clock, or None."""
        position = bisect_left(self.columns.media_clocks, clock_ms)
        indices = self.columns.media_indices
        return indices[position] if position < len(indices) else None

    # -- visits ------------------------------------------------------------------------------------

    def visit_at(self, cursor: int) -> int:
        """Return the ordinal of the innermost open visit, else of the last closed one, else -1."""
        return self.columns.visit_at[cursor] if cursor >= 0 else -1

    def path_at(self, cursor: int) -> tuple[int, ...]:
        """Return the ordinals of the open visits, outermost first."""
        path: list[int] = []
        ordinal: int | None = self.visit_at(cursor)
        if ordinal == -1 or not self.visits[ordinal].is_open_at(cursor):
            return ()
        while ordinal is not None:
            path.append(ordinal)
            ordinal = self.visits[ordinal].parent
        return tuple(reversed(path))

    def visit_count_at(self, cursor: int) -> int:
        """Return how many visits have been entered."""
        return bisect_right(self.columns.entered, cursor)

    def ordinal_of(self, visit_id: str) -> int | None:
        """Return the ordinal of a visit id `<state_id>#<n>`, or None. Cost: O(log visits)."""
        state_id, _, number = visit_id.rpartition("#")
        entries = self.postings("state_enter", state_id)
        if _OCCURRENCE.fullmatch(number) is None or int(number) > len(entries):
            return None
        return bisect_left(self.columns.entered, entries[int(number) - 1])

    def edges_of(self, state_id: str) -> Sequence[JsonObject]:
        """Return the edge rows of a state in declaration order; empty for an unknown state."""
        return self._edges.get(state_id, ())

    # -- postings ----------------------------------------------------------------------------------

    def postings(self, kind: str, key: str) -> Posting:
        """Return the sorted indices under (kind, key); empty where there are none.

        Kinds: `type`, `state_enter`, `state_exit`, `visit_id`, `edge_taken`, `slot_write`,
        `slot_read`, `writer`, `playback`, `guard_true`, `guard_false`, `guard_null`.
        """
        if kind == "visit_id":
            ordinal = self.ordinal_of(key)
            return () if ordinal is None else (self.columns.entered[ordinal],)
        return self.columns.posting(kind, key)

    @property
    def event_types(self) -> list[str]:
        """All event types of the recording, sorted."""
        return sorted(self.columns.runs.get("type", {}))

    def beat_events(self, ordinal: int, beat: Beat) -> Posting:
        """Return the events of one beat in one visit; empty for ordinal -1."""
        return () if ordinal < 0 else self.columns.beat_posting(ordinal, beat)

    def guard_events(self, ordinal: int, edge_id: str) -> Posting:
        """Return the evaluations of one edge's guard in one visit."""
        return self.columns.guard_posting(ordinal, edge_id)

    @property
    def beat_starts(self) -> Posting:
        """Events that start a beat or a visit."""
        return self.columns.beat_starts

    @property
    def visit_starts(self) -> Posting:
        """Events that start a visit."""
        return self.columns.entered

    # -- what is open, and where one could restore -------------------------------------------------

    @property
    def pending(self) -> Intervals:
        """Work asked for and not yet come; keys are places in `PENDING_KINDS`."""
        return self.columns.pending

    def pending_at(self, cursor: int, *, limit: int) -> list[tuple[int, str]]:
        """Return (event index, kind) of the first `limit` pending items at `cursor`."""
        found = self.columns.pending.open_at(cursor, limit=limit)
        return [(start, PENDING_KINDS[key]) for start, key in found]

    def playing_at(self, cursor: int, *, limit: int) -> list[str]:
        """Return the ids of the first `limit` playbacks audible at `cursor`, by start."""
        found = self.columns.playing.open_at(cursor, limit=limit)
        return [str(self.playback[key]["playback_id"]) for _, key in found]

    def checkpoint_at(self, cursor: int) -> tuple[str, int] | None:
        """Return (kind, cursor) of the nearest checkpoint at or before `cursor`.

        Of several at one cursor: that of the latest event.
        """
        place = bisect_right(self.columns.checkpoint_cursors, cursor)
        if not place:
            return None
        kind = CHECKPOINT_KINDS[self.columns.checkpoint_kinds[place - 1]]
        return kind, self.columns.checkpoint_cursors[place - 1]

    def findings_at(self, cursor: int) -> Sequence[str]:
        """Return the ids of the findings that stand at event `cursor`, in the artifact's order."""
        if self._findings_at is None:
            self._findings_at = _findings_by_event(self.findings)
        return self._findings_at.get(cursor, ())

    @property
    def finding_places(self) -> "FindingPlaces":
        """Where the findings stand, and which are of which code. Cost: O(findings) once."""
        if self._finding_places is None:
            self._finding_places = _places_of(self.findings)
        return self._finding_places

    def seed_row(self, index: int, slot: str) -> JsonObject:
        """Return the row of `slot` in the `session_slots_seeded` event `index` (the last one)."""
        if index not in self._seeds:
            listed = rows(self.record(index), "slots")
            self._seeds[index] = {name: row for row in listed if (name := text(row, "slot"))}
        return self._seeds[index][slot]


def view_of(source: ArtifactSource, *, digest: str) -> ArtifactView:
    """Return the view of a source whose columns are not known yet.

    Cost: O(size), once. Raises: ArtifactInvalid where the artifact contradicts itself.
    """
    visits = _checked_visits(source.rows("visits"), len(source.rows("events")))
    _check_events(source.rows("events"), {visit.visit_id for visit in visits})
    columns = derive_columns(source.rows("events"), visits)
    if any(row >= len(source.rows("playback")) for row in columns.playing.keys):
        raise ArtifactInvalid(
            "The list of playbacks contradicts the events. Build the artifact again.",
            {"member": "playback", "kind": "INCONSISTENT"},
        )
    return ArtifactView(source, columns, digest=digest)


def view_of_built(source: ArtifactSource, *, progress: Progress = no_progress) -> ArtifactView:
    """Return the view of what the builder has just made, which needs no check and has no hash."""
    rows_ = source.rows("visits")
    ordinals = {text(row, "visit_id"): ordinal for ordinal, row in enumerate(rows_)}
    visits = [visit_of(row, ordinals.get(text(row, "parent_visit_id"))) for row in rows_]
    columns = derive_columns(source.rows("events"), visits, progress=progress)
    return ArtifactView(source, columns, digest="")


def _object(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict)
    return value


def _checked_visits(listed: Sequence[JsonObject], event_count: int) -> list[Visit]:
    """Return the artifact's visits in order of entry; each makes sense after those before it."""
    ordinals: dict[str, int] = {}
    counts: dict[str, int] = {}
    visits: list[Visit] = []
    for row in listed:
        parent = text(row, "parent_visit_id")
        visit = visit_of(row, ordinals.get(parent) if parent is not None else None)
        counts[visit.state_id] = counts.get(visit.state_id, 0) + 1
        after = visits[-1].entered_index if visits else -1
        closed = visit.closed_index
        if (
            visit.visit_id != f"{visit.state_id}#{counts[visit.state_id]}"
            or integer(row, "entered_index") is None
            or not after < visit.entered_index < event_count
            or not (closed is None or visit.entered_index <= closed < event_count)
            or not (parent is None or parent in ordinals)
        ):
            raise ArtifactInvalid(
                f"Visit {visit.visit_id!r} contradicts the recording. Build the artifact again.",
                {"visit_id": visit.visit_id, "kind": "INCONSISTENT"},
            )
        ordinals[visit.visit_id] = len(visits)
        visits.append(visit)
    return visits


def _check_events(events: Sequence[JsonObject], visit_ids: set[str]) -> None:
    """Refuse events that name a visit which is not there, and ids that stand twice."""
    seen: set[str] = set()
    for event in events:
        owner, event_id = text(event, "owner"), text(event, "event_id")
        if event_id is None or event_id in seen or not (owner is None or owner in visit_ids):
            raise ArtifactInvalid(
                f"Event {event_id!r} contradicts the recording. Build the artifact again.",
                {"event_id": event_id, "kind": "INCONSISTENT"},
            )
        seen.add(event_id)


def _places_of(findings: Sequence[JsonObject]) -> FindingPlaces:
    placed: list[tuple[int, int]] = []
    by_code: dict[str, list[int]] = {}
    for number, finding in enumerate(findings):
        at = integer(finding, "at")
        if at is not None:
            placed.append((at, number))
            by_code.setdefault(text(finding, "code") or "", []).append(number)
    placed.sort()
    return FindingPlaces(
        starts=[at for at, _ in placed], numbers=[number for _, number in placed], by_code=by_code
    )


def _findings_by_event(findings: Sequence[JsonObject]) -> dict[int, list[str]]:
    by_event: dict[int, list[str]] = {}
    for finding in findings:
        at, finding_id = integer(finding, "at"), text(finding, "finding_id")
        if at is not None and finding_id is not None:
            by_event.setdefault(at, []).append(finding_id)
    return by_event
