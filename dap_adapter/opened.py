"""The recording that a launch opened: its evidence, its flow and where the cursor stands.

Rules: only `cursor`, `direction` and `unit` change. All else is a pure function of the recording
and a cursor; the caches here keep results of such functions and never decide anything.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from dap_adapter.convert import safe_text
from dap_adapter.errors import of_response
from dap_adapter.flow_lines import FlowLines, FlowRow, Span
from dap_adapter.flow_source import FlowSource, flow_source
from dap_adapter.launch_config import LaunchConfig, stop_at_nowhere, stop_position
from dap_adapter.program_files import ProgramFiles, ProgramPlace
from engine.core.contract.errors import ArtifactInvalid, InvalidCommand
from engine.core.contract.json_types import JsonObject, integer, mapping, text

if TYPE_CHECKING:
    from dap_adapter.protocol import Source
    from engine.core.artifact import ArtifactView, Visit
    from engine.core.cursor import Evaluation, SlotValue, Template
    from engine.recording import Recording

_INDEXED = re.compile(r"""slots\[(?:("(?:[^"\\]|\\.)*")|'([^'\\]*)')\]|slots\.([A-Za-z_]\w*)""")

ROWS_KEPT = 16
"""How many tables of slot rows are kept: a client asks for the same one several times."""


