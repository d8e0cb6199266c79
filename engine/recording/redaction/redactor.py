"""`TextRedactor`: free text without what identifies somebody.

One redactor a call. The same value gets the same placeholder within the call (`<PHONE_1>`), so that
a reader sees that it is the same one and no more. Values stay in memory only.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.core.contract.json_types import JsonValue
from engine.recording.placeholders import PLACEHOLDER, Kind
from engine.recording.redaction.emails import find_emails
from engine.recording.redaction.names import PersonalValues
from engine.recording.redaction.numbers import find_numbers
from engine.recording.redaction.spans import Found, settled
from engine.recording.redaction.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedSpan:
    """A part of the text as it was said, offsets in characters, and what stands for it."""

    start: int
    end: int
    kind: Kind
    placeholder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """A text with placeholders; `spans` are places in the text as it was, in order, apart."""

    text: str
    spans: tuple[RedactedSpan, ...]


class TextRedactor:
    """Replaces phones, cards, codes, e-mails and long numbers, written or spoken, and names."""

    def __init__(
        self,
        *,
        region: str = "US",
        personal: Callable[[], Iterable[JsonValue]] | None = None,
    ) -> None:
        """Start a call.

        Args:
            region: country (ISO 3166, two letters) of phone numbers written without one.
            personal: gives the values of the personal slots so far; asked at each text.
        """
        self._region = region
        self._personal = personal
        self._values = PersonalValues()
        self._numbers: dict[tuple[Kind, str], int] = {}
        self._counts: dict[Kind, int] = {}

    def __repr__(self) -> str:
        return "TextRedactor()"

    def watch(self, personal: Callable[[], Iterable[JsonValue]]) -> None:
        """Take where the personal values come from, once the call has begun."""
        self._personal = personal

    def __call__(self, said: str, /) -> str:
        """Return the text with placeholders."""
        return self.redact(said).text

    def redact(self, said: str) -> Redaction:
        """Return the text with placeholders, and where they stand. Cost: linear in the text."""
        if self._personal is not None:
            self._values.learn(self._personal())
        held = [found.span() for found in PLACEHOLDER.finditer(said)]
        shown = PLACEHOLDER.sub(lambda found: "\0" * len(found[0]), said)
        words = words_of(shown)
        found = [
            *find_numbers(shown, words, region=self._region),
            *find_emails(shown, words),
            *self._values.find(words),
        ]
        spans = [self._span(one) for one in settled(found) if not _touches(one, held)]
        return Redaction(text=_replaced(said, spans), spans=tuple(spans))

    def spans(self, said: str, /) -> list[tuple[int, int]]:
        """Return the parts of the text that are replaced, as offsets, end exclusive."""
        return [(span.start, span.end) for span in self.redact(said).spans]

    def _span(self, found: Found) -> RedactedSpan:
        return RedactedSpan(
            start=found.start,
            end=found.end,
            kind=found.kind,
            placeholder=self._placeholder(found),
        )

    def _placeholder(self, found: Found) -> str:
        if found.kind is Kind.CODE:
            return f"<{found.kind}>"
        key = (found.kind, found.value)
        if key not in self._numbers:
            self._counts[found.kind] = self._counts.get(found.kind, 0) + 1
            self._numbers[key] = self._counts[found.kind]
        return f"<{found.kind}_{self._numbers[key]}>"


def _touches(found: Found, held: list[tuple[int, int]]) -> bool:
    return any(found.start < end and start < found.end for start, end in held)


def _replaced(said: str, spans: list[RedactedSpan]) -> str:
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (said[at : span.start], span.placeholder)
        at = span.end
    return "".join([*parts, said[at:]])
