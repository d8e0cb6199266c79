"""`search`: where a text stands in the transcript, in event types, or is an id.

Bounded: at most `SEGMENTS_MAX` segments are read in one answer; `complete` says whether that was
all. Case does not matter in words and types; an id is looked up as it is.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import merge

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, integer, text
from engine.core.cursor.facts import described
from engine.core.cursor.reading import listing, page_of, unknown
from engine.core.cursor.response import Answer

SEGMENTS_MAX = 20_000
TEXT_MAX = 200


def search(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `search` for `text`: rows in call order, the whole recording through.

    Items: the described event with `field`: `text`, `type` or `id`. An event stands there once for
    each field. `from_event`: segments before this index are not read. `next_event`: where to go on,
    null when `complete`. Cost: O(segments read + hits).
    """
    offset, limit = page_of(command)
    wanted = command.get("text")
    if not isinstance(wanted, str) or not 1 <= len(wanted) <= TEXT_MAX:
        raise InvalidCommand(
            f"`text` is a text of 1 to {TEXT_MAX} characters.", {"text": str(wanted)[:TEXT_MAX]}
        )
    start = command.get("from_event", 0)
    if type(start) is not int or start < 0:
        raise InvalidCommand("`from_event` is an event index.", {"from_event": start})
    segments = view.postings("type", "transcript_segment")
    first = bisect_left(segments, start)
    read = segments[first : first + SEGMENTS_MAX]
    complete = first + len(read) == len(segments)
    found = [
        *merge(
            ((i, "id") for i in _ids(view, wanted)),
            ((i, "text") for i in _said(view, read, wanted)),
            *_typed(view, wanted),
        )
    ]
    items: list[JsonObject] = [
        {**described(view, index), "field": field} for index, field in found[offset:][:limit]
    ]
    missing = [] if segments else [unknown("what was said", "no_transcript")]
    return listing(
        cursor,
        items=items,
        total=len(found),
        offset=offset,
        evidence=[str(item["event_id"]) for item in items],
        extra={
            "complete": complete,
            "next_event": None if complete else segments[first + len(read)],
            "unknowns": [*missing],
        },
    )


def _ids(view: ArtifactView, wanted: str) -> list[int]:
    """Return the events that an event, visit, playback or finding id leads to."""
    found = [view.index_of(wanted), *view.postings("visit_id", wanted)]
    found += view.postings("playback", wanted)[:1]
    found += [integer(row, "at") for row in view.findings if row.get("finding_id") == wanted]
    return sorted({index for index in found if index is not None and index >= 0})


def _said(view: ArtifactView, segments: Sequence[int], wanted: str) -> Iterator[int]:
    """Yield the segments whose words hold the text."""
    folded = wanted.casefold()
    for index in segments:
        if folded in (text(view.record(index), "text") or "").casefold():
            yield index


def _typed(view: ArtifactView, wanted: str) -> Iterator[Iterator[tuple[int, str]]]:
    """Yield the events of each type whose name holds the text."""
    for kind in view.event_types:
        if wanted.casefold() in kind.casefold():
            yield ((index, "type") for index in view.postings("type", kind))
