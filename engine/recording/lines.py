"""JSON lines of one stream: bytes -> records with their physical lines, decoded when looked at.

Lines end with a line feed byte and nothing else (a carriage return before it is allowed). A line
that is no JSON object is kept as an `unreadable_record` with its place and hash; a last line
without its line feed is `TORN_LAST_LINE`. Source: design section 7.6.
"""

import hashlib
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from engine.core.artifact import StreamInput
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Stream
from engine.core.contract.problems import Problem
from engine.core.contract.strict_json import NotJson, decode_again, decode_line_noting

LINE_BYTES_MAX = 16 << 20
"""A longer line is kept as an unreadable record."""


def read_lines(data: bytes | memoryview, *, stream: Stream, file: str) -> StreamInput:
    """Return the records of a stream's file; they are decoded when looked at.

    Cost: O(size) for the lines' places; a line is decoded at each look.

    Raises:
        SessionInvalid: not one line is a JSON object (a single record cut in its middle aside).
    """
    records = LineRecords(data, stream=stream)
    records.check_any_readable(file)
    return StreamInput(
        stream=stream, records=records, lines=records.numbers, problems=records.problems
    )


class LineRecords(Sequence[JsonObject]):
    """The records of a stream's lines; blank lines hold none.

    `problems` grows while lines are looked at for the first time.
    """

    def __init__(self, data: bytes | memoryview, *, stream: Stream) -> None:
        """Find the lines of `data`; 25 bytes a line are kept."""
        self._data = data
        self._stream = stream
        self._refused = set[int]()
        self.problems: list[Problem] = []
        self._starts, self._stops = array("Q"), array("Q")
        numbers = array("Q")
        for number, (start, stop) in enumerate(_line_places(data), start=1):
            if bytes(data[start:stop]).strip():
                numbers.append(number)
                self._starts.append(start)
                self._stops.append(stop)
        self.numbers = numbers
        self._canonical = bytearray(len(numbers))
        self._is_torn = bool(self._stops) and self._stops[-1] == len(data)
        if self._is_torn:
            self._add_problem(len(self) - 1, "TORN_LAST_LINE", {})

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, position: int) -> JsonObject:  # pyright: ignore[reportIncompatibleMethodOverride]
        start, stop = self._starts[position], self._stops[position]
        line = bytes(self._data[start:stop]).removesuffix(b"\r")
        try:
            if len(line) > LINE_BYTES_MAX:
                raise NotJson("TOO_LARGE", f"has more than {LINE_BYTES_MAX} bytes", 0)
            if self._canonical[position]:
                value = decode_again(line)
            else:
                value, self._canonical[position] = decode_line_noting(line)
            if isinstance(value, dict):
                return value
            flaw = NotJson("NOT_AN_OBJECT", "is JSON, but not an object", 0)
        except NotJson as error:
            flaw = error
        if position not in self._refused:
            self._refused.add(position)
            detail: JsonObject = {
                "kind": flaw.kind,
                "reason": f"The line {flaw.reason}.",
                "byte_offset": start + flaw.byte_offset,
            }
            self._add_problem(position, "UNREADABLE_RECORD", detail)
        return {
            "type": "unreadable_record",
            "offset": start,
            "length": len(line),
            "sha256": hashlib.sha256(line).hexdigest(),
        }

    def holding(self, pattern: re.Pattern[bytes]) -> Iterator[JsonObject]:
        """Yield the records whose lines hold the pattern; other lines are not decoded."""
        before = -1
        for match in pattern.finditer(self._data):
            position = bisect_right(self._starts, match.start()) - 1
            if position > before:
                before = position
                yield self[position]

    def _add_problem(self, position: int, code: str, detail: JsonObject) -> None:
        line = self.numbers[position]
        self.problems.append(Problem(code=code, stream=self._stream, line=line, detail=detail))

    def check_any_readable(self, file: str) -> None:
        """Raise SessionInvalid where there are lines and none of them is a JSON object.

        Looks at lines until one is. A single record, cut in its middle, is a flaw and no error.
        """
        for position in range(len(self)):
            _ = self[position]
            if position not in self._refused:
                return
        cut_in_first_record = self._is_torn and len(self) == 1 and bytes(self._data[:1]) == b"{"
        if not len(self) or cut_in_first_record:
            return
        first = next(p for p in self.problems if p.code == "UNREADABLE_RECORD")
        raise SessionInvalid(
            f"{file} is not a file of JSON lines: line {first.line} is no JSON object, and no "
            "other line is one either.",
            {"file": file, "line": first.line, **first.detail},
        )


def _line_places(data: bytes | memoryview) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of every physical line; the line feed is not in it."""
    start = 0
    for match in _LINE_FEED.finditer(data):
        yield start, match.start()
        start = match.end()
    if start < len(data):
        yield start, len(data)


_LINE_FEED = re.compile(rb"\n")
