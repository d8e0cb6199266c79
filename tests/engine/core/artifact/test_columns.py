"""Columns: every derived look-up against a plain scan over the events."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st
from support.records import (
    build_in_order,
    entered,
    exited,
    guard,
    manifest_of,
    noise,
    record,
    seed,
    seeded,
    taken,
    write,
)

from engine.core.artifact import ArtifactView
from engine.core.artifact.columns import derive_columns
from engine.core.contract.json_types import JsonObject, integer, rows, text, texts
from engine.core.contract.labels import Beat
from engine.core.contract.session_records import AUDIO_TYPES, beat_of, effective_type

STATES = st.sampled_from(["a", "b"])
VISITS = st.none() | st.sampled_from(["a#1", "a#2", "b#1"])
EDGES = st.sampled_from(["a:0", "a:1", "b:0"])
SLOTS = st.sampled_from(["note", "route"])
READS = st.lists(SLOTS, max_size=3)
PLAYBACKS = st.sampled_from(["p", "q"])
CALLS = st.sampled_from(["k", "l"])
REQUESTS = st.none() | st.sampled_from(["r", "s", "bus:3", "bus:5"])
WRITERS = st.sampled_from(["w", "v"])
CLOCKS = st.none() | st.integers(0, 9)


def audio(stage: str, playback_id: str, clock_ms: int | None) -> JsonObject:
    return record(stage, playback_id=playback_id, clock_ms=clock_ms)


RECORDS = st.lists(
    st.one_of(
        st.builds(entered, STATES, parent_visit_id=VISITS, clock_ms=CLOCKS),
        st.builds(exited, STATES, visit_id=VISITS),
        st.builds(taken, st.none() | EDGES, request_id=REQUESTS, caused_by=REQUESTS),
        st.builds(guard, EDGES, verdict=st.none() | st.booleans(), slots_read=READS),
        st.builds(
            record,
            st.just("transition_requested"),
            request_id=st.sampled_from(["r", "s"]),
            to=STATES,
            edge_id=st.none() | EDGES,
            visit_id=VISITS,
        ),
        st.builds(write, SLOTS, st.integers(0, 3), visit_id=VISITS, clock_ms=CLOCKS),
        st.builds(
            seeded,
            st.builds(seed, SLOTS, st.none(), writer=WRITERS),
            st.builds(seed, SLOTS, st.none()),
        ),
        st.builds(
            audio,
            st.sampled_from([*AUDIO_TYPES]),
            PLAYBACKS,
            CLOCKS,
        ),
        st.builds(record, st.just("tool_called"), tool=st.just("t"), tool_call_id=CALLS),
        st.builds(record, st.just("tool_result"), tool_call_id=CALLS),
        st.builds(record, st.just("prompt_resolved"), state_id=STATES, slots_read=READS),
        st.builds(
            record,
            st.just("transcript_segment"),
            speaker=st.sampled_from(["caller", "agent", "other"]),
            text=st.just("hm"),
        ),
        st.builds(record, st.sampled_from(["dtmf_received", "input_selected", "tool_called", "x"])),
        st.builds(record, st.just("dtmf_received"), digit=st.just("1")),
        st.builds(noise, clock_ms=CLOCKS),
    ),
    max_size=25,
)


@dataclass(frozen=True)
class Scan:
    """The events of an artifact as plain lists."""

    view: ArtifactView
    events: list[JsonObject]

    def indices(self, condition: Callable[[int, str | None, JsonObject], bool]) -> list[int]:
        """The events of which `condition(index, effective type, record)` holds."""
        return [
            i for i in range(self.view.event_count) if condition(i, self.kind(i), self.record(i))
        ]

    def record(self, index: int) -> JsonObject:
        found = self.events[index]["record"]
        assert isinstance(found, dict)
        return found

    def kind(self, index: int) -> str | None:
        return effective_type(self.record(index))

    def owner(self, index: int) -> str | None:
        return text(self.events[index], "owner")

    def open_visits(self, cursor: int) -> list[int]:
        return [
            ordinal
            for ordinal, v in enumerate(self.view.visits)
            if v.entered_index <= cursor and (v.closed_index is None or cursor <= v.closed_index)
        ]


def scan_of(records: list[JsonObject], kind: str = "session") -> Scan:
    artifact = build_in_order(records, manifest=manifest_of(sequence=kind))
    return Scan(view=ArtifactView.of(artifact), events=rows(artifact, "events"))


@given(RECORDS, st.sampled_from(["session", "per_stream"]))
def test_postings(records: list[JsonObject], kind: str) -> None:
    scan = scan_of(records, kind)
    postings = scan.view.postings
    for name in {text(r, "type") or "" for r in records} | {"none"}:
        assert list(postings("type", name)) == scan.indices(
            lambda _, __, r, name=name: r.get("type") == name
        )
    for state in ("a", "b", "z"):
        entries = [v.entered_index for v in scan.view.visits if v.state_id == state]
        assert list(postings("state_enter", state)) == entries
        closed = {
            v.closed_index
            for v in scan.view.visits
            if v.state_id == state and v.closed_index is not None
        }
        assert list(postings("state_exit", state)) == sorted(closed)
    for visit in scan.view.visits:
        assert list(postings("visit_id", visit.visit_id)) == [visit.entered_index]
    for slot in ("note", "route", "z"):
        assert list(postings("slot_write", slot)) == scan.indices(
            lambda _, k, r, slot=slot: (
                (k == "slot_write" and r["slot"] == slot)
                or (
                    k == "session_slots_seeded"
                    and any(row["slot"] == slot for row in rows(r, "slots"))
                )
            )
        )
        assert list(postings("slot_read", slot)) == scan.indices(
            lambda _, k, r, slot=slot: k is not None and slot in texts(r, "slots_read")
        )
    for writer in ("w", "v"):
        assert list(postings("writer", writer)) == scan.indices(
            lambda _, k, r, writer=writer: (
                (k == "slot_write" and r.get("writer") == writer)
                or (
                    k == "session_slots_seeded"
                    and any(row.get("writer") == writer for row in rows(r, "slots"))
                )
            )
        )


@given(RECORDS)
def test_postings_of_edges_and_playbacks(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    postings = scan.view.postings
    for edge in ("a:0", "a:1", "b:0"):
        assert list(postings("edge_taken", edge)) == scan.indices(
            lambda _, k, r, edge=edge: k == "transition_taken" and r.get("edge_id") == edge
        )
        for verdict, name in ((True, "true"), (False, "false"), (None, "null")):
            assert list(postings(f"guard_{name}", edge)) == scan.indices(
                lambda _, k, r, edge=edge, verdict=verdict: (
                    k == "guard_evaluated" and r["edge_id"] == edge and r.get("verdict") is verdict
                )
            )
    for playback in ("p", "q"):
        assert list(postings("playback", playback)) == scan.indices(
            lambda _, k, r, playback=playback: k is not None and r.get("playback_id") == playback
        )


@given(RECORDS)
def test_visits_beats_and_guards(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    for ordinal, visit in enumerate(scan.view.visits):
        for beat in Beat:
            assert list(scan.view.beat_events(ordinal, beat)) == scan.indices(
                lambda i, _, r, beat=beat, visit=visit: (
                    scan.owner(i) == visit.visit_id and beat_of(r) is beat
                )
            )
        for edge in ("a:0", "a:1", "b:0"):
            assert list(scan.view.guard_events(ordinal, edge)) == scan.indices(
                lambda i, k, r, edge=edge, visit=visit: (
                    k == "guard_evaluated"
                    and r["edge_id"] == edge
                    and scan.owner(i) == visit.visit_id
                )
            )


@given(RECORDS)
def test_starts(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    entries = [v.entered_index for v in scan.view.visits]
    assert list(scan.view.visit_starts) == entries

    def starts_beat(index: int, _: str | None, own: JsonObject) -> bool:
        if index == 0 or index in entries:
            return True
        differs = beat_of(own) is not beat_of(scan.record(index - 1))
        return differs or scan.owner(index) != scan.owner(index - 1)

    assert list(scan.view.beat_starts) == scan.indices(starts_beat)


@given(RECORDS)
def test_where_a_cursor_stands(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    view = scan.view
    assert (view.visit_at(-1), view.path_at(-1), view.visit_count_at(-1)) == (-1, (), 0)
    for cursor in range(view.event_count):
        open_ = scan.open_visits(cursor)
        assert view.path_at(cursor) == tuple(open_)
        entered_ = [o for o, v in enumerate(view.visits) if v.entered_index <= cursor]
        assert view.visit_count_at(cursor) == len(entered_)
        if open_:
            assert view.visit_at(cursor) == open_[-1]
        elif entered_:
            ends = {o: view.visits[o].closed_index or 0 for o in entered_}
            assert ends[view.visit_at(cursor)] == max(ends.values())
        else:
            assert view.visit_at(cursor) == -1


@given(RECORDS, st.sampled_from(["session", "per_stream"]))
@example([noise(clock_ms=5), noise(clock_ms=3), noise(), noise(clock_ms=5)], "session")
def test_the_media_cursor(records: list[JsonObject], kind: str) -> None:
    scan = scan_of(records, kind)
    table: list[tuple[int, int]] = []
    for index in range(scan.view.event_count):
        clock = integer(scan.record(index), "clock_ms")
        assert scan.view.clock_ms(index) == clock
        if clock is not None:
            table.append((max([clock] + [c for c, _ in table]), index))
    for at in range(-2, 12):
        before = [index for clock, index in table if clock <= at]
        assert scan.view.index_at_clock(at) == max(before, default=-1)
        after = [index for clock, index in table if clock >= at]
        assert scan.view.first_index_from_clock(at) == min(after, default=None)


def ends_request(scan: Scan, start: int, index: int) -> bool:
    """Whether the transition requested at `start` is taken or superseded at event `index`."""
    own, later = scan.record(start), scan.record(index)
    owner = scan.owner(start)
    if owner is not None and any(
        v.visit_id == owner and v.closed_index == index for v in scan.view.visits
    ):
        return True
    if scan.kind(index) != "transition_taken":
        return False
    if later.get("request_id") == own["request_id"]:
        return True
    return later.get("caused_by") == scan.events[start]["event_id"] or (
        owner is not None and scan.owner(index) == owner
    )


def pending_at(scan: Scan, cursor: int) -> list[tuple[int, str]]:
    """What was asked for up to `cursor` and has neither come nor been overtaken."""
    ends = {"audio_stopped", "audio_completed", "audio_interrupted", "audio_failed"}
    found: list[tuple[int, str]] = []
    for start in range(cursor + 1):
        own, later = scan.record(start), range(start + 1, cursor + 1)
        match scan.kind(start):
            case "transition_requested":
                if not any(ends_request(scan, start, i) for i in range(start, cursor + 1)):
                    found.append((start, "transition"))
            case "tool_called":
                if not any(
                    scan.kind(i) == "tool_result"
                    and scan.record(i)["tool_call_id"] == own["tool_call_id"]
                    for i in later
                ):
                    found.append((start, "tool"))
            case "audio_requested":
                if not any(
                    scan.kind(i) in ends and scan.record(i)["playback_id"] == own["playback_id"]
                    for i in range(cursor + 1)
                ):
                    found.append((start, "audio"))
            case _:
                pass
    return found


@given(RECORDS)
def test_pending(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    for cursor in range(-1, scan.view.event_count):
        assert scan.view.pending_at(cursor, limit=99) == pending_at(scan, cursor)


@given(RECORDS)
def test_playing(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    for cursor in range(-1, scan.view.event_count):
        expected: list[tuple[int, str]] = []
        for span in scan.view.playback:
            start = scan.view.index_of(text(span, "started_event_id") or "")
            end = scan.view.index_of(text(span, "ended_event_id") or "")
            if start is not None and start <= cursor and (end is None or cursor < end):
                expected.append((start, text(span, "playback_id") or ""))
        playing = [playback_id for _, playback_id in sorted(expected)]
        assert scan.view.playing_at(cursor, limit=9) == playing
        assert scan.view.playing_at(cursor, limit=1) == playing[:1]


@given(RECORDS)
def test_checkpoints(records: list[JsonObject]) -> None:
    scan = scan_of(records)
    expected: list[tuple[int, str]] = []
    for index in range(scan.view.event_count):
        kind, own = scan.kind(index), scan.record(index)
        if kind == "state_entered":
            expected.append((index, "visit_entry"))
        elif kind in {"input_selected", "dtmf_received"}:
            expected.append((index - 1, "before_input_selection"))
        elif kind in {"audio_completed", "audio_interrupted", "audio_failed"}:
            expected.append((index - 1, "before_audio_outcome"))
        elif kind == "tool_called" and any(
            scan.kind(i) == "tool_result" and scan.record(i)["tool_call_id"] == own["tool_call_id"]
            for i in range(index + 1, scan.view.event_count)
        ):
            expected.append((index - 1, "before_tool"))
    for cursor in range(-1, scan.view.event_count):
        places = [at for at, _ in expected if at <= cursor]
        found = scan.view.checkpoint_at(cursor)
        if not places:
            assert found is None
        else:
            assert found is not None
            assert found[1] == max(places)
            assert (found[1], found[0]) in expected


def test_of_two_checkpoints_at_one_cursor_the_later_event_counts() -> None:
    call = [entered("a"), record("dtmf_received", digit="1")]
    assert scan_of(call).view.checkpoint_at(1) == ("before_input_selection", 0)


def test_no_events() -> None:
    columns = derive_columns([], [])
    assert list(columns.kinds) == []
    assert columns.posting("type", "x") == ()
    assert columns.pending.open_at(0, limit=5) == []
    assert columns.guard_edges == array("I")
