"""A naive replay: what a projection must be, from an artifact's records and the documents alone.

Rules of this module: plain loops from event 0 on, no index, no posting, nothing from the cursor or
from the artifact's folding. It is slow and meant to be obviously right. Where it says "contract" or
"design", the sentence quoted there is what the code beside it does.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import rfc8785

from engine.core.contract.json_types import (
    JsonObject,
    JsonValue,
    integer,
    mapping,
    rows,
    text,
    texts,
)
from engine.core.contract.session_records import beat_of, effective_type

BEATS = ("entry", "agent_output", "caller_input", "work", "guards", "exit")
AUDIO_ENDS = ("audio_stopped", "audio_completed", "audio_interrupted", "audio_failed")
AUDIO_TYPES = ("audio_requested", "audio_generated", "audio_started", *AUDIO_ENDS)
VISIT_KINDS = {
    "state_enter": ("entered_index", "state_id"),
    "state_exit": ("closed_index", "state_id"),
    "visit_id": ("entered_index", "visit_id"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A slot's value as of some cursor."""

    value: JsonValue = None
    label: str = "unavailable"
    reason: str | None = "not_recorded"
    writer: str | None = None
    index: int | None = None


@dataclass(slots=True, kw_only=True)
class Work:
    """Something asked for at event `index`."""

    kind: str
    index: int
    keys: dict[str, str | None] = field(default_factory=dict[str, "str | None"])


