"""What redaction finds: spans of a text, each with its kind and what identifies the value."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.recording.placeholders import Kind

_RANK = {kind: rank for rank, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A span of the text, end exclusive; equal `value`s of a kind are the same thing."""

    kind: Kind
    start: int
    end: int
    value: str


def settled(found: Iterable[Found]) -> list[Found]:
    """Return spans in order of which none overlaps another, covering all that was found.

    Where spans overlap, they become one: of the first of their kinds in `Kind`'s order.
    """
    kept: list[Found] = []
    for one in sorted(found, key=lambda span: (span.start, span.end, _RANK[span.kind])):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
            continue
        last = kept[-1]
        leading = min(last, one, key=lambda span: (_RANK[span.kind], span.start, -span.end))
        kept[-1] = Found(
            kind=leading.kind, start=last.start, end=max(last.end, one.end), value=leading.value
        )
    return kept
