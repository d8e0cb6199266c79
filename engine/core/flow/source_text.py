r"""A flow file's text and the way from an offset to a place in an editor.

Rules: offsets are 0-based and count UTF-16 units from the first character after a byte order mark,
which editors do not count. Lines break at `\n`, `\r\n` and `\r` only: U+0085, U+2028 and U+2029
stand inside a line, whatever a parser makes of them.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

BYTE_ORDER_MARK = "\ufeff"
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of the flow file: 1-based lines and UTF-16 columns, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """The text of one flow file, with what it takes to turn offsets into places.

    Attributes:
        path: the file's name in messages and in `detail.file`.
        text: the text without a byte order mark.
        line_starts: offset of each line's first character; never empty, ascending from 0.
        astral_indices: code-point indices of the characters that take two UTF-16 units.
    """

    path: str
    text: str
    line_starts: tuple[int, ...]
    astral_indices: tuple[int, ...]

    @classmethod
    def of(cls, text: str, *, path: str) -> "SourceText":
        """Return the source text of `text`. Cost: O(length)."""
        body = text.removeprefix(BYTE_ORDER_MARK)
        astral = tuple(match.start() for match in _ASTRAL.finditer(body))
        starts = (match.end() for match in _LINE_BREAK.finditer(body))
        lines = (0, *(start + bisect_left(astral, start) for start in starts))
        return cls(path=path, text=body, line_starts=lines, astral_indices=astral)

    def offset_of(self, index: int) -> int:
        """Return the offset of the character at code-point `index`. Cost: O(log astral)."""
        return index + bisect_left(self.astral_indices, index)

    def index_of(self, offset: int) -> int:
        """Return the code-point index of the character at `offset`. Cost: O(log astral)."""
        astral = self.astral_indices
        return offset - bisect_left(range(len(astral)), offset, key=lambda at: astral[at] + at)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based (line, column) of `offset`. Cost: O(log lines)."""
        assert offset >= 0, "an offset counts from the text's start"
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def range_of(self, span: Span) -> tuple[int, int]:
        """Return the code-point indices of the first character of `span` and behind its last."""
        starts = self.line_starts
        return (
            self.index_of(starts[span.line - 1] + span.column - 1),
            self.index_of(starts[span.end_line - 1] + span.end_column - 1),
        )

    def span(self, start: int, end: int) -> Span:
        """Return the span of the half-open range of offsets. Cost: O(log lines)."""
        assert start <= end, "a span does not end before it starts"
        line, column = self.position(start)
        end_line, end_column = self.position(end)
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)
