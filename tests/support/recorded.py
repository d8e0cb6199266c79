"""Calls that tests record: a small flow, a recorder on it, and a scripted call."""

from collections.abc import Callable
from pathlib import Path

from engine.core.contract.errors import RecordingFailed
from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import SlotClass
from engine.recording import Identity, RecordedFlow, Recorder

EPOCH = 1_767_225_600_000
FLOW_TEXT = """schema: riff.flow/v1
flow_id: desk
entry: menu
slots:
  caller_name: {type: string, class: personal}
  address: {type: object, class: personal}
  route: {type: enum, class: routing, values: [repairs, rent]}
  pin_kind: {type: enum, class: personal, values: [short, long]}
  time: {type: string, class: plain}
states:
  menu:
    prompt: "Hello {{slots.caller_name}}"
    transitions:
      - {to: bye, when: "slot_equals:route:repairs", reason: "repairs"}
  bye: {}
"""
FLOW = RecordedFlow(
    data=FLOW_TEXT.encode(), file_name="desk.flow.yaml", source_path="flows/desk.flow.yaml"
)
NOBODY = Identity(unavailable={"engine_revision": "a test", "runtime_lock": "a test"})


def recorder_in(directory: Path, **options) -> Recorder:
    """A recorder of the small flow."""
    asked = {
        "session_id": "v3:test",
        "flow": FLOW,
        "identity": NOBODY,
        "call_start_epoch": EPOCH,
        "slot_classes": {"site": SlotClass.PLAIN},
    }
    return Recorder.open(directory, **{**asked, **options})


def script() -> list[Callable[[Recorder], str | None]]:
    """The steps of a call, each of which acknowledges one event."""

    def record(kind: str, **fields) -> Callable[[Recorder], str | None]:
        return lambda recorder: recorder.append({"type": kind, **fields})

    return [
        lambda r: r.seed(
            [
                ("prior_call", {"caller_name": "A. Doe"}),
                ("caller_identity", {"caller_name": "Alex Doe"}),
                ("flow_default", {"route": None}),
            ],
            clock_ms=0,
        ),
        record("state_entered", state_id="menu", via_edge=None, clock_ms=10),
        record("prompt_resolved", state_id="menu", slots_read=["caller_name"], clock_ms=20),
        record("transcript_segment", speaker="caller", text="the sink leaks", clock_ms=900),
        record("input_selected", selected_source="whisper", clock_ms=950, turn_id="t1"),
        lambda r: r.write_slot(
            slot="route", new="repairs", kind="locked_choice", writer="locked_choice", clock_ms=960
        ),
        record(
            "tool_called",
            tool="lookup",
            tool_call_id="k1",
            args_safe={"query": "sink leaks in 4B", "time": "18:00"},
            clock_ms=970,
        ),
        record("tool_result", tool_call_id="k1", ok=True, result_safe={"rows": []}, clock_ms=990),
        lambda r: r.write_slot(
            slot="address", new={"flat": "4B"}, kind="tool", writer="tool:lookup", clock_ms=991
        ),
        record("guard_evaluated", edge_id="menu:0", verdict=True, clock_ms=995),
        record("transition_taken", edge_id="menu:0", to="bye", clock_ms=1000),
        record("state_exited", state_id="menu", edge_id="menu:0", clock_ms=1000),
        record("state_entered", state_id="bye", via_edge="menu:0", clock_ms=1001),
    ]


def play(recorder: Recorder, acknowledge: Callable[[str], object]) -> int:
    """Record the scripted call; what fails is left out. Return how many steps failed."""
    failed = 0
    for step in script():
        try:
            event_id = step(recorder)
        except RecordingFailed:
            failed += 1
        else:
            assert event_id is not None
            acknowledge(event_id)
    return failed


def ids_of(artifact: JsonObject) -> list[str]:
    """The event ids of an artifact, in order."""
    events = artifact["events"]
    assert isinstance(events, list)
    return [str(event["event_id"]) for event in events if isinstance(event, dict)]


def problem_codes(artifact: JsonObject) -> set[str]:
    """The codes of an artifact's problems."""
    problems = artifact["problems"]
    assert isinstance(problems, list)
    return {str(problem["code"]) for problem in problems if isinstance(problem, dict)}
