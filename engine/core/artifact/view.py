"""`ArtifactView`: the one interface through which stepping reads a recording.

Whatever backs it answers by event index in constant or logarithmic time. This one is backed by an
artifact in memory; columns are derived once.
"""

from bisect import bisect_right
from collections.abc import Sequence

from engine.core.artifact.columns import Checkpoints, Columns, Posting, Visit, derive_columns
from engine.core.artifact.encode import artifact_hash
from engine.core.artifact.intervals import Intervals
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject, integer, mapping, rows, text
from engine.core.contract.labels import Beat

_NOTHING: Posting = ()


class ArtifactView:
    """A read-only recording; event indices run from 0 to `event_count` - 1, cursors from -1."""

    def __init__(self, artifact: JsonObject, *, digest: str) -> None:
        """Derive the columns; use `ArtifactView.of` unless the hash is known already."""
        self.artifact_hash = digest
        self.session: JsonObject = mapping(artifact, "session")
        self.flow: JsonObject = mapping(artifact, "flow")
        self.settings: JsonObject = mapping(artifact, "settings")
        self.slots: Sequence[JsonObject] = rows(artifact, "slots")
        self.playback: Sequence[JsonObject] = rows(artifact, "playback")
        self.audio: Sequence[JsonObject] = rows(artifact, "audio")
        self.findings: Sequence[JsonObject] = rows(artifact, "findings")
        self.problems: Sequence[JsonObject] = rows(artifact, "problems")
        self._events: Sequence[JsonObject] = rows(artifact, "events")
        self.event_count = len(self._events)
        self.visits = tuple(_visits(rows(artifact, "visits"), self.event_count))
        self._ordinals = {visit.visit_id: o for o, visit in enumerate(self.visits)}
        _check_owners(self._events, self._ordinals)
        self._columns: Columns = derive_columns(self._events, self.visits)
        self._entered = [visit.entered_index for visit in self.visits]
        self._index_of_id = {event_id: i for i, event_id in enumerate(self._columns.event_ids)}
        self._findings_at = _findings_by_event(self.findings)
        self._seeds: dict[int, dict[str, JsonObject]] = {}
        self._edges: dict[str, list[JsonObject]] = {
            state_id: rows(state, "edges")
            for state_id, state in mapping(self.flow, "states").items()
            if isinstance(state, dict)
        }

    @classmethod
    def of(cls, artifact: JsonObject) -> "ArtifactView":
        """Return the view of an artifact.

        Cost: O(size), once. Raises: ArtifactInvalid where an index leaves the recording.
        """
        return cls(artifact, digest=artifact_hash(artifact))

    # -- events ------------------------------------------------------------------------------------

    def payload(self, index: int) -> JsonObject:
        """Return event `index`: `{event_id, owner, unowned, stream, record}`."""
        return self._events[index]

    def record(self, index: int) -> JsonObject:
        """Return the record of event `index`."""
        return mapping(self._events[index], "record")

    def event_id(self, index: int) -> str:
        """Return the id of event `index`."""
        return self._columns.event_ids[index]

    def index_of(self, event_id: str) -> int | None:
        """Return the index of the event with this id, or None."""
        return self._index_of_id.get(event_id)

    def event_type(self, index: int) -> str | None:
        """Return the recorded type of event `index`, known or not."""
        return text(self.record(index), "type")

    def effective_type(self, index: int) -> str | None:
        """Return the type of event `index` if it is known and the record fits it."""
        return self._columns.kinds[index]

    def clock_ms(self, index: int) -> int | None:
        """Return the call-clock millisecond of event `index`, or None."""
        return self._columns.clocks[index]

    def index_at_clock(self, clock_ms: int) -> int:
        """Return the last event at or before a media cursor (ties: highest), or -1."""
        position = bisect_right(self._columns.media_clocks, clock_ms)
        return self._columns.media_indices[position - 1] if position else -1

    def first_index_from_clock(self, clock_ms: int) -> int | None:
        """Return the first event at or after a millisecond of the call clock, or None."""
        position = bisect_right(self._columns.media_clocks, clock_ms - 1)
        indices = self._columns.media_indices
        return indices[position] if position < len(indices) else None

    # -- visits ------------------------------------------------------------------------------------

    def visit_at(self, cursor: int) -> int:
        """Return the ordinal of the innermost open visit, else of the last closed one, else -1."""
        return self._columns.visit_at[cursor] if cursor >= 0 else -1

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
        return bisect_right(self._entered, cursor)

    def ordinal_of(self, visit_id: str) -> int | None:
        """Return the ordinal of a visit id, or None."""
        return self._ordinals.get(visit_id)

    def edges_of(self, state_id: str) -> Sequence[JsonObject]:
        """Return the edge rows of a state in declaration order; empty for an unknown state."""
        return self._edges.get(state_id, ())

    # -- postings ----------------------------------------------------------------------------------

    def postings(self, kind: str, key: str) -> Posting:
        """Return the sorted indices under (kind, key); empty where there are none.

        Kinds: `type`, `state_enter`, `state_exit`, `visit_id`, `edge_taken`, `slot_write`,
        `slot_read`, `writer`, `playback`, `guard_true`, `guard_false`, `guard_null`.
        """
        return self._columns.postings.get((kind, key), _NOTHING)

    def beat_events(self, ordinal: int, beat: Beat) -> Posting:
        """Return the events of one beat in one visit."""
        return self._columns.visit_beats.get((ordinal, beat.value), _NOTHING)

    def guard_events(self, ordinal: int, edge_id: str) -> Posting:
        """Return the evaluations of one edge's guard in one visit."""
        return self._columns.visit_guards.get((ordinal, edge_id), _NOTHING)

    @property
    def beat_starts(self) -> Posting:
        """Events that start a beat or a visit."""
        return self._columns.beat_starts

    @property
    def visit_starts(self) -> Posting:
        """Events that start a visit."""
        return self._columns.visit_starts

    @property
    def pending(self) -> Intervals:
        """Work asked for and not yet come."""
        return self._columns.pending

    @property
    def playing(self) -> Intervals:
        """Playbacks while they were audible, by playback id."""
        return self._columns.playing

    @property
    def checkpoints(self) -> Checkpoints:
        """Restorable places."""
        return self._columns.checkpoints

    def findings_at(self, cursor: int) -> Sequence[str]:
        """Return the ids of the findings that stand at event `cursor`, in the artifact's order."""
        return self._findings_at.get(cursor, ())

    def seed_row(self, index: int, slot: str) -> JsonObject:
        """Return the row of `slot` in the `session_slots_seeded` event `index` (the last one)."""
        if index not in self._seeds:
            listed = rows(self.record(index), "slots")
            self._seeds[index] = {name: row for row in listed if (name := text(row, "slot"))}
        return self._seeds[index][slot]


