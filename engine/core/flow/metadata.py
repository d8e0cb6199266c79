"""The flow document as the artifact's `flow` value.

Rules: plain JSON, each key always present but a state's `source`, which stands only where the file
says where the program has that state; so its bytes depend on the file alone. Lists keep
the file's order; a reference that a state repeats with equal slot, source and detail stands once.
"""

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.flow.document import Edge, FlowDocument, SlotDeclaration, SpannedText, State
from engine.core.flow.source_text import Span


def flow_metadata(document: FlowDocument, *, path: str, source_path: str | None) -> JsonObject:
    """Return the `flow` value of an artifact.

    Args:
        document: the parsed flow.
        path: the flow file inside the session directory.
        source_path: where the author keeps it, or null where that was not recorded.

    Cost: O(size). Source: contract, file layout; SPD-100..107.
    """
    return {
        "path": path,
        "source_path": source_path,
        "revision": document.revision,
        "text": document.text,
        "flow_id": document.flow_id,
        "entry": document.entry.text,
        "states": {state.state_id: _state_row(state) for state in document.states},
        "slots": {slot.name: _slot_row(slot) for slot in document.slots},
    }


def _span_row(span: Span) -> JsonObject:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _text_span_row(text: SpannedText | None) -> JsonObject | None:
    return _span_row(text.span) if text is not None else None


def _state_row(state: State) -> JsonObject:
    row: JsonObject = {
        "edges": [_edge_row(edge) for edge in state.edges],
        "prompt": state.prompt.text if state.prompt is not None else None,
        "static_slot_references": _reference_rows(state),
        "span": _span_row(state.span),
        "spans": {
            "key": _span_row(state.key_span),
            "prompt": _text_span_row(state.prompt),
            "entry_line": _text_span_row(state.entry_line),
        },
    }
    place = state.program
    if place is not None:
        row["source"] = {"path": place.path, "line": place.line, "end_line": place.end_line}
    return row


def _edge_row(edge: Edge) -> JsonObject:
    return {
        "edge_id": edge.edge_id,
        "declaration_index": edge.declaration_index,
        "to": edge.to.text,
        "when": edge.when.text if edge.when is not None else None,
        "reason": edge.reason,
        "sets": [{"slot": item.slot, "value": item.value} for item in edge.sets],
        "clears": [item.text for item in edge.clears],
        "spans": {
            "edge": _span_row(edge.span),
            "when": _text_span_row(edge.when),
            "sets": [_span_row(item.span) for item in edge.sets],
            "clears": [_span_row(item.span) for item in edge.clears],
        },
    }


def _reference_rows(state: State) -> list[JsonValue]:
    distinct = dict.fromkeys(
        (reference.slot, reference.source.value, reference.detail) for reference in state.references
    )
    return [{"slot": slot, "source": source, "detail": detail} for slot, source, detail in distinct]


def _slot_row(slot: SlotDeclaration) -> JsonObject:
    return {
        "type": slot.type_name,
        "class": slot.slot_class.value if slot.slot_class is not None else None,
        "values": list(slot.values) if slot.values is not None else None,
        "span": _span_row(slot.span),
    }
