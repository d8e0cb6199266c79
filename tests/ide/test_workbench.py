"""The real VS Code workbench with our extension: the story, troubles, and the extension host."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.workbench import ROOT, Workbench, serving

pytestmark = pytest.mark.ide

HOST_TESTS = Path(__file__).with_name("extension_host")
VSCE = ROOT / "vscode-extension/node_modules/.bin/vsce"


def test_the_story(workbench: Workbench, workspace: Path) -> None:
    assert "s: Stop" in workbench.tell("story.mjs", workspace)


def test_a_trouble_is_said_once_with_its_next_step(workbench: Workbench, tmp_path: Path) -> None:
    for name in ("drifted", "broken"):
        shutil.copytree(ROOT / "fixtures/booking_racy", tmp_path / name)
    (tmp_path / "broken/manifest.json").write_text('{\n  "schema": oops\n}\n', encoding="utf-8")
    flow = (tmp_path / "drifted/flow/flow.yaml").read_text(encoding="utf-8")
    (tmp_path / "flow.yaml").write_text(flow + "# changed after the call\n", encoding="utf-8")
    (tmp_path / ".vscode").mkdir()
    settings = {"stateProgram.adapter.path": "/nowhere/bin/spd-dap"}
    (tmp_path / ".vscode/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    assert "the flow as it ran" in workbench.tell("trouble.mjs", tmp_path)


@pytest.fixture
def noted(workbench: Workbench, workspace: Path, tmp_path_factory: Any) -> list[dict[str, Any]]:
    """What the extension-host tests wrote; they are an extension, with a server of their own."""
    home = tmp_path_factory.mktemp("host")
    stage = home / "stage"
    shutil.copytree(HOST_TESTS, stage)
    shutil.copy(ROOT / "LICENSE", stage)
    tests = home / "tests.vsix"
    subprocess.run(
        [VSCE, "package", "--no-dependencies", "--allow-missing-repository", "--out", tests],
        cwd=stage,
        check=True,
        capture_output=True,
    )
    with serving(
        workbench.modules,
        release=workbench.release,
        extensions=[ROOT / "build/vsix/state-program-debugger.vsix", tests],
        home=home,
        chromium=workbench.chromium,
    ) as running:
        running.tell("extension_host.mjs", workspace)
    text = (workspace / "extension-host.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_extension_host(noted: list[dict[str, Any]], workspace: Path) -> None:
    *seen, last = noted
    assert last == {"done": True}
    by_test = {row["test"]: row for row in seen}
    assert by_test["commands"]["missing"] == []
    recording = str(workspace / "booking_racy")
    assert (by_test["recordings"]["folder"], by_test["recordings"]["file"]) == (recording,) * 2
    assert by_test["handshake"]["requests"][:2] == ["initialize", "launch"]
    standard = {"setBreakpoints", "setFunctionBreakpoints", "setExceptionBreakpoints"}
    standard |= {"setDataBreakpoints", "breakpointLocations", "configurationDone"}
    assert set(by_test["handshake"]["requests"][2:]) <= standard, "nothing of ours before this"
    stops = {name: row["stop"]["description"] for name, row in by_test.items() if "stop" in row}
    assert stops == {
        "entry": "Start of recording",
        "continue": "▶ #142 00:21.8 confirm",
        "stepOver": "▶ #143 00:21.8 confirm",
        "stepBack": "◀ #142 00:21.8 confirm",
        "reverseContinue": "Start of recording",
        "reverseStepOut": "◀ #141 00:21.8 no_table",
        "visitBack": "◀ #107 00:16.5 no_table",
        "visitForward": "▶ #142 00:21.8 confirm",
        "whoWrote": "◀ #135 00:21.8 no_table",
    }
    assert by_test["stepBack"]["frames"] == by_test["continue"]["frames"]
    assert by_test["end"]["type"] == "state-program"
