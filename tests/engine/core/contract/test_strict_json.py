import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import ANY_VALUES

from engine.core.contract.json_types import JsonValue
from engine.core.contract.strict_json import (
    DEPTH_MAX,
    NotJson,
    decode_line,
    decode_object,
    decode_strict,
)


def outcome(decode: object, data: bytes) -> tuple[str, str]:
    """What decoding gives, so that two decoders can be compared: kind of refusal, or the value."""
    assert callable(decode)
    try:
        return "value", repr(decode(data))
    except NotJson as error:
        return "refused", error.kind


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


# Every row of the table of what the usual parsers let through, and its kin.
REFUSED = [
    (b"NaN", "NUMBER_RANGE"),
    (b"[Infinity]", "NUMBER_RANGE"),
    (b'{"a":-Infinity}', "NUMBER_RANGE"),
    (b"1e400", "NUMBER_RANGE"),
    (b"[-1e400]", "NUMBER_RANGE"),
    (b'{"a":1,"a":2}', "DUPLICATE_KEY"),
    (b'{"a":1,"\\u0061":2}', "DUPLICATE_KEY"),
    (b'[{"b":{"a":1,"x":0,"a":1}}]', "DUPLICATE_KEY"),
    (b'"\\ud800"', "LONE_SURROGATE"),
    (b'["\\udc00\\ud800"]', "LONE_SURROGATE"),
    (b'{"\\udfff":1}', "LONE_SURROGATE"),
    (b'{"a":["\\ud83d"]}', "LONE_SURROGATE"),
    (b'"\xed\xa0\x80"', "NOT_UTF8"),
    (b'"\xff"', "NOT_UTF8"),
    (b'"\xc0\xaf"', "NOT_UTF8"),
    ('{"a":1}'.encode("utf-16"), "NOT_UTF8"),
    ('{"a":1}'.encode("utf-16-le"), "SYNTAX"),
    ('{"a":1}'.encode("utf-16-be"), "SYNTAX"),
    (b'\xef\xbb\xbf{"a":1}', "BYTE_ORDER_MARK"),
    (nested(DEPTH_MAX + 1), "TOO_DEEP"),
    (nested(1_000), "TOO_DEEP"),
    (nested(100_000), "TOO_DEEP"),
    (b"[" * 100_000, "TOO_DEEP"),
    (b'{"a":' * 70 + b"1" + b"}" * 70, "TOO_DEEP"),
    (b'["' + b"[" * 80 + b'"' + b",[" * 70 + b"]" * 71, "TOO_DEEP"),
    (b"", "SYNTAX"),
    (b"  ", "SYNTAX"),
    (b"{", "SYNTAX"),
    (b'{"a":1}x', "SYNTAX"),
    (b'{"a":1}{"b":2}', "SYNTAX"),
    (b"[1,]", "SYNTAX"),
    (b'{"a":1,}', "SYNTAX"),
    (b"{'a':1}", "SYNTAX"),
    (b"01", "SYNTAX"),
    (b"+5", "SYNTAX"),
    (b"1_0", "SYNTAX"),
    (b".5", "SYNTAX"),
    (b"5.", "SYNTAX"),
    ("\u0663".encode(), "SYNTAX"),
    (b'"a\nb"', "SYNTAX"),
    (b'"\x00"', "SYNTAX"),
    (b'"\\x41"', "SYNTAX"),
    (b"/* */1", "SYNTAX"),
    (b"\x00" * 40, "SYNTAX"),
    (b"True", "SYNTAX"),
    ("[\u00a01]".encode(), "SYNTAX"),
]


@pytest.mark.parametrize(("data", "kind"), REFUSED, ids=lambda x: repr(x)[:40])
def test_refused_with_its_kind(data: bytes, kind: str) -> None:
    for decode in (decode_strict, decode_line, decode_object):
        with pytest.raises(NotJson) as refused:
            decode(data)
        assert refused.value.kind == kind
        assert refused.value.reason
        assert 0 <= refused.value.byte_offset <= len(data)


def test_a_long_number_is_refused_with_a_kind_never_with_a_python_error() -> None:
    for digits in (5_000, 100_000):
        data = b'{"a":' + b"9" * digits + b"}"
        with pytest.raises(NotJson) as refused:
            decode_line(data)
        assert refused.value.kind == "NUMBER_RANGE"


