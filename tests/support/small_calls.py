"""Small recordings for the cursor's tests: drawn at random, nasty on purpose, and the fixtures.

`small_artifacts` draws calls of 0 to 24 records over three states, four slots of every class, two
playbacks, tools and requests each, so that ids collide, nest, repeat and go missing. `conditions`
draws conditions over the same words.
"""

import functools
from pathlib import Path
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from engine.core.artifact import ArtifactView, build_state_program_artifact
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.recording import build_session

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ("booking_racy", "booking_clean")

STATES = ("menu", "ask", "bye")
EDGES = ("menu:0", "menu:1", "menu:2", "ask:0", "ask:1", "other:0")
VISITS = ("menu#1", "menu#2", "ask#1", "bye#1", "gone#1", "alias")
SLOTS = ("route", "name", "note", "extra")
WRITERS = ("resolver", "tool:find", "flow_default")
PLAYBACKS = ("p1", "p2", "audio_p3")
TOOLS = ("k1", "k2")
REQUESTS = ("r1", "r2")


def edge(edge_id: str, to: str, when: str) -> JsonObject:
    """Return an edge row as `flow_metadata` gives it, without spans."""
    return {
        "edge_id": edge_id,
        "declaration_index": int(edge_id.rpartition(":")[2]),
        "to": to,
        "when": when,
        "reason": None,
        "sets": [],
        "clears": [],
    }


def state(*edges: JsonObject) -> JsonObject:
    """Return a state as `flow_metadata` gives it, without spans."""
    return {"edges": [*edges], "prompt": None, "static_slot_references": [], "span": None}


def flow() -> JsonObject:
    """Return the metadata of a flow of three states; slot `extra` is undeclared (personal)."""
    return {
        "path": "flow/flow.yaml",
        "source_path": None,
        "revision": "sha256:0",
        "text": "",
        "flow_id": "small",
        "entry": "menu",
        "states": {
            "menu": state(
                edge("menu:0", "ask", "slot_equals:route:a"),
                edge("menu:1", "ask", "tool:find:ok=yes"),
                edge("menu:2", "menu", "always"),
            ),
            "ask": state(edge("ask:0", "menu", "always"), edge("ask:1", "bye", "tool:end")),
            "bye": state(),
        },
        "slots": {
            "route": {"type": "enum", "class": "routing", "values": ["a", "b"], "span": None},
            "name": {"type": "string", "class": "personal", "values": None, "span": None},
            "note": {"type": "string", "class": "plain", "values": None, "span": None},
        },
    }


def artifact_of(
    records: list[tuple[str, JsonObject]], *, sequence: str = "session", ended: str | None = None
) -> JsonObject:
    """Return the artifact of (stream, record) pairs; with `session` they stand in this order."""
    streams: dict[str, list[JsonObject]] = {"trace": [], "bus": [], "transcript": []}
    for seq, (stream, record) in enumerate(records):
        numbered = {**record, "seq": seq} if sequence == "session" else record
        streams[stream].append({"event_id": f"e{seq}", **numbered})
    return build_state_program_artifact(
        manifest={
            "schema": "riff.session/v1",
            "session_id": "v3:small",
            "sequence": sequence,
            "ended": ended,
            "flow": {"path": "flow/flow.yaml"},
        },
        bus_events=streams["bus"],
        trace_events=streams["trace"],
        flow_metadata=flow(),
        transcript_events=streams["transcript"],
        audio_refs=[],
    )


def trace(type_: str, **fields: JsonValue) -> tuple[str, JsonObject]:
    """Return a record of the trace stream, for `artifact_of`."""
    return "trace", {"type": type_, **fields}


def bus(type_: str, **fields: JsonValue) -> tuple[str, JsonObject]:
    """Return a record of the bus stream, for `artifact_of`."""
    return "bus", {"type": type_, **fields}


def segment(speaker: str, **fields: JsonValue) -> tuple[str, JsonObject]:
    """Return a transcript segment, for `artifact_of`."""
    record: JsonObject = {"type": "transcript_segment", "speaker": speaker, "text": "", **fields}
    return "transcript", record


