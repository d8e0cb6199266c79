"""What the tests with stock clients share: the adapter's script, a recording of one's own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.workbench import Workbench, serving

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = ROOT / "build/ide"
"""Where `make test-ide` installs what comes from npm."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A recorded call, the flow file that a client opens, and where the story breaks."""

    recording: Path
    flow: Path
    line: int
    slot: str


@pytest.fixture
def call(tmp_path: Path) -> Call:
    recording = tmp_path / "booking_racy"
    shutil.copytree(ROOT / "fixtures/booking_racy", recording)
    flow = recording / "flow/flow.yaml"
    lines = flow.read_text(encoding="utf-8").splitlines()
    return Call(recording=recording, flow=flow, line=lines.index("  confirm:") + 1, slot="time")


@pytest.fixture
def adapter() -> Path:
    """The installed adapter."""
    script = Path(sys.executable).with_name("spd-dap")
    if not script.exists():
        pytest.skip(f"{script} is missing: make install")
    return script


@pytest.fixture
def modules() -> Path:
    """The folder with the npm packages; skips where they are not installed."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed: https://nodejs.org, or apt-get install nodejs npm")
    if not (MODULES / "node_modules/@vscode/debugadapter-testsupport").is_dir():
        pytest.skip("Microsoft's DebugClient is not installed: make test-ide installs it with npm")
    return MODULES


@pytest.fixture
def emacs() -> str:
    """The Emacs with dap-mode; skips where there is none."""
    found = shutil.which("emacs")
    how = "apt-get install --no-install-recommends emacs-nox elpa-dap-mode"
    if found is None:
        pytest.skip(f"Emacs is not installed: {how}")
    asked = subprocess.run(
        [found, "--batch", "--eval", "(require 'dap-ui)"], capture_output=True, check=False
    )
    if asked.returncode != 0:
        pytest.skip(f"Emacs has no dap-mode: {how}")
    return found


@pytest.fixture(scope="session", params=os.environ.get("WORKBENCHES", "1.139").split())
def release(request: pytest.FixtureRequest) -> str:
    """A release of the workbench: 1.139, or those that WORKBENCHES names."""
    found: str = request.param
    if not (MODULES / f"workbench-{found}/.installed-{found}").exists():
        pytest.skip(f"VS Code's workbench {found} is not installed: make test-ide installs it")
    return found


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The browser; skips where there is none."""
    found = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if found is None:
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    return Path(found)


@pytest.fixture(scope="session")
def workbench(
    release: str, chromium: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    """A running workbench with our extension, and the adapter of this environment on its PATH."""
    extension = ROOT / "build/vsix/state-program-debugger.vsix"
    if not extension.exists():
        pytest.skip("The extension is not built: make vsix")
    if not Path(sys.executable).with_name("spd-dap").exists():
        pytest.skip("spd-dap is missing: make install")
    with serving(
        MODULES,
        release=release,
        extensions=[extension],
        home=tmp_path_factory.mktemp("workbench"),
        chromium=chromium,
    ) as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with one recorded call, as a user opens it."""
    shutil.copytree(ROOT / "fixtures/booking_racy", tmp_path / "booking_racy")
    return tmp_path
