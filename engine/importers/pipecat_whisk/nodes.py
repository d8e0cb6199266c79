"""Where the flow was: visits by prompt, outcomes by result, slots as far as evidence goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.core.flow import Edge, FlowDocument, State
from engine.core.flow.guards import ToolChoice
from engine.importers.pipecat_whisk.prompts import Match, Template, nodes_of, slots_of, templates
from engine.importers.pipecat_whisk.rows import Rows
from engine.importers.pipecat_whisk.whisk_file import Frame

PROMPT_FRAMES = frozenset({"LLMMessagesAppendFrame", "LLMMessagesUpdateFrame"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a tool's result leads to by the flow: data decided, so it can be found again."""

    edge: Edge
    tool_call_id: str


@dataclass(slots=True, kw_only=True)
class Nodes:
    """Reads tool calls and prompts in their order; without a flow, tool calls only."""

    rows: Rows
    states: Mapping[str, State]
    prompts: Sequence[Template]
    slots: frozenset[str]
    ambiguous: int = 0
    unmatched: int = 0
    unexplained: int = 0
    unread_values: int = 0
    outcomes: int = 0
    unknown_tools: set[str] = field(default_factory=set[str])
    _node: str | None = None
    _led: list[Outcome] = field(default_factory=list[Outcome])
    _calls: dict[str, str] = field(default_factory=dict[str, str])
    _done: set[str] = field(default_factory=set[str])
    _values: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    @classmethod
    def of(cls, flow: FlowDocument | None, records: Rows) -> "Nodes":
        """Return a reader for a flow."""
        if flow is None:
            return cls(rows=records, states={}, prompts=(), slots=frozenset())
        return cls(
            rows=records,
            states={state.state_id: state for state in flow.states},
            prompts=templates(flow),
            slots=slots_of(flow),
        )

    def take_first(self, frame: Frame) -> None:
        """Read the first record of a frame."""
        match frame.kind:
            case "FunctionCallsStartedFrame":
                for call in rows(frame.payload, "function_calls"):
                    self._called(frame, call)
            case "FunctionCallInProgressFrame":
                self._called(frame, frame.payload)
            case "FunctionCallResultFrame":
                self._result(frame)
            case "FunctionCallCancelFrame":
                self._cancelled(frame)
            case kind if kind in PROMPT_FRAMES:
                self._prompt(frame)
            case _:
                pass

    def _called(self, frame: Frame, call: JsonObject) -> None:
        call_id, tool = text(call, "tool_call_id"), text(call, "function_name")
        if call_id is None or tool is None or call_id in self._calls:
            return
        self._calls[call_id] = self.rows.add(
            frame,
            "tool_called",
            {"tool": tool, "tool_call_id": call_id, "args_safe": call.get("arguments")},
        )

    def _result(self, frame: Frame) -> None:
        call_id, tool = text(frame.payload, "tool_call_id"), text(frame.payload, "function_name")
        is_final = mapping(frame.payload, "properties").get("is_final") is not False
        if call_id is None or call_id in self._done or not is_final:
            return
        self._done.add(call_id)
        self._called(frame, frame.payload)
        self._argument_writes(frame, call_id, tool or "")
        fields: JsonObject = {
            "tool_call_id": call_id,
            "tool": tool,
            "result_safe": frame.payload.get("result"),
        }
        if call_id in self._calls:
            fields["caused_by"] = self._calls[call_id]
        self.rows.add(frame, "tool_result", fields)
        if self._node is not None and tool is not None:
            self._outcome(frame, self.states[self._node], tool, call_id)

    def _cancelled(self, frame: Frame) -> None:
        call_id = text(frame.payload, "tool_call_id")
        if call_id is None or call_id in self._done or call_id not in self._calls:
            return
        self._done.add(call_id)
        fields: JsonObject = {"tool_call_id": call_id, "ok": False, "error": "cancelled"}
        self.rows.add(frame, "tool_result", {**fields, "caused_by": self._calls[call_id]})

    def _argument_writes(self, frame: Frame, call_id: str, tool: str) -> None:
        """Note that a slot has what a finished call's argument of the same name had."""
        for name, value in mapping(frame.payload, "arguments").items():
            if name in self.slots and value is not None:
                self._values[name] = value
                self.rows.add(
                    frame,
                    "slot_write",
                    {
                        "slot": name,
                        "kind": "tool_argument",
                        "writer": f"tool:{tool}",
                        "new": value,
                        "tool_call_id": call_id,
                        "provenance": "tool_argument",
                    },
                )

    def _outcome(self, frame: Frame, state: State, tool: str, call_id: str) -> None:
        choices = [
            (edge, edge.guard)
            for edge in state.edges
            if isinstance(edge.guard, ToolChoice) and edge.guard.function == tool
        ]
        if not choices:
            return
        result = mapping(frame.payload, "result")
        taken = next((edge for edge, guard in choices if _is_met(guard, result)), None)
        if taken is None:
            taken = next((edge for edge, guard in choices if guard.case == "default"), None)
        self.rows.add(
            frame,
            "branch_recomputed",
            {
                "function": tool,
                "field": choices[0][1].field,
                "edge_id": taken.edge_id if taken is not None else None,
                "to": taken.to.text if taken is not None else None,
                "tool_call_id": call_id,
                "provenance": "recomputed",
            },
        )
        if taken is not None:
            self._led.append(Outcome(edge=taken, tool_call_id=call_id))

    def _prompt(self, frame: Frame) -> None:
        said = [_content(message) for message in rows(frame.payload, "messages")]
        found = nodes_of(said, self.prompts)
        if len(found) > 1:
            led_to = [
                item for item in found if any(o.edge.to.text == item.state_id for o in self._led)
            ]
            found = led_to if len(led_to) == 1 else found
        if len(found) != 1:
            self.ambiguous += len(found) > 1
            self.unmatched += not found
            fields: JsonObject = {"candidates": [item.state_id for item in found]}
            self.rows.add(frame, "prompt_not_matched", fields)
            return
        self._enter(frame, found[0])

    def _enter(self, frame: Frame, match: Match) -> None:
        self._prompt_writes(frame, match)
        outcome = next((o for o in self._led[::-1] if o.edge.to.text == match.state_id), None)
        edge_id = outcome.edge.edge_id if outcome is not None else None
        taken: str | None = None
        if self._node is not None:
            fields: JsonObject = {
                "to": match.state_id,
                "edge_id": edge_id,
                "state_id": self._node,
                "provenance": "recomputed" if outcome is not None else "prompt_match",
            }
            if outcome is None:
                self.unexplained += 1
            else:
                self.outcomes += 1
                fields["tool_call_id"] = outcome.tool_call_id
            taken = self.rows.add(frame, "transition_taken", fields)
        entered: JsonObject = {"state_id": match.state_id, "provenance": "prompt_match"}
        if taken is not None:
            entered["via_edge"] = edge_id
        self.rows.add(frame, "state_entered", entered)
        self._node = match.state_id
        self._led.clear()

    def _prompt_writes(self, frame: Frame, match: Match) -> None:
        """Note values that the filled prompt shows and that were not known before."""
        template = next(item for item in self.prompts if item.state_id == match.state_id)
        self.unread_values += len({*template.slots} - {None} - match.values.keys())
        for slot, shown in match.values.items():
            if slot in self._values and _rendered(self._values[slot]) == shown:
                continue
            self._values[slot] = shown
            self.rows.add(
                frame,
                "slot_write",
                {
                    "slot": slot,
                    "kind": "rendered_prompt",
                    "new": shown,
                    "provenance": "rendered_prompt",
                },
            )


def _is_met(guard: ToolChoice, result: JsonObject) -> bool:
    if guard.field is None:
        return True
    if guard.case == "default" or guard.field not in result:
        return False
    return _rendered(result[guard.field], is_case=True) == guard.case


def _rendered(value: JsonValue, *, is_case: bool = False) -> str:
    """Return a value as Python writes it into a text; a case writes `true` and `false`."""
    if isinstance(value, bool) and is_case:
        return "true" if value else "false"
    return str(value)


def _content(message: JsonObject) -> str:
    """Return a message's text; of a list of parts, their texts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(text(part, "text") or "" for part in rows(message, "content"))
