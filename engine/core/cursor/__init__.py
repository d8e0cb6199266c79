"""The cursor: step, reverse, run, inspect; projection and hash.

The package root is what faces may import.
"""

from engine.core.cursor.commands import (
    DebuggerState,
    action_of,
    apply_command,
    open_debugger,
    refuse_command,
)
from engine.core.cursor.conditions import resolve
from engine.core.cursor.info import INFO_SCHEMA, recording_info
from engine.core.cursor.project import exit_rows, pending_rows, project
from engine.core.cursor.response import (
    RESPONSE_SCHEMA,
    determinism_hash,
    respond_without_recording,
)
from engine.core.cursor.stops import RunStop, Stop, run, step
from engine.core.cursor.variables import (
    SlotValue,
    slot_history,
    slot_of,
    slot_rows,
    slot_value,
    slot_write_count,
)

__all__ = [
    "INFO_SCHEMA",
    "RESPONSE_SCHEMA",
    "DebuggerState",
    "RunStop",
    "SlotValue",
    "Stop",
    "action_of",
    "apply_command",
    "determinism_hash",
    "exit_rows",
    "open_debugger",
    "pending_rows",
    "project",
    "recording_info",
    "refuse_command",
    "resolve",
    "respond_without_recording",
    "run",
    "slot_history",
    "slot_of",
    "slot_rows",
    "slot_value",
    "slot_write_count",
    "step",
]
