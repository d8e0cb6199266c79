"""Names and patterns of function breakpoints.

Grammar: `[kind:]pattern`, where `*` stands for any characters and `?` for one. Kinds:

    tool:book_*      a tool is called            state:menu       a state is entered
    guard:menu:*     a guard is evaluated        edge:menu:0      an edge is taken
    speaker:caller   a transcript segment        prompt:menu      a prompt is filled in
    slot:time        a slot is written           writer:tool:*    a writer writes
    event:audio_*    an event of a type          finding:TOOL_*   a finding stands

`guard:` takes an edge id, or the name of a `custom:` guard. Without a kind: a state or tool of that
name; an edge id, such as `menu:0`, is the edge taken. Case counts. Source: dap table,
`setFunctionBreakpoints`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.json_types import text
from engine.core.cursor.conditions import either, finding_positions
from engine.core.cursor.hits import Refusal
from engine.core.cursor.names import did_you_mean, nearest
from engine.core.cursor.narrowing import union
from engine.core.cursor.places import (
    edge_names,
    edge_rows,
    guard_positions,
    records_with,
    slot_names,
    state_names,
    unknown_name,
)
from engine.core.cursor.scan import Candidates

PATTERN_MAX = 200
_Matches: TypeAlias = Callable[[str], bool]
_CUSTOM = re.compile(r"custom:([^\s(),]+)")


def function_candidates(view: ArtifactView, pattern: str) -> Candidates | Refusal:
    """Return the events that a name or pattern means, or why it means none.

    A pattern that matches nothing is no mistake: it is never reached. A plain name of a state, edge
    or slot that this call does not have is one. Cost: O(names), and a test at each call of a tool
    or segment of the transcript.
    """
    wanted = pattern.strip()
    if not wanted or len(wanted) > PATTERN_MAX:
        return Refusal(
            message=f"A name has 1 to {PATTERN_MAX} characters, as in `menu` or `tool:book_*`."
        )
    kind, colon, name = wanted.partition(":")
    if not colon:
        return _plain(view, wanted)
    finder = _FINDERS.get(kind)
    if finder is not None:
        return finder(view, name)
    edges = edge_names(view)
    if wanted in edges or kind in state_names(view) or _is_pattern(kind):
        return _edges_taken(view, wanted)
    near = nearest(wanted, edges) or nearest(kind, [*_FINDERS])
    return Refusal(
        message=f"{kind!r} is no kind of name; kinds are {', '.join(_FINDERS)}."
        f"{did_you_mean(near)}",
        nearest=near,
    )


def _plain(view: ArtifactView, name: str) -> Candidates | Refusal:
    """A state, or a tool, of this name."""
    states = _states_entered(view, name)
    tools = _tools_called(view, name)
    if isinstance(states, Refusal):
        return replace(tools, warnings=(f"{states.message} Only a tool of that name would stop.",))
    return either(view, [states, tools])


def _named(pattern: str, kind: str, names: Sequence[str]) -> list[str] | Refusal:
    """Return the names that a pattern matches; a plain name must be one of them."""
    if not _is_pattern(pattern):
        return unknown_name(pattern, kind, names) or [pattern]
    matches = _matcher(pattern)
    return [name for name in names if matches(name)]


def _by_name(
    pattern: str,
    kind: str,
    names: Sequence[str],
    positions: Callable[[str], Posting],
) -> Candidates | Refusal:
    found = _named(pattern, kind, names)
    if isinstance(found, Refusal):
        return found
    return Candidates(positions=union([positions(name) for name in found]))


def _states_entered(view: ArtifactView, pattern: str) -> Candidates | Refusal:
    return _by_name(
        pattern, "state", state_names(view), lambda name: view.postings("state_enter", name)
    )


def _edges_taken(view: ArtifactView, pattern: str) -> Candidates | Refusal:
    return _by_name(
        pattern, "edge", edge_names(view), lambda name: view.postings("edge_taken", name)
    )


def _guards(view: ArtifactView, pattern: str) -> Candidates | Refusal:
    """Guards of the edges that match, and of those that ask a `custom:` guard that does."""
    matches = _matcher(pattern)
    custom = [
        str(edge["edge_id"])
        for edge in edge_rows(view)
        if any(map(matches, _CUSTOM.findall(text(edge, "when") or "")))
    ]
    found = _named(pattern, "edge", edge_names(view))
    if isinstance(found, Refusal):
        if not custom:
            return found
        found = []
    edges = dict.fromkeys([*found, *custom])
    return Candidates(positions=union([guard_positions(view, edge_id) for edge_id in edges]))


def _slots_written(view: ArtifactView, pattern: str) -> Candidates | Refusal:
    return _by_name(
        pattern, "slot", slot_names(view), lambda name: view.postings("slot_write", name)
    )


def _recorded(kind: str) -> "_Finder":
    """Return a finder of names that only the recording has, by their posting."""

    def finder(view: ArtifactView, pattern: str) -> Candidates:
        matches = _matcher(pattern)
        names = [name for name in sorted(view.columns.runs.get(kind, {})) if matches(name)]
        return Candidates(positions=union([view.postings(kind, name) for name in names]))

    return finder


def _findings(view: ArtifactView, pattern: str) -> Candidates:
    matches = _matcher(pattern)
    codes = {code for finding in view.findings if (code := text(finding, "code")) is not None}
    found = [finding_positions(view, code) for code in sorted(codes) if matches(code)]
    return Candidates(positions=union(found))


def _tools_called(view: ArtifactView, pattern: str) -> Candidates:
    return records_with(view, "tool_called", "tool", _matcher(pattern))


def _spoken(view: ArtifactView, pattern: str) -> Candidates:
    return records_with(view, "transcript_segment", "speaker", _matcher(pattern))


def _prompts(view: ArtifactView, pattern: str) -> Candidates | Refusal:
    found = _named(pattern, "state", state_names(view))
    if isinstance(found, Refusal):
        return found
    return records_with(view, "prompt_resolved", "state_id", frozenset(found).__contains__)


def _is_pattern(name: str) -> bool:
    return "*" in name or "?" in name


def _matcher(pattern: str) -> _Matches:
    """Return what says whether a whole name matches a pattern."""
    return lambda name: _is_match(pattern, name)


def _is_match(pattern: str, name: str) -> bool:
    """Return whether `name` matches. Cost: O(pattern name): only the last `*` is ever retried."""
    at = place = 0
    star, retry = -1, 0
    while at < len(name):
        if place < len(pattern) and pattern[place] == "*":
            star, retry = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in {"?", name[at]}:
            at, place = at + 1, place + 1
        elif star >= 0:
            retry += 1
            at, place = retry, star + 1
        else:
            return False
    return not pattern[place:].strip("*")


_Finder: TypeAlias = Callable[[ArtifactView, str], Candidates | Refusal]
_FINDERS: dict[str, _Finder] = {
    "state": _states_entered,
    "tool": _tools_called,
    "guard": _guards,
    "edge": _edges_taken,
    "prompt": _prompts,
    "speaker": _spoken,
    "slot": _slots_written,
    "writer": _recorded("writer"),
    "event": _recorded("type"),
    "finding": _findings,
}
