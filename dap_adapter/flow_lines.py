"""Which line of the flow an event stands on.

Rules: everything comes from the spans stored in the artifact (1-based lines and UTF-16 columns), so
the file on disk is never read here; a span that the artifact lacks means the state's line, and a
state that the flow lacks means line 1. Source: decision 4 of the adapter's design.
"""

import msgspec

from engine.core.contract.json_types import JsonObject, text


class Span(msgspec.Struct, frozen=True):
    """A stretch of the flow text; `end_line` and `end_column` are exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class SetSlot(msgspec.Struct, frozen=True):
    """The slot that an edge sets."""

    slot: str


class EdgeSpans(msgspec.Struct, frozen=True):
    """Where the parts of an edge stand; `sets` and `clears` run parallel to the edge's own."""

    edge: Span
    sets: list[Span] = []
    clears: list[Span] = []


class EdgeRow(msgspec.Struct, frozen=True):
    """What the adapter reads of an edge."""

    edge_id: str
    sets: list[SetSlot] = []
    clears: list[str] = []
    spans: EdgeSpans | None = None


class StateSpans(msgspec.Struct, frozen=True):
    """Where the parts of a state stand."""

    key: Span | None = None
    prompt: Span | None = None
    entry_line: Span | None = None


class StateSource(msgspec.Struct, frozen=True):
    """Where the program has a state; lines from 1, the last inclusive."""

    path: str
    line: int
    end_line: int


class StateRow(msgspec.Struct, frozen=True):
    """What the adapter reads of a state."""

    edges: list[EdgeRow] = []
    span: Span | None = None
    spans: StateSpans = StateSpans()
    source: StateSource | None = None

    @property
    def line_span(self) -> Span | None:
        """The span that starts on the state's line."""
        return self.spans.key or self.span


class FlowRow(msgspec.Struct, frozen=True):
    """What the adapter reads of an artifact's `flow`."""

    revision: str
    text: str
    states: dict[str, StateRow]
    path: str | None = None
    source_path: str | None = None
    entry: str | None = None


FIRST_LINE = Span(1, 1, 1, 1)

_EDGE_TYPES = frozenset({"guard_evaluated", "transition_requested", "transition_taken"})
_PROMPT_TYPES = frozenset({"prompt_resolved", "llm_requested", "llm_responded"})


class FlowLines:
    """The lines of one flow, indexed by state and edge."""

    def __init__(self, flow: FlowRow) -> None:
        self._states = flow.states
        self._edges = {
            edge.edge_id: (state_id, edge)
            for state_id, state in flow.states.items()
            for edge in state.edges
        }
        self._entry = flow.entry

    def start(self) -> Span:
        """Return where the recording starts: the entry state's line."""
        return self.of_state(self._entry) if self._entry is not None else FIRST_LINE

    def of_state(self, state_id: str) -> Span:
        """Return the state's line."""
        state = self._states.get(state_id)
        return (state.line_span if state is not None else None) or FIRST_LINE

    def of_event(self, record: JsonObject, event_type: str, state_id: str) -> Span:
        """Return the line of an event that a visit of `state_id` owns."""
        if event_type in _EDGE_TYPES:
            span = self._edge_span(text(record, "edge_id"))
        elif event_type in _PROMPT_TYPES or event_type.startswith("audio_"):
            span = self._prompt_span(text(record, "state_id") or state_id, record)
        elif event_type == "slot_write":
            span = self._write_span(record)
        else:
            span = None
        return span or self.of_state(state_id)

    def _edge_span(self, edge_id: str | None) -> Span | None:
        found = self._edges.get(edge_id) if edge_id is not None else None
        return found[1].spans.edge if found is not None and found[1].spans is not None else None

    def _prompt_span(self, state_id: str, record: JsonObject) -> Span | None:
        state = self._states.get(state_id)
        if state is None:
            return None
        if text(record, "source_kind") == "entry_line" and state.spans.entry_line is not None:
            return state.spans.entry_line
        return state.spans.prompt or state.spans.entry_line

    def _write_span(self, record: JsonObject) -> Span | None:
        """Return the set or clear of the edge that wrote; None for any other writer."""
        writer, slot = text(record, "writer") or "", text(record, "slot")
        found = self._edges.get(writer.removeprefix("edge:"))
        if not writer.startswith("edge:") or found is None or found[1].spans is None:
            return None
        edge, spans = found[1], found[1].spans
        for row, span in zip(edge.sets, spans.sets, strict=False):
            if row.slot == slot:
                return span
        for cleared, span in zip(edge.clears, spans.clears, strict=False):
            if cleared == slot:
                return span
        return spans.edge
