"""What one check says, and the place of a name inside a longer text.

Rules: a span of the document covers a whole text (a `when`, a prompt); a remark about one name in
it points at the name where the file shows it as it is, at the whole text otherwise.
"""

from dataclasses import dataclass

from engine.core.flow.source_text import SourceText, Span

NARROWED_LENGTH_MAX = 20_000
"""Longest text that is searched for a name; it bounds what a hostile file costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that a file says wrongly; equal remarks are one."""

    code: str
    span: Span
    message: str
    nearest: tuple[str, ...] = ()


def narrowed(
    source: SourceText, span: Span, name: str, *, behind: str = "", after: str = ""
) -> Span:
    """Return where `name` stands inside `span`: right behind `behind`, and somewhere after `after`.

    The whole `span` where it does not stand there as it is (an escape, a line break within).
    Cost: O(length of the span).
    """
    start, end = source.range_of(span)
    if end - start > NARROWED_LENGTH_MAX or not name:
        return span
    text, wanted = source.text, behind + name
    if after:
        at = text.find(after, start, end)
        start = at + len(after) if at >= 0 else end
    at = text.find(wanted, start, end)
    while at >= 0:
        first, stop = at + len(behind), at + len(wanted)
        is_whole = stop >= end or not _continues_a_name(text[stop])
        if is_whole and (behind or first == start or not _continues_a_name(text[first - 1])):
            return source.span(source.offset_of(first), source.offset_of(stop))
        at = text.find(wanted, stop, end)
    return span


def _continues_a_name(character: str) -> bool:
    return character.isalnum() or character in "_-"
