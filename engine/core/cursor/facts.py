"""One event as a fact: where it stands, what it is in plain words, and its place in the flow.

The words say what the record says and nothing about causes. Texts and values stand in them as
recorded, shortened. Source: design sections 4 and 10.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import canonical_bytes, printable
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, text

QUOTED_MAX = 120
"""Longest text or value that stands in `what`, in characters."""
NEAR = 128
"""Events that are looked at one by one before an id is looked up in all of them."""


def event_row(view: ArtifactView, index: int) -> JsonObject:
    """Return `{event_index, event_id, clock_ms, type, visit_id}` of an event."""
    return {
        "event_index": index,
        "event_id": view.event_id(index),
        "clock_ms": view.clock_ms(index),
        "type": view.event_type(index),
        "visit_id": view.payload(index)["owner"],
    }


def described(view: ArtifactView, index: int) -> JsonObject:
    """Return the event's row with `what`, the event in plain words."""
    return {**event_row(view, index), "what": what_of(view, index)}


def known_row(view: ArtifactView, event_id: str | None) -> JsonObject | None:
    """Return the described event with this id; None without an id or where it is not there."""
    index = view.index_of(event_id) if event_id is not None else None
    return None if index is None else described(view, index)


def find_event(view: ArtifactView, event_id: str, *, before: int) -> int | None:
    """Return the index of the event with this id, or None; quick where it is near.

    What a record refers to mostly stands right before it. Cost: O(`NEAR`), else that of
    `ArtifactView.index_of`.
    """
    for index in range(before, max(-1, before - NEAR), -1):
        if view.event_id(index) == event_id:
            return index
    return view.index_of(event_id)


def shown(value: JsonValue) -> str:
    """Return a value as it stands in a sentence: its JSON, shortened."""
    return shortened(canonical_bytes(printable(value)).decode())


def quoted(value: JsonValue) -> str:
    """Return a recorded text in quotation marks, shortened; other values as `shown`."""
    return f'"{shortened(value)}"' if isinstance(value, str) else shown(value)


def shortened(words: str) -> str:
    """Return at most `QUOTED_MAX` characters of `words`."""
    return words if len(words) <= QUOTED_MAX else words[: QUOTED_MAX - 3] + "..."


def what_of(view: ArtifactView, index: int) -> str:
    """Return what happened at an event, in plain words."""
    kind, record = view.effective_type(index), view.record(index)
    words = _WORDS.get(kind) if kind is not None else None
    if words is not None:
        return words(record)
    said = record.get("text")
    named = (view.event_type(index) or "a record without a type").replace("_", " ")
    return f"{named}: {quoted(said)}" if isinstance(said, str) else named


def flow_place(view: ArtifactView, index: int) -> JsonObject | None:
    """Return where in the flow an event points: `{of, id, span}`, or None.

    `of` is `edge`, `state` or `prompt`; `span` is null where the flow that ran has no such thing.
    """
    record, kind = view.record(index), view.effective_type(index)
    edge_id = text(record, "edge_id")
    if edge_id is not None and kind is not None:
        return {"of": "edge", "id": edge_id, "span": edge_span(view, edge_id)}
    state_id = text(record, "state_id")
    if kind in {"state_entered", "state_exited"} and state_id is not None:
        return {"of": "state", "id": state_id, "span": state_of(view, state_id).get("span")}
    if kind == "llm_requested" and text(record, "trigger") == "node_entry":
        state_id = _owner_state(view, index)
    elif kind != "prompt_resolved":
        return None
    if state_id is None:
        return None
    span = mapping(state_of(view, state_id), "spans").get("prompt")
    return {"of": "prompt", "id": state_id, "span": span}


def state_of(view: ArtifactView, state_id: str) -> JsonObject:
    """Return a state of the flow that ran; empty where the flow does not have it."""
    return mapping(mapping(view.flow, "states"), state_id)


def edge_span(view: ArtifactView, edge_id: str) -> JsonValue:
    """Return the span of an edge in the flow that ran, or None."""
    for edge in view.edges_of(edge_id.rpartition(":")[0]):
        if edge["edge_id"] == edge_id:
            return mapping(edge, "spans").get("edge")
    return None


