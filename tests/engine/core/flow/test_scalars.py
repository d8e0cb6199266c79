import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.canonical import canonical_bytes
from engine.core.flow.scalars import number_value, plain_value

TEXTS = [
    *("yes", "no", "on", "off", "Yes", "NO", "y", "n", "tRUE", "nULL"),
    *("2026-01-01", "2026-01-01T10:00:00Z", "12:30", "1:20:30", "19:00"),
    *(
        "1_0",
        "1_000.5",
        "0b11",
        "0o8",
        "0x",
        "0xG",
        "-0x1F",
        "+0o7",
        "1e",
        "e3",
        ".",
        "-",
        "+.",
        "1.2.3",
    ),
    *(".inf", "-.INF", ".nan", ".NaN", "1e400", "-1e999"),
    *("<<", "=", "!", "five", "\uff11\uff12", "\u0663"),
]
VALUES = [
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("true", True),
    ("True", True),
    ("TRUE", True),
    ("false", False),
    ("False", False),
    ("FALSE", False),
    ("0", 0),
    ("-0", 0),
    ("+7", 7),
    ("007", 7),
    ("0o7", 7),
    ("0o17", 15),
    ("0x1F", 31),
    ("0xff", 255),
    ("1e3", 1000),
    ("1.0", 1),
    ("1.", 1),
    (".5", 0.5),
    ("-.5", -0.5),
    ("+1.25E-1", 0.125),
    ("9007199254740991", 2**53 - 1),
    ("-9007199254740991", -(2**53) + 1),
]
BEYOND = ["9007199254740992", "0xFFFFFFFFFFFFFFFF", "0o7777777777777777777", "1e300", "9" * 5000]


@pytest.mark.parametrize("text", [*TEXTS, *BEYOND])
def test_these_plain_words_stay_text(text):
    assert plain_value(text) == text


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_these_plain_words_have_a_value(text, value):
    found = plain_value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["0x1F", "0o7", ".inf", "null", "true", ""])
def test_a_number_is_decimal(text):
    assert number_value(text) == text


@given(
    st.text(max_size=12) | st.from_regex(r"[-+]?[0-9.]{1,30}([eE][-+]?[0-9]{1,4})?", fullmatch=True)
)
def test_every_value_survives_canonical_json(text):
    assert canonical_bytes(plain_value(text))