PastPlace: TypeAlias = tuple[str, Span, "Source | None"]
"""Name, line and, where the program has it, file of a past visit's row."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
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
        self.session_directory = recording.session_directory or config.session
        self.config = config
        flow = _flow_row(self.view.flow)
        self.lines = FlowLines(flow)
        self.source: FlowSource = flow_source(
            flow, session_directory=recording.session_directory, config=config
        )
        self.program = ProgramFiles(flow, config)
        self._entry = flow.entry or ""
        self.slots = tuple(_slots(self.view))
        self.slot_by_name = {slot.name: slot for slot in self.slots}
        self._name_by_shown = {safe_text(name): name for name in self.slot_by_name}
        self.session_id = text(self.view.session, "session_id") or "recording"
        self._templates: dict[str, Template] = {}
        self.past_places: dict[int, PastPlace] = {}
        self._rows: dict[tuple[int, int], list[JsonObject]] = {}
        self.direction = config.direction
        self.unit = config.step_unit
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

    def slot_named(self, expression: str) -> Slot | None:
        """Return the slot that an expression is: its name, or `slots["name"]`; else None."""
        match = _INDEXED.fullmatch(expression)
        if match is None:
            return self.slot_called(expression)
        quoted, single_quoted, member = match.groups()
        if quoted is None:
            return self.slot_called(single_quoted or member or "")
        try:
            return self.slot_called(msgspec.json.decode(quoted, type=str))
        except msgspec.DecodeError:
            return None

    def value_of(self, slot: Slot, cursor: int) -> "SlotValue":
        """Return a slot's value at a cursor, with its label and writer."""
        from engine.core.cursor import slot_value  # noqa: PLC0415 - start-up

        return slot_value(self.view, slot.row, cursor)

    def slot_rows(self, *, at: int, visit: int) -> list[JsonObject]:
        """Return the core's slot rows at cursor `at` for the visit with this ordinal (-1: none)."""
        from engine.core.cursor import slot_rows  # noqa: PLC0415 - start-up

        found = self._rows.get((at, visit))
        if found is None:
            if len(self._rows) >= ROWS_KEPT:
                del self._rows[next(iter(self._rows))]
            found = self._rows[at, visit] = slot_rows(self.view, cursor=at, visit=visit)
        return found

    def determinism_hash(self, at: int) -> str:
        """Return the core's determinism hash at a cursor."""
        from engine.core.cursor import determinism_hash, project  # noqa: PLC0415 - start-up

        return determinism_hash(self.view, at, project(self.view, at))

    def evaluated(self, expression: str, at: int) -> "Evaluation":
        """Return the value of an expression at a cursor. Raises: InvalidCommand."""
        from engine.core.cursor import evaluate  # noqa: PLC0415 - start-up

        return evaluate(self.view, at, expression)

    def template(self, text: str) -> "Template":
        """Return a log point's text, its expressions checked. Raises: DapError."""
        from engine.core.cursor import parse_template  # noqa: PLC0415 - start-up

        found = self._templates.get(text)
        if found is None:
            try:
                found = self._templates[text] = parse_template(self.view, text)
            except InvalidCommand as mistake:
                raise of_response(mistake.code, safe_text(mistake.message)) from None
        return found

    def log_text(self, text: str, at: int) -> str:
        """Return a log point's text at an event."""
        from engine.core.cursor import interpolate  # noqa: PLC0415 - start-up

        return safe_text(interpolate(self.view, at, self.template(text)))

    def query(self, at: int, command: JsonObject) -> JsonObject:
        """Return the result of one of the core's queries at a cursor.

        Raises: DapError with the core's sentence.
        """
        response = _applied(self.view, {**command, "cursor": at})
        if response["error"] is not None:
            error = mapping(response, "error")
            raise of_response(text(error, "code") or "", text(error, "message") or "")
        return mapping(response, "result")

    def place_of(self, text: str) -> int | None:
        """Return the cursor that a text means: `#812`, `01:42.3`, `menu#2`, a finding's id."""
        seek = stop_position(text)
        if seek is None:
            return self.first_finding()
        response = _applied(self.view, {"action": "seek", **seek})
        if response["error"] is not None and "visit_id" in seek:
            seek = {"finding": text}
            response = _applied(self.view, {"action": "seek", **seek})
        return None if response["error"] is not None else integer(response, "new_cursor")

    def line_at(self, cursor: int) -> Span:
        """Return the flow line that an event stands on, in the visit it counts for."""
        ordinal = self.view.visit_at(cursor)
        if ordinal < 0:
            return self.lines.start()
        owner = text(self.view.payload(cursor), "owner")
        owned = self.view.ordinal_of(owner) if owner is not None else None
        return self.line_in(cursor, ordinal if owned is None else owned)

    def line_in(self, cursor: int, ordinal: int) -> Span:
        """Return where a visit's row stands: on the event's line unless another visit owns it.

        An event without an owner counts for the innermost visit only.
        """
        view, visit = self.view, self.visit(ordinal)
        event = view.payload(cursor)
        owner = event["owner"]
        is_own = owner == visit.visit_id if owner is not None else ordinal == view.visit_at(cursor)
        if not is_own:
            return self.lines.of_state(visit.state_id)
        return self.lines.of_event(
            mapping(event, "record"), view.effective_type(cursor) or "", visit.state_id
        )

    def program_place(self, ordinal: int, *, as_uri: bool) -> ProgramPlace | None:
        """Return where the program has the state of a visit (-1: of the entry), if it is there."""
        state_id = self.visit(ordinal).state_id if ordinal >= 0 else self._entry
        return self.program.place_of(state_id, as_uri=as_uri)

    def findings_at(self, cursor: int) -> list[JsonObject]:
        """Return the findings that stand at an event, in the artifact's order."""
        ids = self.view.findings_at(cursor) if cursor >= 0 else ()
        return [row for row in self.view.findings if row["finding_id"] in ids] if ids else []

    def first_finding(self) -> int:
        """Return where the first finding stands; the end where there is none."""
        places = [at for row in self.view.findings if (at := integer(row, "at")) is not None]
        return min(places, default=self.last)

    def _first_cursor(self) -> int:
        """Return the cursor that `stopAt` means. Raises: DapError where it is nowhere."""
        if self.config.stop_at is None:
            return self.first_finding()
        if self.config.stop_at == {"edge": "start"}:
            return -1  # the usual launch, for which the commands need not be loaded
        command = {"action": "seek", **self.config.stop_at}
        cursor = integer(response := _applied(self.view, command), "new_cursor")
        if response["error"] is not None or cursor is None:
            raise stop_at_nowhere(self.config, last=self.last)
        return cursor


def _applied(view: "ArtifactView", command: JsonObject) -> JsonObject:
    """Return the core's response to a command."""
    from engine.core.cursor import apply_command, open_debugger  # noqa: PLC0415 - start-up

    return apply_command(open_debugger(view), command)[1]


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
