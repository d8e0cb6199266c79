"""Conditions that are data, evaluated again; what is not read has no verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.importers.rasa.conditions import evaluated

SLOTS = {"n": 4, "text": "4", "yes": True, "no": False, "name": "Ann", "empty": None}


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("slots.n > 3", True),
        ("slots.n <= 3", False),
        ("slots.n = 4", True),
        ("slots.n == 4.0", True),
        ("slots.n != 4", False),
        ("slots.name = 'Ann'", True),
        ('slots.name < "B"', True),
        ("slots.yes", True),
        ("slots.no", False),
        ("slots.empty", False),
        ("slots.absent", False),
        ("not slots.yes", False),
        ("slots.empty is null", True),
        ("slots.n is not null", True),
        ("slots.yes is true and slots.n > 3", True),
        ("slots.no or slots.yes", True),
        ("slots.no and slots.yes or slots.yes", True),
        ("slots.no and (slots.yes or slots.yes)", False),
        ("NOT (slots.n > 3 AND slots.yes)", False),
        ("slots.name = null", False),
    ],
)
def test_the_verdict(condition: str, verdict: bool) -> None:
    found = evaluated(condition, SLOTS)
    assert (found.verdict, found.reason) == (verdict, None)


@pytest.mark.parametrize(
    "condition",
    [
        "slots.text > 3",
        "slots.text = 4",
        "slots.yes > 0",
        "slots.yes = 1",
        "slots.empty > 3",
        "slots.n",
        "slots.name contains 'A'",
        "slots.name matches 'A.*'",
        "context.n > 3",
        "n > 3",
        "slots.n >",
        "(slots.n > 3",
        "slots.n > 3 slots.yes",
        "slots.n & 3",
        "",
        "not " * 100 + "slots.yes",
        "slots.n > " + "1" * 400,
        "slots.yes or " * 400 + "slots.yes",
    ],
)
def test_without_a_verdict_there_is_a_reason(condition: str) -> None:
    found = evaluated(condition, SLOTS)
    assert found.verdict is None
    assert found.reason


def test_every_slot_that_is_named_was_read() -> None:
    """Also behind a part that decides: the flow's author named both."""
    assert evaluated("slots.no and slots.n > 3 or slots.no", SLOTS).slots_read == ("no", "n")


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            ["slots.n", "slots.yes", "(", ")", "not", "and", "or", "is", ">", "=", "3"]
        ),
        max_size=12,
    ).map(" ".join)
)
def test_any_text_has_a_verdict_or_a_reason(condition: str) -> None:
    found = evaluated(condition, SLOTS)
    assert (found.verdict is None) == (found.reason is not None)
    assert set(found.slots_read) <= {"n", "yes"} | {condition} | set(found.slots_read)
