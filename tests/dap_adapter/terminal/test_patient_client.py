"""Answers in any order, and reasons for a person."""

import sys

from dap_adapter.client import RequestFailed
from dap_adapter.terminal.patient_client import PatientClient, reason_of


def test_a_reason_is_the_sentence_for_a_person() -> None:
    error = {"id": 1, "format": "{text}", "variables": {"text": "because {of} this"}}
    failed = RequestFailed({"message": "cancelled", "body": {"error": error}})
    assert reason_of(failed) == "because {of} this"
    assert reason_of(RequestFailed({"message": "notStopped"})) == "notStopped"


def test_answers_come_in_any_order_and_progress_is_told() -> None:
    told: list[str] = []
    program = """import json, sys
def event(name, **body):
    say({"type": "event", "seq": 9, "event": name, "body": body})

def say(message):
    body = json.dumps(message)
    sys.stdout.write(f"Content-Length: {len(body)}\\r\\n\\r\\n{body}")

event("progressStart", progressId="1", title="Loading")
event("progressUpdate", progressId="1", percentage=40)
event("progressEnd", progressId="1")
for seq in (2, 1):
    say({"type": "response", "seq": seq, "request_seq": seq, "success": True})
sys.stdout.flush()
sys.stdin.read()
"""
    with PatientClient(
        [sys.executable, "-c", program], timeout_s=30, show_progress=told.append
    ) as client:
        first, second = client.send("threads"), client.send("pause")
        assert client.response(first)["request_seq"] == first
        assert client.response(second)["request_seq"] == second
    assert told == ["Loading…", "Loading: 40 %", ""]
