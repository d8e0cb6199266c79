"""`spd record`: a call from a script, and refusals that leave nothing behind."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.core.contract.json_types import mapping, rows
from engine.faces.cli.record_command import record
from engine.recording import build_session
from fixtures.make_recorded import CALLS


def run(*words: object) -> Result:
    return CliRunner().invoke(record, [str(word) for word in words])


def script(name: str = "static_plus_model") -> Path:
    return CALLS / name / "call.yaml"


@pytest.mark.parametrize("voices", ["tones", "none"])
def test_a_call_is_recorded_and_says_what_to_do_next(tmp_path: Path, voices: str) -> None:
    out = tmp_path / "call"
    done = run(CALLS / "menu.yaml", "--script", script(), "--out", out, "--voices", voices)
    assert done.exit_code == 0, done.output
    assert "3 visits; completed." in done.output
    assert f"Next: spd debug {out}" in done.output
    built = build_session(out)
    assert mapping(built, "session")["voices"] == (None if voices == "none" else voices)
    assert rows(built, "audio")[0]["availability"] == (
        "unavailable" if voices == "none" else "recorded"
    )
    assert mapping(built, "session")["ended"] == "completed"


def test_two_runs_share_no_fingerprint(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run(CALLS / "menu.yaml", "--script", script(), "--out", tmp_path / name)
    one, two = (
        {row["content_fingerprint"] for row in rows(build_session(tmp_path / name), "playback")}
        for name in ("a", "b")
    )
    assert not one & two


def test_an_output_that_is_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("kept")
    done = run(CALLS / "menu.yaml", "--script", script(), "--out", tmp_path)
    assert done.exit_code == 1
    assert "OUTPUT_REJECTED" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_call_that_fails_on_its_way_is_kept_as_aborted(tmp_path: Path) -> None:
    wrong = tmp_path / "call.yaml"
    wrong.write_text(script().read_text() + "  - {press: '1', at_ms: 3}\n")
    flow = tmp_path / "flow.yaml"
    flow.write_text(
        (CALLS / "menu.yaml").read_text().replace('"slot_equals:_route:rent"', "dtmf:7")
    )
    done = run(flow, "--script", wrong, "--out", tmp_path / "call")
    assert done.exit_code == 1
    assert "SCRIPT_INVALID" in done.output
    assert mapping(build_session(tmp_path / "call"), "session")["ended"] == "aborted"


@pytest.mark.parametrize("missing", ["flow", "script"])
def test_a_file_that_is_not_there_is_a_typed_error(tmp_path: Path, missing: str) -> None:
    gone = tmp_path / "gone.yaml"
    flow = gone if missing == "flow" else CALLS / "menu.yaml"
    told = gone if missing == "script" else script()
    done = run(flow, "--script", told, "--out", tmp_path / "call")
    assert done.exit_code == 1
    assert "gone.yaml cannot be read" in done.output
    assert not (tmp_path / "call").exists()


def test_redaction_reaches_the_recorded_words(tmp_path: Path) -> None:
    told = tmp_path / "call.yaml"
    told.write_text(
        script("distinct_prompts").read_text().replace("gemini: rent", "gemini: rent 415-555-0182")
    )
    out = tmp_path / "call"
    done = run(CALLS / "menu.yaml", "--script", told, "--out", out, "--redact")
    assert done.exit_code == 0, done.output
    for file in sorted(out.rglob("*.jsonl")):
        assert b"415-555" not in file.read_bytes()
    assert b"<PHONE_1>" in (out / "transcript.jsonl").read_bytes()


def test_redaction_leaves_the_values_of_slots_that_may_be_shown(tmp_path: Path) -> None:
    out = tmp_path / "call"
    told = script("property_menu")
    done = run(CALLS / "menu.yaml", "--script", told, "--out", out, "--redact")
    assert done.exit_code == 0, done.output
    said = (out / "transcript.jsonl").read_text()
    assert '"text":"repair"' in said
    assert "<NAME_" not in said
