"""Evaluation: the library's own answer on naive maps; memory changes nothing; templates."""

from random import Random

import cel
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.expressions import calls, expressions, naive_context
from support.oracle import Oracle
from support.small_calls import artifact_of, bus, fixture_view, trace

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Label
from engine.core.cursor.evaluation import (
    FAILURES,
    Evaluator,
    evaluate,
    interpolate,
    parse_template,
)
from engine.core.cursor.expressions import compile_expression


def evaluator(view: ArtifactView, text: str, *, remembers: bool = True) -> Evaluator:
    found = Evaluator(view, compile_expression(view, text, is_condition=True), remembers=remembers)
    if found.turns is not None:
        found.turns.extend(view.event_count)
    return found


def naive(text: str, context: JsonObject) -> bool | None:
    """What the library says of the text as written; None where it fails or is not boolean."""
    try:
        value = cel.evaluate(text, context)
    except FAILURES:
        return None
    return value if isinstance(value, bool) else None


@given(calls(), expressions())
def test_is_what_the_library_says_of_the_whole_maps(artifact: JsonObject, text: str) -> None:
    view, oracle = ArtifactView.of(artifact), Oracle(artifact)
    found = evaluator(view, text)
    expected = [naive(text, naive_context(oracle, i)) for i in range(view.event_count)]
    assert [found.holds(i) for i in range(view.event_count)] == [v is True for v in expected]
    assert found.meter.failed == expected.count(None)


@given(calls(), expressions(), st.randoms(use_true_random=False))
def test_memory_and_order_change_no_answer(artifact: JsonObject, text: str, random: Random) -> None:
    view = ArtifactView.of(artifact)
    order = [*range(view.event_count)] * 2
    random.shuffle(order)
    remembering, fresh = evaluator(view, text), evaluator(view, text, remembers=False)
    assert [remembering.holds(i) for i in order] == [fresh.holds(i) for i in order]
    assert remembering.meter.failed == fresh.meter.failed


ONE = ArtifactView.of(
    artifact_of(
        [
            trace("state_entered", state_id="menu", clock_ms=1500),
            *[bus("slot_write", slot="note", new=value) for value in (1, 1.0, True, "1", None)],
            bus("slot_write", slot="name", new="Anna"),
            bus("slot_write", slot="route", availability="unavailable", reason="muted"),
            bus("weather", wind=[{"b": 1, "a": 2}], big="x" * 300_000, slots_read=["a"] * 9_000),
        ]
    )
)


def held(text: str) -> list[int]:
    found = evaluator(ONE, text)
    return [i for i in range(ONE.event_count) if found.holds(i)]


def test_values_that_python_calls_equal_are_kept_apart() -> None:
    assert held("slots.note == true") == [3]
    assert held("event.new == '1'") == [4]
    assert held("event.new == 1") == [1, 2]
    both = evaluator(ONE, "string(event.new) == '1'")
    assert [both.holds(i) for i in (3, 1, 3, 2, 3)] == [False, True, False, True, False]


def test_has_asks_for_anything_but_null() -> None:
    assert held("has(event.new)") == [1, 2, 3, 4, 6]
    assert held("has(slots.note)") == [1, 2, 3, 4]


def test_a_failure_is_no_match_and_is_counted_and_explained() -> None:
    found = evaluator(ONE, "event.new > 0")
    assert [i for i in range(ONE.event_count) if found.holds(i)] == [1, 2]
    assert found.meter.failed == 7
    assert found.meter.first_failure is not None
    assert "null" in found.meter.first_failure


def test_a_value_that_is_neither_true_nor_false_is_a_failure() -> None:
    found = evaluator(ONE, "event.new")
    assert [i for i in range(ONE.event_count) if found.holds(i)] == [3]
    assert found.meter.failed == 8


