"""The flows of an assistant as one flow of ours, and the states that its log names.

A state is `<flow>/<step>`. Steps that no given file has, and all of Rasa's own patterns, become
states as the log names them; the ways between those are what was seen in this conversation.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.importers.rasa.flow_files import END, START, FlowStep, RasaFlow, Way, place_of

GROWN = "seen in this conversation"


@dataclass(slots=True, kw_only=True)
class ConversationFlow:
    """What is known of the flows; grows with what the log names."""

    flows: Sequence[RasaFlow]
    _by_id: dict[str, RasaFlow] = field(default_factory=dict[str, RasaFlow])
    _grown: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    unmatched: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        """Index the flows; the first of an id."""
        for flow in self.flows:
            self._by_id.setdefault(flow.flow_id, flow)

    def state_of(self, flow_id: str, logged_step: str) -> str:
        """Return the state that a frame of the log is in; an unknown one is added."""
        flow = self._by_id.get(flow_id)
        if flow is not None and logged_step in (START, END):
            return f"{flow_id}/{logged_step}"
        step = flow.step(logged_step) if flow is not None else None
        if step is not None:
            return f"{flow_id}/{step.step_id}"
        state = f"{flow_id}/{logged_step}"
        if flow is not None:
            self.unmatched.add(state)
        self._grown.setdefault(state, [])
        return state

    def add_state(self, state: str) -> None:
        """Add a state that no flow has."""
        self._grown.setdefault(state, [])

    def add_way(self, state: str, to: str) -> None:
        """Add a way that was seen, if the state is one that no file describes."""
        ways = self._grown.get(state)
        if ways is not None and to not in ways:
            ways.append(to)

    def ways(self, state: str) -> list[tuple[str, Way]]:
        """Return the edges of a state as (edge id, way), in the order of the flow file."""
        return [(f"{state}:{index}", way) for index, way in enumerate(self._ways(state))]

    def passed(self, state: str, to: str, slots: Mapping[str, JsonValue]) -> list[str] | None:
        """Return the states between two that ask only for slots with a value; None: not so."""
        found: list[str] = []
        ways = self._ways(state)
        while len(ways) == 1 and ways[0].condition is None and ways[0].to != to:
            state = ways[0].to
            flow_id, _, step_id = state.rpartition("/")
            flow = self._by_id.get(flow_id)
            step = flow.step(step_id) if flow is not None else None
            if step is None or step.collects is None or slots.get(step.collects) is None:
                return None
            if state in found:
                return None
            found.append(state)
            ways = self._ways(state)
        return found if found and len(ways) == 1 and ways[0].to == to else None

    def _ways(self, state: str) -> list[Way]:
        if state in self._grown:
            return [Way(to=to) for to in self._grown[state]]
        flow_id, _, step_id = state.rpartition("/")
        flow = self._by_id.get(flow_id)
        if flow is None or step_id == END:
            return []
        if step_id == START:
            first = flow.steps[0].step_id if flow.steps else END
            return [Way(to=f"{flow_id}/{first}")]
        step = flow.step(step_id)
        return [_full(flow_id, way) for way in step.ways] if step is not None else []

    def as_bytes(self, *, flow_id: str, entry: str | None) -> bytes:
        """Return the flow file, `riff.flow/v1` in JSON."""
        states: JsonObject = {}
        for flow in self._by_id.values():
            head: JsonObject = {"source": place_of(flow.path, flow.line, flow.line)}
            states[f"{flow.flow_id}/{START}"] = {**self._body(f"{flow.flow_id}/{START}"), **head}
            for step in flow.steps:
                state = f"{flow.flow_id}/{step.step_id}"
                states[state] = {**self._body(state), "source": _place(flow, step)}
            states[f"{flow.flow_id}/{END}"] = {}
        for state in self._grown:
            states[state] = self._body(state)
        if entry is None or entry not in states:
            entry = next(iter(states), "conversation")
            states.setdefault(entry, {})
        document: JsonObject = {
            "schema": "riff.flow/v1", "flow_id": flow_id, "entry": entry, "states": states,
        }  # fmt: skip
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(errors="replace")

    def _body(self, state: str) -> JsonObject:
        ways = self._ways(state)
        rows: list[JsonValue] = [_edge(way, is_grown=state in self._grown) for way in ways]
        return {"transitions": rows} if rows else {}


def _full(flow_id: str, way: Way) -> Way:
    return Way(to=f"{flow_id}/{way.to}", condition=way.condition, is_else=way.is_else)


def _edge(way: Way, *, is_grown: bool) -> JsonObject:
    if is_grown:
        return {"to": way.to, "reason": GROWN}
    if way.condition is not None:
        return {"to": way.to, "when": f"custom:{' '.join(way.condition.split())}"}
    if way.is_else:
        return {"to": way.to, "reason": "else"}
    return {"to": way.to, "when": "always"}


def _place(flow: RasaFlow, step: FlowStep) -> JsonObject:
    return place_of(flow.path, step.line, step.end_line)
