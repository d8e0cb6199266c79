"""`python -m dap_adapter.demo RECORDING`: a recorded call stepped both ways, told on the terminal.

Rules: every line that is shown behind `(spd)` is done by `spd debug`'s own machinery, on the
adapter in its own process; decided here is only where to look: a state to stop at and a slot to
watch. Where there is a terminal, a prompt follows. Exit status 0 if both ways showed the same.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dap_adapter.client import ClientError, RequestFailed
from dap_adapter.terminal.debugger import Debugger, is_edge
from dap_adapter.terminal.ide_client import IdeClient, Refusal
from dap_adapter.terminal.patient_client import reason_of
from dap_adapter.terminal.screen import Screen, name_of, values_of
from dap_adapter.terminal.session import INTERRUPTED, converse, opened
from dap_adapter.terminal.verbs import run_line
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping

PREFERRED_STATE = "confirm"
PREFERRED_SLOT = "time"
STOPS_MAX = 8
"""Most stops that are told on one way, so that the story of a long call stays short."""

FRAMES_MAX = 20
"""Most rows of the stack that are compared at a stop."""

SLOTS_MAX = 200
"""Most slots among which one is chosen to be watched."""

HASH_DIGITS = 12
"""Digits of a hash that are printed."""

_IDS = frozenset({"id", "variablesReference"})
_HEAD = ("position", "shown, backwards", "shown, forwards", "hash", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A place and a fingerprint of everything shown there: equal on any machine."""

    cursor: int
    place_hash: str
    fingerprint: str
    is_edge: bool


