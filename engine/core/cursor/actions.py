"""The table of actions: by name, what answers it and which keys it takes.

An action is a pure function of (view, cursor, command). Moves give another cursor, queries the same
one and a `result`. Source: design section 10.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject
from engine.core.cursor import listings, moves, visit_queries
from engine.core.cursor.audio import AUDIO_RANGE_KEYS
from engine.core.cursor.clocks import inspect_clocks
from engine.core.cursor.conversation import conversation
from engine.core.cursor.findings_list import FINDINGS_KEYS, list_findings
from engine.core.cursor.model_input import MODEL_INPUT_KEYS, model_input
from engine.core.cursor.pending import inspect_pending
from engine.core.cursor.playbacks import PLAYBACK_KEYS, playback
from engine.core.cursor.reading import PAGE_KEYS
from engine.core.cursor.response import Answer
from engine.core.cursor.search import search
from engine.core.cursor.timeline import TIMELINE_KEYS, clock_table, timeline
from engine.core.cursor.turns import list_turns
from engine.core.cursor.why import WHY_KEYS, last, why

_Apply: TypeAlias = Callable[[ArtifactView, int, JsonObject], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What answers an action, and the keys that it takes beside the common ones."""

    apply: _Apply
    keys: frozenset[str]


def _plain(apply: _Apply, *keys: str) -> Action:
    return Action(apply=apply, keys=frozenset(keys))


def _list(apply: _Apply, *keys: str) -> Action:
    return Action(apply=apply, keys=PAGE_KEYS.union(keys))


ACTIONS: dict[str, Action] = {
    "list_visits": _list(listings.list_visits),
    "seek": _plain(moves.seek, *moves.SEEKS),
    "step": _plain(moves.step_forward, "unit"),
    "reverse": _plain(moves.step_reverse, "unit"),
    "continue_until": _plain(moves.continue_until, "direction", "until"),
    "inspect_variables": _list(listings.inspect_variables),
    "slot_history": _list(listings.slot_history, "slot"),
    "fetch_audio_range": _list(listings.fetch_audio_range, *AUDIO_RANGE_KEYS),
    "rank_visits": _list(visit_queries.rank_visits, "order"),
    "inspect_state": _list(visit_queries.inspect_state, "visit_id"),
    "inspect_exits": _list(visit_queries.inspect_exits, "visit_id"),
    "inspect_evidence": _list(visit_queries.inspect_evidence, "visit_id", "beat"),
    "last": _plain(last, "slot"),
    "why": _list(why, *WHY_KEYS),
    "list_turns": _list(list_turns, "turn_id"),
    "inspect_pending": _list(inspect_pending),
    "list_findings": _list(list_findings, *FINDINGS_KEYS),
    "playback": _list(playback, *PLAYBACK_KEYS),
    "conversation": _list(conversation),
    "model_input": _list(model_input, *MODEL_INPUT_KEYS),
    "inspect_clocks": _list(inspect_clocks, "clock_ms"),
    "search": _list(search, "text", "from_event"),
    "timeline": _plain(timeline, *TIMELINE_KEYS),
    "clock_table": _list(clock_table),
}
