"""Setting an expression: names, functions and bounds are checked whole; warnings; bare slots."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.small_calls import artifact_of, bus, fixture_view, trace

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.cursor.expressions import FUNCTIONS, MACROS, METHODS, compile_expression
from engine.core.cursor.leaves import ROOTS, TURN_FIELDS, VISIT_FIELDS, Leaf

VIEW = ArtifactView.of(
    artifact_of(
        [
            trace("state_entered", state_id="menu"),
            bus("slot_write", slot="a-b", new=1),
            bus("slot_write", slot="event", new="x"),
            bus("slot_write", slot="in", new="y"),
        ]
    )
)


def refused(text: str, *, is_condition: bool = True) -> InvalidCommand:
    with pytest.raises(InvalidCommand) as caught:
        compile_expression(VIEW, text, is_condition=is_condition)
    return caught.value


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("slots.rout == 1", "route"),
        ('prev["notes"] == 1', "note"),
        ("labels.rute == 1", "route"),
        ("event.typ == 1", "type"),
        ("visit.state == 1", "state_id"),
        ("turn.turnid == 1", "turn_id"),
        ("evnt.type == 1", "event"),
        ("event.type.startWith('a')", "startsWith"),
        ("siz(slots) == 1", "size"),
        ("[1].exist(x, x == 1)", "exists"),
        ("[1].exists(x, evnt.type == 1)", "event"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest(text: str, near: str) -> None:
    error = refused(text)
    nearest = error.detail["nearest"]
    assert isinstance(nearest, list)
    assert near in nearest
    assert isinstance(error.detail["column"], int)


def test_a_bare_slot_inside_of_an_expression_says_how_to_write_it() -> None:
    assert "slots.route" in refused("route == 'a'").message


def test_a_field_of_one_recorder_is_reached_through_the_record() -> None:
    assert "event.record.wind" in refused("event.wind == 3").message
    found = compile_expression(VIEW, "event.record.wind == 3", is_condition=True)
    assert found.leaves == (Leaf(root="record", name="wind"),)


@pytest.mark.parametrize(
    "text",
    [
        "1 + 2",
        "'a'",
        "null",
        "[true]",
        "{'a': true}",
        "size(slots)",
        "-1",
        "true ? 1 : 2",
        "visit",
        "event[event.slot] == 1",
        "[1].map(x, x)",
    ],
)
def test_what_is_never_true_or_false_is_no_condition(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2].exists(x, [1, 2].exists(y, x == y))",
        "event.messages.exists(m, event.messages.exists(n, m == n))",
        "['a'].map(x, x + x) == null",
        "['a'].map(x, [x, x]) == null",
        "['a'].map(x, event.text) == null",
        "slots.exists(k, k == 'a')",
        "{'a': 1}.exists(k, true)",
        "['a'].exists(x, x.matches('a'))",
        "event.text.matches(event.heard)",
        "event.text.matches('(a{9}){9}')",
        "event.text.matches('\\\\w{99}')",
        "event.text.matches('(')",
        "event.text.matches('" + "a" * 101 + "')",
        "event.text" + " + event.text" * 17 + " == 'a'",
        "[1].exists(event, true)",
        "[1].exists(_0, true)",
        "[1].exists(1, true)",
        "has(1)",
        "size(1, 2) == 1",
        "b'a' == b'a'",
        "a.b.C{} == null",
        "timestamp('2020-01-01T00:00:00Z') == null",
        "__import__('os') == null",
        "99999999999999999999 == 1",
        "'\\q' == ''",
        "slots.route == '\ud800'",
    ],
)
def test_what_has_no_bound_or_no_meaning_is_refused(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "event.messages.exists(m, m.parts.exists(p, p.text == slots.route))",
        "event.messages.map(m, m.role) == ['user']",
        "event.text.matches('[0-9]{1,2}:[0-9]{2}')",
        "event.slots_read.all(s, s in ['a', 'b'])",
        'slots["a-b"] == 1 && slots["in"] == "y"',
        "slots[event.slot] != prev[event.slot]",
        "has(event.args_safe.date)",
    ],
)
def test_what_is_useful_is_not_refused(text: str) -> None:
    compile_expression(VIEW, text, is_condition=True)


@pytest.mark.parametrize("name", ["route", "a-b", "event", "in", "  note "])
def test_exactly_the_name_of_a_slot_is_that_slot(name: str) -> None:
    found = compile_expression(VIEW, name, is_condition=False)
    assert found.slot == name.strip()
    assert found.leaves == (Leaf(root="slots", name=name.strip()),)


def test_a_slot_by_its_path_is_that_slot_and_nothing_else_is() -> None:
    assert compile_expression(VIEW, 'slots["route"]', is_condition=False).slot == "route"
    assert compile_expression(VIEW, "slots.route", is_condition=False).slot == "route"
    assert compile_expression(VIEW, "prev.route", is_condition=False).slot is None
    assert compile_expression(VIEW, "slots.route == 1", is_condition=False).slot is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("slots.name == 'Anna'", 1),
        ("'Anna' != prev.name || slots.name == 'Bo'", 1),
        ("slots.name in ['Anna']", 1),
        ("slots.name.startsWith('A')", 1),
        ("slots.name == null", 0),
        ("slots.name == '<str len=4>'", 0),
        ("labels.name == 'redacted'", 0),
        ("slots.name != prev.name", 0),
        ("slots.route == 'a'", 0),
    ],
)
def test_comparing_a_personal_slot_with_a_constant_is_warned_of(text: str, count: int) -> None:
    assert len(compile_expression(VIEW, text, is_condition=True).warnings) == count


def test_the_library_is_imported_with_the_first_condition_only() -> None:
    code = (
        "import sys, engine.core.cursor.conditions, engine.core.cursor.breakpoints;"
        "sys.exit('cel' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_slot_of_a_real_call_can_be_named() -> None:
    view = fixture_view("booking_racy")
    for slot in view.slots:
        assert compile_expression(view, str(slot["slot"]), is_condition=True).slot == slot["slot"]


def test_every_example_of_the_guide_can_be_set(root: Path) -> None:
    page = (root / "docs" / "guide" / "conditions.md").read_text(encoding="utf-8")
    examples = "".join(re.findall(r"^```cel\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    view = fixture_view("booking_racy")
    for text in examples.splitlines():
        assert not compile_expression(view, text, is_condition=True).warnings
    assert len(examples.splitlines()) > 10


def test_the_guide_names_every_function_and_field_root(root: Path) -> None:
    page = (root / "docs" / "guide" / "conditions.md").read_text(encoding="utf-8")
    names = (*FUNCTIONS, *METHODS, *MACROS, *ROOTS, *VISIT_FIELDS, *TURN_FIELDS)
    assert not [name for name in names if not re.search(rf"`{name}\b", page)]
