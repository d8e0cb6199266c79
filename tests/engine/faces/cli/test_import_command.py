"""`spd import` and `spd doctor`: tables for people, one object for scripts, typed refusals."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.import_samples import OURS

from engine.faces.cli.main import main

PIPECAT = OURS / "pipecat"
RACY = PIPECAT / "booking_racy.whisk.gz"
FLOW = PIPECAT / "flow.yaml"


def spd(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(item) for item in arguments], catch_exceptions=False)


def test_the_table_says_what_was_mapped_and_what_is_unavailable(tmp_path: Path) -> None:
    result = spd("import", RACY, "--flow", FLOW, "--out", tmp_path / "call")
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    for words in ("visits 5 derived", "tool calls 5 faithful", "Unavailable:", "they show the"):
        assert words in shown
    assert f"Next: spd debug {tmp_path / 'call'}" in result.stdout
    info = spd("info", tmp_path / "call")
    assert info.exit_code == 0


def test_json_is_one_object(tmp_path: Path) -> None:
    arguments = ("import", "pipecat", RACY, "--flow", FLOW, "--out", tmp_path / "call", "--json")
    [line] = spd(*arguments).stdout.splitlines()
    told = json.loads(line)
    assert (told["schema"], told["format"], told["error"]) == (
        "riff.import_result/v1",
        "pipecat",
        None,
    )
    assert {row["concept"]: row["count"] for row in told["mapping"]}["branch outcomes"] == 4


def test_slot_classes_show_values(tmp_path: Path) -> None:
    out = tmp_path / "call"
    spd("import", RACY, "--flow", FLOW, "--out", out, "--slot-class", "time=plain")
    bus = (out / "bus_events.jsonl").read_text(encoding="utf-8")
    writes = [json.loads(line) for line in bus.splitlines() if '"slot_write"' in line]
    assert [row["new"] for row in writes if row["slot"] == "time"] == ["19:00", "18:00"]
    assert {row["availability"] for row in writes if row["slot"] != "time"} == {"redacted"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nowhere.whisk"], "SESSION_INVALID"),
        (["pipecat"], "INVALID_COMMAND"),
        (["pipecat", FLOW], "SESSION_INVALID"),
        (["whatever", RACY], "INVALID_COMMAND"),
        ([FLOW], "SESSION_INVALID"),
        ([RACY, "--flow", RACY], "FLOW_INVALID"),
        ([RACY, "--slot-class", "time"], "INVALID_COMMAND"),
        ([RACY, "--slot-class", "time=public"], "INVALID_COMMAND"),
        ([RACY, FLOW.with_name("README.md")], "SESSION_INVALID"),
    ],
)
def test_refusals_are_typed_and_leave_nothing(
    arguments: list[object], code: str, tmp_path: Path
) -> None:
    result = spd("import", *arguments, "--out", tmp_path / "call", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["code"] == code
    assert f"spd: {code}:" in result.stderr
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    result = spd("import", RACY, "--out", tmp_path)
    assert (result.exit_code, "OUTPUT_REJECTED" in result.stderr) == (1, True)


def test_a_place_is_needed_unless_runs_are_listed() -> None:
    assert spd("import", RACY).exit_code == 2
    listed = spd("import", RACY, "--list")
    assert (listed.exit_code, "one run" in listed.stdout) == (0, True)
    assert json.loads(spd("import", RACY, "--list", "--json").stdout)["lineages"] == []


def test_commands_take_such_a_file_directly() -> None:
    result = spd("visits", RACY, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["result"]["total"] == 5


# --- doctor ---------------------------------------------------------------------------------------


def doctor(target: object) -> dict[str, object]:
    return json.loads(spd("doctor", target, "--json").stdout)


def test_doctor_of_a_recording() -> None:
    told = doctor(RACY)
    assert (told["schema"], told["kind"]) == ("riff.doctor/v1", "recording")
    rows = {row["what"]: row["verdict"] for row in told["rows"]}
    assert rows["model input"] == "unavailable"
    assert rows["visits"] == "limited"
    assert spd("doctor", RACY).exit_code == 0


def test_doctor_of_a_bot(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("from langgraph.graph import StateGraph\nStateGraph(dict).compile()\n")
    told = doctor(bot)
    assert told["kind"] == "bot"
    assert {row["what"]: row["line"] for row in told["rows"] if row["line"]} == {"run": 2}


def test_doctor_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIPECAT_SETUP_FILES", raising=False)
    rows = {row["what"]: row["verdict"] for row in doctor(tmp_path)["rows"]}
    assert rows["attaching"] == "unavailable"
    setup = tmp_path / "setup.py"
    setup.touch()
    monkeypatch.setenv("PIPECAT_SETUP_FILES", str(setup))
    rows = {row["what"]: row["verdict"] for row in doctor(tmp_path)["rows"]}
    assert rows["attaching"] == "recorded"


def test_doctor_refuses_what_is_nothing(tmp_path: Path) -> None:
    result = spd("doctor", tmp_path / "gone", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["code"] == "SESSION_INVALID"
