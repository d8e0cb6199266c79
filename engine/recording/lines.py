"""JSON lines of one stream: bytes -> records with their physical lines.

Lines end with a line feed byte and nothing else (a carriage return before it is allowed). A line
that is no JSON object is kept as an `unreadable_record` with its place and hash; a last line
without its line feed is `TORN_LAST_LINE`. Source: design section 7.6.
"""

import hashlib

from engine.core.artifact import StreamInput
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Stream
from engine.core.contract.problems import Problem
from engine.core.contract.strict_json import NotJson, decode_line


def read_lines(data: bytes, *, stream: Stream, file: str) -> StreamInput:
    """Return the records of a stream's file.

    Cost: O(size).

    Raises:
        SessionInvalid: not one line is a JSON object (a single record cut in its middle aside).
    """
    records: list[JsonObject] = []
    lines: list[int] = []
    problems: list[Problem] = []
    refused: list[tuple[int, NotJson]] = []
    offset = 0
    pieces = data.split(b"\n")
    for number, piece in enumerate(pieces, start=1):
        line = piece.removesuffix(b"\r")
        torn = number == len(pieces)
        if line.strip():
            record, flaw = _record(line, offset)
            records.append(record)
            lines.append(number)
            problems += _problems(flaw, stream=stream, line=number, torn=torn)
            if flaw is not None:
                refused.append((number, flaw))
        offset += len(piece) + 1
    cut_in_first_record = b"\n" not in data and data.lstrip().startswith(b"{")
    if refused and len(refused) == len(records) and not cut_in_first_record:
        _raise_not_lines(file, refused[0])
    return StreamInput(stream=stream, records=records, lines=lines, problems=tuple(problems))


def _record(line: bytes, offset: int) -> tuple[JsonObject, NotJson | None]:
    """Return the object on a line, or what stands in for it and why; `offset` is the line's."""
    try:
        value = decode_line(line)
        if isinstance(value, dict):
            return value, None
        flaw = NotJson("NOT_AN_OBJECT", "is JSON, but not an object", 0)
    except NotJson as error:
        flaw = error
    flaw.byte_offset += offset
    stand_in: JsonObject = {
        "type": "unreadable_record",
        "offset": offset,
        "length": len(line),
        "sha256": hashlib.sha256(line).hexdigest(),
    }
    return stand_in, flaw


def _problems(flaw: NotJson | None, *, stream: Stream, line: int, torn: bool) -> list[Problem]:
    found: list[Problem] = []
    if flaw is not None:
        detail: JsonObject = {
            "kind": flaw.kind,
            "reason": f"The line {flaw.reason}.",
            "byte_offset": flaw.byte_offset,
        }
        found.append(Problem(code="UNREADABLE_RECORD", stream=stream, line=line, detail=detail))
    if torn:
        readable: JsonObject = {"readable": flaw is None}
        found.append(Problem(code="TORN_LAST_LINE", stream=stream, line=line, detail=readable))
    return found


def _raise_not_lines(file: str, first: tuple[int, NotJson]) -> None:
    line, flaw = first
    raise SessionInvalid(
        f"{file} is not a file of JSON lines: line {line} {flaw.reason}, and no other line is a "
        "JSON object either.",
        {"file": file, "line": line, "byte_offset": flaw.byte_offset, "kind": flaw.kind},
    )
