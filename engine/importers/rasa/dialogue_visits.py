"""The dialogue stack as nested visits: what opens, what closes, which way was taken.

Rules: each frame that names a flow and a step is one visit, nested in the frame below it. A frame's
change of step is a transition; a frame that is gone was left. Conditions of the step left are
evaluated again on the slots of that moment: `branch_recomputed` and not `guard_evaluated`, because
the log has no evaluation (decision 18).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, JsonValue, text
from engine.importers.rasa.conditions import evaluated
from engine.importers.rasa.conversation_flow import ConversationFlow


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """An open frame; `key` tells frames apart."""

    key: str
    state: str
    visit_id: str
    logged_step: str


@dataclass(slots=True, kw_only=True)
class DialogueVisits:
    """Follows the stack; `open` are its frames, outermost first."""

    flow: ConversationFlow
    open: list[Frame] = field(default_factory=list[Frame])
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    def moved(self, stack: Sequence[JsonValue], slots: Mapping[str, JsonValue]) -> list[JsonObject]:
        """Return the trace records of a stack that has changed, in order."""
        wanted = self._wanted(stack)
        kept = 0
        while kept < min(len(wanted), len(self.open)) and self._is_same(kept, wanted[kept]):
            kept += 1
        records: list[JsonObject] = []
        via_edge: str | None = None
        for place in range(len(self.open) - 1, kept - 1, -1):
            frame = self.open[place]
            follows = place == kept and place < len(wanted) and wanted[place][0] == frame.key
            if follows:
                left = self._left_for(frame, wanted[place][1], slots)
                via_edge = text(left[-1], "edge_id")
                records += left
            else:
                records.append(
                    {
                        "type": "state_exited", "state_id": frame.state, "edge_id": None,
                        "visit_id": frame.visit_id, "reason": "its frame left the stack",
                    }
                )  # fmt: skip
        del self.open[kept:]
        for place in range(kept, len(wanted)):
            key, state, logged = wanted[place]
            records.append(self._enter(key, state, logged, via_edge if place == kept else None))
        return records

    def enter_action(self, state: str, *, parent: str | None, about: JsonObject) -> JsonObject:
        """Return the entry of a visit that is an executed action (trackers without a stack)."""
        self.flow.add_state(state)
        return {**self._entry(state, None, parent), **about}

    def _wanted(self, stack: Sequence[JsonValue]) -> list[tuple[str, str, str]]:
        """Return (key, state, logged step) of each frame that names a flow and a step."""
        found: list[tuple[str, str, str]] = []
        for place, frame in enumerate(stack):
            if not isinstance(frame, dict):
                continue
            flow_id, step = text(frame, "flow_id"), text(frame, "step_id")
            if flow_id and step:
                key = text(frame, "frame_id") or f"{place}:{flow_id}"
                found.append((key, self.flow.state_of(flow_id, step), step))
        return found

    def _is_same(self, place: int, wanted: tuple[str, str, str]) -> bool:
        return (self.open[place].key, self.open[place].state) == wanted[:2]

    def _left_for(self, frame: Frame, to: str, slots: Mapping[str, JsonValue]) -> list[JsonObject]:
        """Return guards evaluated again, then the transition."""
        self.flow.add_way(frame.state, to)
        ways = self.flow.ways(frame.state)
        records: list[JsonObject] = []
        held: str | None = None
        for edge_id, way in ways:
            if way.condition is None:
                continue
            result = evaluated(way.condition, slots)
            records.append(
                {
                    "type": "branch_recomputed", "edge_id": edge_id, "outcome": result.verdict,
                    "slots_read": [*result.slots_read], "reason": result.reason,
                    "provenance": "recomputed", "visit_id": frame.visit_id,
                }
            )  # fmt: skip
            if result.verdict is not False:
                held = edge_id if result.verdict else None
                break
        else:
            held = next((edge_id for edge_id, way in ways if way.is_else), None)
        leading = [edge_id for edge_id, way in ways if way.to == to]
        edge_id = leading[0] if len(leading) == 1 else held if held in leading else None
        basis = "the one way to that step" if len(leading) == 1 else None
        passed = None if leading else self.flow.passed(frame.state, to, slots)
        if passed is not None:
            edge_id, basis = ways[0][0], "the steps between ask only for slots that have a value"
        records.append(
            {
                "type": "transition_taken", "to": to, "edge_id": edge_id,
                "visit_id": frame.visit_id,
                "edge_basis": basis, **({"passed": [*passed]} if passed else {}),
            }
        )  # fmt: skip
        return records

    def _enter(self, key: str, state: str, logged: str, via_edge: str | None) -> JsonObject:
        parent = self.open[-1].visit_id if self.open else None
        record = self._entry(state, via_edge, parent)
        frame = Frame(
            key=key, state=state, visit_id=text(record, "visit_id") or "", logged_step=logged
        )
        self.open.append(frame)
        if not state.endswith(f"/{logged}"):
            record["logged_step"] = logged
        return record

    def _entry(self, state: str, via_edge: str | None, parent: str | None) -> JsonObject:
        number = self._counts[state] = self._counts.get(state, 0) + 1
        return {
            "type": "state_entered",
            "state_id": state,
            "visit_id": f"{state}#{number}",
            "via_edge": via_edge,
            "parent_visit_id": parent,
        }
