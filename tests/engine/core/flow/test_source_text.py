import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.flow.source_text import SourceText

TEXTS = st.text(alphabet="ab\n\r\x85\u2028\u2029\ufeff😀é", max_size=40)


def naive_position(text: str, index: int) -> tuple[int, int]:
    """Where an editor shows the character at `index`: lines end at CRLF, LF and CR only."""
    start = max((m.end() for m in re.finditer(r"\r\n|\n|\r", text) if m.end() <= index), default=0)
    line = sum(1 for m in re.finditer(r"\r\n|\n|\r", text) if m.end() <= index) + 1
    return line, len(text[start:index].encode("utf-16-le")) // 2 + 1


@given(TEXTS)
def test_every_index_has_the_place_an_editor_shows(text):
    source = SourceText.of(text, path="a.yaml")
    for index in range(len(source.text) + 1):
        place = source.position(source.offset_of(index))
        assert place == naive_position(source.text, index)


@given(TEXTS)
def test_offsets_count_utf16_units(text):
    source = SourceText.of(text, path="a.yaml")
    for index in range(len(source.text) + 1):
        assert source.offset_of(index) == len(source.text[:index].encode("utf-16-le")) // 2


def test_a_byte_order_mark_takes_no_column():
    source = SourceText.of("\ufeffab", path="a.yaml")
    assert source.text == "ab"
    assert source.position(0) == (1, 1)


def test_a_span_ends_behind_its_last_character():
    span = SourceText.of("a: 1\r\nb: 2\r\n", path="a.yaml").span(3, 7)
    assert (span.line, span.column, span.end_line, span.end_column) == (1, 4, 2, 2)


@pytest.mark.parametrize(("start", "end"), [(2, 1), (-1, 0)])
def test_a_backward_span_is_our_own_mistake(start, end):
    with pytest.raises(AssertionError):
        SourceText.of("abc", path="a.yaml").span(start, end)


@pytest.mark.parametrize("text", ["", "abc", "😀", "a😀b😀😀c", "\ufeff😀\r\nb😀"])
def test_an_index_and_its_offset_are_one_place(text):
    source = SourceText.of(text, path="f.yaml")
    for index in range(len(source.text) + 1):
        assert source.index_of(source.offset_of(index)) == index


def test_the_range_of_a_span():
    source = SourceText.of("a: 😀\nb: 😀x\n", path="f.yaml")
    start = source.text.index("😀")
    span = source.span(source.offset_of(start), source.offset_of(len(source.text) - 1))
    assert source.range_of(span) == (start, len(source.text) - 1)