def _owner_state(view: ArtifactView, index: int) -> str | None:
    owner = text(view.payload(index), "owner")
    return None if owner is None else owner.rpartition("#")[0]


# -- words -----------------------------------------------------------------------------------------


def _entered(record: JsonObject) -> str:
    via = text(record, "via_edge")
    return f"{record['state_id']} is entered" + (f" by {via}" if via is not None else "")


def _guard(record: JsonObject) -> str:
    if record.get("error") is not None:
        return f"the guard of {record['edge_id']} fails: {shown(record['error'])}"
    verdict = record.get("verdict")
    said = "nothing" if verdict is None else shown(verdict)
    tested = f" ({record['field']} is {shown(record.get('value'))})" if "field" in record else ""
    return f"the guard of {record['edge_id']} says {said}{tested}"


def _moved(verb: str) -> Callable[[JsonObject], str]:
    def words(record: JsonObject) -> str:
        edge = text(record, "edge_id")
        by = f" by {edge}" if edge is not None else ", an edge that the record does not name"
        return f"a transition to {record['to']} is {verb}{by}"

    return words


def _exited(record: JsonObject) -> str:
    edge = text(record, "edge_id")
    return f"{record['state_id']} is left" + (f" by {edge}" if edge is not None else "")


def _write(record: JsonObject) -> str:
    writer = text(record, "writer") or "a writer that was not recorded"
    change = f"{shown(record.get('old'))} -> {shown(record.get('new'))}"
    return f"slot {record['slot']} {change}, written by {writer}"


def _run(record: JsonObject) -> str:
    trigger, size = text(record, "trigger"), integer(record, "context_size")
    asked = f", asked for by {trigger.replace('_', ' ')}" if trigger is not None else ""
    held = f", {size} messages in its context" if size is not None else ""
    return f"model run {record['generation_id']} begins{asked}{held}"


def _ran(record: JsonObject) -> str:
    said = text(record, "text")
    return f"model run {record['generation_id']} ends" + (f": {quoted(said)}" if said else "")


def _audio(verb: str) -> Callable[[JsonObject], str]:
    def words(record: JsonObject) -> str:
        said = text(record, "heard") or text(record, "planned")
        return f"playback is {verb}" + (f": {quoted(said)}" if said is not None else "")

    return words


def _input(record: JsonObject) -> str:
    named = text(record, "turn_id")
    return f"the caller's turn {named} is committed" if named else "a caller's turn is committed"


def _called(record: JsonObject) -> str:
    args = shown(record["args_safe"]) if "args_safe" in record else "arguments not recorded"
    return f"tool {record['tool']} is called: {args}"


def _result(record: JsonObject) -> str:
    if record.get("error") is not None:
        return f"the tool fails: {shown(record['error'])}"
    return f"the tool answers: {shown(record.get('result_safe'))}"


def _segment(record: JsonObject) -> str:
    return f"{record['speaker']} says {quoted(record['text'])}"


_WORDS: Mapping[str, Callable[[JsonObject], str]] = MappingProxyType(
    {
        "state_entered": _entered,
        "guard_evaluated": _guard,
        "transition_requested": _moved("asked for"),
        "transition_taken": _moved("taken"),
        "state_exited": _exited,
        "session_slots_seeded": lambda _: "the slots are seeded",
        "slot_write": _write,
        "slot_filled": lambda record: f"slot {record['slot']} is noted as filled",
        "prompt_resolved": lambda record: f"the prompt of {record['state_id']} is filled in",
        "llm_requested": _run,
        "llm_responded": _ran,
        "audio_requested": _audio("asked for"),
        "audio_generated": _audio("generated"),
        "audio_started": _audio("started"),
        "audio_stopped": _audio("stopped"),
        "audio_completed": _audio("completed"),
        "audio_interrupted": _audio("interrupted"),
        "audio_failed": _audio("failed"),
        "dtmf_received": lambda record: f"the caller presses {shown(record['digit'])}",
        "input_selected": _input,
        "tool_called": _called,
        "tool_result": _result,
        "transcript_segment": _segment,
        "unreadable_record": lambda _: "a line that cannot be read",
    }
)
