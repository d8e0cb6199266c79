"""`model_input`: what a model run was given, as a difference to the run before it.

Only messages that were snapshotted at the moment of the call count: without them the answer is
`unavailable: not_snapshotted`, and the size of the context is all that is known. Messages are equal
where role and content hash are equal; without a hash, role and text. The order of both lists is
kept: a message is `unchanged`, `changed` (another one in its place), `added` or `missing`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import EventUnavailable, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue, rows, text
from engine.core.contract.labels import Label
from engine.core.cursor.causes import causes_of, turn_in
from engine.core.cursor.playbacks import generation_row
from engine.core.cursor.reading import listing, page_of, text_of, unknown, visit_named
from engine.core.cursor.response import Answer
from engine.core.cursor.turns import turn_row

MODEL_INPUT_KEYS = frozenset({"generation", "since", "entry"})
NOT_SNAPSHOTTED = "not_snapshotted"


def model_input(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `model_input`: the messages of one model run against another's.

    `generation`: its id, or its number from 1; else `entry`, a visit id, whose first run is meant;
    else the latest run begun at the cursor. `since`: the run to compare with (default: the one
    before). `trigger_in_input`: whether the words of the turn behind the run stand in its messages.
    Cost: O(messages) mostly; a run named by id is looked up in O(runs).
    """
    offset, limit = page_of(command)
    runs = _runs(view)
    number = _asked(view, cursor, command, runs)
    since = _since(view, command, runs, number)
    index = runs[number]
    messages = _messages(view, index)
    before = _messages(view, runs[since]) if since is not None else None
    items = [*_difference(before, messages)] if messages is not None else []
    missing: list[JsonObject] = []
    for place, known in ((number, messages), (since, before)):
        if place is not None and known is None:
            missing.append(unknown(f"the messages of model run {place + 1}", NOT_SNAPSHOTTED))
    return listing(
        cursor,
        items=items[offset : offset + limit],
        total=len(items),
        offset=offset,
        evidence=[view.event_id(index)],
        extra={
            "label": (Label.UNAVAILABLE if messages is None else Label.RECORDED).value,
            "reason": NOT_SNAPSHOTTED if messages is None else None,
            "generation": _run_row(view, runs, number),
            "since": _run_row(view, runs, since) if since is not None else None,
            "compared": messages is not None and before is not None,
            "counts": _counts(items),
            "trigger_in_input": _trigger_in_input(view, index, messages),
            "unknowns": [*missing],
        },
    )


def _runs(view: ArtifactView) -> list[int]:
    posted = view.postings("type", "llm_requested")
    return [index for index in posted if view.effective_type(index) is not None]


def _asked(view: ArtifactView, cursor: int, command: JsonObject, runs: Sequence[int]) -> int:
    """Return the place in `runs` of the run that the command means."""
    if command.get("generation") is not None and command.get("entry") is not None:
        raise InvalidCommand("Give `generation` or `entry`, not both.")
    if command.get("generation") is not None:
        return _numbered(view, "generation", command["generation"], runs)
    visit_id = text_of(command, "entry")
    if visit_id is not None:
        return _first_of(view, visit_id, runs)
    place = bisect_left(runs, cursor + 1)
    if not place:
        raise EventUnavailable(
            "No model run has begun at this cursor; give `generation`.", {"cursor": cursor}
        )
    return place - 1


def _first_of(view: ArtifactView, visit_id: str, runs: Sequence[int]) -> int:
    visit = view.visits[visit_named(view, visit_id)]
    for place in range(bisect_left(runs, visit.entered_index), len(runs)):
        if visit.closed_index is not None and runs[place] > visit.closed_index:
            break
        if view.payload(runs[place])["owner"] == visit_id:
            return place
    raise EventUnavailable(f"No model run began in {visit_id}.", {"visit_id": visit_id})


