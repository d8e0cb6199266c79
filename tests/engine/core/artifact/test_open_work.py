"""Open work by hand; test_columns compares it with a plain scan."""

import pytest
from support.records import build_in_order, entered, exited, noise, record, taken

from engine.core.artifact import ArtifactView
from engine.core.artifact.open_work import CHECKPOINT_KINDS, PENDING_KINDS
from engine.core.contract.json_types import JsonObject, JsonValue


def asked(request_id: str = "r", edge: str | None = "a:0", **members: JsonValue) -> JsonObject:
    return record("transition_requested", request_id=request_id, to="b", edge_id=edge, **members)


def audio(stage: str, playback_id: str = "p") -> JsonObject:
    return record(f"audio_{stage}", playback_id=playback_id)


def pending(*records: JsonObject) -> list[list[tuple[int, str]]]:
    """What is pending at each cursor from 0 on."""
    view = ArtifactView.of(build_in_order([*records]))
    return [view.pending_at(cursor, limit=9) for cursor in range(view.event_count)]


def test_the_kinds_of_the_contract() -> None:
    assert PENDING_KINDS == ("transition", "tool", "audio")
    assert set(CHECKPOINT_KINDS) == {
        "visit_entry",
        "before_input_selection",
        "before_tool",
        "before_audio_outcome",
    }


@pytest.mark.parametrize(
    "answer",
    [
        taken("a:9", visit_id="a#1"),
        taken("a:0", "b", request_id="r", visit_id="nobody#1"),
        taken(None, "q", caused_by="ask", visit_id="nobody#1"),
        exited("a"),
    ],
    ids=["another of its visit", "by request id", "by cause", "the visit's close"],
)
def test_a_request_ends_when_it_is_taken_or_superseded(answer: JsonObject) -> None:
    call = [entered("a"), asked(event_id="ask"), noise(), answer]
    assert pending(*call) == [[], [(1, "transition")], [(1, "transition")], []]


@pytest.mark.parametrize(
    "other",
    [
        taken("a:0", "b", request_id="other", visit_id="nobody#1"),
        taken("a:0", "b", visit_id="nobody#1"),
        noise(request_id="r"),
        record("transition_taken", request_id="r"),
    ],
    ids=["another request", "another visit", "another type", "a record without effect"],
)
def test_nothing_else_ends_a_request(other: JsonObject) -> None:
    call = [entered("a"), asked(event_id="ask"), other]
    assert pending(*call)[-1] == [(1, "transition")]


def test_a_request_without_an_answer_stays_open() -> None:
    assert pending(entered("a"), asked(), noise())[-1] == [(1, "transition")]


def test_tools() -> None:
    call = [
        record("tool_called", tool="t", tool_call_id="k"),
        record("tool_called", tool="t", tool_call_id="l"),
        record("tool_result", tool_call_id="k"),
    ]
    assert pending(*call) == [[(0, "tool")], [(0, "tool"), (1, "tool")], [(1, "tool")]]


@pytest.mark.parametrize("end", ["stopped", "completed", "interrupted", "failed"])
def test_audio_requested_and_not_ended(end: str) -> None:
    call = [audio("requested"), audio("started"), audio(end), audio("started", "q")]
    assert pending(*call) == [[(0, "audio")], [(0, "audio")], [], []]


def test_audible_from_start_up_to_the_first_end() -> None:
    call = [audio("started", "q"), audio("started"), audio("completed"), audio("failed")]
    view = ArtifactView.of(build_in_order(call))
    playing = [view.playing_at(cursor, limit=9) for cursor in range(-1, 4)]
    assert playing == [[], ["q"], ["q", "p"], ["q"], ["q"]]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([entered("a")], [None, ("visit_entry", 0)]),
        ([noise(), record("input_selected")], [None, ("before_input_selection", 0)]),
        ([record("dtmf_received", digit="1")], [("before_input_selection", -1)]),
        ([record("tool_called", tool="t", tool_call_id="k")], [None, None]),
        ([noise(), audio("completed")], [None, ("before_audio_outcome", 0)]),
        ([noise(), audio("stopped")], [None, None]),
    ],
)
def test_checkpoints(records: list[JsonObject], expected: list[tuple[str, int] | None]) -> None:
    view = ArtifactView.of(build_in_order(records))
    found = [view.checkpoint_at(cursor) for cursor in range(-1, len(expected) - 1)]
    assert found == expected
