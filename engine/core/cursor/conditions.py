"""Conditions of `continue_until`: each says at which events it holds.

Source: contract "Conditions". A condition is an object with one key. Every kind but `expr` is a
look-up in a posting; an expression has candidates and a test at each of them; `all`, `any` and
`not` combine both. Nothing is tested before a scan comes to it.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TypeAlias

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonValue, text
from engine.core.contract.labels import Direction
from engine.core.contract.session_records import AUDIO_TYPES
from engine.core.cursor.evaluation import Evaluator
from engine.core.cursor.expressions import compile_expression
from engine.core.cursor.narrowing import candidates, union
from engine.core.cursor.scan import BUDGET, Candidates, Scan, finish, hold, scan

NESTING_MAX = 32
_Resolver: TypeAlias = Callable[[ArtifactView, JsonValue, int], Candidates]


def resolve(condition: JsonValue, view: ArtifactView) -> Posting:
    """Return the sorted event indices at which `condition` holds.

    Cost: O(1) for a plain kind, O(n) for combinations; an expression is evaluated at each of its
    candidates, so a face that must stay answerable scans instead.

    Raises:
        InvalidCommand: as `condition_candidates`.
    """
    found = condition_candidates(condition, view)
    return found.positions if found.test is None else finish(hold(found))


def scan_until(
    view: ArtifactView,
    cursor: int,
    *,
    until: Sequence[JsonValue],
    direction: Direction,
    budget: int = BUDGET,
) -> Scan:
    """Scan for the nearest event beyond `cursor` at which any condition of `until` holds.

    See `scan`. `finish` drives it to its end.

    Raises:
        InvalidCommand: as `condition_candidates`, before anything is yielded.
    """
    stops = [condition_candidates(condition, view) for condition in until]
    return scan(view, cursor, stops=stops, direction=direction, budget=budget)


def condition_candidates(
    condition: JsonValue, view: ArtifactView, *, depth: int = NESTING_MAX
) -> Candidates:
    """Return where `condition` can hold, and what decides there; for `scan`.

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


def expression_candidates(view: ArtifactView, text: str, positions: Posting | None) -> Candidates:
    """Return where an expression can be true, of `positions` only where they are given.

    Raises: InvalidCommand where the expression is wrong.
    """
    expression = compile_expression(view, text, is_condition=True)
    evaluator = Evaluator(view, expression)
    found = candidates(view, expression.root) if positions is None else positions
    return Candidates(
        positions=found,
        test=evaluator.holds,
        turns=() if evaluator.turns is None else (evaluator.turns,),
        meters=(evaluator.meter,),
        warnings=expression.warnings,
    )


def _at(positions: Posting) -> Candidates:
    return Candidates(positions=positions)


def _text(kind: str, value: JsonValue) -> str:
    if not isinstance(value, str):
        raise InvalidCommand(f"The condition {kind!r} takes a text.", {"condition": {kind: value}})
    return value


def _posting(kind: str) -> _Resolver:
    """Return a resolver that looks `value` up under the posting kind of the same name."""

    def resolver(view: ArtifactView, value: JsonValue, _: int) -> Candidates:
        return _at(view.postings(_POSTING_OF.get(kind, kind), _text(kind, value)))

    return resolver


_POSTING_OF = {"event_type": "type"}


def _playback(view: ArtifactView, value: JsonValue, _: int) -> Candidates:
    name = _text("playback", value)
    return _at(view.postings("type" if name in AUDIO_TYPES else "playback", name))


def _guard_verdict(view: ArtifactView, value: JsonValue, _: int) -> Candidates:
    verdicts = {True: "guard_true", False: "guard_false", None: "guard_null"}
    if isinstance(value, dict) and set(value) == {"edge_id", "verdict"}:
        edge_id, verdict = value["edge_id"], value["verdict"]
        if isinstance(edge_id, str) and (verdict is None or isinstance(verdict, bool)):
            return _at(view.postings(verdicts[verdict], edge_id))
    raise InvalidCommand(
        "`guard_verdict` takes {edge_id: text, verdict: true, false or null}.",
        {"condition": {"guard_verdict": value}},
    )


