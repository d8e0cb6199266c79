"""A sheet prints 80 columns; recorded text cannot steer the terminal."""

import io

import pytest

from engine.faces.cli.sheet import WIDTH, Sheet


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(stream: io.StringIO) -> str:
    sheet = Sheet.on(stream)
    sheet.line("a title \x1b[31m with \x07 marks [bold]x[/bold] :smile:", style="bold red")
    sheet.pairs([("name", "word " * 40), ("other", "y" * 200)])
    sheet.table(("s", "what"), [("1.000", "z " * 60), ("-", "unavailable: it")])
    sheet.gap()
    sheet.unbroken("Next: " + "w" * 100)
    return stream.getvalue()


def test_no_terminal_no_colour() -> None:
    text = printed(io.StringIO())
    *lines, last = text.splitlines()
    assert all(len(line) <= WIDTH and line == line.rstrip() for line in lines)
    assert last == "Next: " + "w" * 100
    assert "\x1b" not in text
    assert "[bold]x[/bold] :smile:" in text


def test_a_terminal_has_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = printed(Terminal())
    assert "\x1b[" in text
    assert "\x1b[31m with" not in text
    assert "\x07" not in text


def test_an_encoding_without_the_letters_gets_escapes() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    Sheet.on(stream).line("caf\u00e9 \u4e2d")
    stream.flush()
    assert raw.getvalue() == b"caf\\xe9 \\u4e2d\n"
