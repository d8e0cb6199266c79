"""The flow's side: visits, transitions asked for and taken, branches, and the flow itself.

Pipecat has no events for these, so a few methods of its `FlowManager` and `Flow` are wrapped, once
a process, when the setup file is loaded. They are private to Pipecat: `_set_node`,
`_execute_transition`, `_pending_transition`, `_current_node`, `_state`, `_destination`.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.importers.pipecat_live.flow_file import recorded_flow
from engine.importers.pipecat_live.graphs import (
    DeclaredGraph,
    GrownGraph,
    declared_graph,
)
from engine.importers.pipecat_live.live_call import LiveCall, Reason, call_fields, turn_id
from engine.importers.pipecat_live.program_text import ProgramText
from engine.importers.pipecat_live.seen import attribute, is_a, items_of, named_of, plain, text_of
from engine.importers.pipecat_live.settings import Settings
from engine.importers.pipecat_live.slot_state import SlotState

BEFORE = "before_recording"
"""The writer of what stood in the state when the recorder first saw it."""


@dataclass(slots=True, kw_only=True)
class _Request:
    info: object
    request_id: str
    fields: JsonObject
    turn: int | None
    event_id: str | None


class FlowHooks:
    """Writes what the flow of one call does."""

    def __init__(self, call: LiveCall, settings: Settings) -> None:
        self._call = call
        self._settings = settings
        self._program = ProgramText()
        self._grown = GrownGraph(flow_id="python_flow")
        self._declared: DeclaredGraph | None = None
        self._manager: object = None
        self._requests: list[_Request] = []
        self._request_count = 0
        self._cases: dict[str, str] = {}
        self._visits: Counter[str] = Counter()
        self._visit_id: str | None = None

    # -- what runs ---------------------------------------------------------------------------------

    def before_node(self, manager: object, config: object) -> None:
        """Take a node that is about to be set; take the manager over at the first one."""
        functions = [
            *items_of(named_of(config).get("functions")),
            *items_of(attribute(manager, "_global_functions")),
        ]
        handlers = [attribute(item, "handler") or item for item in functions]
        flow = next((found for item in handlers if (found := _flow_of(item)) is not None), None)
        if self._declared is None and flow is not None:
            self._declare(flow)
        self.adopt(manager)
        if self._declared is None:
            if not self._visits:
                self._program.add_main()
            for handler in handlers:
                self._program.add_function(handler)

    def _declare(self, flow: object) -> None:
        config = attribute(flow, "config")
        self._declared = declared_graph(config)
        folders = dict.fromkeys([*_folders(flow), Path.cwd()])
        ran = recorded_flow(config, named=self._settings.flow, folders=folders)
        self._call.recorder.set_flow(ran)
        if ran.source_path is None:
            reason = "no file was found that reads as the config that ran; it is written as JSON"
            row: JsonObject = {"type": "not_recorded", "what": "flow file", "reason": reason}
            self._call.write(row | {"availability": "unavailable"})

    def adopt(self, manager: object) -> None:
        """Take a manager over when it is first seen: its state, and the node where it stands."""
        if self._manager is not None:
            return
        self._manager = manager
        held = named_of(attribute(manager, "_state"))
        state = SlotState(self._call, held)
        if held:
            baseline: dict[str, JsonValue] = {name: plain(value) for name, value in held.items()}
            self._call.recorder.seed([(BEFORE, baseline)], clock_ms=self._call.clock_ms())
        vars(manager)["_state"] = state
        self._call.find_slot_changes = state.find_changes
        node = text_of(manager, "_current_node")
        if node is not None:  # no hook saw how it came here
            self._visits[node] += 1
            self._visit_id, self._call.node = f"{node}#1", node
            row: JsonObject = {"type": "state_entered", "state_id": node, "seen_late": True}
            self._call.write(row | {"visit_id": self._visit_id, "via_edge": None})

    def write_grown(self) -> None:
        """Write the graph as visited so far, where there is no declared one and it has grown."""
        if self._declared is not None or not self._grown.is_new:
            return
        try:
            self._call.recorder.set_flow(self._grown.written())
        except EngineError as error:
            self._call.lose("set_flow", error)

    # -- transitions -------------------------------------------------------------------------------

    def _edge(self, node: str | None, function: str, to: str) -> str | None:
        called = self._call.tool_call_now()
        case = self._cases.get(called.tool_call_id) if called else None
        graph = self._declared or self._grown
        return None if node is None else graph.edge(node, function, case, to)

    def branched(self, function: object, result: object, chosen: object) -> None:
        """Write what a declared branch chose; the case is as the flow's file has it."""
        call, branch = self._call, attribute(function, "transition_to")
        cases = named_of(attribute(branch, "cases"))
        if not cases:
            return
        name, field = text_of(function, "name") or "", text_of(branch, "field")
        value = named_of(result).get(field or "")
        case = _case_key(value)
        case = case if case in cases else "default"
        to = named_of(chosen).get("name")
        called = call.tool_call_now()
        row: JsonObject = {"function": name, "field": field, "case": case} | call_fields(called)
        if not isinstance(to, str) or called is None or call.node is None:
            call.write({"type": "branch_evaluated"} | row)
            return
        self._cases[called.tool_call_id] = case
        edge = self._edge(call.node, name, to)
        reads: list[JsonValue] = []
        if edge is None:
            call.write({"type": "branch_evaluated", "to": to} | row)
        else:
            guard: JsonObject = {"type": "guard_evaluated", "edge_id": edge, "verdict": True}
            guard |= {"slots_read": reads, "error": None}
            call.write(guard | row)

    def pending(self, old: object, info: object) -> None:
        """Write that a handler asked for a transition."""
        if not isinstance(info, dict):
            return
        call = self._call
        call.on_handlers_change()
        asked = named_of(cast("object", info))
        function = text_or(asked.get("function_name"), "")
        to = text_or(named_of(asked.get("next_node")).get("name"), "unnamed")
        called = call.tool_call_now()
        self._request_count += 1
        open_: list[JsonValue] = [
            other.tool_call_id
            for other in call.tool_calls.values()
            if other.is_open and other is not called
        ]
        replaced = next((one.request_id for one in self._requests if one.info is old), None)
        fields: JsonObject = {
            "request_id": f"r{self._request_count:02d}",
            "to": to,
            "edge_id": self._edge(call.node, function, to),
            "from_node": call.node,
            "function": function,
            "tool_call_id": called.tool_call_id if called else None,
            "turn_id": turn_id(called.turn if called else None),
        }
        row: JsonObject = {"type": "transition_requested", "waits_for": open_ or None}
        row |= {"replaces": replaced, "caused_by": called.event_id if called else None}
        event_id = call.write(row | fields)
        self._requests.append(
            _Request(
                info=cast("object", info),
                request_id=f"r{self._request_count:02d}",
                fields=fields,
                turn=called.turn if called else None,
                event_id=event_id,
            )
        )

    def taking(self, info: object) -> None:
        """Write that a transition is carried out now."""
        request = next((one for one in self._requests if one.info is info), None)
        if request is None:
            return
        row: JsonObject = {"type": "transition_taken"}
        cause: JsonObject = {"caused_by": request.event_id}
        event_id = self._call.write(row | request.fields | cause)
        taken = Reason(turn=request.turn, caused_by=event_id)
        edge = request.fields.get("edge_id")
        self._call.taken.put((taken, edge if isinstance(edge, str) else None))

    def failed(self, info: object, error: Exception) -> None:
        """Write that the new node could not be set."""
        request = next((one for one in self._requests if one.info is info), None)
        if request is not None:
            row: JsonObject = {"type": "transition_failed", "caused_by": request.event_id}
            self._call.write(row | request.fields | {"error": type(error).__name__})

    # -- visits ------------------------------------------------------------------------------------

    def moved(self, old: object, node: object) -> None:
        """Write that the flow's current node changed."""
        if not isinstance(node, str):
            return
        call = self._call
        why, edge = self._cause(is_first=not isinstance(old, str))
        common: JsonObject = {"turn_id": turn_id(why.turn), "caused_by": why.caused_by}
        if isinstance(old, str) and self._visit_id is not None:
            left: JsonObject = {"type": "state_exited", "state_id": old, "edge_id": edge}
            call.write(left | common | {"visit_id": self._visit_id, "to": node})
        self._visits[node] += 1
        self._visit_id = f"{node}#{self._visits[node]}"
        call.node = node
        call.note_ids(node)
        entered: JsonObject = {
            "type": "state_entered",
            "state_id": node,
            "via_edge": edge,
            "parent_visit_id": None,
            "visit_id": self._visit_id,
            "previous": old if isinstance(old, str) else None,
            "initial": None if isinstance(old, str) else True,
        }
        event_id = call.write(entered | common)
        call.why.put(Reason(trigger="node_entry", turn=why.turn, caused_by=event_id))
        if self._declared is None:
            self._grown.visit(node, self._program.place_of(node))
            self.write_grown()

    def _cause(self, *, is_first: bool) -> tuple[Reason, str | None]:
        taken = self._call.taken.get()
        if isinstance(taken, tuple):
            return cast("tuple[Reason, str | None]", taken)
        return Reason(turn=0 if is_first else None), None

    def queued(self, frame: object) -> None:
        """Keep why a frame is queued that runs the model or ends the call."""
        call, reason = self._call, self._call.reason_now()
        frame_id = attribute(frame, "id")
        if is_a(frame, "LLMRunFrame") and isinstance(frame_id, int):
            call.reasons[frame_id] = reason
        elif is_a(frame, "EndFrame") and reason is not None:
            row: JsonObject = {"type": "end_requested", "turn_id": turn_id(reason.turn)}
            call.write(row | {"caused_by": reason.caused_by})


def text_or(value: object, other: str) -> str:
    """Return a text, or another one for what is none."""
    return value if isinstance(value, str) else other


def _case_key(value: object) -> str:
    """Return a value as the flow's cases spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _flow_of(handler: object) -> object:
    """Return the declared flow that made a handler, None where a program's own function is it."""
    for cell in items_of(attribute(handler, "__closure__")):
        held = attribute(cell, "cell_contents")
        if is_a(held, "Flow") and attribute(held, "config") is not None:
            return held
    return None


def _folders(flow: object) -> list[Path]:
    """Return the folders of the program behind a flow: of its handlers, and of the file started."""
    program = ProgramText()
    return program.folders_of(items_of(attribute(flow, "_handlers")))