# -- strategies --------------------------------------------------------------------------------

Drawn: TypeAlias = SearchStrategy[JsonValue]
_SHOWN: list[JsonValue] = [None, "a", "b", 3, True, ["x"], {"k": 1}, "<str len=2>", 1.5]
_VALUES: Drawn = st.sampled_from(_SHOWN)
_AVAILABILITY = st.sampled_from(["recorded", "redacted", "unavailable", None])
_EVENT_IDS = st.integers(0, 24).map(lambda n: f"e{n}")


def _maybe(strategy: SearchStrategy[str]) -> SearchStrategy[str | None]:
    return st.none() | strategy


def _fields(**fields: Drawn) -> SearchStrategy[JsonObject]:
    return st.fixed_dictionaries({}, optional={}) if not fields else st.fixed_dictionaries(fields)


def _of(*words: str) -> SearchStrategy[str]:
    return st.sampled_from(words)


def _record(type_: str, **fields: Drawn) -> SearchStrategy[JsonObject]:
    return _fields(**fields).map(lambda drawn: {"type": type_, **drawn})


_READS: Drawn = st.lists(_of(*SLOTS), max_size=2).map(lambda names: [*names])
_SEED = _fields(
    slot=_of(*SLOTS), safe_value=_VALUES, availability=_AVAILABILITY, writer=_of(*WRITERS)
)
_SEEDS: Drawn = st.lists(_SEED, max_size=3).map(lambda seeds: [*seeds])
_TRACE = st.one_of(
    _record(
        "state_entered",
        state_id=_of(*STATES),
        parent_visit_id=_maybe(_of(*VISITS)),
        via_edge=_maybe(_of(*EDGES)),
    ),
    _record("state_exited", state_id=_of(*STATES), edge_id=_maybe(_of(*EDGES))),
    _record(
        "guard_evaluated",
        edge_id=_of(*EDGES),
        verdict=st.sampled_from([True, False, None]),
        slots_read=_READS,
        error=st.sampled_from([None, None, "boom"]),
    ),
    _record(
        "transition_requested",
        request_id=_of(*REQUESTS),
        edge_id=_maybe(_of(*EDGES)),
        to=_of(*STATES),
    ),
    _record(
        "transition_taken",
        edge_id=_maybe(_of(*EDGES)),
        to=_of(*STATES),
        request_id=_maybe(_of(*REQUESTS)),
    ),
)
_AUDIO = st.one_of(
    *[
        _record(kind, playback_id=_of(*PLAYBACKS), state_id=_maybe(_of(*STATES)))
        for kind in (
            "audio_requested",
            "audio_generated",
            "audio_started",
            "audio_stopped",
            "audio_completed",
            "audio_interrupted",
            "audio_failed",
        )
    ]
)
_WRITE = _record(
    "slot_write",
    slot=_of(*SLOTS),
    kind=st.just("set"),
    writer=_of(*WRITERS),
    old=_VALUES,
    new=_VALUES,
    availability=_AVAILABILITY,
)
_BUS = st.one_of(
    *[_WRITE] * 3,
    _record("session_slots_seeded", slots=_SEEDS),
    _record("slot_filled", slot=_of(*SLOTS)),
    _record("prompt_resolved", state_id=_of(*STATES), slots_read=_READS),
    _record("dtmf_received", digit=_of("1", "2")),
    _record("input_selected", selected_source=st.none()),
    _record("tool_called", tool=_of("find"), tool_call_id=_of(*TOOLS)),
    _record("tool_result", tool_call_id=_of(*TOOLS), ok=st.booleans()),
    _record("llm_requested", generation_id=_of("g1")),
    _record("weather", wind=st.integers(0, 3)),
    *[_AUDIO] * 4,
)
_TRANSCRIPT = _record(
    "transcript_segment", speaker=_of("caller", "agent", "operator"), text=st.just("hm")
)


