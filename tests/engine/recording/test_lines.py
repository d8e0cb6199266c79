"""JSON lines: physical lines, what is unreadable, what is torn, what is no such file at all."""

import hashlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import line_of, loose_records, noise

from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Stream
from engine.core.contract.strict_json import NotJson, decode_strict
from engine.recording.lines import read_lines


class Read:
    """A stream read whole: records, lines and then the problems that this met."""

    def __init__(self, data: bytes | memoryview) -> None:
        source = read_lines(data, stream=Stream.BUS, file="bus_events.jsonl")
        self.records = [*source.records]
        self.again = [*source.records]
        self.lines = [*source.line_numbers]
        self.problems = [(p.code, p.line) for p in source.problems]
        self.details = {(p.code, p.line): p.detail for p in source.problems}


def unreadable(line: bytes, offset: int) -> JsonObject:
    return {
        "type": "unreadable_record",
        "offset": offset,
        "length": len(line),
        "sha256": hashlib.sha256(line).hexdigest(),
    }


GOOD = b'{"type":"x"}'


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n  \n\t\r\n", b"   "])
def test_nothing(data: bytes) -> None:
    read = Read(data)
    assert (read.records, read.lines, read.problems) == ([], [], [])


def test_every_physical_line_counts_from_one() -> None:
    read = Read(b"\n" + GOOD + b"\n\n  \n" + GOOD + b"\n")
    assert read.records == [{"type": "x"}] * 2
    assert read.lines == [2, 5]
    assert read.problems == []


def test_a_carriage_return_before_the_line_feed_is_allowed() -> None:
    read = Read(GOOD + b"\r\n" + GOOD + b"\r\n\r\n")
    assert (read.records, read.lines, read.problems) == ([{"type": "x"}] * 2, [1, 2], [])


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r"])
def test_nothing_else_ends_a_line(separator: str) -> None:
    raw = noise(text=f"a{separator}b")
    assert Read(json.dumps(raw).encode() + b"\n").records == [raw]
    if separator in "\u2028\u2029\x85":
        assert Read(line_of(raw) + b"\n").records == [raw]


def test_a_bad_line_is_kept_with_its_place_and_hash() -> None:
    bad = b'{"type":'
    data = GOOD + b"\n" + bad + b"\n" + GOOD + b"\n"
    read = Read(data)
    assert read.records == [{"type": "x"}, unreadable(bad, len(GOOD) + 1), {"type": "x"}]
    assert read.lines == [1, 2, 3]
    assert read.problems == [("UNREADABLE_RECORD", 2)]
    detail = read.details["UNREADABLE_RECORD", 2]
    assert detail["kind"] == "SYNTAX"
    assert detail["byte_offset"] == len(GOOD) + 1 + len(bad)
    assert str(detail["reason"]).startswith("The line ")


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (b"[1]", "NOT_AN_OBJECT"),
        (b"null", "NOT_AN_OBJECT"),
        (b"NaN", "NUMBER_RANGE"),
        (b'{"a":1e400}', "NUMBER_RANGE"),
        (b'{"a":1,"a":2}', "DUPLICATE_KEY"),
        (b'{"a":"\\ud800"}', "LONE_SURROGATE"),
        (b'{"a":"\xed\xa0\x80"}', "NOT_UTF8"),
        (b"\xef\xbb\xbf" + GOOD, "BYTE_ORDER_MARK"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "TOO_DEEP"),
        (b"\x00" * 30, "SYNTAX"),
        (GOOD + GOOD, "SYNTAX"),
    ],
    ids=lambda x: repr(x)[:24],
)
def test_every_kind_of_bad_line(bad: bytes, kind: str) -> None:
    read = Read(GOOD + b"\n" + bad + b"\n")
    assert read.records[1] == unreadable(bad, len(GOOD) + 1)
    assert read.details["UNREADABLE_RECORD", 2]["kind"] == kind


def test_the_bytes_of_a_bad_line_are_not_kept() -> None:
    read = Read(GOOD + b'\n{"name":"SECRET"\n{"SECRET":1,"SECRET":2}\n{"n":SECRET}\n')
    assert "SECRET" not in json.dumps([read.records, *read.details.values()])


