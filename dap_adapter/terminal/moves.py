"""Verbs that move, and those that set what a move stops at.

Rules: a function here takes a debugger and the text behind the verb, shows what came of it, and
raises Refusal with a sentence for a person.
"""

import re
from collections.abc import Callable

from dap_adapter.terminal.breakpoints import Breakpoint
from dap_adapter.terminal.debugger import Debugger, is_edge, source_name
from dap_adapter.terminal.ide_client import Refusal
from dap_adapter.terminal.screen import variable_cells
from engine.core.contract.json_types import JsonObject, text

Action = Callable[[Debugger, str], None]

TIMES_MAX = 10_000
"""Most moves that one line asks for."""

_PLACE = re.compile(r"(?P<place>\S+)(?:\s+if\s+(?P<condition>.+?))?(?:\s+hit\s+(?P<hit>\S+))?")
_LINE = re.compile(r"(?:(?P<file>\D.*):)?(?P<line>\d{1,9}(?::\d{1,9})?)")


def moving(command: str) -> Action:
    """Return the verb that sends a resume request, as often as its argument says."""

    def move(debugger: Debugger, argument: str) -> None:
        times = _times(argument)
        stop = debugger.ide.move(command)
        for _ in range(times - 1):
            if is_edge(stop):
                break
            stop = debugger.ide.move(command)
        debugger.arrive(stop)

    return move


def asking(verb: str, *, takes: bool = False) -> Action:
    """Return the verb that the adapter's console knows as `verb`."""

    def ask(debugger: Debugger, argument: str) -> None:
        if not takes:
            nothing_behind(argument)
        _ask(debugger, f"{verb} {argument}".strip())

    return ask


def ask_console(debugger: Debugger, line: str) -> None:
    """Give a line to the adapter's console; show the answer and what it holds, or where it went."""
    answer = _ask(debugger, line)
    debugger.screen.table([variable_cells(row) for row in debugger.ide.children(answer)])


def nothing_behind(argument: str) -> None:
    """Raise Refusal where something stands behind a verb that takes nothing."""
    if argument:
        raise Refusal("This verb takes nothing behind it.")


def _ask(debugger: Debugger, line: str) -> JsonObject:
    """Show what the console answers and return it; empty where it moved."""
    evaluated = debugger.ide.evaluate(line, "repl")
    if evaluated.stop is not None:
        debugger.arrive(evaluated.stop)
        return {}
    debugger.print_output()
    for shown in (text(evaluated.answer, "result") or "").splitlines():
        words = shown.lstrip(" ")
        debugger.screen.say(words, indent=len(shown) - len(words))
    return evaluated.answer


# -- breakpoints -----------------------------------------------------------------------------------


def set_breakpoint(debugger: Debugger, argument: str) -> None:
    """Set a breakpoint on a line or a name."""
    _show(debugger, _placed(debugger, argument, is_temporary=False))


def set_temporary(debugger: Debugger, argument: str) -> None:
    """Set a breakpoint that goes away with its first hit."""
    _show(debugger, _placed(debugger, argument, is_temporary=True))


def log(debugger: Debugger, argument: str) -> None:
    """Print a text at every hit of a place, at once."""
    if not debugger.ide.can("supportsLogPoints"):
        raise Refusal("Log points are not offered.")
    place, _, message = argument.partition(" ")
    if not message.strip():
        raise Refusal("'log' takes a line of the flow and a text: log 45 time is {slots.time}")
    key = _line_key(debugger, place)
    if key is None:
        raise Refusal(f"'{place}' is no line of the flow.")
    extras: JsonObject = {"logMessage": message.strip()}
    _show(debugger, debugger.ide.break_on_line(key, extras, is_temporary=False))


def watch(debugger: Debugger, argument: str) -> None:
    """Stop where a slot is written."""
    place, extras = _parsed(argument, "'watch' takes the name of a slot: watch time")
    found, described = debugger.ide.watch(place, extras)
    _check(debugger, found)
    debugger.screen.say(
        f"Breakpoint {found.number} on the slot {found.label}. {described.rstrip('.')}."
    )
    debugger.print_output()