EMPTY: list[JsonValue] = [[] for _ in range(200)]
KEPT: list[tuple[bytes, JsonValue]] = [
    (b"9007199254740993", 2**53 + 1),
    (b"-9007199254740993", -(2**53) - 1),
    (b"18446744073709551616", 2**64),
    (b"1" + b"0" * 300, 10**300),
    (b"1" + b"0" * 4_000, 10**4_000),
    (b'"\\ud83d\\ude00"', "\U0001f600"),
    (b'"\\u2028\\u0085"', "\u2028\u0085"),
    ('"\u2028\u0085\x7f"'.encode(), "\u2028\u0085\x7f"),
    (b'"\\ud83d\\ude00\\\\ud800"', "\U0001f600\\ud800"),
    (b' \t\r\n{ "a" : [ ] } ', {"a": []}),
    (b"[1.0,1e2,-0.0]", [1.0, 100.0, -0.0]),
    (b"5e-324", 5e-324),
    (b"1e-400", 0.0),
    (nested(1), []),
    (b'"' + b"[{" * 200 + b'"', "[{" * 200),
    (b'["\\"' + b"[" * 200 + b'"]', ['"' + "[" * 200]),
    (b"[" + b",".join([b"[]"] * 200) + b"]", EMPTY),
    (b"null", None),
    (b"true", True),
]


@pytest.mark.parametrize(("data", "value"), KEPT, ids=lambda x: repr(x)[:40])
def test_kept_exactly(data: bytes, value: JsonValue) -> None:
    for decode in (decode_strict, decode_line):
        decoded = decode(data)
        assert decoded == value
        assert type(decoded) is type(value)
        assert repr(decoded) == repr(value)


def test_the_deepest_nesting_allowed() -> None:
    value = decode_strict(nested(DEPTH_MAX))
    depth = 0
    while isinstance(value, list):
        depth += 1
        value = value[0] if value else None
    assert depth == DEPTH_MAX
    assert decode_line(nested(DEPTH_MAX)) == decode_strict(nested(DEPTH_MAX))


@pytest.mark.parametrize(
    ("data", "offset"),
    [(b'{"a":\xff}', 5), ('{"\u00e9":}'.encode(), 6), (b"[1 2]", 3), (nested(65), 64)],
)
def test_the_offset_counts_bytes(data: bytes, offset: int) -> None:
    with pytest.raises(NotJson) as refused:
        decode_strict(data)
    assert refused.value.byte_offset == offset


@pytest.mark.parametrize("data", [b"[]", b"1", b'"x"', b"null", b"true"])
def test_decode_object_wants_an_object(data: bytes) -> None:
    with pytest.raises(NotJson) as refused:
        decode_object(data)
    assert refused.value.kind == "NOT_AN_OBJECT"


def test_decode_object() -> None:
    assert decode_object(b'{"a":[1]}') == {"a": [1]}


PIECES = st.sampled_from(
    [
        *(b"{ } [ ] , : \\ - 1 0.5 1.0 -0 -0.0 1E5 1e400 NaN true null".split(b" ")),
        *(b'"', b'"a"', b'"a":1', b"\\ud800", b"\xed\xa0\x80", b"\xff", b"\x00", b"\x7f"),
        *(b" ", b"\n", b"9" * 30, b"9" * 405, b"9" * 4_400, b"[" * 33, b"]" * 33),
    ]
)


@given(st.lists(PIECES, max_size=12).map(b"".join) | st.binary(max_size=30))
@example(b'{"a":' + b"9" * 30 + b"}")
@example(b'{"a":' + b"9" * 4_301 + b"}")
@example(b"[" * 33 + b"]" * 33)
@example(b"-0.0")
def test_the_fast_reader_equals_the_strict_one_on_any_bytes(data: bytes) -> None:
    assert outcome(decode_line, data) == outcome(decode_strict, data)


@given(ANY_VALUES)
@example([2**64, -(2**63) - 1, 1e21, 1e16, 123456789012345680.0])
@example({"\U0001f600": {"\uffff": "\x00"}})
def test_a_written_line_reads_back_by_both(value: JsonValue) -> None:
    for text in (
        json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True),
        json.dumps(value, ensure_ascii=True),
    ):
        data = text.encode()
        assert repr(decode_strict(data)) == repr(json.loads(text))
        assert outcome(decode_line, data) == outcome(decode_strict, data)


@given(ANY_VALUES, st.data())
def test_a_damaged_line_is_read_alike_by_both(value: JsonValue, data: st.DataObject) -> None:
    line = bytearray(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] = data.draw(st.integers(0, 255))
    assert outcome(decode_line, bytes(line)) == outcome(decode_strict, bytes(line))


@given(st.binary(max_size=60) | st.text(max_size=20).map(str.encode))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        value = decode_strict(data)
    except NotJson:
        return
    assert not isinstance(value, float) or math.isfinite(value)
    assert json.loads(data) == value
