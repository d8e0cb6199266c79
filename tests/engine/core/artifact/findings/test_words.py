import pytest
from hypothesis import given
from support.records import ANY_VALUES, TEXTS

from engine.core.artifact.findings.words import holds, is_hidden, numbers_of, words_of


def test_words() -> None:
    assert words_of("Seven o'clock, 7pm: Zo\u00cb_x!") == [
        "seven",
        "o",
        "clock",
        "7",
        "pm",
        "zo\u00eb",
        "x",
    ]
    assert words_of("\uff17") == ["7"]
    assert words_of("...") == []


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("twenty-one", {20, 1, 21}),
        ("twenty eleven", {20, 11}),
        ("two hundred and six", {2, 200, 6, 206}),
        ("three hundred", {3, 300}),
        ("a dozen", {12}),
        ("1800", {1800}),
        ("18000", set()),
        ("sechs", set()),
    ],
)
def test_numbers(said: str, numbers: set[int]) -> None:
    assert numbers_of(words_of(said)) == numbers


@pytest.mark.parametrize(
    ("said", "value", "held"),
    [
        ("Then six.", "18:00", True),
        ("at 18:00", "18:00", True),
        ("6 pm", "18:00", True),
        ("six", "06:00", True),
        ("eighteen hundred", "18:00", True),
        ("Yes.", "18:00", False),
        ("seven", "18:00", False),
        ("half past eight", "20:30", True),
        ("quarter to nine", "20:45", True),
        ("nine", "20:00", False),
        ("noon", "12:00", True),
        ("midnight", "0:00", True),
        ("Four of us.", 4, True),
        ("Four of us.", 5, False),
        ("fourteen", 4, False),
        ("it is 4", "4", True),
        ("it is five", "4", False),
        ("the kitchen, the sink", "kitchen_sink", True),
        ("the sink", "Kitchen sink", False),
        ("table 6", "six", True),
        ("anything", "2026-12-01", None),
        ("anything", "18:75", None),
        ("anything", "+49 151 23456", None),
        ("anything", 12345, None),
        ("anything", -1, None),
        ("anything", True, None),
        ("anything", None, None),
        ("anything", 0.5, None),
        ("anything", "Yes", None),
        ("anything", "...", None),
        ("anything", "<int>", None),
        ("anything", [6], None),
        ("anything", {"a": 6}, None),
    ],
)
def test_holds(said: str, value, held: bool | None) -> None:
    assert holds([said], value) is held


@given(TEXTS, ANY_VALUES)
def test_total(said: str, value) -> None:
    assert holds([said], value) in {True, False, None}
    if isinstance(value, str):
        assert holds([value], value) is not False
        assert is_hidden("<int>")
