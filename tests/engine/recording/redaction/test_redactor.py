"""What the redactor finds, what it leaves, and the laws of its spans."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.recording.redaction import PLACEHOLDER, Kind, TextRedactor


def redacted(said: str, *values: str) -> str:
    return TextRedactor(personal=lambda: values)(said)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("It's four one five, triple five, oh one eight two.", "It's <PHONE_1>."),
        ("four-one-five five five five zero one eight two", "<PHONE_1>"),
        ("my number is 4155550182 thanks", "my number is <PHONE_1> thanks"),
        ("call me at (415) 555-0182", "call me at <PHONE_1>"),
        ("reach me on +44 20 7946 0958 please", "reach me on <PHONE_1> please"),
        ("one eight hundred five five five oh one eight two", "<PHONE_1>"),
        ("4 1 5 5 5 5 0 1 8 2", "<PHONE_1>"),
        ("my pin is 4 3 2 1", "my pin is <CODE>"),
        ("the security code is one two three", "the security code is <CODE>"),
        ("It is 4111 1111 1111 1111, yes", "It is <CARD_1>, yes"),
        (
            "four one one one, one one one one, one one one one, one one one one",
            "<CARD_1>",
        ),
        ("GB82 WEST 1234 5698 7654 32 is my account", "<IBAN_1> is my account"),
        ("social is 536-90-4399", "social is <SSN_1>"),
        ("write to ana.lopez+x@example.co.uk now", "write to <EMAIL_1> now"),
        ("it's ana dot lopez at example dot com", "it's <EMAIL_1>"),
        ("my email is j o e 4 at mail dot example dot org okay", "my email is <EMAIL_1> okay"),
        ("account 123456789012", "account <NUMBER_1>"),
        ("account one two three four five", "account <NUMBER_1>"),
        ("twenty three forty five sixty seven eighty nine", "<PHONE_1>"),
    ],
)
def test_what_identifies_somebody_is_replaced(said: str, expected: str) -> None:
    assert redacted(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "Seven o'clock. Then six.",
        "A table for four at half past eight, or six forty five.",
        "The ticket 4155550182 is open.",
        "The latencies 250 300 1000 are fine.",
        "Two thousand three hundred and fifty dollars, in nineteen eighty four.",
        "One, two, or three people? One hundred and twenty five thousand.",
        "Meet me at the station, dot or no dot.",
        "Oh, two tables please. Oh no.",
        "version 1.14.0 of 2026-12-01 at 10:30:15",
        "order 123456789012 has shipped",
        "",
    ],
)
def test_ordinary_speech_stays(said: str) -> None:
    assert redacted(said) == said


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I am Jos\u00e9 \u00c1lvarez.", "I am <NAME_1>."),
        ("JOSE ALVAREZ's table", "<NAME_1>'s table"),
        ("Is it Jose\u2019s? No, Alvarez.", "Is it <NAME_1>\u2019s? No, <NAME_2>."),
        ("Josephine called", "Josephine called"),
    ],
)
def test_the_value_of_a_personal_slot_is_found_in_any_spelling(said: str, expected: str) -> None:
    assert redacted(said, "Jos\u00e9 Alvarez") == expected


def test_an_equal_value_has_an_equal_placeholder_within_the_call() -> None:
    redactor = TextRedactor()
    first = redactor("call 415-555-0182")
    assert first == "call <PHONE_1>"
    assert redactor("or 415-555-0199") == "or <PHONE_2>"
    assert redactor("415-555-0182 again") == "<PHONE_1> again"
    assert TextRedactor()("or 415-555-0199") == "or <PHONE_1>"


def test_a_security_code_is_not_numbered() -> None:
    redactor = TextRedactor()
    assert redactor("cvv 123") == "cvv <CODE>"
    assert redactor("cvv 124") == "cvv <CODE>"


def test_values_may_come_while_the_call_goes_on() -> None:
    values = ["Ana"]
    redactor = TextRedactor()
    redactor.watch(lambda: values)
    assert redactor("Ana and Bo") == "<NAME_1> and Bo"
    values.append("Bo")
    assert redactor("Ana and Bo") == "<NAME_1> and <NAME_2>"
    values.clear()
    assert redactor("Bo") == "<NAME_2>"


def test_nothing_of_a_value_is_shown_by_the_redactor_itself() -> None:
    redactor = TextRedactor(personal=lambda: ["Maria"])
    redactor("Maria")
    assert "aria" not in repr(redactor)


_SPOKEN = ["one", "two", "oh", "triple", "five", "hundred", "twenty", "uh", "at", "dot", "com"]
_SAID = st.lists(
    st.one_of(
        st.sampled_from([*_SPOKEN, "pin", "phone", "Maria", "<PHONE_1>", "4155550182", "a@b.de"]),
        st.text(alphabet=string.printable + "\u00e9\u2019\u0130\u2028", max_size=12),
        st.integers(min_value=0, max_value=10**17).map(str),
    ),
    max_size=14,
).map(" ".join)


@given(_SAID)
def test_the_spans_are_apart_and_the_rest_is_unchanged(said: str) -> None:
    redaction = TextRedactor(personal=lambda: ["Maria"]).redact(said)
    at, rebuilt = 0, ""
    for span in redaction.spans:
        assert at <= span.start < span.end <= len(said)
        rebuilt += said[at : span.start] + span.placeholder
        at = span.end
    assert rebuilt + said[at:] == redaction.text
    assert all(PLACEHOLDER.fullmatch(span.placeholder) for span in redaction.spans)


@given(_SAID)
def test_a_second_time_changes_nothing(said: str) -> None:
    redactor = TextRedactor(personal=lambda: ["Maria"])
    once = redactor(said)
    assert redactor(once) == once


def test_every_kind_is_a_word_of_the_placeholder() -> None:
    assert all(PLACEHOLDER.fullmatch(f"<{kind}_1>") for kind in Kind)