class Oracle:
    """One artifact, replayed from the start for every question."""

    def __init__(self, artifact: JsonObject) -> None:
        self.artifact = artifact
        self.events = rows(artifact, "events")
        self.count = len(self.events)
        self.records = [mapping(event, "record") for event in self.events]
        self.ids = [str(event["event_id"]) for event in self.events]
        self.owners = [text(event, "owner") for event in self.events]
        # contract: "A missing required field ...: the record is kept and shown, no other effect."
        self.kinds = [effective_type(record) for record in self.records]
        self.beats = [beat_of(record).value for record in self.records]
        self.visits = rows(artifact, "visits")
        self.slots = rows(artifact, "slots")

    # -- visits ------------------------------------------------------------------------------------

    def is_open(self, visit: JsonObject, cursor: int) -> bool:
        """Design 7.2: "The closing record belongs to it and still shows it open"."""
        entered, closed = integer(visit, "entered_index"), integer(visit, "closed_index")
        assert entered is not None
        return entered <= cursor and (closed is None or cursor <= closed)

    def path(self, cursor: int) -> list[JsonObject]:
        """Return the open visits; nested ones are entered later, so outermost comes first."""
        return [visit for visit in self.visits if self.is_open(visit, cursor)]

    def visit(self, cursor: int) -> JsonObject | None:
        """Design 7.5: the innermost open visit; else the last closed one; else null."""
        path = self.path(cursor)
        if path:
            return path[-1]
        last: tuple[int, JsonObject] | None = None
        for visit in self.visits:
            closed = integer(visit, "closed_index")
            if closed is not None and closed < cursor and (last is None or closed >= last[0]):
                last = (closed, visit)
        return last[1] if last else None

    # -- slots -------------------------------------------------------------------------------------

    def writes(self, index: int) -> Iterator[tuple[str, str | None, JsonValue, JsonObject]]:
        """Yield (slot, writer, new value, row); seeding is a write of each slot it lists."""
        record = self.records[index]
        if self.kinds[index] == "slot_write":
            yield str(record["slot"]), text(record, "writer"), record.get("new"), record
        if self.kinds[index] == "session_slots_seeded":
            for row in rows(record, "slots"):
                yield str(row["slot"]), text(row, "writer"), row.get("safe_value"), row

    def values(self, cursor: int) -> dict[str, Value]:
        """Design 8: "Value at a cursor = baseline plus writes up to there"."""
        personal = {str(slot["slot"]) for slot in self.slots if slot["class"] == "personal"}
        values: dict[str, Value] = {}
        for index in range(cursor + 1):
            for slot, writer, new, row in self.writes(index):
                availability = row.get("availability")
                if availability == "unavailable":
                    reason = text(row, "reason") or "not_recorded"
                    value = Value(reason=reason, writer=writer, index=index)
                else:
                    # contract: "Null is visible in every class."
                    hidden = new is not None and (slot in personal or availability == "redacted")
                    label = "redacted" if hidden else "recorded"
                    value = Value(value=new, label=label, reason=None, writer=writer, index=index)
                values[slot] = value
        return values

    def variables(self, cursor: int) -> list[JsonObject]:
        """All rows of `variables`; entry and exit are those of the visit shown at the cursor."""
        visit = self.visit(cursor)
        entry: dict[str, Value] = {}
        leaving: dict[str, Value] = {}
        if visit is not None:
            entry = self.values(integer(visit, "entered_index") or 0)
            # contract: "A visit without a closing record has Recorded Exit `unavailable`".
            if mapping(visit, "exit")["label"] == "recorded":
                closed = integer(visit, "closed_index")
                assert closed is not None
                leaving = self.values(closed)
        now = self.values(cursor)
        found: list[JsonObject] = []
        for row in self.slots:
            slot = str(row["slot"])
            at_entry = entry.get(slot, Value())
            current = now.get(slot, Value())
            at_exit = leaving.get(slot, Value())
            found.append(
                {
                    "slot": slot,
                    "class": row["class"],
                    "entry": at_entry.value,
                    "entry_label": at_entry.label,
                    "current": current.value,
                    "label": current.label,
                    "reason": current.reason,
                    "recorded_exit": at_exit.value,
                    "exit_label": at_exit.label,
                    "writer": current.writer,
                    "write_event_id": None if current.index is None else self.ids[current.index],
                    "changed": current.index is not None and current.index == cursor,
                }
            )
        return found

    # -- exits, beats ------------------------------------------------------------------------------

    def evaluations(self, visit: JsonObject, edge_id: str, upto: int) -> list[int]:
        """Return the guard evaluations of one edge in one visit, up to a cursor."""
        return [
            i
            for i in range(upto + 1)
            if self.kinds[i] == "guard_evaluated"
            and self.owners[i] == visit["visit_id"]
            and self.records[i]["edge_id"] == edge_id
        ]

    def exits(self, cursor: int) -> list[JsonObject]:
        """Contract: "of several evaluations the last, as of the cursor / of the whole visit"."""
        visit = self.visit(cursor)
        if visit is None:
            return []
        states = mapping(mapping(self.artifact, "flow"), "states")
        found: list[JsonObject] = []
        for edge in rows(mapping(states, str(visit["state_id"])), "edges"):
            edge_id = str(edge["edge_id"])
            whole = self.evaluations(visit, edge_id, self.count - 1)
            so_far = self.evaluations(visit, edge_id, cursor)
            shown = self.records[so_far[-1]] if so_far else None
            label, reason = self.verdict_label(shown, edge, later=len(whole) > len(so_far))
            found.append(
                {
                    "edge_id": edge_id,
                    "declaration_index": edge["declaration_index"],
                    "to": edge["to"],
                    "when": edge["when"],
                    "reason": edge["reason"],
                    "verdict": shown.get("verdict") if shown else "not_evaluated",
                    "recorded_verdict": (
                        self.records[whole[-1]].get("verdict") if whole else "not_evaluated"
                    ),
                    "taken": mapping(visit, "exit")["edge_id"] == edge_id,
                    "slots_read": [*texts(shown, "slots_read")] if shown else [],
                    "label": label,
                    "label_reason": reason,
                }
            )
        return found

    def verdict_label(
        self, shown: JsonObject | None, edge: JsonObject, *, later: bool
    ) -> tuple[str, str | None]:
        """Design 5: a model's choice is `unavailable: decided_by_model` unless recorded."""
        by_model = str(edge["when"]).startswith("tool:")
        if shown is not None and shown.get("verdict") is not None:
            return "recorded", None
        if shown is not None:
            if shown.get("error") is not None:
                return "unavailable", "guard_error"
            return "unavailable", "decided_by_model" if by_model else "no_verdict"
        if later:
            return "unavailable", "none_yet"
        return "unavailable", "decided_by_model" if by_model else "none_recorded"

    def beat_rows(self, cursor: int) -> list[JsonObject]:
        """Contract: `reason` is null if count > 0, else none_yet, none_recorded or no_visit."""
        visit = self.visit(cursor)
        found: list[JsonObject] = []
        for beat in BEATS:
            whole = [
                i
                for i in range(self.count)
                if visit is not None
                and self.owners[i] == visit["visit_id"]
                and self.beats[i] == beat
            ]
            so_far = [i for i in whole if i <= cursor]
            reason = "no_visit" if visit is None else "none_yet" if whole else "none_recorded"
            found.append(
                {
                    "beat": beat,
                    "label": "recorded" if so_far else "unavailable",
                    "reason": None if so_far else reason,
                    "count": len(so_far),
                    "first_event_id": self.ids[so_far[0]] if so_far else None,
                    "last_event_id": self.ids[so_far[-1]] if so_far else None,
                }
            )
        return found

    # -- pending, playback, checkpoint -------------------------------------------------------------

    def pending(self, cursor: int) -> list[JsonObject]:
        """Return all pending rows: a list of open work, replayed event by event."""
        open_work: list[Work] = []
        ended_playbacks: set[str | None] = set()
        for index in range(cursor + 1):
            record, kind, owner = self.records[index], self.kinds[index], self.owners[index]
            if kind == "transition_taken":
                open_work = [w for w in open_work if not self.answers(index, w)]
            elif kind == "transition_requested":
                keys = {"request_id": text(record, "request_id"), "owner": owner}
                open_work.append(Work(kind="transition", index=index, keys=keys))
            elif kind == "tool_called":
                keys = {"id": text(record, "tool_call_id")}
                open_work.append(Work(kind="tool", index=index, keys=keys))
            elif kind == "tool_result":
                open_work = drop(open_work, "tool", text(record, "tool_call_id"))
            elif kind == "audio_requested":
                keys = {"id": text(record, "playback_id")}
                if keys["id"] not in ended_playbacks:
                    open_work.append(Work(kind="audio", index=index, keys=keys))
            elif kind in AUDIO_ENDS:
                ended_playbacks.add(text(record, "playback_id"))
                open_work = drop(open_work, "audio", text(record, "playback_id"))
            # contract: a request is superseded "by the visit's close"
            closed = [v["visit_id"] for v in self.visits if v["closed_index"] == index]
            open_work = [
                w for w in open_work if w.kind != "transition" or w.keys["owner"] not in closed
            ]
        return [
            {
                "kind": work.kind,
                "event_id": self.ids[work.index],
                "visit_id": self.owners[work.index],
                "since_ms": integer(self.records[work.index], "clock_ms"),
            }
            for work in open_work
        ]

    def answers(self, index: int, work: Work) -> bool:
        """Return whether the `transition_taken` at `index` takes or supersedes this request."""
        if work.kind != "transition":
            return False
        record = self.records[index]
        request_id = text(record, "request_id")
        taken = request_id is not None and request_id == work.keys["request_id"]
        caused = text(record, "caused_by") == self.ids[work.index]
        of_its_visit = self.owners[index] is not None and self.owners[index] == work.keys["owner"]
        return taken or caused or of_its_visit

    def playing(self, cursor: int) -> list[str]:
        """Return the playbacks audible at the cursor, by start; a span ends at its first end."""
        started: list[str] = []
        ended: set[str] = set()
        for index in range(cursor + 1):
            playback_id = text(self.records[index], "playback_id") or ""
            if self.kinds[index] == "audio_started" and playback_id not in [*started, *ended]:
                started.append(playback_id)
            if self.kinds[index] in AUDIO_ENDS:
                ended.add(playback_id)
        return [playback_id for playback_id in started if playback_id not in ended]

    def checkpoint(self, cursor: int) -> JsonObject | None:
        """Contract: the nearest of the four kinds <= cursor; of two, the later event's."""
        found: JsonObject | None = None
        best = (-2, -2)
        for index, kind in enumerate(self.kinds):
            name, at = None, index - 1
            if kind == "state_entered":
                name, at = "visit_entry", index
            elif kind in {"input_selected", "dtmf_received"}:
                name = "before_input_selection"
            elif kind == "tool_called" and self.has_result(index):
                name = "before_tool"
            elif kind in {"audio_completed", "audio_interrupted", "audio_failed"}:
                name = "before_audio_outcome"
            if name is not None and at <= cursor and (at, index) >= best:
                best = (at, index)
                found = {"kind": name, "event_index": at}
        return found

    def has_result(self, index: int) -> bool:
        """Return whether a result of the tool call at `index` was recorded after it."""
        call = self.records[index]["tool_call_id"]
        return any(
            self.kinds[i] == "tool_result" and self.records[i]["tool_call_id"] == call
            for i in range(index + 1, self.count)
        )

    # -- the whole ---------------------------------------------------------------------------------

    def projection(self, cursor: int) -> JsonObject:
        """Return the projection of contract.md, section 10."""
        variables, exits = self.variables(cursor), self.exits(cursor)
        pending = self.pending(cursor)
        found = [
            row["finding_id"] for row in rows(self.artifact, "findings") if row["at"] == cursor
        ]
        return {
            "event": self.event(cursor),
            "visit": self.visit_row(cursor),
            "path": [visit["visit_id"] for visit in self.path(cursor)],
            "visit_count": sum(
                1 for v in self.visits if (integer(v, "entered_index") or 0) <= cursor
            ),
            "variables": [*variables[:200]],
            "variables_total": len(variables),
            "exits": [*exits[:64]],
            "exits_total": len(exits),
            "beats": [*self.beat_rows(cursor)],
            "pending": [*pending[:32]],
            "pending_total": len(pending),
            "playback": [*self.playing(cursor)[:8]],
            "findings": [*found[:32]],
            "findings_total": len(found),
            "checkpoint": self.checkpoint(cursor),
        }

    def event(self, cursor: int) -> JsonObject | None:
        if cursor == -1:
            return None
        event, record = self.events[cursor], self.records[cursor]
        return {
            "event_index": cursor,
            "event_id": event["event_id"],
            "clock_ms": integer(record, "clock_ms"),
            "type": text(record, "type"),
            "stream": event["stream"],
            "owner": event["owner"],
            "unowned": event["unowned"],
        }

    def visit_row(self, cursor: int) -> JsonObject | None:
        visit = self.visit(cursor)
        if visit is None:
            return None
        exit_ = mapping(visit, "exit")
        return {
            "visit_id": visit["visit_id"],
            "state_id": visit["state_id"],
            "occurrence": visit["occurrence"],
            "status": "open" if self.is_open(visit, cursor) else "left",
            "entered_index": visit["entered_index"],
            "closed_index": visit["closed_index"],
            "exit_label": exit_["label"],
            "exit_reason": exit_["reason"],
        }

    def determinism_hash(self, artifact_hash: str, cursor: int) -> str:
        """Design 10: sha256 over RFC 8785 of the documented object."""
        shown: JsonObject = {
            "schema": "riff.state_program_debugger/v1",
            "mode": "recorded",
            "artifact_hash": artifact_hash,
            "new_cursor": cursor,
            "projection": self.projection(cursor),
        }
        return "sha256:" + hashlib.sha256(rfc8785.dumps(shown)).hexdigest()  # pyright: ignore[reportArgumentType]

    def evidence(self, cursor: int, items: list[str] | None = None) -> list[str]:
        """Contract: `evidence_refs`; `items` are the event ids of a query's items."""
        refs = [self.ids[cursor]] if cursor >= 0 else []
        if items is None:
            shown = self.projection(cursor)
            refs += [str(v["write_event_id"]) for v in rows(shown, "variables") if v["changed"]]
            visit = self.visit(cursor)
            for row in rows(shown, "exits"):
                assert visit is not None
                refs += [
                    self.ids[i] for i in self.evaluations(visit, str(row["edge_id"]), cursor)[-1:]
                ]
            refs += [str(row["event_id"]) for row in rows(shown, "pending")]
        else:
            refs += items
        return list(dict.fromkeys(refs))[:32]

    # -- stops -------------------------------------------------------------------------------------

    def boundaries(self, unit: str) -> list[int]:
        """Design 10: -1, N-1, and each event that starts a beat or a visit."""
        entries = {integer(visit, "entered_index") for visit in self.visits}
        found = {-1, self.count - 1}
        for index in range(self.count):
            here = (self.beats[index], self.owners[index])
            before = (self.beats[index - 1], self.owners[index - 1]) if index else None
            starts_beat = here != before or index in entries
            if unit == "event" or (unit == "beat" and starts_beat) or index in entries:
                found.add(index)
        return sorted(found)

    def step(self, cursor: int, unit: str, direction: str) -> int | None:
        """Return where a step stops: least boundary beyond the cursor, None at the edge."""
        if direction == "forward":
            return min((b for b in self.boundaries(unit) if b > cursor), default=None)
        return max((b for b in self.boundaries(unit) if b < cursor), default=None)

    def media_index(self, clock_ms: int) -> int:
        """Contract: "on the running maximum of `clock_ms`, highest index"; -1 before the first."""
        found, highest = -1, None
        for index, record in enumerate(self.records):
            clock = integer(record, "clock_ms")
            if clock is not None:
                highest = clock if highest is None else max(highest, clock)
                if highest <= clock_ms:
                    found = index
        return found

    def positions(self, condition: JsonObject) -> list[int]:
        """Return every event index at which a condition holds, by asking each event."""
        holds = self.predicate(condition)
        return [index for index in range(self.count) if holds(index)]

    def predicate(self, condition: JsonObject) -> Callable[[int], bool]:
        [(kind, value)] = condition.items()
        if kind in {"all", "any"}:
            assert isinstance(value, list)
            parts = [self.predicate(part) for part in value if isinstance(part, dict)]
            combine = all if kind == "all" else any
            return lambda index: combine(part(index) for part in parts)
        if kind == "not":
            assert isinstance(value, dict)
            part = self.predicate(value)
            return lambda index: not part(index)
        return lambda index: self.holds(kind, value, index)

    def holds(self, kind: str, value: JsonValue, index: int) -> bool:
        """Contract, "Conditions": whether one condition holds at one event."""
        record, known = self.records[index], self.kinds[index]
        if kind in VISIT_KINDS:
            at, key = VISIT_KINDS[kind]
            return any(visit[at] == index and visit[key] == value for visit in self.visits)
        if kind == "slot_write":
            return value in [slot for slot, *_ in self.writes(index)]
        if kind == "writer":
            return value in [writer for _, writer, *_ in self.writes(index)]
        return {
            "event_type": record.get("type") == value,
            "edge_taken": known == "transition_taken" and record.get("edge_id") == value,
            "slot_read": known is not None and value in texts(record, "slots_read"),
            "guard_verdict": known == "guard_evaluated" and self.has_verdict(record, value),
            "playback": self.plays(index, value),
            "clock_ms_at_least": self.first_from(value) == index,
        }[kind]

    def has_verdict(self, record: JsonObject, value: JsonValue) -> bool:
        """`{"edge_id", "verdict"}`; a null verdict is evaluated, without one."""
        wanted = value if isinstance(value, dict) else {}
        return record["edge_id"] == wanted.get("edge_id") and (
            record.get("verdict") is wanted.get("verdict")
        )

    def plays(self, index: int, value: JsonValue) -> bool:
        """`playback_id or type`."""
        record = self.records[index]
        if value in AUDIO_TYPES:
            return record.get("type") == value
        return self.kinds[index] in AUDIO_TYPES and record.get("playback_id") == value

    def first_from(self, value: JsonValue) -> int | None:
        """Return the one position of `clock_ms_at_least`: the first event at or after."""
        for index, record in enumerate(self.records):
            clock = integer(record, "clock_ms")
            if clock is not None and isinstance(value, int) and clock >= value:
                return index
        return None


def drop(work: list[Work], kind: str, key: str | None) -> list[Work]:
    """Return the work that is not of this kind and id."""
    return [w for w in work if w.kind != kind or w.keys["id"] != key]