def _finding(view: ArtifactView, value: JsonValue, _: int) -> Candidates:
    return _at(finding_positions(view, _text("finding", value)))


def finding_positions(view: ArtifactView, name: str) -> Posting:
    """Return the sorted events at which findings of this code, or the one of this id, stand."""
    found = {
        at
        for finding in view.findings
        if name in (text(finding, "code"), text(finding, "finding_id"))
        and type(at := finding.get("at")) is int
        and 0 <= at < view.event_count
    }
    return sorted(found)


def _clock_at_least(view: ArtifactView, value: JsonValue, _: int) -> Candidates:
    if type(value) is not int:
        raise InvalidCommand(
            "`clock_ms_at_least` takes whole milliseconds.",
            {"condition": {"clock_ms_at_least": value}},
        )
    first = view.first_index_from_clock(value)
    return _at(() if first is None else (first,))


def _expr(view: ArtifactView, value: JsonValue, _: int) -> Candidates:
    return expression_candidates(view, _text("expr", value), None)


# -- combinations ----------------------------------------------------------------------------------


def _several(kind: str, view: ArtifactView, value: JsonValue, depth: int) -> list[Candidates]:
    if not isinstance(value, list) or not value:
        raise InvalidCommand(
            f"{kind!r} takes a list of one or more conditions.", {"condition": {kind: value}}
        )
    return [condition_candidates(item, view, depth=depth) for item in value]


def _any(view: ArtifactView, value: JsonValue, depth: int) -> Candidates:
    return either(view, _several("any", view, value, depth))


def either(view: ArtifactView, parts: Sequence[Candidates]) -> Candidates:
    """Return where any of `parts` holds."""
    if any(isinstance(part.positions, range) for part in parts):
        positions: Posting = range(view.event_count)
    else:
        positions = union([part.positions for part in parts])
    decisions = [_decision(part) for part in parts]
    return _combined(parts, positions, lambda i: any(decide(i) for decide in decisions))


def _all(view: ArtifactView, value: JsonValue, depth: int) -> Candidates:
    return both(view, _several("all", view, value, depth))


def both(view: ArtifactView, parts: Sequence[Candidates]) -> Candidates:
    """Return where all of `parts` hold; they are tested in order, up to the first that fails."""
    narrow = [part.positions for part in parts if not isinstance(part.positions, range)]
    shortest, *others = sorted(narrow, key=len) or [range(view.event_count)]
    positions = [i for i in shortest if all(_contains(other, i) for other in others)]
    tests = [part.test for part in parts if part.test is not None]
    return _combined(parts, positions, lambda i: all(test(i) for test in tests))


def _not(view: ArtifactView, value: JsonValue, depth: int) -> Candidates:
    part = condition_candidates(value, view, depth=depth)
    if part.test is None:
        excluded = set(part.positions)
        return _at([i for i in range(view.event_count) if i not in excluded])
    decide = _decision(part)
    return _combined([part], range(view.event_count), lambda i: not decide(i))


def _combined(
    parts: Sequence[Candidates], positions: Posting, test: Callable[[int], bool]
) -> Candidates:
    """Return the combination of `parts`: tested only where one of them is."""
    if all(part.test is None for part in parts):
        return _at(positions)
    return Candidates(
        positions=positions,
        test=test,
        turns=tuple(turns for part in parts for turns in part.turns),
        meters=tuple(meter for part in parts for meter in part.meters),
        warnings=tuple(warning for part in parts for warning in part.warnings),
    )


def _decision(part: Candidates) -> Callable[[int], bool]:
    """Return what says whether `part` holds at any event."""
    test = part.test
    if isinstance(part.positions, range):
        assert test is not None
        return test
    members = frozenset(part.positions)
    if test is None:
        return members.__contains__
    return lambda index: index in members and test(index)


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
    "finding": _finding,
    "clock_ms_at_least": _clock_at_least,
    "expr": _expr,
    "all": _all,
    "any": _any,
    "not": _not,
}
