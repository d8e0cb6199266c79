"""Ask every field question of the recordings in `fixtures/`, and print how well it is answered.

`questions.jsonl` has a line a question and fixture: `id`, `fixture`, `arguments` (of `spd`; the
recording goes behind the verb), `expected` (by JSON pointer into the command's `result`), and
`unavailable`: the reason that must be given where the recording does not hold the answer. A cell is
`right`, `unavailable rightly`, or `wrong` with the first difference. The IDE column is `ide.py`'s.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner
from field_questions.ide import IdeVerdict, ask_in_ide, ide_cells, ide_questions

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text, texts
from engine.faces.cli.main import main as spd

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
TITLES = {
    "F1": "Who set this slot to this value?",
    "F2": "Which words led to it?",
    "F3": "What did each slot hold when this visit began and ended?",
    "F4": "Why did the flow leave this state?",
    "F5": "Which other exits were legal, and why not those?",
    "F6": "Which playback was cut, where, by what?",
    "F7": "What did the caller hear, what does the model think it said?",
    "F8": "Was anything said twice, and what triggered each?",
    "F9": "Was a state left before its question was heard?",
    "F10": "What is pending or was dropped here?",
    "F11": "Why is it silent from t1 to t2?",
    "F12": "Same tool, same arguments twice?",
    "F13": "What did the model see, and what changed?",
    "F14": "What was handed over to the new state?",
    "F15": "Was a transition taken that the flow does not have?",
    "F16": "How long was it stuck, and what was said?",
    "F18": "Can I trust this time?",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about one recording, and what its answer must hold."""

    id: str
    fixture: str
    arguments: tuple[str, ...]
    expected: JsonObject
    unavailable: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a question was answered; `difference` is None where the answer is as expected."""

    question: Question
    difference: str | None

    @property
    def cell(self) -> str:
        """What stands in the table."""
        if self.difference is not None:
            return f"wrong: {self.difference}"
        return "unavailable rightly" if self.question.unavailable is not None else "right"


def questions() -> list[Question]:
    """Return all questions, in the file's order."""
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


def _question(row: JsonObject) -> Question:
    return Question(
        id=str(row["id"]),
        fixture=str(row["fixture"]),
        arguments=tuple(texts(row, "arguments")),
        expected=mapping(row, "expected"),
        unavailable=text(row, "unavailable"),
    )


def ask(question: Question) -> Verdict:
    """Ask one question by one command of `spd`."""
    verb, *arguments = question.arguments
    words = [verb, str(FIXTURES / question.fixture), *arguments, "--json"]
    ran = CliRunner().invoke(spd, words)
    if ran.exit_code != 0:
        return Verdict(question=question, difference=f"exit code {ran.exit_code}")
    return Verdict(question=question, difference=difference(question, json.loads(ran.stdout)))


def difference(question: Question, answer: JsonObject) -> str | None:
    """Return where an answer is not the expected one, or None."""
    result = mapping(answer, "result")
    for pointer, expected in question.expected.items():
        found = at(result, pointer)
        if found != expected:
            return f"{pointer} is {found!r}, not {expected!r}"
    reasons = [row["reason"] for row in rows(result, "unknowns")]
    if question.unavailable is not None and question.unavailable not in reasons:
        return f"the reason {question.unavailable!r} is not given"
    return None


def at(value: JsonValue, pointer: str) -> JsonValue:
    """Return what a JSON pointer leads to; a text that says so where there is nothing."""
    for part in pointer.split("/")[1:]:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return f"nothing at {part}"
    return value


def table(
    verdicts: Sequence[Verdict], ide: Mapping[tuple[str, str], str] | None = None
) -> Iterable[str]:
    """Yield the lines of the table: a row a question and fixture; `ide` has the IDE's cells."""
    asked = dict(ide or {})
    cells = [
        (
            verdict.question.id,
            TITLES[verdict.question.id],
            verdict.question.fixture,
            verdict.cell,
            f"spd {' '.join(verdict.question.arguments)}",
            asked.pop((verdict.question.id, verdict.question.fixture), "as above"),
        )
        for verdict in verdicts
    ]
    names = ("id", "question", "recording", "CLI", "command", "IDE")
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    for row in (names, tuple("-" * width for width in widths), *cells):
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"| {' | '.join(padded)} |"


def summary(verdicts: Sequence[Verdict]) -> str:
    """Return the counts in one line."""
    ids = {verdict.question.id for verdict in verdicts}
    wrong = sum(verdict.difference is not None for verdict in verdicts)
    rightly = sum(verdict.cell == "unavailable rightly" for verdict in verdicts)
    right = len(verdicts) - wrong - rightly
    return (
        f"{len(ids)} questions asked {len(verdicts)} times, one command each: {right} right, "
        f"{rightly} unavailable rightly, {wrong} wrong."
    )


def ide_summary(verdicts: Sequence[IdeVerdict]) -> str:
    """Return the counts of the IDE column in one line."""
    missing = sum(verdict.question.missing is not None for verdict in verdicts)
    wrong = sum(verdict.difference is not None for verdict in verdicts)
    most = max(len(verdict.question.gestures) for verdict in verdicts)
    return (
        f"In the IDE {len(verdicts)} times, {most} gestures at most:"
        f" {len(verdicts) - missing - wrong} right, {missing} not shown yet, {wrong} wrong."
    )


def main() -> int:
    """Print the table; 1 if an answer is wrong."""
    verdicts = [ask(question) for question in questions()]
    ide = [ask_in_ide(question) for question in ide_questions()]
    lines = [*table(verdicts, ide_cells(ide)), "", summary(verdicts), ide_summary(ide), ""]
    sys.stdout.write("\n".join(lines))
    return 1 if any(verdict.difference for verdict in (*verdicts, *ide)) else 0


if __name__ == "__main__":
    sys.exit(main())
