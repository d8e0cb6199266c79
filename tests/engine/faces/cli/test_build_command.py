"""`spd build`: exact keys, the hash that `sha256sum` gives, and no file where it failed."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.small_calls import FIXTURES, ROOT

from engine.core.contract.json_types import JsonObject, mapping
from engine.faces.cli.main import main

KEYS = {
    "schema",
    "path",
    "artifact_hash",
    "event_count",
    "visit_count",
    "findings",
    "problems",
}


def build(session: Path | str, out: Path | str) -> Result:
    arguments = ["build", str(session), "--out", str(out)]
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def printed(result: Result) -> JsonObject:
    """Return the one object on stdout."""
    [line] = result.stdout.splitlines()
    value: JsonObject = json.loads(line)
    assert isinstance(value, dict)
    return value


def files(folder: Path) -> dict[str, str]:
    """Return the digest of each file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", FIXTURES)
def test_prints_exactly_the_documented_keys(name: str, tmp_path: Path) -> None:
    out = tmp_path / "a.json"
    before = files(ROOT / "fixtures" / name)
    result = build(ROOT / "fixtures" / name, out)
    assert (result.exit_code, result.stderr) == (0, "")
    found = printed(result)
    assert set(found) == KEYS
    assert found["schema"] == "riff.build_result/v1"
    assert found["artifact_hash"] == "sha256:" + hashlib.sha256(out.read_bytes()).hexdigest()
    artifact = json.loads(out.read_bytes())
    assert found["event_count"] == len(artifact["events"])
    assert found["visit_count"] == len(artifact["visits"]) == 5
    assert found["findings"] == len(artifact["findings"])
    assert found["problems"] == len(artifact["problems"])
    assert files(ROOT / "fixtures" / name) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("given", ["./a.json", "x//a.json", "x/../a.json", "x/./a.json"])
def test_the_path_is_printed_as_given(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    assert printed(build(ROOT / "fixtures" / "booking_clean", given))["path"] == given
    assert Path(given).is_file()


def test_what_was_built_is_what_command_opens(tmp_path: Path) -> None:
    out = tmp_path / "a.json"
    digest = printed(build(ROOT / "fixtures" / "booking_clean", out))["artifact_hash"]
    arguments = ["command", str(out), "--json", '{"action":"step"}']
    response = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert response["artifact_hash"] == digest


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "a.json"
    out.write_text("old")
    assert build(ROOT / "fixtures" / "booking_clean", out).exit_code == 0
    assert json.loads(out.read_bytes())["schema"] == "riff.state_program_debugger/v1"


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("call/a.json", "OUTPUT_REJECTED"),
        ("call/flow/a.json", "OUTPUT_REJECTED"),
        (".", "OUTPUT_REJECTED"),
        ("gone/a.json", "OUTPUT_REJECTED"),
        ("file/a.json", "OUTPUT_REJECTED"),
        ("n" * 300, "OUTPUT_REJECTED"),
    ],
    ids=lambda text: text[:12],
)
def test_an_output_that_cannot_be_is_refused_and_nothing_is_written(
    where: str, code: str, tmp_path: Path
) -> None:
    session = tmp_path / "call"
    shutil.copytree(ROOT / "fixtures" / "booking_clean", session)
    (tmp_path / "file").write_text("a file")
    before = files(tmp_path)
    result = build(session, tmp_path / where)
    assert result.exit_code == 1
    found = printed(result)
    assert set(found) == KEYS | {"error"}
    assert {key for key in found if found[key] is not None} == {"schema", "path", "error"}
    assert mapping(found, "error")["code"] == code
    assert code in result.stderr
    assert files(tmp_path) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = build(ROOT / "fixtures" / "booking_clean", tmp_path / "pipe")
    assert mapping(printed(result), "error")["code"] == "OUTPUT_REJECTED"
    assert (tmp_path / "pipe").is_fifo()


def test_a_broken_session_is_a_typed_error_and_no_file(tmp_path: Path) -> None:
    session = tmp_path / "call"
    shutil.copytree(ROOT / "fixtures" / "booking_clean", session)
    (session / "manifest.json").write_text("{")
    result = build(session, tmp_path / "a.json")
    assert result.exit_code == 1
    assert mapping(printed(result), "error")["code"] == "SESSION_INVALID"
    assert not (tmp_path / "a.json").exists()
    (session / "manifest.json").unlink()
    assert mapping(printed(build(session, tmp_path / "a.json")), "error")["code"] == (
        "SESSION_INVALID"
    )
    gone = build(tmp_path / "gone", tmp_path / "a.json")
    assert mapping(printed(gone), "error")["code"] == "SESSION_INVALID"


def test_a_broken_flow_is_a_typed_error_and_no_file(tmp_path: Path) -> None:
    session = tmp_path / "call"
    shutil.copytree(ROOT / "fixtures" / "booking_clean", session)
    (session / "flow" / "flow.yaml").write_text("nodes: [")
    result = build(session, tmp_path / "a.json")
    assert result.exit_code == 1
    assert mapping(printed(result), "error")["code"] == "FLOW_INVALID"
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize("arguments", [(), ("call",), ("call", "--out"), ("--out", "a.json")])
def test_wrong_usage_exits_2_and_prints_nothing(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, ["build", *arguments], catch_exceptions=False)
    assert (result.exit_code, result.stdout_bytes) == (2, b"")
    assert "Error: " in result.stderr


def test_a_path_that_is_no_utf_8_is_answered_with_its_file_or_an_error(tmp_path: Path) -> None:
    spd = Path(sys.executable).with_name("spd")
    out = bytes(tmp_path) + b"/\xff.json"
    session = ROOT / "fixtures" / "booking_clean"
    done = subprocess.run(
        [spd, "build", session, "--out", out], capture_output=True, check=False, timeout=60
    )
    assert done.returncode in {0, 1}
    assert b"Traceback" not in done.stderr
    assert json.loads(done.stdout)["schema"] == "riff.build_result/v1"
    assert (done.returncode == 0) == (len(list(tmp_path.iterdir())) == 1)
