"""The IDE column: few gestures of a stock IDE answer a question, or it is said to be missing."""

from dataclasses import replace

import pytest
from field_questions.ide import (
    GESTURES_MAX,
    IdeQuestion,
    ask_in_ide,
    ide_questions,
)
from field_questions.run import TITLES

QUESTIONS = ide_questions()
COUNTS = {
    "F1": 2,
    "F2": 3,
    "F3": 1,
    "F4": 2,
    "F5": 2,
    "F6": 2,
    "F7": 3,
    "F8": 2,
    "F9": 2,
    "F10": 1,
    "F11": 2,
    "F12": 3,
    "F13": 2,
    "F14": 3,
    "F15": 2,
    "F16": 1,
    "F18": 1,
}
"""How many gestures each question may take."""

ASKED = [question for question in QUESTIONS if question.missing is None]


@pytest.mark.parametrize("question", ASKED, ids=lambda q: f"{q.id} {q.fixture}")
def test_a_question_is_answered_in_the_ide(question: IdeQuestion) -> None:
    assert ask_in_ide(question).difference is None


def test_every_question_has_its_place() -> None:
    places = [(question.id, question.fixture) for question in QUESTIONS]
    assert len(places) == len(set(places))
    assert set(places) == {
        (id_, name) for id_ in TITLES for name in ("booking_racy", "booking_clean")
    }


def test_gestures_are_few_and_an_answer_is_asked_for() -> None:
    for question in ASKED:
        assert 1 <= len(question.gestures) <= COUNTS[question.id] <= GESTURES_MAX
        assert question.shown


def test_a_wrong_answer_is_seen() -> None:
    question = QUESTIONS[0]
    assert ask_in_ide(question).cell.startswith("right, 2: ask last time; open time")
    wrong = ask_in_ide(replace(question, shown=("19:00 → 17:00",)))
    assert wrong.cell == "wrong: '19:00 → 17:00' is not shown"
    unwanted = replace(question, not_shown=("18:00",))
    assert ask_in_ide(unwanted).cell == "wrong: '18:00' is shown"
    assert ask_in_ide(replace(question, gestures=("tick NOPE",))).cell.startswith("wrong: ")
    assert ask_in_ide(replace(question, gestures=("ask nonsense",))).cell.startswith("wrong: ")
    missing = replace(question, missing="the answer")
    assert ask_in_ide(missing).cell == "not shown yet: the answer"


def test_a_reset_session_shows_nothing_before_the_first_gesture() -> None:
    question = replace(QUESTIONS[0], gestures=(), shown=(), unavailable=None)
    assert ask_in_ide(question).difference is None
    assert ask_in_ide(replace(question, shown=("18:00",))).difference is not None