def _numbered(view: ArtifactView, key: str, value: JsonValue, runs: Sequence[int]) -> int:
    if type(value) is int:
        if 1 <= value <= len(runs):
            return value - 1
        raise EventUnavailable(
            f"`{key}` is from 1 to {len(runs)} in this call, or an id.", {key: value}
        )
    if not isinstance(value, str):
        raise InvalidCommand(f"`{key}` is an id, or a number from 1.", {key: value})
    for place, index in enumerate(runs):
        if text(view.record(index), "generation_id") == value:
            return place
    raise EventUnavailable(f"No model run has the id {value!r}.", {key: value})


def _since(view: ArtifactView, command: JsonObject, runs: Sequence[int], number: int) -> int | None:
    if command.get("since") is not None:
        return _numbered(view, "since", command["since"], runs)
    return number - 1 if number else None


def _run_row(view: ArtifactView, runs: Sequence[int], place: int) -> JsonObject:
    return {"number": place + 1, **generation_row(view, runs[place])}


def _messages(view: ArtifactView, index: int) -> list[JsonObject] | None:
    record = view.record(index)
    return rows(record, "messages") if isinstance(record.get("messages"), list) else None


def _key(message: JsonObject) -> tuple[str, str]:
    content = message.get("content_hash")
    if not isinstance(content, str):
        content = canonical_bytes(message.get("text")).decode()
    return text(message, "role") or "", content


def _difference(
    before: list[JsonObject] | None, messages: list[JsonObject]
) -> Iterator[JsonObject]:
    """Yield a row a message, the missing ones where they stood; `change` null without a `before`.

    Cost: O(messages) where one list begins with the other; at worst O(product).
    """
    if before is None:
        for place, message in enumerate(messages):
            yield _message(message, None, place, None)
        return
    matcher = SequenceMatcher(None, [*map(_key, before)], [*map(_key, messages)], autojunk=False)
    for tag, old, old_end, new, new_end in matcher.get_opcodes():
        shared = min(old_end - old, new_end - new)
        same = "unchanged" if tag == "equal" else "changed"
        for step in range(shared):
            was = before[old + step] if same == "changed" else None
            yield _message(messages[new + step], same, new + step, was)
        for place in range(new + shared, new_end):
            yield _message(messages[place], "added", place, None)
        for place in range(old + shared, old_end):
            yield _message(before[place], "missing", None, None)


def _message(
    message: JsonObject, change: str | None, place: int | None, was: JsonObject | None
) -> JsonObject:
    return {
        "position": place,
        "change": change,
        "role": message.get("role"),
        "text": message.get("text"),
        "content_hash": message.get("content_hash"),
        "was": was.get("text") if was is not None else None,
    }


def _counts(items: Sequence[JsonObject]) -> JsonObject:
    names = ("unchanged", "changed", "added", "missing")
    return {name: sum(item["change"] == name for item in items) for name in names}


def _trigger_in_input(
    view: ArtifactView, index: int, messages: list[JsonObject] | None
) -> JsonObject:
    """Return whether the words of the turn behind a run stand literally in one of its messages."""
    turn = turn_in(view, causes_of(view, index))
    row = turn_row(view, turn) if turn is not None else None
    said = text(row, "text") if row is not None else None
    reason = None
    if said is None:
        reason = "no_words_in_the_causes"
    elif messages is None:
        reason = NOT_SNAPSHOTTED
    found = None
    if reason is None and messages is not None and said is not None:
        found = any(_holds(message, said) for message in messages)
    label = Label.UNAVAILABLE if reason is not None else Label.RECORDED
    turn_id = row["turn_id"] if row is not None else None
    return {
        "turn_id": turn_id,
        "text": said,
        "found": found,
        "label": label.value,
        "reason": reason,
    }


def _holds(message: JsonObject, said: str) -> bool:
    whole = " ".join((text(message, "text") or "").split())
    return re.search(re.escape(" ".join(said.split())), whole, re.IGNORECASE) is not None
