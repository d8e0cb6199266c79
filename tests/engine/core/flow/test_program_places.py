"""Where the program has a state: read from the flow file, kept in the artifact only where it is."""

import pytest

from engine.core.contract.errors import FlowInvalid
from engine.core.flow import ProgramPlace, flow_metadata, parse_flow


def flow(source: str) -> bytes:
    return (
        "schema: riff.flow/v1\nflow_id: f\nentry: a\nstates:\n  a:\n    transitions: []\n" + source
    ).encode()


def place(source: str) -> ProgramPlace | None:
    return parse_flow(flow(source), path="f.yaml").states[0].program


def test_a_place_is_read_and_kept() -> None:
    written = "    source: {path: bot.py, line: 12, end_line: 30}\n"
    assert place(written) == ProgramPlace(path="bot.py", line=12, end_line=30)
    row = flow_metadata(parse_flow(flow(written), path="f.yaml"), path="f", source_path=None)
    assert row["states"]["a"]["source"] == {"path": "bot.py", "line": 12, "end_line": 30}


def test_without_one_the_artifact_has_no_key() -> None:
    row = flow_metadata(parse_flow(flow(""), path="f.yaml"), path="f", source_path=None)
    assert "source" not in row["states"]["a"]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("source: {path: bot.py, line: 3}", ProgramPlace(path="bot.py", line=3, end_line=3)),
        ("source: {path: b, line: 3, end_line: 1}", ProgramPlace(path="b", line=3, end_line=3)),
        ("source: {path: bot.py}", None),
        ("source: {line: 3}", None),
        ("source: {path: '', line: 3}", None),
        ("source:", None),
    ],
)  # fmt: skip
def test_a_part_of_a_place(written: str, found: ProgramPlace | None) -> None:
    assert place(f"    {written}\n") == found


@pytest.mark.parametrize(
    "written",
    [
        "source: bot.py",
        "source: {path: 3, line: 3}",
        "source: {path: bot.py, line: three}",
        "source: {path: bot.py, line: 0}",
        "source: {path: bot.py, line: true}",
        "source: {path: bot.py, line: 3, end_line: []}",
    ],
)
def test_what_is_no_place_is_a_fault_of_the_flow(written: str) -> None:
    with pytest.raises(FlowInvalid) as refused:
        place(f"    {written}\n")
    assert refused.value.detail["kind"] == "WRONG_TYPE"
