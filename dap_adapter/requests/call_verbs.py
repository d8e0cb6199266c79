"""The console's verbs that ask about the call and move nothing: their commands to the core.

Rules: a verb takes the recording and what was written behind it, and returns lines.
"""

import re

from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.launch_config import stop_position
from dap_adapter.opened import Opened
from dap_adapter.requests.call_text import (
    clock_lines,
    context_lines,
    playback_lines,
    silence_lines,
    visit_lines,
    visit_sides_lines,
)
from engine.core.contract.json_types import JsonObject, integer

ROWS_MAX = 40
"""Most rows asked for one answer, so that what stands around them has room."""

PLAYBACKS_MAX = 6
"""Most playbacks of one answer, each of several lines."""

DIGITS_MAX = 16
"""The number of a model run has fewer digits than this."""

_SECONDS = re.compile(r"(\d{1,9})(?:\.(\d{1,3}))?", re.ASCII)


def silence(opened: Opened, rest: str) -> list[str]:
    """Return what is known of the silence around a moment. Raises: DapError for no moment."""
    moment = integer(stop_position(rest) or {}, "clock_ms")
    if (written := _SECONDS.fullmatch(rest)) is not None:
        moment = int(written[1]) * 1000 + int((written[2] or "").ljust(3, "0"))
    if moment is None:
        raise DapError(ErrorNumber.CANNOT_EVALUATE, "Write: silence 26.5, or silence 00:26.5.")
    command: JsonObject = {"action": "why", "silence_ms": moment}
    return silence_lines(opened, opened.query(opened.cursor, command))


def context(opened: Opened, rest: str) -> list[str]:
    """Return what a model run was given: the run here, or that of a number, an id, a visit."""
    command: JsonObject = {"action": "model_input", "limit": ROWS_MAX}
    if rest.isascii() and rest.isdigit() and len(rest) < DIGITS_MAX:
        command["generation"] = int(rest)
    elif rest and opened.view.ordinal_of(rest) is not None:
        command["entry"] = rest
    elif rest:
        command["generation"] = rest
    return context_lines(opened, opened.query(opened.cursor, command))


def clocks(opened: Opened, _rest: str) -> list[str]:
    """Return the clocks of the call and of its audio files."""
    command: JsonObject = {"action": "inspect_clocks", "limit": ROWS_MAX}
    return clock_lines(opened.query(opened.cursor, command))


def visits(opened: Opened, rest: str) -> list[str]:
    """Return the visits, longest first; of the one that is named, its slots' two sides."""
    command: JsonObject = {"limit": ROWS_MAX}
    if rest:
        command |= {"action": "inspect_state", "visit_id": rest}
        return visit_sides_lines(opened.query(opened.cursor, command))
    command |= {"action": "rank_visits", "order": "duration"}
    return visit_lines(opened.query(opened.cursor, command))


def playback(opened: Opened, rest: str) -> list[str]:
    """Return the playbacks, or those that were cut. Raises: DapError for another word."""
    if rest not in ("", "cut"):
        raise DapError(ErrorNumber.CANNOT_EVALUATE, "Write: playback, or playback cut.")
    command: JsonObject = {"action": "playback", "cut": rest == "cut", "limit": PLAYBACKS_MAX}
    return playback_lines(opened, opened.query(opened.cursor, command))
