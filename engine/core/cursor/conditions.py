"""Conditions of `continue_until`: each resolves to the sorted positions where it holds.

Source: contract "Conditions". A condition is an object with one key. Every kind is a look-up in a
posting; `all`, `any` and `not` combine positions.
"""

from bisect import bisect_left
from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeAlias

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonValue
from engine.core.contract.session_records import AUDIO_TYPES

_Resolver: TypeAlias = Callable[[ArtifactView, JsonValue, int], Posting]


NESTING_MAX = 32


def resolve(condition: JsonValue, view: ArtifactView, *, depth: int = NESTING_MAX) -> Posting:
    """Return the sorted event indices at which `condition` holds.

    Cost: O(1) for a plain kind, O(n) for combinations.

    Raises:
        InvalidCommand: not an object with one known key, a wrong value for it, or conditions
            nested deeper than `depth` levels.
    """
    if depth == 0:
        raise InvalidCommand(f"Conditions nest at most {NESTING_MAX} levels deep.")
    if not isinstance(condition, dict) or len(condition) != 1:
        raise InvalidCommand(
            'A condition is an object with exactly one key, like {"state_enter": "menu"}.',
            {"condition": condition, "kinds": [*_KINDS]},
        )
    [(kind, value)] = condition.items()
    resolver = _KINDS.get(kind)
    if resolver is None:
        near: list[JsonValue] = [*get_close_matches(kind, _KINDS)]
        raise InvalidCommand(
            f"There is no condition {kind!r}. Known: {', '.join(_KINDS)}.",
            {"condition": condition, "nearest": near},
        )
    return resolver(view, value, depth - 1)


def _text(kind: str, value: JsonValue) -> str:
    if not isinstance(value, str):
        raise InvalidCommand(f"The condition {kind!r} takes a text.", {"condition": {kind: value}})
    return value


def _posting(kind: str) -> _Resolver:
    """Return a resolver that looks `value` up under the posting kind of the same name."""

    def resolver(view: ArtifactView, value: JsonValue, _: int) -> Posting:
        return view.postings(_POSTING_OF.get(kind, kind), _text(kind, value))

    return resolver


_POSTING_OF = {"event_type": "type"}


def _playback(view: ArtifactView, value: JsonValue, _: int) -> Posting:
    name = _text("playback", value)
    return view.postings("type" if name in AUDIO_TYPES else "playback", name)


def _guard_verdict(view: ArtifactView, value: JsonValue, _: int) -> Posting:
    verdicts = {True: "guard_true", False: "guard_false", None: "guard_null"}
    if isinstance(value, dict) and set(value) == {"edge_id", "verdict"}:
        edge_id, verdict = value["edge_id"], value["verdict"]
        if isinstance(edge_id, str) and (verdict is None or isinstance(verdict, bool)):
            return view.postings(verdicts[verdict], edge_id)
    raise InvalidCommand(
        "`guard_verdict` takes {edge_id: text, verdict: true, false or null}.",
        {"condition": {"guard_verdict": value}},
    )


def _clock_at_least(view: ArtifactView, value: JsonValue, _: int) -> Posting:
    if type(value) is not int:
        raise InvalidCommand(
            "`clock_ms_at_least` takes whole milliseconds.",
            {"condition": {"clock_ms_at_least": value}},
        )
    first = view.first_index_from_clock(value)
    return () if first is None else (first,)


def _several(kind: str, view: ArtifactView, value: JsonValue, depth: int) -> list[Posting]:
    if not isinstance(value, list) or not value:
        raise InvalidCommand(
            f"{kind!r} takes a list of one or more conditions.", {"condition": {kind: value}}
        )
    return [resolve(item, view, depth=depth) for item in value]


def _any(view: ArtifactView, value: JsonValue, depth: int) -> Posting:
    return sorted(set[int]().union(*_several("any", view, value, depth)))


def _all(view: ArtifactView, value: JsonValue, depth: int) -> Posting:
    shortest, *others = sorted(_several("all", view, value, depth), key=len)
    return [i for i in shortest if all(_contains(positions, i) for positions in others)]


def _not(view: ArtifactView, value: JsonValue, depth: int) -> Posting:
    excluded = set(resolve(value, view, depth=depth))
    return [i for i in range(view.event_count) if i not in excluded]


def _contains(positions: Posting, index: int) -> bool:
    place = bisect_left(positions, index)
    return place < len(positions) and positions[place] == index


_PLAIN_KINDS = (
    "state_enter",
    "state_exit",
    "visit_id",
    "event_type",
    "edge_taken",
    "slot_write",
    "slot_read",
    "writer",
)
_KINDS: dict[str, _Resolver] = {
    **{kind: _posting(kind) for kind in _PLAIN_KINDS},
    "guard_verdict": _guard_verdict,
    "playback": _playback,
    "clock_ms_at_least": _clock_at_least,
    "all": _all,
    "any": _any,
    "not": _not,
}
