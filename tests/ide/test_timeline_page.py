"""The timeline's page in Chromium, its host fed by the real adapter."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.ide

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "vscode-extension"
DRIVER = Path(__file__).with_name("timeline_page.mjs")


@pytest.fixture(scope="module")
def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed: apt-get install --no-install-recommends chromium")
    return found


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The page's bundle, made from its sources."""
    esbuild = EXTENSION / "node_modules/.bin/esbuild"
    if not esbuild.exists():
        pytest.skip("the extension's npm packages are not installed: make vsix installs them")
    page = "src/timeline/page.ts"
    command = [str(esbuild), f"timeline={page}", "--bundle", "--format=iife", "--target=es2022"]
    subprocess.run(
        [*command, f"--outdir={tmp_path}", "--log-level=warning"], cwd=EXTENSION, check=True
    )
    return tmp_path


@pytest.fixture
def seen(adapter: Path, call: Any, modules: Path, bundle: Path, chromium: str) -> dict[str, Any]:
    if not (modules / "node_modules/playwright-core").is_dir():
        pytest.skip("playwright-core is not installed: make test-ide installs it with npm")
    environment = {
        "ADAPTER": str(adapter),
        "RECORDING": str(call.recording),
        "DIST": str(bundle),
        "MODULES": str(modules),
        "SHOTS": str(modules / "shots"),
        "CHROMIUM": chromium,
    }
    done = subprocess.run(
        ["node", str(DRIVER)],
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_page_and_the_debugger_go_together(seen: dict[str, Any]) -> None:
    assert "failed" not in seen, (seen["failed"], seen.get("status"))
    assert seen["errors"] == [], "no error in the page"
    assert seen["policy"] == [], "nothing breaks the content policy"
    assert seen["first"] == -1
    clicked = seen["clicked"]
    assert clicked["wanted"] == clicked["adapter"], "a click goes to the playback's audio_started"
    for words in (
        "Content fingerprint",
        "Client acknowledgement",
        "Go to its request",
        "no_table#1",
    ):
        assert words in clicked["detail"]
    assert (seen["back"], seen["ahead"]) == ("◀ went back 1 event", "▶ went forward 1 event")
    played = seen["played"]
    assert played["from"] < played["to"] == played["adapter"], "one event after the pause"
    assert played["from"] - 1 <= seen["stepPaused"]
    assert seen["keys"] == "findings"
    assert "Seven o'clock." in seen["found"]
    assert seen["reloaded"] is True
    assert seen["aria"].startswith("00:")