@st.composite
def _streamed(draw: st.DrawFn, entered: list[str]) -> tuple[str, JsonObject]:
    """Draw a record that more often than not speaks of the states `entered` so far."""
    stream = draw(_of("trace", "bus", "trace", "bus", "transcript"))
    record = dict(draw({"trace": _TRACE, "bus": _BUS, "transcript": _TRANSCRIPT}[stream]))
    kind, usual = record["type"], draw(st.integers(0, 3)) > 0
    last = entered[-1] if entered else "menu"
    if kind == "state_entered":
        visits = [f"{name}#{entered[: i + 1].count(name)}" for i, name in enumerate(entered)]
        if usual and visits:
            record["parent_visit_id"] = draw(st.none() | st.sampled_from(visits[-2:]))
        entered.append(str(record["state_id"]))
    elif usual and kind == "state_exited":
        record |= {"state_id": last, "edge_id": f"{last}:{draw(st.integers(0, 2))}"}
    elif usual and stream == "trace":
        record["edge_id"] = f"{last}:{draw(st.integers(0, 2))}"
    if draw(st.integers(0, 19)) == 19:
        record.pop(draw(_of(*record)))
    record["clock_ms"] = draw(st.none() | st.integers(0, 40))
    if draw(st.integers(0, 9)) == 9:
        record["visit_id"] = draw(_of(*VISITS))
    if draw(st.integers(0, 3)) == 3:
        record["caused_by"] = draw(_EVENT_IDS)
    return stream, record


@st.composite
def small_artifacts(draw: st.DrawFn, *, size_max: int = 24) -> JsonObject:
    """Draw the artifact of a small call, no-event and one-visit ones included."""
    entered: list[str] = []
    records: list[tuple[str, JsonObject]] = []
    if draw(st.booleans()):
        records.append(trace("state_entered", state_id="menu"))
        entered.append("menu")
    for _ in range(draw(st.integers(0, size_max))):
        records.append(draw(_streamed(entered)))  # noqa: PERF401  `entered` grows on the way
    return artifact_of(
        records,
        sequence=draw(_of("session", "session", "per_stream")),
        ended=draw(_maybe(_of("completed", "aborted"))),
    )


def _condition(kind: str, *words: str) -> SearchStrategy[JsonObject]:
    return _of(*words, "nothing").map(lambda word: {kind: word})


def _guard_verdict(edge_id: str, verdict: bool | None) -> JsonObject:
    return {"guard_verdict": {"edge_id": edge_id, "verdict": verdict}}


def _clock_at_least(clock_ms: int) -> JsonObject:
    return {"clock_ms_at_least": clock_ms}


def _combined(inner: SearchStrategy[JsonObject]) -> SearchStrategy[JsonObject]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        several.map(lambda parts: _over("all", [*parts])),
        several.map(lambda parts: _over("any", [*parts])),
        inner.map(lambda part: _over("not", part)),
    )


def _over(kind: str, value: JsonValue) -> JsonObject:
    return {kind: value}


_PLAIN: SearchStrategy[JsonObject] = st.one_of(
    _condition("state_enter", *STATES),
    _condition("state_exit", *STATES),
    _condition("visit_id", *VISITS),
    _condition("event_type", "slot_write", "weather", "audio_started", "state_entered"),
    _condition("edge_taken", *EDGES),
    _condition("slot_write", *SLOTS),
    _condition("slot_read", *SLOTS),
    _condition("writer", *WRITERS),
    _condition("playback", *PLAYBACKS, "audio_started", "audio_failed"),
    st.builds(_guard_verdict, _of(*EDGES), st.sampled_from([True, False, None])),
    st.integers(-1, 42).map(_clock_at_least),
)


def conditions() -> SearchStrategy[JsonObject]:
    """Draw a condition of any kind, combined ones included."""
    return st.recursive(_PLAIN, _combined, max_leaves=4)


# -- recordings on disk ------------------------------------------------------------------------


@functools.cache
def fixture_artifact(name: str) -> JsonObject:
    """Return the artifact of a call in `fixtures/`; built once, never changed."""
    return build_session(ROOT / "fixtures" / name)


@functools.cache
def fixture_view(name: str) -> ArtifactView:
    """Return the view of a call in `fixtures/`."""
    return ArtifactView.of(fixture_artifact(name))
