"""Flow files of Rasa: steps, lines, ways on, and the steps that a log means."""

from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.core.contract.errors import SessionInvalid
from engine.importers.rasa.flow_files import Way, read_flow_file

FLOWS = OURS / "rasa" / "flows_calm.yml"


def test_the_steps_with_their_lines_and_ways() -> None:
    book, directions = read_flow_file(FLOWS, shown_path="flows_calm.yml")
    assert [(step.step_id, step.line, step.end_line) for step in book.steps] == [
        ("0_collect_party_size", 5, 8),
        ("ask_time", 9, 11),
        ("2_action_check_availability", 12, 12),
        ("3_utter_full", 17, 17),
        ("done", 19, 20),
    ]
    assert [step.ways for step in book.steps] == [
        [Way(to="ask_time")],
        [Way(to="2_action_check_availability")],
        [Way(to="done", condition="slots.available"), Way(to="3_utter_full", is_else=True)],
        [Way(to="ask_time")],
        [Way(to="END")],
    ]
    assert (directions.flow_id, directions.line) == ("directions", 21)


@pytest.mark.parametrize(
    ("logged", "step_id"),
    [
        ("ask_time", "ask_time"),
        ("1_collect_time", "ask_time"),
        ("2_action_check_availability", "2_action_check_availability"),
        ("2_action_check", "2_action_check_availability"),
        ("2_action_chec", None),
        ("3_action_check", None),
        ("7_utter_done", None),
        ("START", None),
    ],
)
def test_a_logged_step_is_found_or_not_guessed(logged: str, step_id: str | None) -> None:
    book = read_flow_file(FLOWS, shown_path="x")[0]
    step = book.step(logged)
    assert (step.step_id if step is not None else None) == step_id


def test_a_domain_has_no_flows(tmp_path: Path) -> None:
    path = tmp_path / "domain.yml"
    path.write_text("version: '3.1'\nslots:\n  time:\n    type: text\n")
    assert read_flow_file(path, shown_path="domain.yml") == ()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "NOT_A_FLOW_FILE"),
        (b"- a", "NOT_A_FLOW_FILE"),
        (b"a: [", "NOT_A_FLOW_FILE"),
        (b"\xff", "NOT_UTF8"),
    ],
)
def test_other_files_are_refused(content: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "flows.yml"
    path.write_bytes(content)
    with pytest.raises(SessionInvalid) as caught:
        read_flow_file(path, shown_path="flows.yml")
    assert caught.value.detail["file"] == "flows.yml"
    assert caught.value.detail["kind"] == kind


@pytest.mark.parametrize(
    "text",
    [
        "flows: {a: {steps: [{action: x, next: [{if: slots.a, then: [{action: y}]}]}]}}",
        "flows: {a: {steps: [{next: 3}, 7, {collect: [1]}, {action: y, next: [1, {else: z}]}]}}",
        "flows: {a: 3, b: [], c: {steps: 4}}",
        "flows: &a [*a]",
    ],
)
def test_odd_steps_are_read_as_far_as_they_go(text: str, tmp_path: Path) -> None:
    path = tmp_path / "flows.yml"
    path.write_text(text)
    for flow in read_flow_file(path, shown_path="flows.yml"):
        assert [step.number for step in flow.steps] == list(range(len(flow.steps)))
