"""`python -m dap_adapter.demo RECORDING`: a recorded call stepped both ways, told on the terminal.

Rules: everything shown comes from `spd-dap`, which runs in its own process, through the protocol;
the only thing decided here is where to look: a state to stop at and a slot to watch. Not
interactive; readable without colour and in 80 columns. Exit status 0 if both ways showed the same.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dap_adapter.client import ClientError, DapClient, RequestFailed
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, rows, text

PREFERRED_STATE = "confirm"
PREFERRED_SLOT = "time"
STOPS_MAX = 8
"""Most stops that are told on one way, so that the story of a long call stays short."""

FRAMES_MAX = 20
"""Most rows of the stack that are compared at a stop."""

HASH_DIGITS = 12
"""Digits of a hash that are printed."""

NEIGHBOURS = 3
"""Lines of the flow shown before and after the place."""

_IDS = frozenset({"id", "variablesReference"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A stop and a fingerprint of everything shown there: equal on any machine."""

    stop: JsonObject
    position: dict[str, str]
    fingerprint: str

    @property
    def cursor(self) -> int:
        """The cursor as the Position scope names it."""
        return int(self.position["event_index"])


class Reader:
    """Asks the adapter what an IDE would ask for."""

    def __init__(self, client: DapClient) -> None:
        self._client = client

    def start(self, recording: str) -> None:
        """Open the recording and stand at its start. Raises: RequestFailed."""
        self._client.request("initialize", {"adapterID": "state-program", "clientID": "spd-demo"})
        self._client.request("launch", {"recording": recording})
        self._client.event("initialized")
        self._client.request("configurationDone")
        self._client.event("stopped")

    def move(self, command: str) -> Shown:
        """Send a resume request and return where it stopped, with all that is shown there."""
        self._client.request(command, {"threadId": 1})
        return self.look(self._client.event("stopped"))

    def look(self, stop: JsonObject) -> Shown:
        """Read everything at the cursor: the stack, each frame's scopes, each scope's rows."""
        seen: list[JsonValue] = []
        position: dict[str, str] = {}
        for place, frame in enumerate(self.frames(levels=FRAMES_MAX)):
            seen.append(_without_ids(frame))
            for scope in self.scopes(frame):
                children = self.children(scope)
                if text(scope, "name") == "Position":
                    position = position if place else _values(children)
                    continue
                seen.append(_without_ids(scope))
                seen += [_without_ids(row) for row in children]
        digest = hashlib.sha256(msgspec.json.encode(seen, order="sorted")).hexdigest()
        return Shown(stop=stop, position=position, fingerprint=digest)

    def frames(self, *, levels: int = 1) -> list[JsonObject]:
        """Return the first rows of the stack, innermost visit first; 0 means all."""
        answer = self._client.request("stackTrace", {"threadId": 1, "levels": levels})
        return rows(answer, "stackFrames")

    def scopes(self, frame: JsonObject) -> list[JsonObject]:
        """Return the scopes of a frame."""
        return rows(self._client.request("scopes", {"frameId": frame["id"]}), "scopes")

    def children(self, container: JsonObject) -> list[JsonObject]:
        """Return the rows behind a scope or variable."""
        reference = container["variablesReference"]
        if not reference:
            return []
        answer = self._client.request("variables", {"variablesReference": reference})
        return rows(answer, "variables")

    def slots(self) -> list[JsonObject]:
        """Return the rows of the top frame's first scope: the slots."""
        return self.children(self.scopes(self.frames()[0])[0])

    def write_count(self, slot: JsonObject) -> int:
        """Return how often a slot is written in the whole call, from its history."""
        for part in self.children(slot):
            if text(part, "name") == "history":
                return sum(integer(row, "indexedVariables") or 0 for row in self.children(part))
        return 0

    def break_at(self, frame: JsonObject) -> JsonObject:
        """Set a breakpoint on a frame's line and return the adapter's answer."""
        wanted: JsonObject = {"source": frame["source"], "breakpoints": [{"line": frame["line"]}]}
        return rows(self._client.request("setBreakpoints", wanted), "breakpoints")[0]

    def watch(self, slot: str) -> str:
        """Set a data breakpoint on a slot and return the adapter's description of it."""
        info = self._client.request("dataBreakpointInfo", {"name": slot})
        wanted: JsonObject = {"breakpoints": [{"dataId": info["dataId"]}]}
        self._client.request("setDataBreakpoints", wanted)
        return text(info, "description") or ""

    def flow_lines(self, frame: JsonObject) -> list[str]:
        """Return the text of a frame's source, from the file or, without one, by reference."""
        source = mapping(frame, "source")
        path = text(source, "path")
        if path is not None:
            return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        reference = source["sourceReference"]
        answer = self._client.request("source", {"sourceReference": reference, "source": source})
        return (text(answer, "content") or "").splitlines()

    def call_name(self) -> str:
        """Return the name of the one thread."""
        return text(rows(self._client.request("threads"), "threads")[0], "name") or ""


