"""The table of verbs, and what becomes of a line.

Rules: a line is a verb with what stands behind it, an abbreviation that only one verb has, or else
a line for the adapter's console. Every line is answered or refused in words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dap_adapter.client import RequestFailed
from dap_adapter.terminal import looks, moves
from dap_adapter.terminal.debugger import HERE, SINCE, Debugger
from dap_adapter.terminal.ide_client import Refusal
from dap_adapter.terminal.patient_client import reason_of

LINE_LENGTH_MAX = 10_000
"""Longest line that is read."""


class Quit(Exception):
    """The user is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A verb: its names (the shortest usual one first), what it takes, what it does."""

    names: tuple[str, ...]
    takes: str
    does: str
    act: Callable[[Debugger, str], None]


def run_line(debugger: Debugger, line: str) -> bool:
    """Do what a line asks; return whether it was answered, not refused.

    Raises: Quit, ClientError.
    """
    stripped = line.strip()
    if not stripped or re.match(r"#(?!-?\d)", stripped):
        return True
    try:
        if len(stripped) > LINE_LENGTH_MAX:
            raise Refusal(f"A line is at most {LINE_LENGTH_MAX:,} characters long.")
        _act(debugger, stripped.encode("utf-8", "replace").decode())
    except (Refusal, RequestFailed) as refusal:
        debugger.print_output()
        why = reason_of(refusal) if isinstance(refusal, RequestFailed) else str(refusal)
        debugger.screen.words(why)
        return False
    except (AssertionError, LookupError, TypeError, ValueError) as mistake:
        debugger.screen.words(f"'{stripped[:40]}' failed inside the debugger: {mistake!r}")
        return False
    return True


def verb_called(word: str) -> Verb | None:
    """Return the verb with this name or unique beginning. Raises: Refusal for an unclear one."""
    for verb in VERBS:
        if word in verb.names:
            return verb
    near = [verb for verb in VERBS if any(name.startswith(word) for name in verb.names)]
    if len(near) > 1 and len(word) > 1:
        names = sorted(name for verb in near for name in verb.names if name.startswith(word))
        raise Refusal(f"'{word}' may mean {', '.join(names)}.")
    return near[0] if len(near) == 1 and len(word) > 1 else None


def _act(debugger: Debugger, line: str) -> None:
    match = re.fullmatch(r"([a-z?]+)(?:\s+(.*))?", line, re.DOTALL)
    verb = verb_called(match[1]) if match is not None else None
    if match is None or verb is None:
        moves.ask_console(debugger, line)
        return
    verb.act(debugger, (match[2] or "").strip())


def _help(debugger: Debugger, argument: str) -> None:
    """Show all verbs, or one."""
    screen = debugger.screen
    chosen = VERBS
    if argument:
        verb = verb_called(argument)
        if verb is None:
            raise Refusal(f"'{argument}' is no verb: 'help' lists them.")
        chosen = (verb,)
    screen.table([(f"{', '.join(verb.names)} {verb.takes}".strip(), verb.does) for verb in chosen])
    if not argument:
        screen.say(
            "Any other line goes to the adapter's console: an expression, say. An empty line"
            f" repeats the last one. {HERE} marks a slot that this event wrote, {SINCE} one that"
            " differs from the stop before."
        )


def _quit(_debugger: Debugger, _argument: str) -> None:
    """End the session."""
    raise Quit


_TIMES = "[COUNT]"
_PLACE = "PLACE [if EXPR] [hit N]"

VERBS: tuple[Verb, ...] = tuple(
    Verb(names=tuple(names.split()), takes=takes, does=does, act=act)
    for names, takes, does, act in (
        ("n next", _TIMES, "one step forwards", moves.moving("next")),
        ("rn", _TIMES, "one step back", moves.moving("stepBack")),
        ("s step", _TIMES, "one step forwards, into", moves.moving("stepIn")),
        ("rs rin", "", "one event back", moves.asking("rin")),
        ("fin finish", "", "to the close of this visit", moves.moving("stepOut")),
        ("rfin rout", "", "to the entry of this visit", moves.asking("rout")),
        ("c continue", _TIMES, "to the next breakpoint or the end", moves.moving("continue")),
        ("rc", _TIMES, "back to the breakpoint before", moves.moving("reverseContinue")),
        ("goto", "PLACE", "to #812, 01:42.3 or a visit", moves.asking("goto", takes=True)),
        ("start", "", "to the start of the recording", moves.asking("goto start")),
        ("end", "", "to the end of the recording", moves.asking("goto end")),
        ("find", "EXPR", "to the next place where it holds", moves.asking("find", takes=True)),
        ("b break", _PLACE, "break at a line of the flow or a name", moves.set_breakpoint),
        ("tb tbreak", _PLACE, "the same, for one hit", moves.set_temporary),
        ("watch", "SLOT [if EXPR]", "break where a slot is written", moves.watch),
        ("unwatch", "SLOT", "no longer", moves.unwatch),
        ("catch", "[CODE]", "break at findings of a code; list the codes", moves.catch),
        ("uncatch", "CODE", "no longer", moves.uncatch),
        ("log", "LINE TEXT", "print a text, {expr} filled in, at every hit", moves.log),
        ("delete d", "N|all", "take a breakpoint away", moves.delete),
        ("bt where", "[N|all]", "the stack: open visits, then past ones", looks.stack),
        ("frame f", "[N]", "select a visit of the stack", looks.frame),
        ("list l", "[LINE]", "the flow around the place", looks.flow),
        ("slots", "", "the slots, with label and writer", looks.slots),
        ("p print", "EXPR", "the value of an expression", looks.show),
        ("why", "SLOT", "what led to a slot's value", moves.asking("why", takes=True)),
        ("last", "SLOT", "back to the last write of a slot", moves.asking("last", takes=True)),
        ("history", "SLOT", "all writes of a slot", moves.asking("history", takes=True)),
        ("conversation", "[N]", "what was said last, up to here", looks.conversation),
        ("findings", "", "what was found in this call", looks.scope_rows("Findings")),
        ("pending", "", "what is waited for here", looks.scope_rows("Pending")),
        (
            "exits",
            "",
            "the exits of this state and their guards",
            looks.scope_rows("Exits & Guards"),
        ),
        ("scope", "[NAME]", "the rows of a scope, of a row in it: scope call/beats", looks.scope),
        ("info i", "", "call, position and breakpoints", looks.info),
        ("help h ?", "[VERB]", "this list", _help),
        ("quit q exit", "", "end", _quit),
    )
)
