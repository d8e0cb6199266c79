"""The flow room: a flow file to one document with places, guards and transition metadata.

Values in, values out. Start with `parse_flow`; `flow_metadata` is what an artifact keeps of it, and
`diagnose` says all that is wrong in a file.
"""

from engine.core.flow.diagnostics import (
    FLOW_DIAGNOSTIC_CODES,
    Diagnostic,
    FlowCheck,
    Severity,
    check_flow,
    diagnose,
    unreadable_file,
)
from engine.core.flow.document import (
    Edge,
    FlowDocument,
    FlowFormat,
    ProgramPlace,
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
    "FLOW_DIAGNOSTIC_CODES",
    "Diagnostic",
    "Edge",
    "FaultKind",
    "FlowCheck",
    "FlowDocument",
    "FlowFormat",
    "Guard",
    "ProgramPlace",
    "ReferenceSource",
    "Severity",
    "SlotAssignment",
    "SlotDeclaration",
    "SlotReference",
    "SourceText",
    "Span",
    "SpannedText",
    "State",
    "UnknownGuard",
    "check_flow",
    "diagnose",
    "flow_metadata",
    "guard_leaves",
    "leaf_slot",
    "parse_flow",
    "parse_guard",
    "unreadable_file",
]