def tell(reader: Reader, console: Console) -> bool:
    """Tell the story of the open recording; return whether both ways showed the same."""
    end = reader.move("continue")
    visits = [frame for frame in reader.frames(levels=0) if "#" in _name(frame)]
    slot = _watched(reader)
    _say(console, f"{reader.call_name()}, events #0 to #{end.cursor}", style="bold")
    names = [_name(frame) for frame in visits[::-1]]
    more = "" if len(names) <= STOPS_MAX else f" and {len(names) - STOPS_MAX} more"
    _say(console, f"Visits: {', '.join(names[:STOPS_MAX]) or 'none'}{more}.")
    here = end
    if visits:
        here = _break_at_a_state(reader, console, visits)
    else:
        _say(console, "No state was entered in this call, so there is no line to break at.")
    if slot is None:
        _say(console, "No slot was written in this call, so there is no write to go back to.")
    else:
        _chapter(console, f"Who wrote {slot}? Watch it and run backwards")
        _say(console, f"{reader.watch(slot)}.")
    back = [here, *_told(reader, console, "reverseContinue", slot, here)]
    _chapter(console, "And forward again")
    ahead = [back[-1], *_told(reader, console, "continue", slot, back[-1])]
    return _compare(console, back, ahead)


def _watched(reader: Reader) -> str | None:
    """Return the slot to watch: the preferred one if it was written, else the most written."""
    counts = {_name(row): reader.write_count(row) for row in reader.slots()}
    if counts.get(PREFERRED_SLOT):
        return PREFERRED_SLOT
    most = max(counts, key=lambda name: counts[name], default=None)
    return most if most is not None and counts[most] else None


def _break_at_a_state(reader: Reader, console: Console, visits: list[JsonObject]) -> Shown:
    """Stop at the preferred state, else at the newest one of the call; show place and slots."""
    firsts = [visit for visit in visits if _name(visit).removesuffix(" (left)").endswith("#1")]
    chosen = next((visit for visit in firsts if _state(visit) == PREFERRED_STATE), firsts[0])
    _chapter(console, f"Break at {_state(chosen)}")
    reader.move("reverseContinue")
    answer = reader.break_at(chosen)
    _say(console, f"Breakpoint on line {answer.get('line')}: {text(answer, 'message')}.")
    here = reader.move("continue")
    _stop_line(console, here)
    _place(reader, console)
    _slot_table(reader, console)
    return here


def _told(
    reader: Reader, console: Console, command: str, slot: str | None, before: Shown
) -> Iterator[Shown]:
    """Run to the edge, or as far as the story goes, telling and yielding each stop."""
    for _ in range(STOPS_MAX):
        here = reader.move(command)
        _stop_line(console, here)
        if text(here.stop, "reason") == "data breakpoint" and slot is not None:
            _write_details(reader, console, slot)
        if here.cursor != before.cursor:
            yield here
        if "of recording" in (text(here.stop, "description") or ""):
            return
        before = here
    _say(console, f"… the story ends here, after {STOPS_MAX} stops.")


def _compare(console: Console, back: Sequence[Shown], ahead: Sequence[Shown]) -> bool:
    """Show the places that were reached both ways, and whether they were the same."""
    _chapter(console, "The same places, reached both ways")
    forward = {shown.cursor: shown for shown in ahead}
    table = Table("position", "shown, backwards", "shown, forwards", "hash", "", box=None)
    both = [(shown, forward[shown.cursor]) for shown in back if shown.cursor in forward]
    same = True
    for one, other in both[::-1]:
        equal = one.fingerprint == other.fingerprint
        equal = equal and one.position["hash"] == other.position["hash"]
        same = same and equal
        table.add_row(
            f"#{one.cursor}",
            one.fingerprint[:HASH_DIGITS],
            other.fingerprint[:HASH_DIGITS],
            one.position["hash"].removeprefix("sha256:")[:HASH_DIGITS],
            "same" if equal else "DIFFERENT",
        )
    console.print(table)
    stops_back = [shown.cursor for shown in back]
    stops_ahead = [shown.cursor for shown in ahead if shown.cursor <= stops_back[0]]
    mirrored = stops_ahead == stops_back[::-1]
    _say(console, f"Stops backwards: {_positions(stops_back)}.")
    _say(console, f"Stops forwards:  {_positions([shown.cursor for shown in ahead])}.")
    if same and mirrored:
        _say(
            console, "Forwards mirrors backwards, and every place is the same.", style="bold green"
        )
    else:
        _say(console, "The two ways differ: this is a fault of the debugger.", style="bold red")
    return same and mirrored


