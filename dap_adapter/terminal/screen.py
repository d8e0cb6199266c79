"""What is shown, in 80 columns and without colour, from rows as the adapter answers them.

Rules: every text goes through `Screen`, which shows control and direction characters as escapes;
nothing is said by colour alone, and colour is used on a terminal only. Nothing here asks anything.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from dap_adapter.convert import safe_text
from engine.core.contract.json_types import JsonObject, integer, text

WIDTH_MIN, WIDTH_MAX = 40, 100
"""Widths that are written for, however narrow or wide the terminal is."""

CELL_MAX = 30
"""Widest cell of a table, but the last of a row, which goes on in the next line."""

NARROWEST = 48
"""Least room for a long last cell beside the others; below that it takes lines of its own."""

NEIGHBOURS = 1
"""Lines of the flow shown on either side of the place at a stop."""

TAB = 4

Cells: TypeAlias = Sequence[str]


class Screen:
    """Writes lines on standard output; `words` is for standard error."""

    def __init__(self) -> None:
        is_plain = bool(os.environ.get("NO_COLOR")) or not sys.stdout.isatty()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # pyright: ignore[reportUnknownMemberType]
        self._out = Console(
            highlight=False,
            markup=False,
            emoji=False,
            color_system=None if is_plain else "auto",
            legacy_windows=False,
        )
        self._width = max(WIDTH_MIN, min(self._out.width, WIDTH_MAX))

    def say(self, sentence: str, *, style: str = "", indent: int = 0) -> None:
        """Write a sentence, broken between words where it is too long for a line."""
        self.row(" " * indent, sentence, style=style)

    def words(self, sentence: str) -> None:
        """Write a sentence on standard error."""
        sys.stderr.write(safe_text(sentence) + "\n")
        sys.stderr.flush()

    def progress(self, line: str) -> None:
        """Show a line that the next one replaces, on standard error where that is a terminal."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{safe_text(line)}")
            sys.stderr.flush()

    def chapter(self, title: str) -> None:
        """Write a heading, apart from what came before."""
        self._out.print()
        self.say(f"── {title}", style="bold cyan")

    def row(self, head: str, rest: str, *, style: str = "") -> None:
        """Write `head` and behind it `rest`, which goes on below itself; a long head is cut."""
        head = safe_text(head)
        indent = cell_len(head)
        if self._width - indent < min(NARROWEST, cell_len(safe_text(rest))):
            self._print(_cut(head.rstrip(), self._width), style)
            head, indent = "    ", 4
        pieces = Text(safe_text(rest)).wrap(self._out, self._width - indent) or [Text()]
        for place, piece in enumerate(pieces):
            self._print((head if not place else " " * indent) + piece.plain, style)

    def table(self, cells: Sequence[Cells], *, indent: int = 2, marked: str = "*") -> None:
        """Write rows whose cells stand below each other; a row marked in its first cell is bold."""
        count = max(map(len, cells), default=0)
        safe = [[safe_text(cell) for cell in row] + [""] * (count - len(row)) for row in cells]
        widths = [
            min(CELL_MAX, max(cell_len(row[place]) for row in safe)) for place in range(count - 1)
        ]
        for row in safe:
            head = "  ".join(_fitted(cell, width) for cell, width in zip(row, widths, strict=False))
            gap = "  " if widths else ""
            style = "bold" if row[0] == marked else ""
            self.row(" " * indent + head + gap, row[-1], style=style)

    def place(self, lines: Sequence[str], line: int, *, around: int = NEIGHBOURS) -> None:
        """Write the lines of the flow around `line`, cut at the edge of the screen."""
        first, last = max(1, line - around), min(len(lines), line + around)
        for number in range(first, last + 1):
            mark, style = ("▶", "bold") if number == line else (" ", "")
            shown = f" {mark}{number:5d}  {safe_text(lines[number - 1].expandtabs(TAB))}"
            self._print(_cut(shown, self._width), style)

    def _print(self, line: str, style: str = "") -> None:
        self._out.print(
            Text(line.rstrip(), style=style), soft_wrap=True, no_wrap=True, overflow="ignore"
        )


def _fitted(cell: str, width: int) -> str:
    """Return a cell that takes exactly `width` columns."""
    return set_cell_size(_cut(cell, width), width)


def _cut(line: str, width: int) -> str:
    """Return a line, or its head and an ellipsis where it is too wide."""
    return line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…"


# -- rows of the adapter ---------------------------------------------------------------------------


def name_of(row: JsonObject) -> str:
    """Return the name of a frame, scope or variable."""
    return text(row, "name") or ""


def values_of(rows: Sequence[JsonObject]) -> dict[str, str]:
    """Return the values of variables by name."""
    return {name_of(row): text(row, "value") or "" for row in rows}


def variable_cells(row: JsonObject) -> tuple[str, str]:
    """Return a variable as a name and what stands behind it."""
    return name_of(row), text(row, "value") or _count_text(row)


def _count_text(row: JsonObject) -> str:
    count = integer(row, "indexedVariables") or integer(row, "namedVariables")
    return f"({count} rows)" if count else ""