def _visits(listed: Sequence[JsonObject], event_count: int) -> list[Visit]:
    """Return the artifact's visits with parents as ordinals, in order of entry."""
    ordinals: dict[str, int] = {}
    visits: list[Visit] = []
    for row in listed:
        exit_ = mapping(row, "exit")
        visit_id, state_id = text(row, "visit_id"), text(row, "state_id")
        entered, closed = integer(row, "entered_index"), integer(row, "closed_index")
        parent = text(row, "parent_visit_id")
        after = visits[-1].entered_index if visits else -1
        if (
            visit_id is None
            or state_id is None
            or entered is None
            or visit_id in ordinals
            or not after < entered < event_count
            or not (closed is None or entered <= closed < event_count)
            or not (parent is None or parent in ordinals)
        ):
            raise ArtifactInvalid(
                f"Visit {visit_id} contradicts the recording. Build the artifact again.",
                {"visit_id": visit_id, "kind": "INCONSISTENT"},
            )
        ordinals[visit_id] = len(visits)
        visits.append(
            Visit(
                visit_id=visit_id,
                state_id=state_id,
                occurrence=integer(row, "occurrence") or 0,
                parent=ordinals.get(parent) if parent is not None else None,
                via_edge=text(row, "via_edge"),
                entered_index=entered,
                closed_index=closed,
                exit_edge=text(exit_, "edge_id"),
                exit_to=text(exit_, "to"),
                exit_label=text(exit_, "label") or "unavailable",
                exit_reason=text(exit_, "reason"),
            )
        )
    return visits


def _check_owners(events: Sequence[JsonObject], ordinals: dict[str, int]) -> None:
    """Refuse events that name a visit which is not there, and ids that stand twice."""
    seen: set[str] = set()
    for event in events:
        owner, event_id = text(event, "owner"), text(event, "event_id")
        if event_id is None or event_id in seen or not (owner is None or owner in ordinals):
            raise ArtifactInvalid(
                f"Event {event_id} contradicts the recording. Build the artifact again.",
                {"event_id": event_id, "kind": "INCONSISTENT"},
            )
        seen.add(event_id)


def _findings_by_event(findings: Sequence[JsonObject]) -> dict[int, list[str]]:
    by_event: dict[int, list[str]] = {}
    for finding in findings:
        at, finding_id = integer(finding, "at"), text(finding, "finding_id")
        if at is not None and finding_id is not None:
            by_event.setdefault(at, []).append(finding_id)
    return by_event
