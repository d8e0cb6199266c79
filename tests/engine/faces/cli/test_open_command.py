"""`spd open`: a workspace file with one launch entry, an IDE started on it, or a typed error."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.small_calls import ROOT

from engine.faces.cli.main import main

RACY = ROOT / "fixtures/booking_racy"


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of one's own, and no IDE on PATH."""
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("SPD_IDE", raising=False)


def opened(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["open", *map(str, arguments)], catch_exceptions=False)


def workspace_file(result: Result) -> Path:
    assert (result.exit_code, result.stderr) == (0, "")
    return Path(result.stdout.splitlines()[0].removeprefix("Workspace file: "))


def ide(tmp_path: Path, *, name: str = "code", status: int = 0) -> Path:
    """An IDE that notes what it is started on."""
    program = tmp_path / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"open({str(tmp_path / 'started')!r}, 'w').write(sys.argv[1])\nsys.exit({status})\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


def test_the_workspace_has_the_recording_and_a_launch_entry(tmp_path: Path) -> None:
    file = workspace_file(opened(RACY, "--no-start"))
    assert file.is_relative_to(tmp_path / "cache")
    made = json.loads(file.read_text(encoding="utf-8"))
    assert made["folders"] == [{"path": str(RACY)}]
    [entry] = made["launch"]["configurations"]
    assert entry == {
        "type": "state-program",
        "request": "launch",
        "name": "Recorded call booking_racy",
        "recording": str(RACY),
    }
    assert made["settings"]["stateProgram.adapter.path"].startswith(
        str(Path(sys.executable).parent)
    )
    assert [path.name for path in file.parent.iterdir()] == [file.name], "nothing half-written"
    assert workspace_file(opened(RACY, "--no-start")) == file, "the same call, the same file"


def test_a_place_and_a_working_copy_go_in(tmp_path: Path) -> None:
    file = workspace_file(opened(RACY, "--no-start", "--at", "#135", "--flow-root", tmp_path))
    made = json.loads(file.read_text(encoding="utf-8"))
    assert [folder["path"] for folder in made["folders"]] == [str(RACY), str(tmp_path)]
    [entry] = made["launch"]["configurations"]
    assert (entry["stopAt"], entry["flowRoot"]) == ("#135", str(tmp_path))


def test_an_artifact_opens_its_folder(tmp_path: Path) -> None:
    artifact = tmp_path / "call.artifact.json"
    artifact.write_text("{}", encoding="utf-8")
    made = json.loads(workspace_file(opened(artifact, "--no-start")).read_text(encoding="utf-8"))
    assert made["folders"] == [{"path": str(tmp_path)}]
    assert made["launch"]["configurations"][0]["recording"] == str(artifact)


def test_the_ide_is_started_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = ide(tmp_path, name="codium")
    for arguments in ((), ("--ide", program)):
        result = opened(RACY, *arguments)
        file = workspace_file(result)
        assert (tmp_path / "started").read_text(encoding="utf-8") == str(file)
        assert f"Started: {program} {file}" in result.stdout
        assert "F5" in result.stdout
    monkeypatch.setenv("SPD_IDE", str(program))
    assert opened(RACY).exit_code == 0


def test_without_an_ide_it_says_what_to_install(tmp_path: Path) -> None:
    result = opened(RACY)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "IDE_UNAVAILABLE" in result.stderr
    assert "Install VS Code or VSCodium" in result.stderr
    assert not (tmp_path / "cache").exists(), "nothing was written"
    assert "/nowhere/code" in opened(RACY, "--ide", "/nowhere/code").stderr


def test_an_ide_that_fails_at_once_is_an_error(tmp_path: Path) -> None:
    ide(tmp_path, status=3)
    result = opened(RACY)
    assert result.exit_code == 1
    assert "exit code 3" in result.stderr


def test_a_recording_that_is_not_there(tmp_path: Path) -> None:
    result = opened(tmp_path / "gone", "--no-start")
    assert result.exit_code == 1
    assert "SESSION_INVALID" in result.stderr


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "file"))
    assert "IDE_UNAVAILABLE" in opened(RACY, "--no-start").stderr
    monkeypatch.setenv("SPD_CACHE", "off")
    assert workspace_file(opened(RACY, "--no-start")).exists()
