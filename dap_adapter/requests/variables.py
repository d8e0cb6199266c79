"""scopes and variables: what a frame shows.

Rules: a scope is a function of (recording, cursor, visit); the Position scope also names the
session's direction and unit. Every list is bounded: a client that pages gets the rows it asks for,
any other the first `ROWS_MAX` and a row that holds the rest.
"""

from collections.abc import Callable, Sequence
from typing import assert_never

import msgspec

from dap_adapter.containers import (
    Container,
    Evaluated,
    History,
    HistorySummary,
    LogRest,
    Member,
    Part,
    Rest,
    ScopeName,
    ScopeOf,
    SlotParts,
)
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.opened import Opened
from dap_adapter.protocol import (
    Scope,
    ScopesArguments,
    ScopesResponseBody,
    Variable,
    VariablesArguments,
    VariablesResponseBody,
)
from dap_adapter.requests.breakpoints import LOG_LINES_MAX, log_line
from dap_adapter.requests.call_rows import (
    call_parts,
    finding_row,
    part_object,
    part_row,
    part_rows,
)
from dap_adapter.requests.rows import (
    exit_row,
    history_row,
    log_row,
    member_row,
    pending_row,
    position_rows,
    rest_row,
    side_row,
    side_value,
    slot_parts,
    slot_variable,
    write_of,
    write_row,
)
from dap_adapter.requests.stack import seen_at
from dap_adapter.session_state import SessionState
from dap_adapter.wishes import Placed
from engine.core.contract.json_types import JsonValue
from engine.core.cursor import exit_rows, pending_detail, slot_history

ROWS_MAX = 500
"""Most rows of one list that are sent to a client that does not page."""

PENDING_MAX = 1000
"""Most rows of the Pending scope."""