class Story:
    """Tells the story of an open recording, line by line."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._screen = debugger.screen
        self._ide = debugger.ide

    def tell(self, stop: JsonObject) -> bool:
        """Tell it from the end of the recording; return whether both ways showed the same."""
        self._debugger.stop = stop
        here = look(self._debugger)
        visits = [row for row in self._ide.frames()[0] if "#" in name_of(row)]
        slot = _watched(self._ide)
        self._screen.say(f"{self._ide.call_name()}, events #0 to #{here.cursor}", style="bold")
        names = [name_of(row) for row in visits[::-1]]
        more = "" if len(names) <= STOPS_MAX else f" and {len(names) - STOPS_MAX} more"
        self._screen.say(f"Visits: {', '.join(names[:STOPS_MAX]) or 'none'}{more}.")
        if visits:
            here = self._break_at_a_state(visits)
        else:
            self._screen.say("No state was entered in this call: there is no line to break at.")
        if slot is None:
            self._screen.say("No slot was written in this call: there is no write to go back to.")
        else:
            self._screen.chapter(f"Who wrote {slot}? Watch it and run backwards")
            self._do(f"watch {slot}")
        back = [here, *self._told("rc", here, slot)]
        self._screen.chapter("And forward again")
        ahead = [back[-1], *self._told("c", back[-1], None)]
        return compared(self._screen, back, ahead)

    def _break_at_a_state(self, visits: Sequence[JsonObject]) -> Shown:
        """Stop at the preferred state, else at the newest one of the call."""
        chosen = next((row for row in visits if _state(row) == PREFERRED_STATE), visits[0])
        self._screen.chapter(f"Break at {_state(chosen)}, coming from the end of the call")
        by_name = self._ide.can("supportsFunctionBreakpoints") and _state(chosen).isidentifier()
        self._do(f"b {_state(chosen)}" if by_name else f"b {integer(chosen, 'line')}")
        here = self._do("rc")
        self._do("slots")
        return here

    def _told(self, verb: str, before: Shown, slot: str | None) -> list[Shown]:
        """Run to the edge, or as far as the story goes; explain the first write of `slot`."""
        told: list[Shown] = []
        for _ in range(STOPS_MAX):
            here = self._do(verb)
            if here.cursor != before.cursor:
                told.append(here)
            if here.is_edge:
                return told
            if slot is not None:
                self._do(f"why {slot}")
                self._do("findings")
                slot = None
            before = here
        self._screen.say(f"… the story ends here, after {STOPS_MAX} stops.")
        return told

    def _do(self, line: str) -> Shown:
        """Show a line as it would be typed, do it, and return where that led."""
        self._screen.say(f"(spd) {line}", style="bold")
        if not run_line(self._debugger, line):
            raise Refusal(f"the line '{line}' was refused")
        return look(self._debugger)


def look(debugger: Debugger) -> Shown:
    """Read everything at the cursor: the stack, each frame's scopes, each scope's rows."""
    ide = debugger.ide
    seen: list[JsonValue] = []
    position: dict[str, str] = {}
    for place, frame in enumerate(ide.frames(levels=FRAMES_MAX)[0]):
        seen.append(_without_ids(frame))
        for scope in ide.scopes(frame):
            if scope.get("expensive") is True:
                continue
            children = ide.children(scope)
            if name_of(scope) == "Position":
                position = position if place else values_of(children)
                continue
            seen.append(_without_ids(scope))
            seen += [_without_ids(row) for row in children]
    return Shown(
        cursor=int(position["event_index"]),
        place_hash=position["hash"].removeprefix("sha256:"),
        fingerprint=hashlib.sha256(msgspec.json.encode(seen, order="sorted")).hexdigest(),
        is_edge=is_edge(debugger.stop),
    )


def compared(screen: Screen, back: Sequence[Shown], ahead: Sequence[Shown]) -> bool:
    """Show the places reached both ways and return whether they are the same ones."""
    screen.chapter("The same places, reached both ways")
    forward = {shown.cursor: shown for shown in ahead}
    both = [(one, forward[one.cursor]) for one in back[::-1] if one.cursor in forward]
    equal = [
        (one.fingerprint, one.place_hash) == (other.fingerprint, other.place_hash)
        for one, other in both
    ]
    cells = [
        (
            f"#{one.cursor}",
            one.fingerprint[:HASH_DIGITS],
            other.fingerprint[:HASH_DIGITS],
            one.place_hash[:HASH_DIGITS],
            "same" if is_equal else "DIFFERENT",
        )
        for (one, other), is_equal in zip(both, equal, strict=True)
    ]
    screen.table([_HEAD, *cells])
    stops_back = [shown.cursor for shown in back]
    stops_ahead = [shown.cursor for shown in ahead]
    mirrored = [cursor for cursor in stops_ahead if cursor <= stops_back[0]] == stops_back[::-1]
    screen.say(f"Stops backwards: {_positions(stops_back)}.")
    screen.say(f"Stops forwards:  {_positions(stops_ahead)}.")
    if all(equal) and mirrored:
        screen.say("Forwards mirrors backwards, and every place is the same.", style="bold green")
        return True
    screen.say("The two ways differ: this is a fault of the debugger.", style="bold red")
    return False


# -- small reads -----------------------------------------------------------------------------------


def _watched(ide: IdeClient) -> str | None:
    """Return the slot to watch: the preferred one if it was written, else the most written."""
    slots = ide.children(ide.scopes()[0], count=SLOTS_MAX)
    counts = {name_of(row): _write_count(ide, row) for row in slots}
    if counts.get(PREFERRED_SLOT):
        return PREFERRED_SLOT
    most = max(counts, key=lambda name: counts[name], default=None)
    return most if most is not None and counts[most] else None


def _write_count(ide: IdeClient, slot: JsonObject) -> int:
    """Return how often a slot is written in the whole call, from its history."""
    for part in ide.children(slot):
        if name_of(part) == "history":
            return sum(integer(row, "indexedVariables") or 0 for row in ide.children(part))
    return 0


def _state(frame: JsonObject) -> str:
    """Return the state of a visit's frame: its name without the count."""
    return name_of(frame).removesuffix(" (left)").rpartition("#")[0]


def _without_ids(row: JsonObject) -> JsonValue:
    """Return a row without reference numbers and without where its file lies on this machine."""
    kept: JsonObject = {key: value for key, value in row.items() if key not in _IDS}
    if "source" in kept:
        kept["source"] = mapping(row, "source").get("name")
    return kept


def _positions(cursors: Sequence[int]) -> str:
    return ", ".join(f"#{cursor}" for cursor in cursors)


def main() -> int:
    """Run the demo; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m dap_adapter.demo",
        description="Step a recorded call both ways, as `spd debug` does.",
    )
    parser.add_argument(
        "recording",
        help="a session directory, an artifact or a file that can be imported",
        type=Path,
    )
    recording: Path = parser.parse_args().recording
    screen = Screen()
    try:
        launch: JsonObject = {"recording": str(recording.absolute()), "stopAt": "end"}
        with opened(launch, screen) as (debugger, stop):
            if not Story(debugger).tell(stop):
                return 1
            if sys.stdin.isatty() and sys.stdout.isatty():
                screen.say("Now yours: help shows the verbs, quit ends.")
                converse(debugger)
            return 0
    except (RequestFailed, ClientError, Refusal) as error:
        why = reason_of(error) if isinstance(error, RequestFailed) else str(error)
        screen.say(why, style="bold red")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
