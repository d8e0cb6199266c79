"""VS Code's workbench, served on loopback by code-server, and the pages that drive it.

What is installed where: `tests/ide/install.sh`. The server and its extension host see a home of
their own, and no gallery.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

IDE = Path(__file__).resolve().parent.parent / "ide"
ROOT = IDE.parent.parent
SHOTS = ROOT / "build/ide/shots"
"""Where the pictures of each stage are kept."""

NOWHERE = "http://127.0.0.1:9"
UP_S = 60
STORY_S = 240


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """A workbench that is being served."""

    port: int
    release: str
    modules: Path
    chromium: Path
    home: Path

    def tell(self, story: str, workspace: Path) -> str:
        """Run a story of `tests/ide` on a folder; return what it said, failing where it failed."""
        url = f"http://127.0.0.1:{self.port}/?folder={workspace}"
        done = subprocess.run(
            ["node", IDE / story, self.modules, url, SHOTS / self.release],
            env={**os.environ, "CHROMIUM": str(self.chromium)},
            capture_output=True,
            encoding="utf-8",
            timeout=STORY_S,
            check=False,
        )
        log = (self.home / "server.log").read_text(encoding="utf-8", errors="replace")[-3000:]
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\nserver: {log}"
        return done.stdout


@contextmanager
def serving(
    modules: Path, *, release: str, extensions: Sequence[Path], home: Path, chromium: Path
) -> Iterator[Workbench]:
    """Serve a workbench with some extensions; end it, and only it, at the end."""
    folder = modules / f"workbench-{release}"
    server = [
        str(folder / "node"),
        str(folder / "node_modules/code-server/out/node/entry.js"),
        *("--user-data-dir", str(home / "data"), "--extensions-dir", str(home / "extensions")),
    ]
    (home / "data/User").mkdir(parents=True)
    shutil.copy(IDE / "settings.json", home / "data/User")
    environment = _environment(home)
    installs = [part for path in extensions for part in ("--install-extension", str(path))]
    subprocess.run(
        [*server, *installs], env=environment, check=True, capture_output=True, timeout=UP_S
    )
    port = _free_port()
    options = [
        *("--bind-addr", f"127.0.0.1:{port}", "--auth", "none", "--disable-telemetry"),
        *("--disable-update-check", "--disable-workspace-trust"),
        "--disable-getting-started-override",
    ]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen([*server, *options], env=environment, stdout=log, stderr=log)
    try:
        _wait_until_up(process, port, home / "server.log")
        yield Workbench(port=port, release=release, modules=modules, chromium=chromium, home=home)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(home: Path) -> dict[str, str]:
    """Return the server's environment: this interpreter's scripts on PATH, also of its shell."""
    (home / "home").mkdir()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    (home / "home/.profile").write_text(f'export PATH="{path}"\n', encoding="utf-8")
    gallery = dict.fromkeys(("serviceUrl", "itemUrl", "resourceUrlTemplate"), NOWHERE)
    kept = {name: value for name, value in os.environ.items() if name != "PORT"}
    return {
        **kept,
        "HOME": str(home / "home"),
        "SHELL": "/bin/bash",
        "PATH": path,
        "EXTENSIONS_GALLERY": json.dumps(gallery),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + UP_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the workbench is not up: {log.read_text(encoding='utf-8')}")