class _Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The children of a container: how many, and a page of them on demand."""

    total: int
    page: Callable[[int, int], list[Variable]]
    is_indexed: bool = False


def scopes(state: SessionState, arguments: ScopesArguments) -> ScopesResponseBody:
    """Return the scopes of a frame, by the names of the design, in their order."""
    seen = seen_at(state, arguments.frame_id)
    return ScopesResponseBody(
        scopes=[
            Scope(
                name=name.value,
                variables_reference=state.containers.number_of(ScopeOf(name, seen.at, seen.visit)),
                expensive=name is ScopeName.CALL,
                presentation_hint="locals" if name is ScopeName.SLOTS else None,
            )
            for name in ScopeName
        ]
    )


def variables(state: SessionState, arguments: VariablesArguments) -> VariablesResponseBody:
    """Return the children of a scope or variable, all of them or the page asked for."""
    container = state.containers.key_of(arguments.variables_reference)
    if container is None:
        raise DapError(
            ErrorNumber.UNKNOWN_REFERENCE,
            f"There is no variable reference {arguments.variables_reference}.",
        )
    first = 0
    while isinstance(container, Rest):
        first += container.start
        container = container.parent
    listing = _listing(state, container)
    if arguments.filter is not None and (arguments.filter == "indexed") != listing.is_indexed:
        return VariablesResponseBody(variables=[])
    start = min(first + max(0, arguments.start or 0), listing.total)
    if arguments.count:
        end = min(start + max(0, arguments.count), listing.total)
        return VariablesResponseBody(variables=listing.page(start, end))
    end = min(start + ROWS_MAX, listing.total)
    rows = listing.page(start, end)
    if end < listing.total:
        rows.append(rest_row(state, container, listing.total, end))
    return VariablesResponseBody(variables=rows)


# -- listings --------------------------------------------------------------------------------------


def _listing(state: SessionState, container: Container) -> _Listing:
    match container:
        case ScopeOf():
            return _scope_listing(state, container)
        case SlotParts():
            return _of_rows(slot_parts(state, container))
        case HistorySummary(slot=slot):
            return _of_rows([history_row(state, slot)])
        case History(slot=slot):
            return _history_listing(state, slot)
        case Part():
            return _part_listing(state, container)
        case LogRest(number=number):
            return _log_listing(state, number)
        case Member() | Evaluated():
            return _value_listing(state, container, _value_of(state, container))
        case Rest():
            raise AssertionError("the caller unfolds the rest of a list")
        case _:
            assert_never(container)


def _of_rows(rows: list[Variable]) -> _Listing:
    return _Listing(total=len(rows), page=lambda start, end: rows[start:end])


def _scope_listing(state: SessionState, scope: ScopeOf) -> _Listing:
    opened = state.opened
    match scope.name:
        case ScopeName.SLOTS:
            return _Listing(
                total=len(opened.slots),
                page=lambda start, end: [
                    slot_variable(state, slot, scope.at) for slot in opened.slots[start:end]
                ],
            )
        case ScopeName.ENTRY | ScopeName.RECORDED_EXIT:
            rows = opened.slot_rows(at=scope.at, visit=scope.visit)
            return _Listing(
                total=len(rows),
                page=lambda start, end: [side_row(state, scope, row) for row in rows[start:end]],
            )
        case ScopeName.EXITS:
            exits = exit_rows(opened.view, scope.at, scope.visit)
            return _Listing(
                total=len(exits),
                page=lambda start, end: [
                    exit_row(state, scope, place, exits[place]) for place in range(start, end)
                ],
            )
        case ScopeName.PENDING:
            pending = pending_detail(opened.view, scope.at, limit=PENDING_MAX)
            return _Listing(
                total=len(pending),
                page=lambda start, end: [
                    pending_row(state, scope, place, pending[place]) for place in range(start, end)
                ],
            )
        case ScopeName.FINDINGS:
            return _Listing(
                total=len(opened.view.findings),
                page=lambda start, end: [
                    finding_row(state, scope, place) for place in range(start, end)
                ],
            )
        case ScopeName.CALL:
            return _of_rows(call_parts(state, scope))
        case ScopeName.POSITION:
            return _of_rows(position_rows(opened, scope))
        case _:
            assert_never(scope.name)


def _history_listing(state: SessionState, slot: str) -> _Listing:
    view = state.opened.view

    def page(start: int, end: int) -> list[Variable]:
        rows = slot_history(view, slot, offset=start, limit=end - start)
        return [
            write_row(state, Member(History(slot), start + place), row)
            for place, row in enumerate(rows)
        ]

    return _Listing(total=len(state.opened.slot_by_name[slot].writes), page=page, is_indexed=True)


def _log_listing(state: SessionState, number: int) -> _Listing:
    """Return the hits that a log point did not print; none once it is removed."""
    opened = state.opened
    wish = state.breakpoints.numbered(number)
    outcome = state.breakpoints.found(wish, opened).outcome if wish is not None else None
    if wish is None or wish.log_message is None or not isinstance(outcome, Placed):
        return _of_rows([])
    positions = outcome.positions[LOG_LINES_MAX:]
    return _Listing(
        total=len(positions),
        page=lambda start, end: [
            log_row(place, log_line(opened, wish, positions[place])) for place in range(start, end)
        ],
        is_indexed=True,
    )


def _part_listing(state: SessionState, part: Part) -> _Listing:
    opened = state.opened
    value = part_object(opened, part.name)
    if value is not None:
        return _value_listing(state, part, value)

    def page(start: int, end: int) -> list[Variable]:
        found = part_rows(opened, part, start, end)[1]
        return [
            part_row(state, Member(part, start + place), part.name, row)
            for place, row in enumerate(found)
        ]

    return _Listing(total=part_rows(opened, part, 0, 0)[0], page=page)


# -- plain JSON ------------------------------------------------------------------------------------


def _value_of(state: SessionState, container: Member | Evaluated) -> JsonValue:
    """Return the JSON value that an expression or a member stands for."""
    if isinstance(container, Evaluated):
        return state.opened.evaluated(container.expression, container.at).value
    return _member_value(state, container)


def _member_value(state: SessionState, member: Member) -> JsonValue:
    """Return the JSON value that a member stands for."""
    parent, key = member.parent, member.key
    match parent:
        case ScopeOf():
            return _scope_value(state.opened, parent, key)
        case SlotParts():
            return _slot_part_value(state.opened, parent, key)
        case History(slot=slot):
            assert isinstance(key, int)
            return slot_history(state.opened.view, slot, offset=key, limit=1)[0]
        case Part(name=name):
            value = part_object(state.opened, name)
            if value is not None:
                return value[str(key)]
            assert isinstance(key, int)
            return part_rows(state.opened, parent, key, key + 1)[1][0]
        case Member() | Evaluated():
            return _inside(_value_of(state, parent), key)
        case HistorySummary() | LogRest() | Rest():
            raise AssertionError("these have no members")
        case _:
            assert_never(parent)


def _scope_value(opened: Opened, scope: ScopeOf, key: str | int) -> JsonValue:
    """Return the row behind a place of Exits or Pending, or a slot's value at entry or exit."""
    if isinstance(key, int):
        if scope.name is ScopeName.EXITS:
            return exit_rows(opened.view, scope.at, scope.visit)[key]
        if scope.name is ScopeName.FINDINGS:
            return opened.view.findings[key]
        return pending_detail(opened.view, scope.at, limit=PENDING_MAX)[key]
    rows = opened.slot_rows(at=scope.at, visit=scope.visit)
    return side_value(scope, next(row for row in rows if row["slot"] == key))[0]


def _slot_part_value(opened: Opened, parts: SlotParts, key: str | int) -> JsonValue:
    """Return a slot's current value, or the one that its last write replaced."""
    if key == "value":
        return opened.value_of(opened.slot_by_name[parts.slot], parts.write).value
    return write_of(opened, parts.slot, parts.write)["old"]


def _inside(value: JsonValue, key: str | int) -> JsonValue:
    if isinstance(value, dict):
        return value[str(key)]
    assert isinstance(value, list)
    assert isinstance(key, int)
    return value[key]


def _value_listing(state: SessionState, container: Container, value: JsonValue) -> _Listing:
    if isinstance(value, dict):
        keys: Sequence[str | int] = tuple(value)
    else:
        assert isinstance(value, list), "only lists and objects have members"
        keys = range(len(value))
    return _Listing(
        total=len(keys),
        page=lambda start, end: [
            member_row(state, container, key, _inside(value, key)) for key in keys[start:end]
        ],
        is_indexed=isinstance(value, list),
    )
