"""The console's verbs: moving, looking back and asking, in clients without buttons for it.

Rules: a verb is answered with words; one that moves is followed by `continued` and `stopped`,
because the client did not know that anything would run. What is answered comes from the core.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from dap_adapter.containers import History, ScopeName, ScopeOf
from dap_adapter.convert import safe_text, value_text
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.jobs import Advance, Body, Job, Steps
from dap_adapter.opened import Opened, Slot
from dap_adapter.protocol import EvaluateResponseBody
from dap_adapter.requests.call_text import pending_lines
from dap_adapter.requests.call_verbs import (
    ROWS_MAX,
    clocks,
    context,
    playback,
    silence,
    visits,
)
from dap_adapter.requests.findings import finding_text
from dap_adapter.requests.rows import write_of
from dap_adapter.requests.running import start_run
from dap_adapter.requests.stepping import way_out
from dap_adapter.requests.stops import emit_continued, emit_moved, place_text, position_text
from dap_adapter.requests.why_text import unknown_lines, why_lines
from dap_adapter.session_state import Phase, SessionState
from engine.core.contract.json_types import JsonObject, integer, rows
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor import slot_history, step

LINES_MAX = 50
"""Most lines of one answer; the rest is in the scopes."""

Said: TypeAlias = EvaluateResponseBody | Job
_Choice = TypeVar("_Choice", Direction, Unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """What a verb takes and does."""

    takes: str
    does: str
    serve: Callable[[SessionState, str], Said]


def said(state: SessionState, verb: str, rest: str) -> Said:
    """Serve a verb. Raises: DapError that says how it is used."""
    known = VERBS[verb]
    if bool(rest) != bool(known.takes) and not (known.takes.startswith("[") or verb == "help"):
        raise _usage(verb)
    return known.serve(state, rest)


def _usage(verb: str) -> DapError:
    known = VERBS[verb]
    return DapError(ErrorNumber.CANNOT_EVALUATE, f"Write: {verb} {known.takes}".rstrip() + ".")


def _answer(lines: str | list[str], reference: int = 0) -> EvaluateResponseBody:
    if isinstance(lines, list):
        more = len(lines) - LINES_MAX
        shown = [*lines[:LINES_MAX], *([f"… {more} more"] if more > 0 else [])]
        lines = "\n".join(shown)
    return EvaluateResponseBody(result=lines, variables_reference=reference)


# -- moving ----------------------------------------------------------------------------------------


def _moved(state: SessionState, cursor: int, direction: Direction, reason: str) -> Said:
    state.opened.cursor = cursor
    emit_moved(state, direction, reason=reason)
    return _answer(position_text(state.opened, direction))


def _stepping(verb: str, direction: Direction) -> Callable[[SessionState, str], Said]:
    """Return how a verb is served that moves one unit: the one it names, else the session's."""

    def serve(state: SessionState, rest: str) -> Said:
        opened = state.opened
        unit = _chosen(verb, rest, opened.unit)
        stop = step(opened.view, opened.cursor, unit=unit, direction=direction)
        return _moved(state, stop.cursor, direction, "step")

    return serve


def _rin(state: SessionState, _rest: str) -> Said:
    opened = state.opened
    stop = step(opened.view, opened.cursor, unit=Unit.EVENT, direction=Direction.REVERSE)
    return _moved(state, stop.cursor, Direction.REVERSE, "step")


def _rout(state: SessionState, _rest: str) -> Said:
    return _moved(state, way_out(state.opened, Direction.REVERSE), Direction.REVERSE, "step")


def _rc(state: SessionState, _rest: str) -> Said:
    emit_continued(state)
    start_run(state, Direction.REVERSE)
    if state.phase is Phase.RUNNING:
        return _answer("◀ looking for the stop before")
    return _answer(position_text(state.opened, Direction.REVERSE))


def _go(state: SessionState, cursor: int) -> Said:
    is_back = cursor < state.opened.cursor
    return _moved(state, cursor, Direction.REVERSE if is_back else Direction.FORWARD, "goto")


def _goto(state: SessionState, rest: str) -> Said:
    return _go(state, _place(state, rest))


def _place(state: SessionState, rest: str) -> int:
    """Return the cursor that a place means. Raises: DapError that says how places are written."""
    opened = state.opened
    cursor = state.marks.get(rest)
    if cursor is None:
        cursor = _percent(opened, rest) if rest.endswith("%") else opened.place_of(rest)
    if cursor is None:
        raise DapError(
            ErrorNumber.CANNOT_EVALUATE,
            f"'{safe_text(rest)}' is nowhere in this call: write an event like #812 (up to"
            f" #{opened.last}), a time like 01:42.3, a visit like menu#2, a finding's id, 50% or a"
            " mark.",
        )
    return cursor


def _percent(opened: Opened, rest: str) -> int | None:
    digits = rest[:-1]
    if not (digits.isascii() and digits.isdigit() and int(digits[:4]) <= 100):
        return None
    return opened.last * int(digits) // 100


