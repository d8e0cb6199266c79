"""The recording that a launch opened: its evidence, its flow and where the cursor stands.

Rules: only `cursor` changes. Everything else is a pure function of the recording and a cursor; the
caches here keep results of such functions and never decide anything.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from dap_adapter.convert import safe_text
from dap_adapter.flow_lines import FlowLines, FlowRow, Span
from dap_adapter.flow_source import FlowSource, flow_source
from dap_adapter.launch_config import LaunchConfig, stop_at_nowhere
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject, text
from engine.core.cursor import (
    SlotValue,
    apply_command,
    determinism_hash,
    open_debugger,
    project,
    slot_rows,
    slot_value,
)

if TYPE_CHECKING:
    from engine.core.artifact import ArtifactView, Visit
    from engine.recording import Recording

ROWS_KEPT = 16
"""How many tables of slot rows are kept: a client asks for the same one several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of the call and the sorted events that write it."""

    name: str
    row: JsonObject
    writes: Sequence[int]

    def write_at(self, cursor: int) -> int:
        """Return the event that made the slot's value at `cursor`, -1 for none."""
        place = bisect_right(self.writes, cursor)
        return self.writes[place - 1] if place else -1


class Opened:
    """An open recording and its cursor."""

    def __init__(self, recording: "Recording", config: LaunchConfig) -> None:
        self.view: ArtifactView = recording.view
        self.config = config
        flow = _flow_row(self.view.flow)
        self.lines = FlowLines(flow)
        self.source: FlowSource = flow_source(
            flow, session_directory=recording.session_directory, config=config
        )
        self.slots = tuple(_slots(self.view))
        self.slot_by_name = {slot.name: slot for slot in self.slots}
        self._name_by_shown = {safe_text(name): name for name in self.slot_by_name}
        self.session_id = text(self.view.session, "session_id") or "recording"
        self.past_places: dict[int, tuple[str, Span]] = {}
        self._rows: dict[tuple[int, int], list[JsonObject]] = {}
        self.cursor = self._first_cursor()

    @property
    def last(self) -> int:
        """The cursor at the end of the recording; -1 for one without events."""
        return self.view.event_count - 1

    def visit(self, ordinal: int) -> "Visit":
        """Return a visit by its ordinal."""
        return self.view.visits[ordinal]

    def slot_called(self, name: str) -> Slot | None:
        """Return the slot with this name, as recorded or as shown; None where there is none."""
        return self.slot_by_name.get(name) or self.slot_by_name.get(
            self._name_by_shown.get(name, name)
        )

    def value_of(self, slot: Slot, cursor: int) -> SlotValue:
        """Return a slot's value at a cursor, with its label and writer."""
        return slot_value(self.view, slot.row, cursor)

    def slot_rows(self, *, at: int, visit: int) -> list[JsonObject]:
        """Return the core's slot rows at cursor `at` for the visit with this ordinal (-1: none)."""
        found = self._rows.get((at, visit))
        if found is None:
            if len(self._rows) >= ROWS_KEPT:
                del self._rows[next(iter(self._rows))]
            found = self._rows[at, visit] = slot_rows(self.view, cursor=at, visit=visit)
        return found

    def determinism_hash(self, at: int) -> str:
        """Return the core's determinism hash at a cursor."""
        return determinism_hash(self.view, at, project(self.view, at))

    def _first_cursor(self) -> int:
        """Return the cursor that `stopAt` means. Raises: DapError where it is nowhere."""
        command = {"action": "seek", **self.config.stop_at}
        state, response = apply_command(open_debugger(self.view), command)
        if response["error"] is not None:
            raise stop_at_nowhere(self.config, last=self.last)
        return state.cursor


def _flow_row(flow: JsonObject) -> FlowRow:
    try:
        return msgspec.convert(flow, FlowRow)
    except msgspec.ValidationError as error:
        raise ArtifactInvalid(
            f"The recording's flow cannot be shown ({error}): build it again."
        ) from None


def _slots(view: "ArtifactView") -> Iterator[Slot]:
    for row in view.slots:
        name = text(row, "slot")
        if name is not None:
            yield Slot(name=name, row=row, writes=view.postings("slot_write", name))
