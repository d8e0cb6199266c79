"""Every field question is answered by one command; a wrong answer is seen as one."""

import re
from dataclasses import replace

import pytest
from field_questions.run import (
    TITLES,
    Question,
    Verdict,
    ask,
    at,
    difference,
    questions,
    summary,
    table,
)

QUESTIONS = questions()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.id} {q.fixture}")
def test_a_question_is_answered(question: Question) -> None:
    assert ask(question).difference is None


def test_every_question_is_asked_of_the_call_and_of_its_control() -> None:
    asked = {(question.id, question.fixture) for question in QUESTIONS}
    numbers = [n for n in range(1, 19) if n != 17]
    assert [*TITLES] == [f"F{n}" for n in numbers]
    assert asked == {(id_, name) for id_ in TITLES for name in ("booking_racy", "booking_clean")}
    assert all(question.expected for question in QUESTIONS)


def test_a_wrong_answer_is_seen() -> None:
    question = QUESTIONS[0]
    wrong = replace(question, expected={**question.expected, "/write/new": "17:00"})
    found = ask(wrong)
    assert found.cell == "wrong: /write/new is '18:00', not '17:00'"
    assert ask(replace(question, arguments=("last", "tim"))).cell == "wrong: exit code 1"
    unsaid = replace(question, unavailable="not_recorded")
    assert ask(unsaid).cell == "wrong: the reason 'not_recorded' is not given"
    assert difference(question, {"result": {}}) is not None


def test_pointers() -> None:
    assert at({"a": [{"b": 1}]}, "/a/0/b") == 1
    assert at({"a": []}, "/a/0") == "nothing at 0"
    assert at({"a": 1}, "") == {"a": 1}


def test_the_table_has_a_row_a_question_and_a_place_for_the_ide() -> None:
    verdicts = [
        Verdict(question=QUESTIONS[0], difference=None),
        Verdict(question=QUESTIONS[1], difference="x"),
    ]
    header, rule, *lines = table(verdicts)
    assert re.findall(r"\w+", header) == ["id", "question", "recording", "CLI", "command", "IDE"]
    assert set(rule) == set("|- ")
    assert "| right " in lines[0]
    assert "| wrong: x " in lines[1]
    assert summary(verdicts).endswith("1 right, 0 unavailable rightly, 1 wrong.")
