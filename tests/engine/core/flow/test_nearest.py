import pytest

from engine.core.flow.nearest import COMPARISONS_MAX, LENGTH_MAX, NearestNames, did_you_mean

STATES = ("greet", "get_time", "confirm", "Confirm", "end")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("confrim", ("confirm", "Confirm")),
        ("CONFIRM", ("confirm", "Confirm")),
        ("gret", ("greet",)),
        ("zzz", ()),
        ("", ()),
        ("x" * (LENGTH_MAX + 1), ()),
    ],
)
def test_names_that_resemble_come_best_first(name, expected):
    assert NearestNames().of(name, STATES, kind="state") == expected


def test_the_search_is_bounded_for_a_whole_file():
    names = tuple(f"state_{number}" for number in range(COMPARISONS_MAX // 2))
    nearest = NearestNames()
    assert nearest.of("state_1x", names, kind="state")
    assert nearest.of("state_2x", names, kind="state")
    assert nearest.of("state_3x", names, kind="state") == ()
    assert nearest.of("state_1x", names, kind="state"), "what was found is known"
    assert NearestNames().of("a", ("a" * (LENGTH_MAX + 1),), kind="state") == ()


def test_kinds_are_told_apart():
    nearest = NearestNames()
    assert nearest.of("dya", ("day",), kind="slot") == ("day",)
    assert nearest.of("dya", ("say",), kind="state") == ()


def test_the_question():
    assert did_you_mean(()) == ""
    assert did_you_mean(("a",)) == " Did you mean 'a'?"
    assert did_you_mean(("a", "b", "c")) == " Did you mean 'a' or 'b' or 'c'?"
