"""`HEARD_NOT_KEPT`: what the caller heard is not in what the model was given next.

For a playback that ended with a `heard` text, the next `llm_requested` whose messages were
snapshotted: the words of `heard` stand in a row neither in all its messages one after the other,
nor in those of the roles `assistant`, `agent` and `model`. Case and punctuation do not count. A
snapshot is only looked at where it is whole: every message has its text, and `context_size`, where
recorded, is their number. Texts that are safe forms cannot be compared.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import of_type, visit_ids, visits_of
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.spans import Span, spans
from engine.core.artifact.findings.words import is_hidden, words_of
from engine.core.contract.json_types import JsonObject, integer, text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView

_AGENT_ROLES = ("assistant", "agent", "model")


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each such playback, in order of the model run, then of its end."""
    waiting = sorted(_ended(view), key=lambda item: item[0], reverse=True)
    if not waiting:
        return
    for index in of_type(view, "llm_requested"):
        if not waiting or waiting[-1][0] > index:
            continue
        messages = _whole_snapshot(view.record(index))
        if messages is None:
            continue
        given = [_joined(messages), _joined([m for m in messages if m[0] in _AGENT_ROLES])]
        while waiting and waiting[-1][0] < index:
            ended, span = waiting.pop()
            heard = words_of(_heard(view, ended) or "")
            if heard and not any(_words(heard) in words for words in given):
                yield _finding(view, span, ended, index)


def _finding(view: "ArtifactView", span: Span, ended: int, index: int) -> Finding:
    generation = text(view.record(index), "generation_id")
    visits = visit_ids(view, (span.visit_id, *visits_of(view, index)))
    return Finding(
        at=index,
        visits=visits,
        events=(index, ended),
        text=f"The heard text of playback {span.playback_id} is not in the messages that model run "
        f"{generation} was given.",
        detail={"playback_id": span.playback_id, "generation_id": generation},
    )


def _ended(view: "ArtifactView") -> Iterator[tuple[int, Span]]:
    """Yield the playbacks that ended with a heard text, by the event of the end."""
    for span in spans(view):
        if span.ended is not None and _heard(view, span.ended) is not None:
            yield span.ended, span


def _heard(view: "ArtifactView", ended: int) -> str | None:
    """Return the heard text that an end record holds, if it can be compared."""
    heard = text(view.record(ended), "heard")
    return None if heard is None or is_hidden(heard) else heard


def _whole_snapshot(record: JsonObject) -> list[tuple[str | None, str]] | None:
    """Return role and text of every message given to a model run; None if one is not known."""
    listed = record.get("messages")
    if not isinstance(listed, list) or integer(record, "context_size") not in {None, len(listed)}:
        return None
    messages: list[tuple[str | None, str]] = []
    for message in listed:
        said = text(message, "text") if isinstance(message, dict) else None
        if said is None or is_hidden(said) or not isinstance(message, dict):
            return None
        messages.append((text(message, "role"), said))
    return messages


def _joined(messages: Sequence[tuple[str | None, str]]) -> str:
    return _words([word for _, said in messages for word in words_of(said)])


def _words(words: Sequence[str]) -> str:
    """Return words as a text in which a run of whole words is a substring."""
    return f" {' '.join(words)} "
