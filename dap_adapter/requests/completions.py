"""completions: verbs, slots, states, visits and marks, by what stands before the caret.

Rules: columns are UTF-16 code units counted the client's way; an item replaces the word at the
caret; the list is bounded.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from dap_adapter.convert import json_text
from dap_adapter.opened import Opened
from dap_adapter.protocol import (
    CompletionItem,
    CompletionsArguments,
    CompletionsResponseBody,
)
from dap_adapter.requests.console import VERBS
from dap_adapter.session_state import SessionState
from engine.core.contract.json_types import text
from engine.core.contract.labels import Direction, Unit

ITEMS_MAX = 200

ROOTS = ("slots", "labels", "event", "visit", "turn", "prev")
"""The names of an expression."""

Kind: TypeAlias = Literal["keyword", "variable", "reference", "enum", "property", "module"]
_Offer: TypeAlias = tuple[str, Kind]

_WORD = re.compile(r"[\w#%.:]*$")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SLOT_VERBS = frozenset({"last", "why", "history"})
_PLACE_VERBS = frozenset({"goto", "pending"})
_VISIT_VERBS = frozenset({"context", "visits"})
_BARE_VERBS = frozenset({"silence", "clocks"})


def completions(state: SessionState, arguments: CompletionsArguments) -> CompletionsResponseBody:
    """Return what could stand at the caret, best first."""
    client = state.client
    line = (arguments.text.split("\n") or [""])[max(0, (arguments.line or 1) - 1) :][:1]
    before = _before(line[0] if line else "", arguments.column - client.columns_start_at)
    found = _WORD.search(before)
    word = found[0] if found is not None else ""
    head = before[: len(before) - len(word)].strip()
    items: dict[str, CompletionItem] = {}
    for label, kind in _offers(state, state.opened, head, word):
        if label.startswith(word) and label not in items and len(items) < ITEMS_MAX:
            items[label] = CompletionItem(
                label=label,
                type=kind,
                start=_units(before) - _units(word) + client.columns_start_at,
                length=_units(word),
            )
    return CompletionsResponseBody(targets=list(items.values()))


def _offers(state: SessionState, opened: Opened, head: str, word: str) -> Iterator[_Offer]:
    """Yield what may stand behind `head`, with its kind."""
    slots = sorted(opened.slot_by_name)
    if not head:
        yield from _each("keyword", (verb for verb in VERBS))
    if head in _SLOT_VERBS:
        yield from _each("variable", (name for name in slots))
        return
    if head in _PLACE_VERBS:
        yield from _each("reference", (name for name in sorted(state.marks)))
        found = opened.view.findings
        ids = [
            text(found[place], "finding_id") or "" for place in range(min(len(found), ITEMS_MAX))
        ]
        yield from _each("reference", (name for name in ids))
    if head in _PLACE_VERBS or head in _VISIT_VERBS:
        visits = opened.view.visits
        for ordinal in range(min(len(visits), ITEMS_MAX)):
            yield visits[ordinal].visit_id, "reference"
        return
    if head == "findings":
        yield from _each("enum", (name for name in _rules()))
        return
    if head == "playback":
        yield "cut", "enum"
        return
    if head in _BARE_VERBS:
        return
    if head in ("dir", "unit"):
        members = Direction if head == "dir" else Unit
        yield from _each("enum", (member.value for member in members))
        return
    yield from _expression_offers(slots, word)


def _rules() -> Iterable[str]:
    """Return the short names of the findings' rules."""
    from engine.core.cursor import SHORT_NAMES  # noqa: PLC0415 - start-up

    return sorted(SHORT_NAMES)


def _expression_offers(slots: list[str], word: str) -> Iterator[_Offer]:
    for root in ("slots", "labels", "prev"):
        if word.startswith(f"{root}."):
            names = [name for name in slots if _IDENTIFIER.fullmatch(name)]
            yield from _each("property", (f"{root}.{name}" for name in names))
            return
    yield from _each("variable", (name for name in slots))
    yield from _each("module", (root for root in ROOTS))
    yield from _each("variable", (f"slots[{json_text(name)}]" for name in slots))


def _each(kind: Kind, labels: Iterable[str]) -> Iterator[_Offer]:
    for label in labels:
        yield label, kind


def _before(line: str, units: int) -> str:
    """Return what stands before a caret that is `units` UTF-16 code units into the line."""
    return line.encode("utf-16-le", "surrogatepass")[: 2 * max(0, units)].decode(
        "utf-16-le", "replace"
    )


def _units(words: str) -> int:
    return len(words.encode("utf-16-le", "surrogatepass")) // 2