def test_values_beyond_the_bounds_are_failures() -> None:
    assert held("size(event.record.big) == 300000") == []
    assert held("size(event.record.wind) == 1") == [8]
    assert held("size(event.slots_read) == 9000") == [8]
    looped = evaluator(ONE, "['a'].exists(x, x in event.slots_read)")
    assert not looped.holds(8)
    built = evaluator(ONE, "event.slots_read.map(x, x) == []")
    assert not built.holds(8)
    assert looped.meter.failed == built.meter.failed == 1
    assert held("event.record.wind.map(w, w.a) == [2]") == [8]


def test_evaluate_gives_a_slot_with_its_label() -> None:
    found = evaluate(ONE, 6, "name")
    assert (found.value, found.slot, found.label) == ("<str len=4>", "name", Label.REDACTED)
    missing = evaluate(ONE, 7, "slots.route")
    assert (missing.value, missing.label, missing.reason) == (None, Label.UNAVAILABLE, "muted")
    assert evaluate(ONE, -1, 'slots["note"]').label is Label.UNAVAILABLE


@pytest.mark.parametrize(
    ("text", "cursor", "value"),
    [
        ("event.clock_ms / 1000", 0, 1),
        ("event.clock_ms / 1000.0", 0, None),
        ("event.record.wind", 8, [{"a": 2, "b": 1}]),
        ("slots == prev", 0, True),
        ("{'x': slots.note, 'a': [1.5]}", 1, {"a": [1.5], "x": 1}),
        ("9007199254740991 + 1", 0, "9007199254740992"),
        ("event.type", -1, None),
        ("turn.turn_id", 3, None),
        ("visit.state_id + '!'", 3, "menu!"),
        ("event.record.wind.map(w, w.a)", 8, [2]),
    ],
)
def test_evaluate_gives_json(text: str, cursor: int, value: object) -> None:
    if value is None and "/" in text:
        with pytest.raises(InvalidCommand):
            evaluate(ONE, cursor, text)
        return
    assert evaluate(ONE, cursor, text).value == value


@pytest.mark.parametrize("text", ["1 / 0", "1.0 / 0.0", "event.new + 1", "[1][3]", "{'a': 1}.b"])
def test_evaluate_says_why_there_is_no_value(text: str) -> None:
    with pytest.raises(InvalidCommand) as caught:
        evaluate(ONE, 0, text)
    assert caught.value.message.startswith("There is no value here. ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("{note} and {slots.note == 1}", "1 and true"),
        ("{{x}} {event.type}", "{x} slot_write"),
        ("{size({'}': 1})}", "1"),
        ("{name}", "<unavailable: not_recorded>"),
        ("{'a' + event.type}", "aslot_write"),
    ],
)
def test_a_template_shows_values_in_its_place(text: str, shown: str) -> None:
    assert interpolate(ONE, 1, parse_template(ONE, text)) == shown


def test_a_template_says_where_a_value_is_missing() -> None:
    assert "divided by zero" in interpolate(ONE, 1, parse_template(ONE, "x {1 / 0} y"))


@pytest.mark.parametrize("text", ["{", "}", "{note", "{}", "{nope}", "a } b", "{'}"])
def test_a_wrong_template_is_a_typed_error(text: str) -> None:
    with pytest.raises(InvalidCommand):
        parse_template(ONE, text)


@given(st.text(alphabet="{}'\"ab \\.", max_size=20))
@example("{'{'}")
def test_any_text_is_a_template_or_a_typed_error(text: str) -> None:
    try:
        template = parse_template(ONE, text)
    except InvalidCommand:
        return
    assert isinstance(interpolate(ONE, 1, template), str)


def test_the_write_that_made_eighteen_of_nineteen() -> None:
    view = fixture_view("booking_racy")
    found = evaluator(view, 'prev.time == "19:00" && slots.time == "18:00"')
    [write] = [i for i in range(view.event_count) if found.holds(i)]
    assert view.event_type(write) == "slot_write"
