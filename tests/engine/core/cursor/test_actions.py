"""Every action on any value: an answer or a typed error; the cursor stays; pages fit."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generated import generated_session
from support.questions import answered, booking
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, rows
from engine.core.cursor import ACTIONS, apply_command, determinism_hash, open_debugger, project
from engine.recording import build_session, open_recording

ROOT = Path(__file__).resolve().parents[4]
VISIT_QUERIES = ("inspect_state", "inspect_exits", "inspect_evidence")
MOVES = {"seek", "step", "reverse", "continue_until"}
QUERIES = sorted(set(ACTIONS) - MOVES)
CODES = {"INVALID_COMMAND", "EVENT_UNAVAILABLE", "AUDIO_RANGE_UNAVAILABLE", "STALE_HASH"}
WORDS = st.sampled_from(
    [
        "menu#1", "ask#1", "note", "route", "p1", "e0", "e5", "g1", "t1", "a", "duration", "find",
        "UNOWNED_EVENTS#1", "duplicate", "guards", "hm",
    ]
)  # fmt: skip
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.text(max_size=6)
    | WORDS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)


@st.composite
def queries(draw: st.DrawFn) -> JsonObject:
    """Draw a query with some of its keys, right or wrong."""
    action = draw(st.sampled_from(QUERIES))
    command: JsonObject = {"action": action}
    for key in sorted(ACTIONS[action].keys | {"cursor"}):
        if draw(st.booleans()):
            command[key] = draw(st.integers(-1, 12) | WORDS | VALUES)
    return command


def test_all_actions_of_the_design_are_there() -> None:
    assert set(ACTIONS) >= {
        "list_visits", "inspect_state", "seek", "step", "reverse", "continue_until",
        "inspect_variables", "inspect_exits", "inspect_evidence", "fetch_audio_range",
        "slot_history", "why", "list_findings", "conversation", "model_input", "playback", "search",
    }  # fmt: skip


@settings(max_examples=300)
@given(small_artifacts(), queries())
def test_a_query_answers_anything_and_moves_nothing(
    artifact: JsonObject, command: JsonObject
) -> None:
    view = ArtifactView.of(artifact)
    state = open_debugger(view)
    before = canonical_bytes(command) if _is_canonical(command) else None
    after, response = apply_command(state, command)
    assert before is None or canonical_bytes(command) == before
    assert response["old_cursor"] == response["new_cursor"] == after.cursor
    cursor = after.cursor
    assert response["determinism_hash"] == determinism_hash(view, cursor, project(view, cursor))
    if response["error"] is not None:
        assert mapping(response, "error")["code"] in CODES
        assert response["result"] is None
        return
    canonical_bytes(response)
    result, refs = mapping(response, "result"), response["evidence_refs"]
    assert isinstance(refs, list)
    assert len(refs) <= 32
    assert all(isinstance(ref, str) and view.index_of(ref) is not None for ref in refs)
    if "items" in result:
        total, offset = integer(result, "total"), integer(result, "offset")
        assert total is not None
        assert offset is not None
        limit = integer(command, "limit") or 100
        assert len(rows(result, "items")) == max(0, min(limit, total - offset))


def _is_canonical(command: JsonObject) -> bool:
    try:
        canonical_bytes(command)
    except ValueError:
        return False
    return True


def every_query(view: ArtifactView) -> list[JsonObject]:
    """A right command for each query."""
    keys: dict[str, JsonObject] = {
        "slot_history": {"slot": "time"},
        "last": {"slot": "time"},
        "why": {"slot": "time"},
        "search": {"text": "e"},
        "inspect_state": {"visit_id": "no_table#1"},
        "inspect_exits": {"visit_id": "no_table#1"},
        "inspect_evidence": {"visit_id": "no_table#1"},
    }
    return [{"action": name, **keys.get(name, {})} for name in QUERIES if view.event_count]


def test_pages_put_together_are_the_whole() -> None:
    view = booking()
    for command in every_query(view):
        whole = (
            mapping(answered(view, {**command, "limit": 1000}), "result")
            if ("limit" in ACTIONS[str(command["action"])].keys)
            else None
        )
        if whole is None:
            continue
        pieces: list[JsonObject] = []
        for offset in range(0, integer(whole, "total") or 0, 3):
            page = mapping(answered(view, {**command, "limit": 3, "offset": offset}), "result")
            pieces += rows(page, "items")
        assert pieces == rows(whole, "items"), command


def test_answers_say_what_is_not_known() -> None:
    old = {"list_visits", "inspect_variables", "slot_history", "fetch_audio_range"}
    view = booking()
    for command in every_query(view):
        result = mapping(answered(view, command), "result")
        if command["action"] not in old:
            for row in rows(result, "unknowns"):
                assert set(row) == {"what", "reason"}
            assert "unknowns" in result


RECORDINGS = sorted(
    path.parent.relative_to(ROOT / "fixtures").as_posix()
    for path in (ROOT / "fixtures").rglob("manifest.json")
)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_mapped_recording_answers_like_one_in_memory(name: str) -> None:
    directory = ROOT / "fixtures" / name
    mapped, held = open_recording(directory).view, ArtifactView.of(build_session(directory))
    places: list[JsonObject] = [{"visit_id": visit.visit_id} for visit in held.visits]
    commands: list[JsonObject] = [
        *({"action": "inspect_pending", "cursor": i} for i in range(-1, held.event_count, 7)),
        *({"action": "conversation", "cursor": i} for i in range(-1, held.event_count, 13)),
        *({"action": "last", "slot": slot["slot"]} for slot in held.slots),
        *({"action": "why", "slot": slot["slot"]} for slot in held.slots),
        *({"action": "why", "exit": place["visit_id"]} for place in places),
        *({"action": "why", "silence_ms": ms} for ms in range(0, 32_000, 3_000)),
        *({"action": action, **place} for place in places for action in VISIT_QUERIES),
        *({"action": action} for action in ("playback", "rank_visits", "list_turns")),
        *({"action": action} for action in ("list_findings", "model_input", "inspect_clocks")),
        {"action": "rank_visits", "order": "duration"},
        {"action": "search", "text": "e"},
    ]
    for command in commands:
        first, second = answered(mapped, command), answered(held, command)
        assert first == second, command
        assert mapping(first, "error").get("code", "EVENT_UNAVAILABLE") == "EVENT_UNAVAILABLE"


@pytest.mark.parametrize("sequence", ["session", "per_stream"])
def test_a_generated_call_is_answered_at_every_visit(sequence: str) -> None:
    call = generated_session(events=600, seed=5, sequence=sequence)
    view = ArtifactView.of(build_session(call.directory))
    for visit in view.visits:
        for action in VISIT_QUERIES:
            result = mapping(
                answered(view, {"action": action, "visit_id": visit.visit_id}), "result"
            )
            assert mapping(result, "visit")["visit_id"] == visit.visit_id
        why = mapping(answered(view, {"action": "why", "exit": visit.visit_id}), "result")
        assert rows(why, "items")[-1]["label"] == "unavailable"
    spans = mapping(answered(view, {"action": "playback", "limit": 1000}), "result")
    twice = {row["playback_id"] for row in rows(spans, "items") if row["said_twice"] is not None}
    pairs = call.truth["duplicates"]
    assert isinstance(pairs, list)
    assert pairs
    assert twice == {name for pair in pairs if isinstance(pair, list) for name in pair[:2]}
