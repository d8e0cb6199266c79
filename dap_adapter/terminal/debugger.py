"""A session at the terminal: an IDE's questions, the screen, and what to show at a stop.

Rules: what is shown at a stop is asked anew at each one. Kept between two stops are the slots'
texts, to mark those that differ, and how much was said, to look for the last words near there.
"""

from collections.abc import Sequence

from dap_adapter.client import RequestFailed
from dap_adapter.terminal.ide_client import IdeClient, Refusal
from dap_adapter.terminal.screen import Screen, name_of, values_of, variable_cells
from engine.core.contract.json_types import JsonObject, integer, mapping, text

WRITTEN_HERE = "written by this event"
"""How the adapter marks the type of a slot that the event at the cursor wrote."""

HERE, SINCE = "*", "~"
"""Marks of a slot: written by this event; another value than at the stop before."""

SLOTS_MAX = 200
"""Most slots that are read at a stop."""

WORDS_MAX = 3
"""How many of the last words of caller and agent are shown at a stop."""

CALL, CONVERSATION = "Call", "conversation"


class Debugger:
    """What verbs work with."""

    def __init__(self, ide: IdeClient, screen: Screen) -> None:
        self.ide = ide
        self.screen = screen
        self.stop: JsonObject = {}
        self._values: dict[str, str] | None = None
        self._said = 0

    def arrive(self, stop: JsonObject) -> None:
        """Show where a move stopped: position, cause, place, changed slots, words."""
        self.stop = stop
        self.print_output()
        self.screen.say(stop_text(stop), style="bold yellow")
        for item in self.ide.hit_by(stop):
            self.screen.say(f"at breakpoint {item.number}: {item.label}", indent=2)
        self.ide.drop_temporary(stop)
        cause = text(stop, "text")
        if cause and not is_edge(stop):
            self.screen.say(cause, indent=2, style="bold")
        self.show_place()
        self.screen.table(self._changed_cells())
        self._show_last_words()

    def print_output(self) -> None:
        """Print what the adapter has to say, as its own lines."""
        for line in self.ide.output():
            self.screen.say(line)

    def show_place(self, *, around: int = 1) -> None:
        """Write the selected frame's place in the flow and its neighbours."""
        frame = self.ide.frame()
        line = integer(frame, "line") or 0
        self.screen.say(f"{source_name(frame)}:{line}  {name_of(frame)}")
        self.screen.place(self.ide.source_lines(frame), line, around=around)

    def show_rows(self, found: Sequence[JsonObject], nothing: str) -> None:
        """Write variables as names and values, or a sentence where there are none."""
        if not found:
            self.screen.say(nothing)
        self.screen.table([variable_cells(row) for row in found])

    def show_words(self, said: Sequence[JsonObject]) -> None:
        """Write what was said, a line for each."""
        for row in said:
            self.screen.say(variable_cells(row)[1], indent=2)

    def marked(self, row: JsonObject) -> str:
        """Return the mark of a slot's row at this stop."""
        return HERE if WRITTEN_HERE in (text(row, "type") or "") else ""

    def last_words(self, count: int) -> tuple[list[JsonObject], int]:
        """Return what was said last up to the cursor, oldest first, and how much before it.

        Raises: Refusal.
        """
        for row in self.ide.scope(CALL):
            if name_of(row).lower() == CONVERSATION:
                self._said = self.ide.count_of(row, near=self._said)
                start = max(0, self._said - count)
                if start == self._said:
                    return [], 0
                return self.ide.children(row, start=start, count=self._said - start), start
        raise Refusal("This adapter shows no conversation.")

    def _changed_cells(self) -> list[tuple[str, str, str]]:
        """Return the slots that this event wrote or that differ from the stop before, marked."""
        before = self._values
        cells: list[tuple[str, str, str]] = []
        now: dict[str, str] = {}
        for row in self._slot_rows():
            name, value = variable_cells(row)
            now[name] = value
            mark = self.marked(row)
            if not mark and before is not None and before.get(name, value) != value:
                mark = SINCE
            if mark:
                cells.append((mark, name, value))
        self._values = now
        return cells

    def _slot_rows(self) -> list[JsonObject]:
        scopes = self.ide.scopes()
        return self.ide.children(scopes[0], count=SLOTS_MAX) if scopes else []

    def _show_last_words(self) -> None:
        try:
            said, _ = self.last_words(WORDS_MAX)
        except (Refusal, RequestFailed):
            return
        self.show_words(said)


def stop_text(stop: JsonObject) -> str:
    """Return the line of a stop: its position with the direction, or the edge and the position."""
    described, cause = text(stop, "description") or "", text(stop, "text")
    return f"{described} ({cause})" if is_edge(stop) and cause else described


def is_edge(stop: JsonObject) -> bool:
    """Return whether a stop is at an end of the recording."""
    return "of recording" in (text(stop, "description") or "")


def source_name(frame: JsonObject) -> str:
    """Return the name of a frame's file."""
    return text(mapping(frame, "source"), "name") or "flow"


def slot_cells(debugger: Debugger, row: JsonObject) -> tuple[str, str, str, str, str]:
    """Return a slot as mark, name, value, label, and writer with the event that wrote it.

    A label with a reason is shown in two cells: what there is of a value, and why no more.
    """
    parts = values_of(debugger.ide.children(row))
    name, value = variable_cells(row)
    label, _, reason = parts.get("label", "").partition(": ")
    if reason and value == f"{label}: {reason}":
        value, label = label, reason
    at = parts.get("write_event", "").partition(" ")[0]
    writer = f"{parts.get('writer', '')} {at}".strip() if at else ""
    return debugger.marked(row), name, value, label, writer
