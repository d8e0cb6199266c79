"""The IDE column: the same questions, asked with gestures that a stock IDE has, and counted.

`ide.jsonl` has a line a question and fixture: `id`, `fixture`, `gestures`, `shown` (texts that must
be on the screen then), `not_shown`, and `missing`: what no gesture shows yet, said plainly. The
recording is open and stands at its end; every gesture counts one:

- `break STATE`: a breakpoint on the state's line in the flow file
- `watch SLOT`: break on value change
- `tick CODE`: an exception filter
- `press BUTTON`: Continue, Reverse, Step Over, Step Back ...
- `click FRAME`: a row of the call stack; the IDE then shows the frame's first scope
- `open NAME`: a scope, or a row of what was opened last
- `ask LINE`: a line in the debug console

What an IDE shows by itself does not count: a stop's text, the card of an exception, the slots, the
message of a breakpoint.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dap_adapter.client import RequestFailed
from dap_adapter.terminal.ide_client import IdeClient
from dap_adapter.terminal.screen import Screen, name_of
from dap_adapter.terminal.session import opened
from engine.core.contract.json_types import JsonObject, text, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
GESTURES_MAX = 3
"""Most gestures that an answer may take."""

BUTTONS = {
    "Continue": "continue",
    "Reverse": "reverseContinue",
    "Step Over": "next",
    "Step Into": "stepIn",
    "Step Out": "stepOut",
    "Step Back": "stepBack",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdeQuestion:
    """How a question is asked in an IDE, and what must be on the screen then."""

    id: str
    fixture: str
    gestures: tuple[str, ...]
    shown: tuple[str, ...]
    not_shown: tuple[str, ...]
    unavailable: str | None
    missing: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdeVerdict:
    """How a question was answered in the IDE; `difference` is None where as expected."""

    question: IdeQuestion
    difference: str | None

    @property
    def cell(self) -> str:
        """What stands in the table: the judgement and the gestures."""
        if self.question.missing is not None:
            return f"not shown yet: {self.question.missing}"
        if self.difference is not None:
            return f"wrong: {self.difference}"
        judged = "right" if self.question.unavailable is None else "unavailable rightly"
        return f"{judged}, {len(self.question.gestures)}: {'; '.join(self.question.gestures)}"


def ide_questions() -> list[IdeQuestion]:
    """Return all questions of the IDE column, in the file's order."""
    lines = (HERE / "ide.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


def _question(row: JsonObject) -> IdeQuestion:
    return IdeQuestion(
        id=str(row["id"]),
        fixture=str(row["fixture"]),
        gestures=tuple(texts(row, "gestures")),
        shown=tuple(texts(row, "shown")),
        not_shown=tuple(texts(row, "not_shown")),
        unavailable=text(row, "unavailable"),
        missing=text(row, "missing"),
    )


def ask_in_ide(question: IdeQuestion) -> IdeVerdict:
    """Ask one question of a fresh session by its gestures."""
    if question.missing is not None:
        return IdeVerdict(question=question, difference=None)
    launch: JsonObject = {"recording": str(FIXTURES / question.fixture), "stopAt": "end"}
    try:
        with opened(launch, Screen(), answer_within_s=60) as (debugger, _stop):
            window = Window(debugger.ide)
            for gesture in question.gestures:
                window.do(gesture)
    except (RequestFailed, LookupError) as error:
        return IdeVerdict(question=question, difference=f"{type(error).__name__}: {error}")
    return IdeVerdict(question=question, difference=_difference(question, window.shown))


def _difference(question: IdeQuestion, shown: str) -> str | None:
    for wanted in (*question.shown, *([question.unavailable] if question.unavailable else [])):
        if wanted not in shown:
            return f"{wanted!r} is not shown"
    for unwanted in question.not_shown:
        if unwanted in shown:
            return f"{unwanted!r} is shown"
    return None


class Window:
    """An IDE's window: does gestures and keeps all that they showed."""

    def __init__(self, ide: IdeClient) -> None:
        self._ide = ide
        self._rows: list[JsonObject] = []
        self._lines: list[str] = []
        self._show_frame()
        self._lines.clear()
        self._act: Mapping[str, Callable[[str], None]] = {
            "break": self._break,
            "watch": self._watch,
            "tick": self._tick,
            "press": self._press,
            "click": self._click,
            "open": self._open,
            "ask": self._ask,
        }

    @property
    def shown(self) -> str:
        """Everything that has been on the screen since the first gesture."""
        return "\n".join(self._lines)

    def do(self, gesture: str) -> None:
        """Do one gesture. Raises: RequestFailed, LookupError."""
        name, _, rest = gesture.partition(" ")
        self._act[name](rest)
        self._lines += self._ide.output()

    def _break(self, state: str) -> None:
        lines = self._ide.source_lines(self._ide.frame())
        line = next(n for n, row in enumerate(lines, 1) if row.strip() == f"{state}:")
        answer = self._ide.break_on_line(str(line), {}, is_temporary=False).answer
        self._lines.append(text(answer, "message") or "")

    def _watch(self, slot: str) -> None:
        found, described = self._ide.watch(slot, {})
        self._lines += [described, text(found.answer, "message") or ""]

    def _tick(self, code: str) -> None:
        if code not in [row["filter"] for row in self._ide.filters()]:
            raise LookupError(f"there is no filter {code}")
        [answer] = self._ide.tick([code])
        self._lines.append(text(answer, "message") or "")

    def _press(self, button: str) -> None:
        self._arrive(self._ide.move(BUTTONS[button]))

    def _click(self, name: str) -> None:
        frames, _ = self._ide.frames()
        place = next(n for n, row in enumerate(frames) if name_of(row) == name)
        self._ide.select(place)
        self._show_frame()

    def _open(self, name: str) -> None:
        [row] = [row for row in self._rows if name_of(row) == name]
        self._rows = self._ide.all_children(row)
        self._list(self._rows)

    def _ask(self, line: str) -> None:
        evaluated = self._ide.evaluate(line, "repl")
        self._lines += (text(evaluated.answer, "result") or "").splitlines()
        if evaluated.stop is not None:
            self._arrive(evaluated.stop)

    def _arrive(self, stop: JsonObject) -> None:
        self._lines += [text(stop, key) or "" for key in ("description", "text")]
        if stop["reason"] == "exception":
            self._lines.append(json.dumps(self._ide.exception_card(), ensure_ascii=False))
        self._show_frame()

    def _show_frame(self) -> None:
        frame = self._ide.frame()
        self._lines.append(name_of(frame))
        scopes = self._ide.scopes(frame)
        opened_first = self._ide.children(scopes[0])
        self._rows = [*scopes, *opened_first]
        self._list(opened_first)

    def _list(self, found: list[JsonObject]) -> None:
        self._lines += [f"{name_of(row)}: {text(row, 'value') or ''}" for row in found]


def ide_cells(verdicts: list[IdeVerdict]) -> dict[tuple[str, str], str]:
    """Return the cells of the column by question and fixture."""
    return {(verdict.question.id, verdict.question.fixture): verdict.cell for verdict in verdicts}
