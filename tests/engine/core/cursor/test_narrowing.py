"""Candidates: what postings leave out is false without a failure, and they do leave out."""

import pytest
from hypothesis import given, settings
from support.expressions import calls, expressions
from support.small_calls import artifact_of, bus, fixture_view, trace

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject
from engine.core.cursor.cel_syntax import parse_expression
from engine.core.cursor.evaluation import Evaluator
from engine.core.cursor.expressions import compile_expression
from engine.core.cursor.narrowing import candidates


@settings(max_examples=200)
@given(calls(), expressions())
def test_an_event_that_is_left_out_is_false_and_no_failure(artifact: JsonObject, text: str) -> None:
    view = ArtifactView.of(artifact)
    expression = compile_expression(view, text, is_condition=True)
    found = [*candidates(view, expression.root)]
    assert found == sorted(set(found))
    evaluator = Evaluator(view, expression)
    if evaluator.turns is not None:
        evaluator.turns.extend(view.event_count)
    for index in sorted({*range(view.event_count)} - {*found}):
        assert not evaluator.holds(index)
    assert evaluator.meter.failed == 0


VIEW = ArtifactView.of(
    artifact_of(
        [
            trace("state_entered", state_id="menu"),
            bus("slot_write", slot="route", new="a"),
            bus("slot_write", slot="note", new="a"),
            bus("slot_write", slot="route", new="a", writer=7),
            bus("slot_filled", slot="route"),
            trace("guard_evaluated", edge_id="menu:0", verdict=None),
            trace("transition_taken", edge_id="menu:0", to="ask"),
            trace("state_entered", state_id="ask"),
            bus("audio_started", playback_id="p1", slot="route"),
        ]
    )
)


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ('event.type == "slot_write"', [1, 2, 3]),
        ("'slot_write' == event[\"type\"] && event.new == 'a'", [1, 2, 3]),
        ('event.type == "slot_write" && event.slot == "route"', [1, 3]),
        ('event.slot == "route" && slots.note == 1 && event.type == "slot_write"', [1, 3]),
        ('event.type in ["audio_started", "slot_filled"]', [4, 8]),
        ("event.type in []", []),
        ('event.type == "guard_evaluated" && event.edge_id == "menu:0"', [5]),
        ('event.type == "transition_taken" && event.edge_id in ["menu:0", "x"]', [6]),
        ('event.type == "audio_started" && event.playback_id == "p2"', []),
        ('visit.state_id == "ask"', [7, 8]),
        ('visit.visit_id == "menu#1" && event.type == "slot_write"', [1, 2, 3]),
        ('visit.state_id == "ask" || event.type == "slot_filled"', [4, 7, 8]),
        ('event.slot == "route"', [*range(9)]),
        ('event.type == "slot_write" || event.new == "a"', [*range(9)]),
        ('!(event.type == "slot_write")', [*range(9)]),
        ('event.type != "slot_write"', [*range(9)]),
        ('event.type == "slot\\u005fwrite"', [*range(9)]),
        ('(event.type == "slot_write") == false', [*range(9)]),
        ('event.type == "slot_write" ? true : false', [*range(9)]),
    ],
)
def test_what_postings_can_tell(text: str, positions: list[int]) -> None:
    assert [*candidates(VIEW, parse_expression(text))] == positions


def test_a_type_narrows_a_real_call() -> None:
    view = fixture_view("booking_racy")
    found = candidates(view, parse_expression('event.type == "slot_write" && slots.time == "x"'))
    assert 0 < len(found) < view.event_count / 10
