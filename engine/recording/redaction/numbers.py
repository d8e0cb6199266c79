"""Numbers that may identify somebody: cards, accounts, phones, codes, spoken rows of digits.

A detector finds; it never decides by a number's value alone what ordinary speech is full of: times,
prices, counts and years stay. The rules are told in `docs/guide/redaction.md`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.recording.placeholders import Kind
from engine.recording.redaction.libraries import is_card, is_iban, is_ssn, phone_spans
from engine.recording.redaction.spans import Found
from engine.recording.redaction.words import NumberRun, Word, number_runs

_PHONE_WORDS = frozenset(
    [
        "phone",
        "telephone",
        "mobile",
        "cell",
        "number",
        "call",
        "called",
        "calling",
        "reach",
        "tel",
        "fax",
        "text",
        "callback",
        "whatsapp",
    ]
)
_CODE_WORDS = frozenset(
    ["cvv", "cvc", "cvv2", "cvc2", "csc", "pin", "passcode", "otp", "password", "verification"]
)
_CODE_PAIRS = frozenset({("security", "code"), ("access", "code"), ("one", "time")})
_OTHER_WORDS = frozenset(
    [
        "ticket",
        "order",
        "invoice",
        "latency",
        "latencies",
        "case",
        "reference",
        "version",
        "port",
        "tracking",
        "item",
        "sku",
        "build",
        "room",
    ]
)
_CONTEXT_WORDS = 5
"""How many words before a number may say what it is."""
_SPOKEN_DIGITS_MIN = 5
_DIGIT_BY_DIGIT_MIN = 4
_SPOKEN_CHUNKS_MIN = 3
_WRITTEN_DIGITS_MIN = 9
_CARD_DIGITS = range(13, 20)
_PHONE_DIGITS = range(7, 16)
_CODE_DIGITS = range(3, 9)
_SSN = re.compile(r"(?<!\d)\d{3}[- ]\d{2}[- ]\d{4}(?!\d)")
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{1,4}){3,8}(?!\w)")
_ROW = re.compile(r"(?<![\w+])\+?\d(?:[ .\-]?\d){8,29}(?!\w)")


def find_numbers(said: str, words: Sequence[Word], *, region: str) -> Iterator[Found]:
    """Yield what may identify somebody; spans may overlap. `region`: of phones without a country.

    Cost: linear.
    """
    starts = {word.start: at for at, word in enumerate(words)}
    yield from _by_shape(said)
    yield from _rows(said, words, starts)
    for start, end, digits, is_spelt in phone_spans(said, region):
        context = _context(words, _word_at(starts, words, start))
        if is_spelt or (context & _PHONE_WORDS and not context & _OTHER_WORDS):
            yield Found(kind=Kind.PHONE, start=start, end=end, value=digits)
    for run in number_runs(said, words):
        kind = _kind_of_run(run, words)
        if kind is not None:
            yield Found(kind=kind, start=run.start, end=run.end, value=run.digits)


def _by_shape(said: str) -> Iterator[Found]:
    for found in _SSN.finditer(said):
        if is_ssn(found[0]):
            yield Found(
                kind=Kind.SSN, start=found.start(), end=found.end(), value=_digits(found[0])
            )
    for found in _IBAN.finditer(said):
        end = _iban_end(found[0])
        if end:
            value = found[0][:end].replace(" ", "").upper()
            yield Found(kind=Kind.IBAN, start=found.start(), end=found.start() + end, value=value)


def _iban_end(shaped: str) -> int:
    """Return how much of a text of an IBAN's shape is one; the words behind it have its shape, too.

    0: none of it.
    """
    ends = [len(shaped), *(found.start() for found in re.finditer(" ", shaped))]
    return max((end for end in ends if is_iban(shaped[:end])), default=0)


def _rows(said: str, words: Sequence[Word], starts: dict[int, int]) -> Iterator[Found]:
    """Yield written rows of digits: cards, and long numbers that nothing says are harmless."""
    for found in _ROW.finditer(said):
        digits = _digits(found[0])
        if len(digits) in _CARD_DIGITS and is_card(digits):
            yield Found(kind=Kind.CARD, start=found.start(), end=found.end(), value=digits)
        elif found[0].isdecimal() and len(digits) >= _WRITTEN_DIGITS_MIN:
            context = _context(words, _word_at(starts, words, found.start()))
            if not context & _OTHER_WORDS:
                yield Found(kind=Kind.NUMBER, start=found.start(), end=found.end(), value=digits)


def _kind_of_run(run: NumberRun, words: Sequence[Word]) -> Kind | None:
    """Return what a run of numbers is, None for what may stay."""
    count = len(run.digits)
    if count in _CODE_DIGITS and _is_code(words, run.first):
        return Kind.CODE
    if not run.is_spoken:
        return None
    if count in _CARD_DIGITS and is_card(run.digits):
        return Kind.CARD
    is_row = run.is_digit_by_digit and count >= _DIGIT_BY_DIGIT_MIN
    if not is_row and (count < _SPOKEN_DIGITS_MIN or run.chunk_count < _SPOKEN_CHUNKS_MIN):
        return None
    return Kind.PHONE if count in _PHONE_DIGITS else Kind.NUMBER


def _is_code(words: Sequence[Word], at: int) -> bool:
    before = [word.text for word in words[max(0, at - _CONTEXT_WORDS) : at]]
    return bool(_CODE_WORDS.intersection(before)) or any(
        pair in _CODE_PAIRS for pair in pairwise(before)
    )


def _context(words: Sequence[Word], at: int) -> set[str]:
    """Return the words shortly before word `at`."""
    return {word.text for word in words[max(0, at - _CONTEXT_WORDS) : at]}


def _word_at(starts: dict[int, int], words: Sequence[Word], offset: int) -> int:
    """Return the place of the word at `offset`, or of the next one."""
    if offset in starts:
        return starts[offset]
    return next((at for at, word in enumerate(words) if word.start >= offset), len(words))


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdecimal())