def unwatch(debugger: Debugger, argument: str) -> None:
    """Take away the breakpoint on a slot."""
    gone = debugger.ide.delete(
        lambda item: item.key == f"slot:{argument}" or (item.label == argument != "")
    )
    if not gone:
        raise Refusal(f"No slot '{argument}' is watched." if argument else "Name a watched slot.")
    debugger.screen.say(f"{gone[0].label} is no longer watched.")


def delete(debugger: Debugger, argument: str) -> None:
    """Take away a breakpoint by number, or all of them."""
    gone = debugger.ide.delete(lambda item: argument in ("all", str(item.number)))
    if not gone:
        raise Refusal("No breakpoint has that number: 'info' lists them.")
    debugger.screen.say(f"Gone: {', '.join(f'{item.number} ({item.label})' for item in gone)}.")


def catch(debugger: Debugger, argument: str) -> None:
    """Stop at findings of a code, or list the codes."""
    filters = {
        text(row, "filter") or "": text(row, "label") or "" for row in debugger.ide.filters()
    }
    ticked = debugger.ide.ticked
    if not filters:
        raise Refusal("Stopping at findings is not offered.")
    if not argument:
        debugger.screen.table(
            [("*" if code in ticked else "", code, filters[code]) for code in filters]
        )
        return
    if argument not in filters:
        raise Refusal(f"There is no finding code '{argument}': 'catch' lists them.")
    [*_, answer] = debugger.ide.tick([*(code for code in ticked if code != argument), argument])
    debugger.screen.say(f"Stops at {argument}: {text(answer, 'message') or 'set'}.")


def uncatch(debugger: Debugger, argument: str) -> None:
    """Stop no more at findings of a code."""
    ticked = debugger.ide.ticked
    if argument not in ticked:
        raise Refusal(f"Findings of '{argument}' are not stopped at.")
    debugger.ide.tick([code for code in ticked if code != argument])
    debugger.screen.say(f"Stops no more at {argument}.")


def _placed(debugger: Debugger, argument: str, *, is_temporary: bool) -> Breakpoint:
    usage = "'b' takes a line of the flow or a state: b 45, b confirm, b 45 if slots.time != null"
    place, extras = _parsed(argument, usage)
    key = _line_key(debugger, place)
    if key is not None:
        return debugger.ide.break_on_line(key, extras, is_temporary=is_temporary)
    return debugger.ide.break_on_name(place, extras, is_temporary=is_temporary)


def _parsed(argument: str, usage: str) -> tuple[str, JsonObject]:
    """Return the place and the conditions in `PLACE [if EXPRESSION] [hit COUNT]`."""
    match = _PLACE.fullmatch(argument)
    if match is None:
        raise Refusal(usage)
    extras: JsonObject = {}
    if match["condition"]:
        extras["condition"] = match["condition"]
    if match["hit"]:
        extras["hitCondition"] = match["hit"]
    return match["place"], extras


def _line_key(debugger: Debugger, place: str) -> str | None:
    """Return the line in `45`, `45:3` or `flow.yaml:45`; None where it is a name."""
    match = _LINE.fullmatch(place)
    if match is None:
        return None
    file = match["file"]
    if file is not None and file != source_name(debugger.ide.frame()):
        return None
    return match["line"]


def _show(debugger: Debugger, found: Breakpoint) -> None:
    _check(debugger, found)
    line, message = found.answer.get("line"), text(found.answer, "message")
    where = (
        found.label
        if line is None or f"line {line}" == found.label
        else (f"{found.label}, line {line}")
    )
    ending = f": {message.rstrip('.')}" if message else ""
    debugger.screen.say(f"Breakpoint {found.number} on {where}{ending}.")
    debugger.print_output()


def _check(debugger: Debugger, found: Breakpoint) -> None:
    """Raise Refusal for a breakpoint that cannot stop; it is taken away again."""
    if found.answer.get("verified") is not True:
        debugger.ide.delete(lambda item: item.number == found.number)
        raise Refusal(text(found.answer, "message") or "The adapter refused the breakpoint.")


def _times(argument: str) -> int:
    if not argument:
        return 1
    if not re.fullmatch(r"[0-9]{1,9}", argument) or not 1 <= int(argument) <= TIMES_MAX:
        raise Refusal(f"A move takes a count from 1 to {TIMES_MAX:,}, or nothing.")
    return int(argument)
