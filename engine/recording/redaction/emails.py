"""E-mail addresses, written and spoken ("ana dot lopez at example dot com")."""

import re
from collections.abc import Iterator, Sequence

from engine.recording.placeholders import Kind
from engine.recording.redaction.spans import Found
from engine.recording.redaction.words import Word

_WRITTEN = re.compile(r"(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,8}")
_ENDINGS = frozenset(
    [
        "com",
        "org",
        "net",
        "edu",
        "gov",
        "io",
        "co",
        "uk",
        "de",
        "fr",
        "es",
        "it",
        "nl",
        "eu",
        "us",
        "ca",
        "au",
        "in",
        "dev",
        "app",
        "info",
        "biz",
        "me",
        "ai",
        "tv",
        "ch",
        "at",
        "be",
        "pl",
    ]
)
_JOINTS = frozenset({"dot", "underscore", "dash", "hyphen", "minus", "plus", "point"})
_STOPS = frozenset(
    [
        "is",
        "my",
        "email",
        "mail",
        "address",
        "to",
        "it's",
        "its",
        "it",
        "at",
        "me",
        "the",
        "and",
        "or",
        "be",
        "would",
        "that's",
        "thats",
        "yes",
        "use",
        "send",
        "under",
        "was",
        "on",
    ]
)
_LOCAL_WORDS_MAX = 12
_DOMAIN_WORDS_MAX = 8


def find_emails(said: str, words: Sequence[Word]) -> Iterator[Found]:
    """Yield the addresses in a text. Cost: linear."""
    for found in _WRITTEN.finditer(said):
        yield Found(
            kind=Kind.EMAIL, start=found.start(), end=found.end(), value=found[0].casefold()
        )
    for at, word in enumerate(words):
        if word.text != "at":
            continue
        start, end = _local_start(words, at), _domain_end(words, at)
        if start < at and end is not None:
            spelt = "".join(word.text for word in words[start:end])
            yield Found(
                kind=Kind.EMAIL, start=words[start].start, end=words[end - 1].end, value=spelt
            )


def _domain_end(words: Sequence[Word], at: int) -> int | None:
    """Return the place behind the domain that follows the "at" at `at`, None if none does."""
    end: int | None = None
    for place in range(at + 1, min(len(words), at + 1 + _DOMAIN_WORDS_MAX)):
        text = words[place].text
        if text == "dot" and place + 1 < len(words) and words[place + 1].text in _ENDINGS:
            end = place + 2
        elif end is not None and place >= end:
            break
    return end


def _local_start(words: Sequence[Word], at: int) -> int:
    """Return the place of the first word of the name before the "at" at `at`.

    A name is the word before, what "dot" and the like join to it, single letters and digits that
    were spelt out, and the word that a number follows.
    """
    start = at
    while start > 0 and at - start < _LOCAL_WORDS_MAX:
        before = words[start - 1].text
        joined = start == at or words[start].text in _JOINTS or before in _JOINTS
        spelt = len(before) == 1 and len(words[start].text) <= 1
        numbered = words[start].text.isdecimal() and not before.isdecimal()
        if before in _STOPS or not (joined or spelt or numbered):
            break
        start -= 1
    return start
