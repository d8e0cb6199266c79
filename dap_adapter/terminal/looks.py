"""Verbs that only look: what a frame, a scope or the call holds.

Rules: as in `moves.py`; nothing here moves the cursor.
"""

from collections.abc import Callable

from dap_adapter.terminal.debugger import Debugger, slot_cells, source_name, stop_text
from dap_adapter.terminal.ide_client import Refusal
from dap_adapter.terminal.moves import nothing_behind
from dap_adapter.terminal.screen import name_of, variable_cells
from engine.core.contract.json_types import JsonObject, integer, text

FRAMES_SHOWN = 20
"""How many rows of the stack `bt` shows unless told."""

LINES_AROUND = 5
"""Lines of the flow that `list` shows on either side."""

WORDS_SHOWN, WORDS_MAX = 40, 10_000
"""How much of what was said `conversation` shows unless told, and at most."""

SLOTS_SHOWN = 100
"""Most slots that `slots` shows."""


def stack(debugger: Debugger, argument: str) -> None:
    """Show the stack: open visits, then the past ones."""
    levels = 0 if argument == "all" else FRAMES_SHOWN
    if argument and argument != "all":
        levels = max(1, _number(argument, "'bt' takes a number of rows, or 'all'."))
    found, total = debugger.ide.frames(levels=levels)
    here = debugger.ide.frame()
    debugger.screen.table(
        [_frame_cells(place, row, is_selected=row == here) for place, row in enumerate(found)]
    )
    if total > len(found):
        debugger.screen.say(f"{total - len(found)} more: bt all", indent=2)


def frame(debugger: Debugger, argument: str) -> None:
    """Select a row of the stack and show its place and slots."""
    if argument:
        debugger.ide.select(_number(argument, "'frame' takes the number of a row of 'bt'."))
    debugger.show_place()
    slots(debugger, "")


def slots(debugger: Debugger, argument: str) -> None:
    """Show the slots of the selected frame with label and writer."""
    nothing_behind(argument)
    scope = debugger.ide.scopes()[0]
    found = debugger.ide.children(scope, count=SLOTS_SHOWN)
    if not found:
        debugger.screen.say("This call has no slots.")
        return
    head = ("", "slot", "value", "label", "written by")
    debugger.screen.table([head, *(slot_cells(debugger, row) for row in found)])


def show(debugger: Debugger, argument: str) -> None:
    """Show the value of an expression at the selected frame."""
    if not argument:
        raise Refusal("'p' takes an expression, a slot's name say: p time")
    answer = debugger.ide.evaluate(argument, "watch").answer
    kind = text(answer, "type")
    debugger.screen.row(
        f"{argument} = ", (text(answer, "result") or "") + (f"  ({kind})" if kind else "")
    )


def conversation(debugger: Debugger, argument: str) -> None:
    """Show what caller and agent said last, up to the cursor."""
    count = WORDS_SHOWN
    if argument:
        count = _number(argument, "'conversation' takes how much to show: conversation 100")
    said, before = debugger.last_words(min(max(1, count), WORDS_MAX))
    if before:
        debugger.screen.say(f"{before} before: conversation {2 * count}")
    if not said:
        debugger.screen.say("Nothing has been said up to here.")
    debugger.show_words(said)


def scope_rows(name: str) -> Callable[[Debugger, str], None]:
    """Return the verb that shows the scope with this name."""

    def look(debugger: Debugger, argument: str) -> None:
        nothing_behind(argument)
        debugger.show_rows(debugger.ide.scope(name), f"{name}: none.")

    return look


def scope(debugger: Debugger, argument: str) -> None:
    """List the scopes, or show the rows of one and of what is named below it."""
    found = debugger.ide.scopes()
    if not argument:
        debugger.screen.say(", ".join(map(name_of, found)))
        return
    rows, shown = found, argument
    for word in argument.split("/"):
        row = _called(rows, word.strip())
        shown, rows = name_of(row), debugger.ide.children(row)
    debugger.show_rows(rows, f"{shown} holds nothing here.")


def flow(debugger: Debugger, argument: str) -> None:
    """Show the flow around the selected frame's line, or around another."""
    if not argument:
        debugger.show_place(around=LINES_AROUND)
        return
    lines = debugger.ide.source_lines(debugger.ide.frame())
    line = _number(argument, "'list' takes a line of the flow.")
    if not 1 <= line <= len(lines):
        raise Refusal(f"The flow has the lines 1 to {len(lines)}.")
    debugger.screen.place(lines, line, around=LINES_AROUND)


def info(debugger: Debugger, argument: str) -> None:
    """Show the call, the position and the breakpoints."""
    nothing_behind(argument)
    screen = debugger.screen
    debugger.print_output()
    screen.say(f"{debugger.ide.call_name()}, {stop_text(debugger.stop)}")
    screen.table([variable_cells(row) for row in debugger.ide.scope("Position")])
    cells = [
        (str(item.number), item.label, text(item.answer, "message") or "")
        for item in debugger.ide.breakpoints
    ]
    cells += [("", code, "stops at findings") for code in debugger.ide.ticked]
    screen.say("Breakpoints:" if cells else "No breakpoints.")
    screen.table(cells)


def _frame_cells(place: int, row: JsonObject, *, is_selected: bool) -> tuple[str, str, str, str]:
    if row.get("presentationHint") == "label":
        return "", "", f"-- {name_of(row)}", ""
    where = f"{source_name(row)}:{integer(row, 'line')}"
    return ("*" if is_selected else ""), f"{place}", name_of(row), where


def _called(rows: list[JsonObject], word: str) -> JsonObject:
    """Return the row with this name, or the one whose name begins so. Raises: Refusal."""
    low = word.lower()
    exact = [row for row in rows if name_of(row).lower() == low]
    near = exact or [row for row in rows if low and name_of(row).lower().startswith(low)]
    if len(near) != 1 and not exact:
        names = ", ".join(map(name_of, rows[:FRAMES_SHOWN])) or "nothing"
        raise Refusal(f"'{word}' is none of: {names}.")
    return near[0]


def _number(argument: str, usage: str) -> int:
    if not (argument.isascii() and argument.isdigit() and len(argument) <= 9):
        raise Refusal(usage)
    return int(argument)
