"""The extension: it type-checks, its own tests pass, and it packs to the same bytes twice."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.ide

EXTENSION = Path(__file__).resolve().parents[2] / "vscode-extension"


@pytest.fixture(autouse=True)
def _tools() -> None:
    if shutil.which("npm") is None or not (EXTENSION / "node_modules/.bin/esbuild").exists():
        pytest.skip("The extension's tools are not installed: make vsix installs them with npm")


def ran(*command: str | Path) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=EXTENSION,
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_type_checks() -> None:
    ran("node_modules/.bin/tsc", "--noEmit")


def test_its_own_tests_pass() -> None:
    assert "# fail 0" in ran("npm", "test", "--silent")


def test_two_builds_are_the_same_bytes(tmp_path: Path) -> None:
    digests = set()
    for name in ("a.vsix", "b.vsix"):
        ran("./package.sh", tmp_path / name)
        digests.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert len(digests) == 1
