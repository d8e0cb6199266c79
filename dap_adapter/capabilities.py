"""What the adapter claims, one line per claim; every line has its test.

Rules: a claim is a promise (law 10): it is true for any recording, it is in the answer to
`initialize`, and no later event adds to it. What is not claimed here is answered with a failure.
"""

from dap_adapter.protocol import Capabilities, ExceptionBreakpointsFilter

FINDING_CODES = (
    "DUPLICATE_AGENT_PLAYBACK",
    "PLAYBACK_CAPTURE_GAP",
    "VISIT_WITHOUT_AUDIBLE_SPEECH",
    "HEARD_NOT_KEPT",
    "SPEECH_CUT_BY_CALLER",
    "TWO_PLAYBACKS_ONE_TURN",
    "TURN_MERGED_SEGMENTS",
    "SLOT_OVERWRITTEN_UNSUPPORTED",
    "TOOL_CALLED_TWICE",
    "TOOL_WITHOUT_RESULT",
    "TOOL_FAILED",
    "TRANSITION_DROPPED",
    "TRANSITION_WITHOUT_EDGE",
    "EDGE_TRUE_NOT_TAKEN",
    "STATE_LOOP",
    "SILENCE_WHILE_PENDING",
    "GUARD_FAILED",
    "UNOWNED_EVENTS",
    "CLOCK_STEP",
)
"""The codes of the findings, which are the exception filters; a test compares them with the rules,
which would cost too much to load before the first answer."""

_FILTERS = [
    ExceptionBreakpointsFilter(
        filter=code,
        label=code.replace("_", " ").capitalize(),
        default=False,
        supports_condition=True,
        condition_description='CEL at the finding\'s event, like slots.time == "18:00"',
    )
    for code in FINDING_CODES
]

CAPABILITIES = Capabilities(
    supports_configuration_done_request=True,
    supports_step_back=True,
    supports_evaluate_for_hovers=True,
    supports_function_breakpoints=True,
    supports_conditional_breakpoints=True,
    supports_hit_conditional_breakpoints=True,
    supports_log_points=True,
    supports_breakpoint_locations_request=True,
    supports_data_breakpoints=True,
    exception_breakpoint_filters=_FILTERS,
    supports_exception_filter_options=True,
    supports_exception_info_request=True,
    supports_stepping_granularity=True,
    supports_restart_frame=True,
    supports_goto_targets_request=True,
    supports_restart_request=True,
    supports_completions_request=True,
    completion_trigger_characters=[".", "[", " "],
    supports_loaded_sources_request=True,
    supports_cancel_request=True,
    supports_delayed_stack_trace_loading=True,
    supports_terminate_request=True,
    supports_clipboard_context=True,
)
