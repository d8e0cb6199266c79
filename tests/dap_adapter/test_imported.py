"""A launch on another engine's file: breakpoints on flow lines, both ways, hashes restored."""

import sys
from typing import Any

from support.import_samples import OURS

from dap_adapter.client import DapClient

WHISK = OURS / "pipecat" / "booking_racy.whisk.gz"
FLOW = OURS / "pipecat" / "flow.yaml"


def line_of(text: str) -> int:
    lines = FLOW.read_text(encoding="utf-8").splitlines()
    return lines.index(text) + 1


def top(client: DapClient) -> dict[str, Any]:
    answer = client.request("stackTrace", {"threadId": 1})
    return answer["stackFrames"][0]


def test_a_whisker_file_is_debugged_like_any_call() -> None:
    command = [sys.executable, "-m", "dap_adapter.main"]
    with DapClient(command) as client:
        client.request("initialize", {"adapterID": "state-program"})
        client.request("launch", {"recording": str(WHISK), "flowRoot": str(FLOW.parent)})
        client.event("initialized")
        placed = client.request(
            "setBreakpoints",
            {"source": {"path": str(FLOW)}, "breakpoints": [{"line": line_of("  no_table:")}]},
        )
        assert placed["breakpoints"][0]["verified"] is True
        client.request("configurationDone")
        assert client.event("stopped")["reason"] == "entry"
        client.request("continue", {"threadId": 1})
        assert client.event("stopped")["reason"] == "breakpoint"
        here = top(client)
        assert "no_table" in here["name"]
        assert here["source"]["path"] == str(FLOW)
        for _ in range(3):
            client.request("next", {"threadId": 1})
            client.event("stopped")
        for _ in range(3):
            client.request("stepBack", {"threadId": 1})
            client.event("stopped")
        assert top(client)["name"] == here["name"]
        client.request("reverseContinue", {"threadId": 1})
        assert client.event("stopped")["reason"] == "entry"
