"""Names of function breakpoints: each kind, patterns, and refusals that say what to write."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_calls import artifact_of, bus, edge, fixture_view, flow, segment, trace

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, mapping
from engine.core.cursor.conditions import resolve
from engine.core.cursor.function_names import function_candidates
from engine.core.cursor.hits import Refusal
from engine.core.cursor.scan import finish, hold


def _call() -> JsonObject:
    artifact = artifact_of(
        [
            trace("state_entered", state_id="menu"),
            bus("tool_called", tool="book_table", tool_call_id="k1"),
            bus("tool_called", tool="menu", tool_call_id="k2"),
            bus("tool_called", tool="book_taxi", tool_call_id=None),
            bus("prompt_resolved", state_id="menu", slots_read=[]),
            trace("guard_evaluated", edge_id="menu:0", verdict=False),
            trace("guard_evaluated", edge_id="menu:2", verdict=True),
            trace("transition_taken", edge_id="menu:2", to="menu"),
            segment("caller"),
            segment("agent"),
            bus("slot_write", slot="note", new="x", writer="tool:find"),
            bus("weather", wind=3),
            trace("state_entered", state_id="cellar"),
        ]
    )
    artifact["flow"] = named = flow()
    menu = mapping(mapping(named, "states"), "menu")
    menu["edges"] = [
        edge("menu:0", "ask", "all(custom:is_open, not(slot_set:note))"),
        edge("menu:2", "menu", "always"),
    ]
    artifact["findings"] = [
        {"finding_id": "TOOL_FAILED#1", "code": "TOOL_FAILED", "at": 3},
        {"finding_id": "CLOCK_STEP#1", "code": "CLOCK_STEP", "at": 2},
    ]
    return artifact


VIEW = ArtifactView.of(_call())


def positions(pattern: str) -> list[int]:
    found = function_candidates(VIEW, pattern)
    assert not isinstance(found, Refusal), found.message
    return finish(hold(found))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("state:menu", [0]),
        ("state:cellar", [12]),
        ("state:*", [0, 12]),
        ("cellar", [12]),
        ("menu", [0, 2]),
        ("book_*", [1]),
        ("tool:book_*", [1]),
        ("tool:book_taxi", []),
        ("tool:????", [2]),
        ("*", [0, 1, 2, 12]),
        ("guard:*", [5, 6]),
        ("guard:menu:0", [5]),
        ("guard:is_open", [5]),
        ("guard:is_*", [5]),
        ("edge:menu:2", [7]),
        ("menu:2", [7]),
        ("menu:*", [7]),
        ("prompt:menu", [4]),
        ("prompt:*", [4]),
        ("speaker:caller", [8]),
        ("speaker:*", [8, 9]),
        ("slot:note", [10]),
        ("slot:n*", [10]),
        ("writer:tool:*", [10]),
        ("event:w?ather", [11]),
        ("event:nothing", []),
        ("finding:TOOL_*", [3]),
        ("finding:*", [2, 3]),
        ("nobody", []),
        (" state:menu ", [0]),
        ("STATE:*x", None),
        ("state:Menu", None),
        ("menu:9", None),
        ("slot:notes", None),
        ("intent:cancel", None),
        ("", None),
        ("  ", None),
        ("x" * 201, None),
    ],
)
def test_each_kind_of_name(pattern: str, expected: list[int] | None) -> None:
    if expected is None:
        refused = function_candidates(VIEW, pattern)
        assert isinstance(refused, Refusal)
        assert refused.message
        return
    assert positions(pattern) == expected


def test_a_refusal_offers_the_nearest_name() -> None:
    refused = function_candidates(VIEW, "state:mneu")
    assert isinstance(refused, Refusal)
    assert refused.nearest == ("menu",)
    assert "'menu'" in refused.message


def test_a_plain_name_that_is_no_state_is_said_to_be_none() -> None:
    found = function_candidates(VIEW, "nobody")
    assert not isinstance(found, Refusal)
    assert len(found.warnings) == 1


@given(st.text(alphabet="ab*?", max_size=8), st.text(alphabet="ab", max_size=8))
def test_patterns_are_what_they_look_like(pattern: str, tool: str) -> None:
    view = ArtifactView.of(artifact_of([bus("tool_called", tool=tool, tool_call_id="k")]))
    found = function_candidates(view, f"tool:{pattern}")
    assert not isinstance(found, Refusal)
    form = re.sub(r"\*+", ".*", pattern).replace("?", ".")
    assert finish(hold(found)) == ([0] if re.fullmatch(form, tool) else [])


def test_a_hostile_pattern_is_quick() -> None:
    view = ArtifactView.of(artifact_of([bus("tool_called", tool="a" * 400, tool_call_id="k")]))
    found = function_candidates(view, "tool:" + "*a" * 90 + "*b")
    assert not isinstance(found, Refusal)
    assert finish(hold(found)) == []


@given(st.text(max_size=20))
def test_any_text_is_a_name_or_a_refusal(pattern: str) -> None:
    found = function_candidates(VIEW, pattern)
    assert isinstance(found, Refusal) or finish(hold(found)) is not None


def test_names_of_a_real_call() -> None:
    view = fixture_view("booking_racy")
    found = function_candidates(view, "tool:check_*")
    assert not isinstance(found, Refusal)
    called = resolve({"event_type": "tool_called"}, view)
    assert set(finish(hold(found))) < set(called)