# -- telling ---------------------------------------------------------------------------------------


def _say(console: Console, sentence: str, *, style: str = "") -> None:
    console.print(Text(sentence, style=style))


def _chapter(console: Console, title: str) -> None:
    console.print()
    console.print(Text(f"── {title}", style="bold cyan"))


def _stop_line(console: Console, shown: Shown) -> None:
    """Print where a stop is, as an IDE's status line does, and the hash of the place."""
    described = text(shown.stop, "description") or ""
    if "of recording" in described:
        described = f"{described} ({text(shown.stop, 'text')})"
    place = shown.position["hash"].removeprefix("sha256:")[:HASH_DIGITS]
    _say(console, f"stopped: {described}   hash {place}…", style="yellow")


def _place(reader: Reader, console: Console) -> None:
    """Print the lines of the flow around the top frame."""
    frame = reader.frames()[0]
    lines = reader.flow_lines(frame)
    at = integer(frame, "line") or 1
    _say(console, f"{text(mapping(frame, 'source'), 'name')}, {_name(frame)}:")
    for number in range(max(1, at - NEIGHBOURS), min(len(lines), at + NEIGHBOURS) + 1):
        mark = "▶" if number == at else " "
        style = "bold" if number == at else ""
        console.print(
            Text(f" {mark}{number:4d}  {lines[number - 1]}", style=style),
            overflow="ellipsis",
            no_wrap=True,
        )


def _slot_table(reader: Reader, console: Console) -> None:
    """Print the slots with their labels and writers."""
    table = Table(box=None)
    for title in ("slot", "value", "label", "written by", "at"):
        table.add_column(title, overflow="fold")
    for row in reader.slots()[:STOPS_MAX]:
        parts = _values(reader.children(row))
        at = (parts.get("write_event") or "").partition(" ")[0]
        cells = (_name(row), text(row, "value"), parts.get("label"), parts.get("writer"), at)
        table.add_row(*(Text(cell or "") for cell in cells))
    console.print(table)


def _write_details(reader: Reader, console: Console, slot: str) -> None:
    """Print what stands behind a slot that was written here."""
    for row in reader.slots():
        if _name(row) == slot:
            parts = _values(reader.children(row))
            call = f" ({parts['tool_call']})" if "tool_call" in parts else ""
            _say(console, f"    {slot}: {parts.get('old')} → {text(row, 'value')}", style="bold")
            visit = _name(reader.frames()[0])
            _say(console, f"    written in {visit} by {parts['writer']}{call}")


def _positions(cursors: Sequence[int]) -> str:
    return ", ".join(f"#{cursor}" for cursor in cursors)


# -- small reads -----------------------------------------------------------------------------------


def _name(row: JsonObject) -> str:
    return text(row, "name") or ""


def _state(frame: JsonObject) -> str:
    """Return the state of a visit's frame: its name without the count."""
    return _name(frame).removesuffix(" (left)").rpartition("#")[0]


def _values(children: Sequence[JsonObject]) -> dict[str, str]:
    return {_name(row): text(row, "value") or "" for row in children}


def _without_ids(row: JsonObject) -> JsonValue:
    """Return a row without reference numbers and without where its file lies on this machine."""
    kept: JsonObject = {key: value for key, value in row.items() if key not in _IDS}
    if "source" in kept:
        kept["source"] = mapping(row, "source").get("name")
    return kept


def _adapter_command() -> list[str]:
    """Return how to start the adapter: the installed script, else this package's module."""
    script = Path(sys.executable).with_name("spd-dap")
    return [str(script)] if script.exists() else [sys.executable, "-m", "dap_adapter.main"]


def main() -> int:
    """Run the demo; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m dap_adapter.demo",
        description="Step a recorded call both ways over the Debug Adapter Protocol.",
    )
    parser.add_argument("recording", help="a session directory or an artifact file")
    recording = parser.parse_args().recording
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # pyright: ignore[reportUnknownMemberType]
    console = Console(highlight=False, markup=False, emoji=False)
    with DapClient(_adapter_command()) as client:
        try:
            reader = Reader(client)
            reader.start(recording)
            return 0 if tell(reader, console) else 1
        except (RequestFailed, ClientError) as error:
            _say(console, str(error), style="bold red")
            return 1


if __name__ == "__main__":
    sys.exit(main())
