"""A sheet of text in 80 columns: lines, pairs and tables; colour only on a terminal."""

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 80


class Sheet:
    """Prints on one stream; recorded text cannot steer the terminal."""

    def __init__(self, console: Console) -> None:
        """Take the console; see `Sheet.on`."""
        self._console = console

    @classmethod
    def on(cls, stream: TextIO) -> "Sheet":
        """Return a sheet on a stream."""
        return cls(Console(file=stream, width=WIDTH, highlight=False, markup=False, emoji=False))

    def gap(self) -> None:
        """Leave a line empty."""
        self._console.print()

    def line(self, words: str, *, style: str = "") -> None:
        """Print a paragraph, wrapped."""
        self._print(self._text(words, style))

    def unbroken(self, words: str) -> None:
        """Print a line that is not wrapped, so that it can be copied."""
        self._console.print(self._text(words, ""), soft_wrap=True)

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Print names with their values, one below the other."""
        grid = self._grid()
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs:
            grid.add_row(self._text(f"  {name}", "dim"), self._text(value, ""))
        self._print(grid)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print rows under their columns' names; the last column takes what is left."""
        grid = self._grid()
        for column in columns[:-1]:
            grid.add_column(overflow="fold", justify="right" if column == "s" else "left")
        grid.add_column(overflow="fold", ratio=1)
        grid.add_row(*(self._text(column, "bold") for column in columns))
        for row in rows:
            style = "dim" if any(cell.startswith("unavailable") for cell in row) else ""
            grid.add_row(*(self._text(cell, style) for cell in row))
        self._print(grid)

    def _print(self, block: Table | Text) -> None:
        """Print a block; on no terminal without the spaces that fill its lines."""
        if self._console.is_terminal:
            self._console.print(block, overflow="fold")
            return
        with self._console.capture() as captured:
            self._console.print(block, overflow="fold")
        for line in captured.get().splitlines():
            self._console.print(Text(line.rstrip()), soft_wrap=True)

    def _grid(self) -> Table:
        return Table.grid(padding=(0, 2, 0, 0), pad_edge=False)

    def _text(self, words: str, style: str) -> Text:
        shown = "".join(c if c.isprintable() or c == "\n" else " " for c in words)
        encoding = self._console.encoding
        return Text(shown.encode(encoding, "backslashreplace").decode(encoding), style=style)
