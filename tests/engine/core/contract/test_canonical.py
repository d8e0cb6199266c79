import hashlib
import json

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import EXACT_VALUES, INTEGERS, TEXTS, json_values

from engine.core.contract.canonical import (
    INTEGER_MAX,
    canonical_bytes,
    is_plain,
    printable,
    sha256_of,
)
from engine.core.contract.json_types import JsonValue


@given(EXACT_VALUES)
@example({"\U0001f600": 1, "\uffff": 2})
@example({"\ud7ff": 1, "\ue000": 2, "\uffff": 3, "\U00010000": 4})
@example([-0.0, 0.0, 1.0, 1e21, 1e-7, 5e-324, 0.1])
@example([INTEGER_MAX, -INTEGER_MAX, True, False, None])
@example({"b": {"d": [], "c": {}}, "a": '\x00\x08\t\n\x0c\r\x1f\x7f"\\/\u2028'})
def test_the_bytes_are_those_of_rfc_8785(value: JsonValue) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(json_values(INTEGERS))
def test_the_fast_path_alone_gives_the_same_bytes(value: JsonValue) -> None:
    assert not is_plain(value) or canonical_bytes(value) == rfc8785.dumps(value)


@given(
    st.dictionaries(
        st.text(st.characters(min_codepoint=0xD000, exclude_categories=("Cs",))), st.none()
    )
)
def test_keys_sort_by_utf_16_units(keys: dict[str, None]) -> None:
    value: JsonValue = {**keys}
    in_order = sorted(keys, key=lambda key: key.encode("utf-16-be"))
    assert list(json.loads(canonical_bytes(value))) == in_order


# The example of RFC 8785, section 3.2.2, and its sorting example, section 3.2.3.
RFC_NUMBERS = [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001]
RFC_TEXT = '\u20ac$\u000f\nA\'B"\\\\"/'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (RFC_NUMBERS, b"[333333333.3333333,1e+30,4.5,0.002,1e-27]"),
        (RFC_TEXT, '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()),
        ([None, True, False], b"[null,true,false]"),
        (
            {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\u00f6": 7},
            '{"\\r":2,"1":4,"\x80":6,"\u00f6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'.encode(),
        ),
        ("e\u0301", b'"e\xcc\x81"'),
        ("\u00e9", b'"\xc3\xa9"'),
        (-0.0, b"0"),
        ({}, b"{}"),
        ([], b"[]"),
    ],
)
def test_pinned_vectors(value: JsonValue, expected: bytes) -> None:
    assert canonical_bytes(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        INTEGER_MAX + 1,
        -INTEGER_MAX - 1,
        "\ud800",
        {"\udfff": 1},
        ["ok", {"deep": "\ude00"}],
    ],
)
def test_what_json_cannot_keep_is_refused(value: JsonValue) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        canonical_bytes(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, True),
        (True, True),
        (INTEGER_MAX, True),
        (INTEGER_MAX + 1, False),
        (-INTEGER_MAX - 1, False),
        (0.5, False),
        (1.0, False),
        ("\U0001f600", True),
        ({"\u00e9": 1}, True),
        ({"\U0001f600": 1}, False),
        ([[0.5]], False),
        ({"a": {"b": 0.5}}, False),
    ],
)
def test_is_plain(value: JsonValue, plain: bool) -> None:
    assert is_plain(value) is plain


@given(st.binary())
def test_sha256_of(data: bytes) -> None:
    assert sha256_of(data) == f"sha256:{hashlib.sha256(data).hexdigest()}"


@given(TEXTS)
def test_the_same_value_has_the_same_bytes_in_any_key_order(text: str) -> None:
    one: JsonValue = {"a": 1, text + "x": [text], "c": {"d": 0.5, text: None}}
    two: JsonValue = {"c": {text: None, "d": 0.5}, text + "x": [text], "a": 1}
    if one == two:
        assert canonical_bytes(one) == canonical_bytes(two)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**60, str(2**60)),
        (0.5, 0.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ("\u00e9\U0001f600", "\u00e9\U0001f600"),
        ("a\ud800", "a\\ud800"),
        ({"\udfff": [float("inf")]}, {"\\udfff": ["inf"]}),
    ],
)
def test_printable(value: JsonValue, shown: JsonValue) -> None:
    assert printable(value) == shown


def test_whatever_is_printable_has_canonical_bytes() -> None:
    deep: JsonValue = []
    for _ in range(2_000):
        deep = [{"in": deep}]
    value: JsonValue = {"x": deep, "y": "\ud800", "z": 2**64}
    assert canonical_bytes(printable(value))
