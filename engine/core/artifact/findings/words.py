"""Words and numbers of a text, and whether a value stands in it: what is certain and cheap.

Words are runs of letters, or of digits, in Unicode form NFKC without case. Numbers are digits and
the English words for 0 to 999. Nothing is understood: number words of other languages, paraphrases
and spelling aloud are not known here.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from engine.core.artifact.slots import safe_form
from engine.core.contract.json_types import JsonValue

_WORD = re.compile(r"\d+|[^\W\d_]+")
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?", re.ASCII)
_NUMBER_DIGITS_MAX = 4
_NUMBER_WORDS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "dozen": 12,
    "oh": 0,
}
_HOUR_WORDS = {"noon": 12, "midday": 12, "midnight": 0}
_VERDICTS = frozenset({"true", "false", "yes", "no"})


def is_hidden(said: str) -> bool:
    """Return whether a text is a safe form, which stands for a text that is not recorded."""
    return safe_form(said) == said


def words_of(said: str) -> list[str]:
    """Return the words of a text; runs of digits are words of their own."""
    return _WORD.findall(unicodedata.normalize("NFKC", said).casefold())


def numbers_of(words: Sequence[str]) -> set[int]:
    """Return the numbers up to four digits that the words name, parts of larger ones included."""
    found = set[int]()
    for place, word in enumerate(words):
        own = _number(word)
        if own is None:
            continue
        found.add(own)
        following = words[place + 1 : place + 4]
        found.update(_compounds(own, following))
    return found


def _number(word: str) -> int | None:
    """Return the number that one word is."""
    if word.isdecimal():
        return int(word) if len(word) <= _NUMBER_DIGITS_MAX else None
    return _NUMBER_WORDS.get(word)


def _compounds(own: int, following: Sequence[str]) -> Iterator[int]:
    """Yield what a number becomes with the words behind it: `twenty one`, `two hundred and six`."""
    if not following:
        return
    if following[0] == "hundred" and own < 10:
        yield 100 * own
        rest = following[2:] if following[1:2] == ["and"] else following[1:]
        for word in rest[:1]:
            unit = _number(word)
            if unit is not None and unit < 100:
                yield 100 * own + unit
    elif 20 <= own < 100 and not own % 10:
        unit = _number(following[0])
        if unit is not None and 0 < unit < 10:
            yield own + unit


def holds(said: Sequence[str], value: JsonValue) -> bool | None:
    """Return whether the texts of a turn hold `value`; None where that cannot be told.

    - A whole number of up to four digits is held where it is named as a number.
    - A time of day, `H:MM`, is held where its hour is named on either clock, with or without the
      minutes; where it has minutes, the next hour will do ("quarter to nine").
    - A text without digits is held where each of its words stands, in any order; number words and
      digits are the same.
    - Of anything else (booleans, `yes`, `no`, fractions, dates, longer numbers, lists, objects,
      safe forms) it cannot be told.
    """
    words = [word for one in said for word in words_of(one)]
    match value:
        case bool() | None:
            return None
        case int():
            return value in numbers_of(words) if 0 <= value < 10**_NUMBER_DIGITS_MAX else None
        case str():
            return None if is_hidden(value) else _holds_text(words, value.strip())
        case _:
            return None


def _holds_text(words: Sequence[str], value: str) -> bool | None:
    wanted = words_of(value)
    if not wanted or value.casefold() in _VERDICTS:
        return None
    time = _TIME.fullmatch(value)
    if time is not None:
        return _holds_time(words, hour=int(time[1]), minute=int(time[2]))
    if value.isascii() and value.isdecimal() and len(value) <= _NUMBER_DIGITS_MAX:
        return int(value) in numbers_of(words)
    if any(character.isdigit() for character in value):
        return None
    there, numbers = set(words), numbers_of(words)
    return all(word in there or _NUMBER_WORDS.get(word) in numbers for word in wanted)


def _holds_time(words: Sequence[str], *, hour: int, minute: int) -> bool:
    hours = {hour, (hour + 1) % 24} if minute else {hour}
    named = {clock for full in hours for clock in (full, full % 12, full % 12 or 12)}
    named |= {100 * clock + minute for clock in (hour, hour % 12, hour % 12 or 12)}
    numbers = numbers_of(words) | {_HOUR_WORDS[word] for word in words if word in _HOUR_WORDS}
    return not named.isdisjoint(numbers)
