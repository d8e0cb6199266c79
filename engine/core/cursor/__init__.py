"""The cursor: step, reverse, run, inspect; projection and hash.

The package root is what faces may import.
"""

from engine.core.cursor.actions import ACTIONS
from engine.core.cursor.audible import Audible, audible_in_visit, media_ms_at
from engine.core.cursor.breakpoints import (
    Breakpoint,
    breakpoint_candidates,
    breakpoint_hits,
    search_breakpoint,
)
from engine.core.cursor.causes import Chain, causes_of, hops_of
from engine.core.cursor.commands import (
    DebuggerState,
    action_of,
    apply_command,
    open_debugger,
    refuse_command,
)
from engine.core.cursor.conditions import (
    condition_candidates,
    expression_candidates,
    resolve,
    scan_until,
)
from engine.core.cursor.duplicates import DuplicatePair, duplicate_before
from engine.core.cursor.evaluation import (
    Evaluation,
    Template,
    evaluate,
    interpolate,
    parse_template,
)
from engine.core.cursor.facts import described, flow_place, what_of
from engine.core.cursor.findings_list import SHORT_NAMES, rule_code
from engine.core.cursor.flow_places import (
    FlowPlace,
    FlowSpan,
    LineBreakpoint,
    breakpoint_at,
    flow_places,
)
from engine.core.cursor.hits import HitCondition, Hits, Refusal, parse_hit_condition
from engine.core.cursor.info import INFO_SCHEMA, recording_info
from engine.core.cursor.pending import dropped_in_visit, pending_detail
from engine.core.cursor.places import (
    EdgeTaken,
    EdgeWrite,
    EventType,
    FindingCode,
    FunctionName,
    GuardEvaluated,
    Place,
    PromptResolved,
    SlotRead,
    SlotWrite,
    StateEntry,
)
from engine.core.cursor.program_places import (
    ProgramLines,
    breakpoint_in_program,
    program_lines,
)
from engine.core.cursor.project import exit_rows, pending_rows, project
from engine.core.cursor.response import (
    RESPONSE_SCHEMA,
    determinism_hash,
    respond_without_recording,
)
from engine.core.cursor.scan import Candidates, Scan, finish, scan
from engine.core.cursor.stops import RunStop, Stop, run, step
from engine.core.cursor.turns import turn_at, turn_row
from engine.core.cursor.variables import (
    SlotValue,
    slot_history,
    slot_of,
    slot_rows,
    slot_value,
    slot_write_count,
)
from engine.core.cursor.visit_facts import visit_facts
from engine.core.cursor.why import last_write

__all__ = [
    "ACTIONS",
    "INFO_SCHEMA",
    "RESPONSE_SCHEMA",
    "SHORT_NAMES",
    "Audible",
    "Breakpoint",
    "Candidates",
    "Chain",
    "DebuggerState",
    "DuplicatePair",
    "EdgeTaken",
    "EdgeWrite",
    "Evaluation",
    "EventType",
    "FindingCode",
    "FlowPlace",
    "FlowSpan",
    "FunctionName",
    "GuardEvaluated",
    "HitCondition",
    "Hits",
    "LineBreakpoint",
    "Place",
    "ProgramLines",
    "PromptResolved",
    "Refusal",
    "RunStop",
    "Scan",
    "SlotRead",
    "SlotValue",
    "SlotWrite",
    "StateEntry",
    "Stop",
    "Template",
    "action_of",
    "apply_command",
    "audible_in_visit",
    "breakpoint_at",
    "breakpoint_candidates",
    "breakpoint_hits",
    "breakpoint_in_program",
    "causes_of",
    "condition_candidates",
    "described",
    "determinism_hash",
    "dropped_in_visit",
    "duplicate_before",
    "evaluate",
    "exit_rows",
    "expression_candidates",
    "finish",
    "flow_place",
    "flow_places",
    "hops_of",
    "interpolate",
    "last_write",
    "media_ms_at",
    "open_debugger",
    "parse_hit_condition",
    "parse_template",
    "pending_detail",
    "pending_rows",
    "program_lines",
    "project",
    "recording_info",
    "refuse_command",
    "resolve",
    "respond_without_recording",
    "rule_code",
    "run",
    "scan",
    "scan_until",
    "search_breakpoint",
    "slot_history",
    "slot_of",
    "slot_rows",
    "slot_value",
    "slot_write_count",
    "step",
    "turn_at",
    "turn_row",
    "visit_facts",
    "what_of",
]
