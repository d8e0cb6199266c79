"""The screen: 80 columns, no colour off a terminal, nothing raw."""

import contextlib
import io
import os
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from dap_adapter.terminal.screen import Screen, name_of, values_of, variable_cells

TEXTS = st.text(max_size=200)


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> "Shown":
    monkeypatch.setenv("COLUMNS", "80")
    return Shown(capsys)


class Shown:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.screen = Screen()

    def lines(self) -> list[str]:
        return self._capsys.readouterr().out.splitlines()


def test_a_long_sentence_goes_on_below_itself(shown: Shown) -> None:
    shown.screen.row("name  ", "word " * 30)
    first, *others = shown.lines()
    assert first.startswith("name  word")
    assert others
    assert all(line.startswith("      word") for line in others)


def test_what_does_not_fit_beside_the_others_stands_below(shown: Shown) -> None:
    shown.screen.table([("a" * 30, "b" * 30, "c" * 30, "short", "the end " * 9)])
    first, *others = shown.lines()
    assert first.count("a") == 30
    assert others[0].startswith("    the end")


def test_short_cells_stand_below_each_other(shown: Shown) -> None:
    shown.screen.table([("", "time", "18:00"), ("*", "party", "4")])
    assert shown.lines() == ["     time   18:00", "  *  party  4"]


def test_the_place_has_its_neighbours(shown: Shown) -> None:
    shown.screen.place(["one", "\ttwo", "three", "four"], 2)
    assert shown.lines() == ["      1  one", " ▶    2      two", "      3  three"]


def test_a_place_outside_of_the_flow_shows_what_there_is(shown: Shown) -> None:
    shown.screen.place(["one"], 0)
    shown.screen.place([], 7)
    assert shown.lines() == ["      1  one"]


@given(first=TEXTS, second=TEXTS, line=TEXTS)
@example(first="0" * 21 + "\x1f" * 10, second="", line="")
@example(first="0000" + "\x1f" * 6, second="00000" + "\x1f" * 6, line="")
def test_anything_fits_and_nothing_is_raw(first: str, second: str, line: str) -> None:
    out = io.StringIO()
    with mock.patch.dict(os.environ, {"COLUMNS": "80"}), contextlib.redirect_stdout(out):
        screen = Screen()
        screen.say(first)
        screen.row(first, second)
        screen.table([("*", first, second, line), ("", second)])
        screen.place([line, first], 1)
        screen.chapter(second)
    for shown_line in out.getvalue().split("\n"):
        assert not unsafe(shown_line)
        assert cell_len(shown_line) <= 80


def unsafe(line: str) -> bool:
    return any(
        ord(character) < 32 or 0x7F <= ord(character) < 0xA0 or character in "\u202e\u2066\u200b"
        for character in line
    )


def test_rows_of_the_adapter() -> None:
    assert name_of({}) == ""
    assert values_of([{"name": "a", "value": "1"}, {"name": "b"}]) == {"a": "1", "b": ""}
    assert variable_cells({"name": "a", "value": "", "indexedVariables": 3}) == ("a", "(3 rows)")


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {}])
def test_off_a_terminal_there_is_no_escape(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
) -> None:
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    Screen().say("bold", style="bold red")
    assert capsys.readouterr().out == "bold\n"
