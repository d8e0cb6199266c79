"""Texts: JSON without quotes around strings, bounded, and nothing that steers a screen."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.convert import (
    TEXT_LENGTH_MAX,
    clock_text,
    json_text,
    json_type,
    safe_text,
    value_text,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(JSON)
def test_a_json_text_reads_back_as_the_value(value: object) -> None:
    assert json.loads(json_text(value)) == value


@given(st.text())
def test_no_control_or_direction_character_gets_through(text: str) -> None:
    for shown in (safe_text(text), value_text(text), value_text([text])):
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
        assert not set(shown) & set("\u202a\u202e\u2066\u2069\u200f\u2028\ufeff")


@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        ("18:00", "18:00", "string"),
        ('say "six"\n', 'say \\"six\\"\\n', "string"),
        ("", "", "string"),
        (None, "null", "null"),
        (True, "true", "boolean"),
        (4, "4", "number"),
        (["18:00", "20:30"], '["18:00","20:30"]', "list"),
        ({"a": None}, '{"a":null}', "object"),
        ("\x1b[31m七", "\\u001b[31m七", "string"),
        ("\ud800", "\\ud800", "string"),
    ],
)
def test_values(value: object, text: str, kind: str) -> None:
    assert value_text(value).strip("'") == text
    assert json_type(value) == kind


def test_a_long_text_is_cut_and_says_how_long_it_is() -> None:
    text = value_text("x" * 10_000)
    assert len(text) < TEXT_LENGTH_MAX + 40
    assert text.endswith("… (10000 characters)")


def test_clocks() -> None:
    assert [clock_text(n) for n in (0, 59_999, 6_000_000)] == [
        "00:00.000",
        "00:59.999",
        "100:00.000",
    ]
    assert clock_text(102_399, digits=1) == "01:42.3"