def test_a_torn_last_line_that_is_readable() -> None:
    read = Read(GOOD + b"\n" + GOOD)
    assert read.records == [{"type": "x"}] * 2
    assert read.problems == [("TORN_LAST_LINE", 2)]


def test_a_torn_last_line_that_is_not() -> None:
    read = Read(GOOD + b"\n" + GOOD[:-3])
    assert read.records[1] == unreadable(GOOD[:-3], len(GOOD) + 1)
    assert sorted(read.problems) == [("TORN_LAST_LINE", 2), ("UNREADABLE_RECORD", 2)]


def test_a_single_record_cut_in_its_middle_is_a_flaw() -> None:
    read = Read(GOOD[:-3])
    assert read.records == [unreadable(GOOD[:-3], 0)]


def test_blanks_behind_the_last_line_feed_are_not_torn() -> None:
    assert Read(GOOD + b"\n  ").problems == []


@pytest.mark.parametrize(
    "data",
    [
        b"not json\n",
        b"not json\nnor this\n",
        b"not json",
        b"\x89PNG\r\n\x1a\nabc",
        b"\x89PNG\r\n\x1a\nabc\n",
        b"RIFF\x24\x00\x00\x00WAVEfmt ",
        b"[1]\n[2]\n",
        (GOOD + b"\n" + GOOD + b"\n").decode().encode("utf-16"),
        (GOOD + b"\n" + GOOD + b"\n").decode().encode("utf-16-le"),
        (GOOD + b"\n" + GOOD + b"\n").decode().encode("utf-16-be"),
        b'[\n{"type":\n"x"}\n]\n',
        b"{\n",
        bytes(range(256)) * 4,
    ],
    ids=lambda x: repr(x)[:30],
)
def test_a_file_that_is_not_json_lines(data: bytes) -> None:
    with pytest.raises(SessionInvalid) as refused:
        Read(data)
    detail = refused.value.detail
    assert detail["file"] == "bus_events.jsonl"
    assert isinstance(detail["line"], int)
    assert isinstance(detail["byte_offset"], int)
    assert detail["kind"]
    assert 0 <= detail["byte_offset"] <= len(data)


def test_one_readable_line_makes_it_a_file_of_json_lines() -> None:
    read = Read(b"garbage\n" + GOOD + b"\nmore garbage\n")
    assert [r["type"] for r in read.records] == ["unreadable_record", "x", "unreadable_record"]


def test_mapped_bytes_read_alike() -> None:
    data = GOOD + b"\r\nbad\n\n" + GOOD
    one, two = Read(data), Read(memoryview(data))
    assert (one.records, one.lines, one.problems) == (two.records, two.lines, two.problems)


@given(st.lists(loose_records(), max_size=5), st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
def test_what_was_written_is_read(records: list[JsonObject], end: bytes) -> None:
    read = Read(b"".join(line_of(item) + end for item in records))
    assert read.records == records
    assert read.problems == []


LINES = st.sampled_from(
    [GOOD, b'{"a":[1,2]}', b"bad", b"", b"  ", b"[1]", b'{"a":"\xc3\xa9\\n"}', b"\xff", b"{}\r"]
)


@given(st.lists(LINES, max_size=8), st.booleans())
@example([GOOD, b""], False)
def test_a_slow_reader_agrees(lines: list[bytes], torn: bool) -> None:
    data = b"\n".join(lines) + (b"" if torn else b"\n")
    expected: list[tuple[int, JsonValue]] = []
    offset = 0
    for number, piece in enumerate(data.split(b"\n"), start=1):
        line = piece.removesuffix(b"\r")
        if line.strip():
            expected.append((number, value_of(line, offset)))
        offset += len(piece) + 1
    try:
        read = Read(data)
    except SessionInvalid:
        values = [value for _, value in expected if isinstance(value, dict)]
        assert all(value.get("type") == "unreadable_record" for value in values)
        return
    assert list(zip(read.lines, read.records, strict=True)) == expected
    assert read.again == read.records


def value_of(line: bytes, offset: int) -> JsonValue:
    try:
        value = decode_strict(line)
    except NotJson:
        return unreadable(line, offset)
    return value if isinstance(value, dict) else unreadable(line, offset)
