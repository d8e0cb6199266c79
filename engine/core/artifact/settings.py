"""Parameters of the findings, by name: every artifact holds them, so its findings can be read.

Source: design section 11.
"""

from engine.core.contract.json_types import JsonObject


def finding_settings() -> JsonObject:
    """Return the default parameters of all findings; names end in their unit."""
    return {
        "clock_step_max_ms": 5000,
        "duplicate_gap_max_ms": 2000,
        "loop_entry_count": 5,
        "loop_window_visits": 20,
        "silence_pending_ms": 4000,
        "tool_repeat_window_ms": 30000,
        "turn_merge_pause_ms": 700,
    }