def _duplicate(state: SessionState, _rest: str) -> Said:
    """Move to where the first playback of a duplicate pair was requested."""
    from engine.core.cursor import duplicate_before  # noqa: PLC0415 - start-up

    opened = state.opened
    pair = duplicate_before(opened.view, opened.cursor)
    if pair is None:
        return _answer("No playback of this call repeats another one.")
    _go(state, pair.rewind_to)
    first, second = safe_text(pair.first_playback_id), safe_text(pair.duplicate_playback_id)
    again = place_text(opened, pair.second_started)
    here = position_text(opened, Direction.REVERSE)
    return _answer([f"{here}: {first}, repeated by {second} from {again}", safe_text(pair.text)])


def _last(state: SessionState, rest: str) -> Said:
    opened = state.opened
    slot = _slot(opened, rest)
    before = slot.write_at(opened.cursor - 1) if opened.cursor >= 0 else -1
    if before < 0:
        return _answer(f"{safe_text(slot.name)} is not written before this event.")
    _go(state, before)
    return _answer(
        f"{position_text(opened, Direction.REVERSE)}: {_write_text(opened, slot, before)}"
    )


def _find(state: SessionState, rest: str) -> Said:
    """Move to the next event, in the session's direction, at which an expression is true."""
    from engine.core.cursor import expression_candidates, scan  # noqa: PLC0415 - start-up

    opened = state.opened
    direction = opened.direction
    stops = [expression_candidates(opened.view, rest, None)]
    state.phase = Phase.RUNNING

    def looking() -> Steps:
        scanning = scan(opened.view, opened.cursor, stops=stops, direction=direction)
        start = opened.cursor
        while True:
            try:
                at = next(scanning)
            except StopIteration as done:
                stop = done.value
                break
            yield Advance(abs(at - start), opened.last + 1)
        state.phase = Phase.STOPPED
        if not stop.matched:
            return _answer(
                f"Nowhere {'before' if direction is Direction.REVERSE else 'behind'} here."
            )
        return _body(_moved(state, stop.cursor, direction, "goto"))

    def stay() -> None:
        state.phase = Phase.STOPPED

    return Job(title="Looking for an event", steps=looking(), is_run=True, dropped=stay)


def _body(outcome: Said) -> Body:
    assert isinstance(outcome, EvaluateResponseBody), "a move is no job"
    return outcome


# -- asking ----------------------------------------------------------------------------------------


def _slot(opened: Opened, name: str) -> Slot:
    slot = opened.slot_called(name)
    if slot is None:
        known = ", ".join(safe_text(known) for known in sorted(opened.slot_by_name))
        raise DapError(
            ErrorNumber.CANNOT_EVALUATE,
            f"'{safe_text(name)}' is no slot of this call. There are: {known or 'none'}.",
        )
    return slot


def _write_text(opened: Opened, slot: Slot, index: int) -> str:
    row = write_of(opened, slot.name, index)
    old, new = value_text(row["old"]), value_text(row["new"])
    return f"{safe_text(slot.name)}: {old} → {new}, written by {value_text(row['writer'])}"


def _why(state: SessionState, rest: str) -> Said:
    opened = state.opened
    slot = _slot(opened, rest)
    return _answer(
        why_lines(opened, opened.query(opened.cursor, {"action": "why", "slot": slot.name}))
    )


def _history(state: SessionState, rest: str) -> Said:
    opened = state.opened
    slot = _slot(opened, rest)
    found = slot_history(opened.view, slot.name, offset=0, limit=LINES_MAX)
    lines = [
        f"{place_text(opened, index)} · {_write_text(opened, slot, index)}"
        for index in slot.writes[: len(found)]
    ]
    if (more := len(slot.writes) - len(found)) > 0:
        lines.append(f"… {more} more")
    if not lines:
        return _answer(f"{safe_text(slot.name)} is never written in this call.")
    return _answer("\n".join(lines), state.containers.number_of(History(slot.name)))


def _findings(state: SessionState, rest: str) -> Said:
    opened = state.opened
    if rest:
        command: JsonObject = {"action": "list_findings", "rule": rest, "limit": ROWS_MAX}
        result = opened.query(opened.cursor, command)
        lines = [finding_text(opened, row) for row in rows(result, "items")]
        if (more := (integer(result, "total") or 0) - len(lines)) > 0:
            lines.append(f"… {more} more")
        return _answer(
            [
                *(lines or [f"No findings of {value_text(result['rule'])} in this call."]),
                *unknown_lines(result),
            ]
        )
    found = opened.view.findings
    lines = [finding_text(opened, found[place]) for place in range(min(len(found), LINES_MAX + 1))]
    scope = ScopeOf(ScopeName.FINDINGS, opened.cursor, opened.view.visit_at(opened.cursor))
    return _answer(lines or "No findings in this call.", state.containers.number_of(scope))


