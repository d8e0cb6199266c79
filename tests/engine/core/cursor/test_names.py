"""Names and patterns: what resembles what, which paths are leaves, which patterns are costly."""

import pytest

from engine.core.cursor.cel_syntax import parse_expression
from engine.core.cursor.leaves import Leaf
from engine.core.cursor.names import did_you_mean, is_costly, leaf_of, nearest, rooted_in


def test_resembling_names_come_best_first_and_are_bounded() -> None:
    assert nearest("mneu", ["ask", "menus", "menu"])[0] == "menu"
    assert nearest("x" * 65, ["x" * 64]) == ()
    assert nearest("menu", ["menu" * 20]) == ()
    assert nearest("menu", [*("other" for _ in range(2_000)), "menus"]) == ()
    assert len(nearest("a1", [f"a{n}" for n in range(1_000)])) <= 3


def test_names_are_offered_as_a_question() -> None:
    assert did_you_mean(()) == ""
    assert did_you_mean(("a", "b")) == " Did you mean 'a' or 'b'?"


@pytest.mark.parametrize(
    ("text", "leaf"),
    [
        ("slots.time", Leaf(root="slots", name="time")),
        ("(slots)['time']", Leaf(root="slots", name="time")),
        ("event.record", Leaf(root="event", name="record")),
        ("event.record.node", Leaf(root="record", name="node")),
        ("event['record']['a b']", Leaf(root="record", name="a b")),
        ("slots", None),
        ("slots.time.x", None),
        ("slots[event.slot]", None),
        ('slots["a\\n"]', None),
        ("other.time", None),
        ("event.record.node.x", None),
    ],
)
def test_a_path_by_name_is_a_leaf(text: str, leaf: Leaf | None) -> None:
    assert leaf_of(parse_expression(text)) == leaf


@pytest.mark.parametrize(
    ("text", "root"), [("x.a[0].b", "x"), ("x", "x"), ("[1]", None), ("f(x).a", None)]
)
def test_a_path_begins_with_a_name(text: str, root: str | None) -> None:
    assert rooted_in(parse_expression(text)) == root


@pytest.mark.parametrize(
    ("pattern", "costly"),
    [
        ("[0-9]{1,2}:[0-9]{2}", False),
        ("(a|b)*c", False),
        ("a{,9}", False),
        ("a{33}", True),
        ("a{20}b{20}", True),
        ("(ab){2}", True),
        ("(ab) {2}", True),
        ("a" * 101, True),
    ],
)
def test_a_pattern_that_could_grow_is_costly(pattern: str, costly: bool) -> None:
    assert is_costly(pattern) is costly
