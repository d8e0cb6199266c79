"""Texts that equal the value of a personal slot: names above all, whatever their spelling."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from engine.core.contract.json_types import JsonValue
from engine.recording.placeholders import Kind
from engine.recording.redaction.spans import Found
from engine.recording.redaction.words import Word, words_of

_POSSESSIVE = re.compile(r"['\u2019]s?\Z")
_PART_LETTERS_MIN = 3
_WHOLE_LETTERS_MIN = 2
_COMMON = frozenset({"the", "and", "for", "van", "von", "der", "den", "del", "mrs", "miss", "yes"})


class PersonalValues:
    """The personal values that were seen in a call, as words; kept in memory only."""

    __slots__ = ("_by_first", "_known")

    def __init__(self) -> None:
        """Start without a value."""
        self._by_first: dict[str, set[tuple[str, ...]]] = {}
        self._known = set[str]()

    def learn(self, values: Iterable[JsonValue]) -> None:
        """Take the texts of `values`, those within lists and objects, too."""
        for value in values:
            for told in _texts(value):
                if told in self._known:  # asked again with every text of the call
                    continue
                self._known.add(told)
                self._learn(tuple(_plain(word.text) for word in words_of(told)))

    def _learn(self, name: tuple[str, ...]) -> None:
        letters = sum(letter.isalpha() for word in name for letter in word)
        if letters < _WHOLE_LETTERS_MIN:
            return
        self._by_first.setdefault(name[0], set()).add(name)
        for word in name if len(name) > 1 else ():
            if len(word) >= _PART_LETTERS_MIN and word.isalpha() and word not in _COMMON:
                self._by_first.setdefault(word, set()).add((word,))

    def find(self, words: Sequence[Word]) -> Iterator[Found]:
        """Yield where `words` equal a value or a part of one. Cost: linear in the words."""
        plain = [_plain(word.text) for word in words]
        for at, first in enumerate(plain):
            for name in sorted(self._by_first.get(first, ()), key=len, reverse=True):
                end = at + len(name)
                if tuple(plain[at:end]) == name:
                    yield Found(
                        kind=Kind.NAME,
                        start=words[at].start,
                        end=_end_of(words[end - 1]),
                        value=" ".join(name),
                    )
                    break


def _end_of(word: Word) -> int:
    """Return the offset behind a word without its possessive."""
    ending = _POSSESSIVE.search(word.text)
    return word.end - (len(ending[0]) if ending and len(word.text) == word.end - word.start else 0)


def _plain(word: str) -> str:
    """Return a word without case, accents and possessive."""
    bare = unicodedata.normalize("NFKD", _POSSESSIVE.sub("", word).casefold())
    return "".join(letter for letter in bare if not unicodedata.combining(letter))


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for item in value.values():
                yield from _texts(item)
        case _:
            return