def _pending(state: SessionState, rest: str) -> Said:
    opened = state.opened
    at = _place(state, rest) if rest else opened.cursor
    command: JsonObject = {"action": "inspect_pending", "limit": ROWS_MAX}
    return _answer(pending_lines(opened, opened.query(at, command)))


def _asked(ask: Callable[[Opened, str], list[str]]) -> Callable[[SessionState, str], Said]:
    """Return how a verb is served that only asks about the call."""
    return lambda state, rest: _answer(ask(state.opened, rest))


# -- the session -----------------------------------------------------------------------------------


def _mark(state: SessionState, rest: str) -> Said:
    if not rest:
        named = [
            f"{safe_text(name)} = {place_text(state.opened, at)}"
            for name, at in sorted(state.marks.items())
        ]
        return _answer(named or "No marks yet: write mark NAME.")
    state.marks[rest] = state.opened.cursor
    return _answer(f"{safe_text(rest)} = {place_text(state.opened, state.opened.cursor)}")


def _dir(state: SessionState, rest: str) -> Said:
    opened = state.opened
    opened.direction = _chosen("dir", rest, opened.direction)
    return _answer(f"direction {opened.direction.value}")


def _unit(state: SessionState, rest: str) -> Said:
    opened = state.opened
    opened.unit = _chosen("unit", rest, opened.unit)
    return _answer(f"unit {opened.unit.value}")


def _chosen(verb: str, rest: str, now: _Choice) -> _Choice:
    """Return the choice that `rest` names, `now` where it names none."""
    if not rest:
        return now
    try:
        return type(now)(rest)
    except ValueError:
        raise _usage(verb) from None


def _help(_state: SessionState, _rest: str) -> Said:
    lines = [f"{name} {verb.takes}".rstrip() + f": {verb.does}" for name, verb in VERBS.items()]
    return _answer([*lines, "Anything else is an expression: a slot's name, or CEL."])


VERBS: dict[str, Verb] = {
    "back": Verb(
        takes="[event|beat|visit]",
        does="one step back",
        serve=_stepping("back", Direction.REVERSE),
    ),
    "ahead": Verb(
        takes="[event|beat|visit]",
        does="one step forwards",
        serve=_stepping("ahead", Direction.FORWARD),
    ),
    "rin": Verb(takes="", does="one event back", serve=_rin),
    "rout": Verb(takes="", does="back to where this visit was entered", serve=_rout),
    "rc": Verb(takes="", does="back to the breakpoint before", serve=_rc),
    "goto": Verb(
        takes="#812|01:42.3|menu#2|FINDING|50%|MARK", does="go to a place of the call", serve=_goto
    ),
    "start": Verb(takes="", does="go to the start", serve=lambda state, _: _go(state, -1)),
    "end": Verb(
        takes="", does="go to the end", serve=lambda state, _: _go(state, state.opened.last)
    ),
    "last": Verb(
        takes="SLOT", does="go back to the write of a slot before this event", serve=_last
    ),
    "duplicate": Verb(
        takes="",
        does="go back to the request of a playback that another one repeats",
        serve=_duplicate,
    ),
    "why": Verb(takes="SLOT", does="what led to a slot's value", serve=_why),
    "history": Verb(takes="SLOT", does="every write of a slot", serve=_history),
    "find": Verb(takes="CEL", does="go to the next event where an expression is true", serve=_find),
    "findings": Verb(
        takes="[RULE]",
        does="what is notable in the call; of one rule, also what it could not look at",
        serve=_findings,
    ),
    "pending": Verb(
        takes="[PLACE]",
        does="what is asked for and has not come yet, and how it ended later",
        serve=_pending,
    ),
    "silence": Verb(
        takes="SECONDS",
        does="the silence around a moment, and what ended it",
        serve=_asked(silence),
    ),
    "context": Verb(
        takes="[N|VISIT]",
        does="what a model run was given: the run here, run N or the first of a visit",
        serve=_asked(context),
    ),
    "clocks": Verb(
        takes="", does="the clocks of the call and of its audio files", serve=_asked(clocks)
    ),
    "visits": Verb(
        takes="[VISIT]",
        does="the visits, longest first; of one, its slots at entry and exit",
        serve=_asked(visits),
    ),
    "playback": Verb(
        takes="[cut]",
        does="what was planned, heard and kept of each playback, and what cut it",
        serve=_asked(playback),
    ),
    "mark": Verb(takes="[NAME]", does="name this place, or list the names", serve=_mark),
    "dir": Verb(
        takes="[forward|reverse]", does="which way next, in, out and continue go", serve=_dir
    ),
    "unit": Verb(takes="[event|beat|visit]", does="how far a step goes", serve=_unit),
    "help": Verb(takes="", does="this list", serve=_help),
}
"""The verbs, in the order of the help."""
