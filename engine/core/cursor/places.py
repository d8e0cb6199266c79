"""Places of a breakpoint: what in a call it means, and at which events that happens.

A place is a value; its events are found in postings, or, where no posting knows a record's field,
by a test at the events of a type. Source: contract "Conditions", decisions 4 and 11 of the adapter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.core.artifact import ArtifactView, Posting
from engine.core.contract.json_types import JsonObject, mapping, text
from engine.core.cursor.conditions import finding_positions
from engine.core.cursor.evaluation import Meter
from engine.core.cursor.hits import Refusal
from engine.core.cursor.names import did_you_mean, nearest
from engine.core.cursor.narrowing import union
from engine.core.cursor.scan import Candidates

EDGE_WRITER = "edge:"
"""What the writer of a slot write by an edge begins with; its edge id follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateEntry:
    """A state is entered."""

    state_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeTaken:
    """An edge is taken."""

    edge_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardEvaluated:
    """An edge's guard is evaluated, whatever the verdict."""

    edge_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeWrite:
    """An edge sets or clears a slot."""

    edge_id: str
    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptResolved:
    """A state's prompt is filled in."""

    state_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWrite:
    """A slot is written, seedings and clears included."""

    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRead:
    """A prompt, a guard or a tool's argument reads a slot."""

    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingCode:
    """A finding of a code, or the one finding of an id, stands here."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """An event of a type, known to the contract or not."""

    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionName:
    """What a name or pattern means; for its grammar see `function_names`."""

    pattern: str


_PostedPlace: TypeAlias = (
    StateEntry
    | EdgeTaken
    | GuardEvaluated
    | EdgeWrite
    | SlotWrite
    | SlotRead
    | FindingCode
    | EventType
)
NamedPlace: TypeAlias = _PostedPlace | PromptResolved
Place: TypeAlias = NamedPlace | FunctionName


def place_candidates(view: ArtifactView, place: NamedPlace) -> Candidates | Refusal:
    """Return the events of a place, or why this call has no such place.

    Cost: O(1) for most; O(prompts) tests for a prompt.
    """
    refusal = _unknown(view, place)
    if refusal is not None:
        return refusal
    if isinstance(place, PromptResolved):
        wanted = frozenset({place.state_id})
        return records_with(view, "prompt_resolved", "state_id", wanted.__contains__)
    return Candidates(positions=_positions(view, place))


def _positions(view: ArtifactView, place: _PostedPlace) -> Posting:
    match place:
        case StateEntry(state_id=name):
            found = view.postings("state_enter", name)
        case EdgeTaken(edge_id=name):
            found = view.postings("edge_taken", name)
        case GuardEvaluated(edge_id=name):
            found = guard_positions(view, name)
        case EdgeWrite(edge_id=name, slot=slot):
            writes = set(view.postings("slot_write", slot))
            by_edge = view.postings("writer", EDGE_WRITER + name)
            found = [index for index in by_edge if index in writes]
        case SlotWrite(slot=name):
            found = view.postings("slot_write", name)
        case SlotRead(slot=name):
            found = view.postings("slot_read", name)
        case FindingCode(code=name):
            found = finding_positions(view, name)
        case EventType(type=name):
            found = view.postings("type", name)
    return found


def guard_positions(view: ArtifactView, edge_id: str) -> Posting:
    """Return the sorted evaluations of an edge's guard in the whole call."""
    kinds = ("guard_true", "guard_false", "guard_null")
    return union([view.postings(kind, edge_id) for kind in kinds])


def records_with(
    view: ArtifactView, type_: str, field: str, matches: Callable[[str], bool]
) -> Candidates:
    """Return the fitting events of a type, tested for a text field of the record."""
    meter = Meter()

    def holds(index: int) -> bool:
        meter.spent += 1
        value = text(view.record(index), field)
        return value is not None and view.effective_type(index) == type_ and matches(value)

    return Candidates(positions=view.postings("type", type_), test=holds, meters=(meter,))


# -- names -----------------------------------------------------------------------------------------


def state_names(view: ArtifactView) -> list[str]:
    """Return the states of the flow, then those that only the recording has."""
    declared = mapping(view.flow, "states")
    return [*declared, *sorted(set(view.columns.runs.get("state_enter", {})) - set(declared))]


def edge_rows(view: ArtifactView) -> list[JsonObject]:
    """Return all edges of the flow, in its order."""
    return [edge for state in mapping(view.flow, "states") for edge in view.edges_of(state)]


def edge_names(view: ArtifactView) -> list[str]:
    """Return the edges of the flow, then those that only the recording has."""
    declared = [str(edge["edge_id"]) for edge in edge_rows(view)]
    kinds = ("edge_taken", "guard_true", "guard_false", "guard_null")
    recorded = {name for kind in kinds for name in view.columns.runs.get(kind, {})}
    return [*declared, *sorted(recorded - set(declared))]


def slot_names(view: ArtifactView) -> list[str]:
    """Return the slots declared or ever written."""
    return [str(slot["slot"]) for slot in view.slots]


def _unknown(view: ArtifactView, place: NamedPlace) -> Refusal | None:
    """Return the refusal of a state, edge or slot that neither flow nor recording has."""
    match place:
        case StateEntry(state_id=name) | PromptResolved(state_id=name):
            return unknown_name(name, "state", state_names(view))
        case EdgeTaken(edge_id=name) | GuardEvaluated(edge_id=name):
            return unknown_name(name, "edge", edge_names(view))
        case EdgeWrite(edge_id=edge_id, slot=slot):
            return unknown_name(edge_id, "edge", edge_names(view)) or unknown_name(
                slot, "slot", slot_names(view)
            )
        case SlotRead(slot=name) if view.postings("slot_read", name):
            return None  # read in this call, though neither declared nor written
        case SlotWrite(slot=name) | SlotRead(slot=name):
            return unknown_name(name, "slot", slot_names(view))
        case FindingCode() | EventType():
            return None


def unknown_name(name: str, kind: str, names: Sequence[str]) -> Refusal | None:
    """Return the refusal of a name that is none of `names`, with those that resemble it."""
    if name in names:
        return None
    near = nearest(name, names)
    return Refusal(message=f"This call has no {kind} {name!r}.{did_you_mean(near)}", nearest=near)
