"""The flow room: a flow file to one document with places, guards and transition metadata.

Values in, values out. Start with `parse_flow`; `flow_metadata` is what an artifact keeps of it.
"""

from engine.core.flow.document import (
    Edge,
    FlowDocument,
    FlowFormat,
    ReferenceSource,
    SlotAssignment,
    SlotDeclaration,
    SlotReference,
    SpannedText,
    State,
)
from engine.core.flow.faults import FaultKind
from engine.core.flow.guards import Guard, UnknownGuard, guard_leaves, leaf_slot, parse_guard
from engine.core.flow.metadata import flow_metadata
from engine.core.flow.parse import parse_flow
from engine.core.flow.source_text import SourceText, Span

__all__ = [
    "Edge",
    "FaultKind",
    "FlowDocument",
    "FlowFormat",
    "Guard",
    "ReferenceSource",
    "SlotAssignment",
    "SlotDeclaration",
    "SlotReference",
    "SourceText",
    "Span",
    "SpannedText",
    "State",
    "UnknownGuard",
    "flow_metadata",
    "guard_leaves",
    "leaf_slot",
    "parse_flow",
    "parse_guard",
]
