"""What the adapter claims, one line per claim; every line has its test.

Rules: a claim is a promise (law 10): it is true for any recording, it is in the answer to
`initialize`, and no later event adds to it. What is not claimed here is answered with a failure.
"""

from dap_adapter.protocol import Capabilities

CAPABILITIES = Capabilities(
    supports_configuration_done_request=True,
    supports_step_back=True,
    supports_evaluate_for_hovers=True,
    supports_data_breakpoints=True,
    supports_stepping_granularity=True,
    supports_delayed_stack_trace_loading=True,
    supports_terminate_request=True,
    supports_clipboard_context=True,
)
