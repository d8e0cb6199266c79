"""The words of a text with their places, and the English number words among them.

A *chunk* is one number as it was spoken: a digit, "twenty five", "eight hundred". A *run* is chunks
that follow each other with nothing but punctuation and fillers between. Cost: linear.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_GAP = re.compile(r"[\s,.;:\-\u2013\u2014\u2026()/]*")
_SENTENCE_END = re.compile(r"[.?!](?!\.)\s")
_OHS = frozenset({"oh", "o"})
_FILLERS = frozenset({"uh", "um", "er", "ah", "and", "then"})
_DIGITS = {
    name: str(value)
    for value, name in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    )
} | {"oh": "0", "o": "0", "nought": "0", "niner": "9"}
_TEENS = {
    name: 10 + value
    for value, name in enumerate(
        [
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    name: 20 + 10 * value
    for value, name in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    )
} | {"fourty": 40}
_REPEATS = {"double": 2, "triple": 3, "treble": 3}
_HUNDRED = "hundred"
_THOUSAND = "thousand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word or a row of digits; `start` and `end` are offsets into the text, end exclusive."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRun:
    """Numbers that follow each other, at least one.

    Attributes:
        digits: all their digits, in order.
        chunk_count: how many numbers they are.
        is_digit_by_digit: every chunk is one digit or a repeated one ("triple five").
        is_spoken: a word among them, or single digits with spaces between.
        first: the place of the first word in the list of words.
    """

    digits: str
    chunk_count: int
    is_digit_by_digit: bool
    is_spoken: bool
    start: int
    end: int
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    digits: str
    length: int
    is_single: bool
    is_word: bool


def words_of(said: str) -> list[Word]:
    """Return the words of a text in order."""
    return [
        Word(text=found[0].casefold(), start=found.start(), end=found.end())
        for found in _TOKEN.finditer(said)
    ]


def number_runs(said: str, words: Sequence[Word]) -> Iterator[NumberRun]:
    """Yield the runs of numbers in a text, written or spoken, in order."""
    at = 0
    while at < len(words):
        chunks, end = _run(said, words, at)
        if (
            len(chunks) > 1
            and words[end - 1].text in _OHS
            and _is_new_sentence(said, words, end - 1)
        ):
            chunks, end = chunks[:-1], end - 1
        if not chunks:
            at += 1
            continue
        spaced = len(chunks) > 1 and all(chunk.is_single for chunk in chunks)
        yield NumberRun(
            digits="".join(chunk.digits for chunk in chunks),
            chunk_count=len(chunks),
            is_digit_by_digit=all(chunk.is_single for chunk in chunks),
            is_spoken=spaced or any(chunk.is_word for chunk in chunks),
            start=words[at].start,
            end=words[end - 1].end,
            first=at,
        )
        at = end


def _run(said: str, words: Sequence[Word], at: int) -> tuple[list[_Chunk], int]:
    """Return the chunks from word `at` on and the place behind the last one."""
    chunks: list[_Chunk] = []
    end = at
    while True:
        chunk = _chunk(words, at)
        if chunk is None:
            return chunks, end
        chunks.append(chunk)
        end = at = at + chunk.length
        while at < len(words) and words[at].text in _FILLERS and _joined(said, words, at):
            at += 1
        if at >= len(words) or not _joined(said, words, at):
            return chunks, end


def _is_new_sentence(said: str, words: Sequence[Word], at: int) -> bool:
    """Return whether a sentence ends between word `at` and the one before."""
    return bool(_SENTENCE_END.search(said[words[at - 1].end : words[at].start]))


def _joined(said: str, words: Sequence[Word], at: int) -> bool:
    """Return whether nothing but punctuation stands between word `at` and the one before."""
    gap = _GAP.match(said, words[at - 1].end)
    return gap is not None and gap.end() >= words[at].start


def _chunk(words: Sequence[Word], at: int) -> _Chunk | None:
    """Return the number that begins at word `at`."""
    first = _text(words, at)
    if first.isdecimal() and first.isascii():
        return _Chunk(digits=first, length=1, is_single=len(first) == 1, is_word=False)
    if first in _REPEATS:
        digit = _digit(_text(words, at + 1))
        if digit is None:
            return None
        return _Chunk(digits=digit * _REPEATS[first], length=2, is_single=True, is_word=True)
    return _cardinal(words, at)


def _cardinal(words: Sequence[Word], at: int) -> _Chunk | None:
    """Return the number in words that begins at word `at`, up to 999 thousand."""
    low = _below_thousand(words, at)
    if low is None:
        return None
    value, length, is_single = low
    if _text(words, at + length) == _THOUSAND:
        value, length, is_single = value * 1000, length + 1, False
        rest = at + length + (_text(words, at + length) == "and")
        more = _below_thousand(words, rest)
        if more is not None and not more[2]:
            value, length = value + more[0], rest + more[1] - at
    return _Chunk(digits=str(value), length=length, is_single=is_single, is_word=True)


def _below_thousand(words: Sequence[Word], at: int) -> tuple[int, int, bool] | None:
    """Return (value, words taken, whether it is one digit)."""
    low = _below_hundred(words, at)
    if low is None:
        return None
    value, length = low
    if value == 0 or _text(words, at + length) != _HUNDRED:
        return value, length, length == 1 and value < 10
    value, length = value * 100, length + 1
    rest = at + length
    has_and = _text(words, rest) == "and"
    more = _below_hundred(words, rest + has_and)
    if more is not None and (has_and or more[0] >= 10):
        return value + more[0], length + has_and + more[1], False
    return value, length, False


def _below_hundred(words: Sequence[Word], at: int) -> tuple[int, int] | None:
    first = _text(words, at)
    digit = _digit(first)
    if digit is not None:
        return int(digit), 1
    if first in _TEENS:
        return _TEENS[first], 1
    if first not in _TENS:
        return None
    unit = _digit(_text(words, at + 1))
    if unit is not None and unit != "0" and _text(words, at + 1) not in ("o", "oh"):
        return _TENS[first] + int(unit), 2
    return _TENS[first], 1


def _digit(word: str) -> str | None:
    return _DIGITS.get(word)


def _text(words: Sequence[Word], at: int) -> str:
    return words[at].text if 0 <= at < len(words) else ""
