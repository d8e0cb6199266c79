"""`spd open RECORDING`: the recorded call in an IDE, ready to be debugged.

Writes a workspace file with one launch entry into the cache folder, and starts the IDE on it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from engine.core.contract.errors import EngineError, IdeUnavailable, SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.faces.cli.output import print_error

IDES = ("code", "codium", "code-insiders", "cursor", "windsurf")
"""Commands that open a workspace file, in the order they are looked for."""

EXTENSION = "state-program.state-program-debugger"
_FAILS_WITHIN_S = 3.0


@click.command(name="open")
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--ide", metavar="COMMAND", envvar="SPD_IDE", help="The IDE to start (or SPD_IDE).")
@click.option("--at", "stop_at", metavar="PLACE", help="Where to stop first: start, end, #812, ...")
@click.option(
    "--flow-root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Your working copy: its folder is opened, too, and its flow file is shown.",
)
@click.option("--no-start", is_flag=True, help="Only write the workspace file.")
@click.pass_context
def open_(
    ctx: click.Context,
    recording: Path,
    ide: str | None,
    stop_at: str | None,
    flow_root: Path | None,
    *,
    no_start: bool,
) -> None:
    """Open RECORDING in an IDE with a launch entry; F5 debugs it there.

    Needs an IDE of VS Code's kind with our extension. Without --ide, the first of code, codium,
    code-insiders, cursor and windsurf on PATH is started.
    """
    try:
        if not recording.exists():
            raise SessionInvalid(
                f"There is no recording at {recording}. Name a session directory, an artifact or an"
                " importable file.",
                {"path": str(recording), "kind": "NOT_FOUND"},
            )
        program = None if no_start else _ide(ide)
        file = _written(recording.resolve(), stop_at, flow_root)
        click.echo(f"Workspace file: {file}")
        if program is not None:
            _start(program, file)
            click.echo(f"Started: {program} {file}")
            click.echo("In the IDE, F5 debugs the call.")
            click.echo(f"Without {EXTENSION}, install it first: {program} --install-extension FILE")
    except EngineError as error:
        print_error(error)
        ctx.exit(1)


def _ide(named: str | None) -> str:
    """Return the IDE's program. Raises: IdeUnavailable."""
    for name in (named,) if named else IDES:
        found = shutil.which(name)
        if found is not None:
            return found
    looked_for = named or ", ".join(IDES)
    raise IdeUnavailable(
        f"No IDE was found ({looked_for}). Install VS Code or VSCodium with its shell command, or"
        " name yours: spd open RECORDING --ide /path/to/code.",
        {"looked_for": [named] if named else [*IDES]},
    )


def _start(program: str, file: Path) -> None:
    """Start the IDE on its own. Raises: IdeUnavailable where it fails at once."""
    try:
        process = subprocess.Popen(
            [program, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        status = process.wait(timeout=_FAILS_WITHIN_S)
    except subprocess.TimeoutExpired:
        return
    except OSError as error:
        raise IdeUnavailable(f"{program} does not start: {error.strerror}.") from error
    if status != 0:
        raise IdeUnavailable(f"{program} ended with exit code {status}. Start it on {file}.")


def _written(recording: Path, stop_at: str | None, flow_root: Path | None) -> Path:
    """Write the workspace file of a recording, whole or not at all; the same call, the same file.

    Raises: IdeUnavailable where no folder can be written to.
    """
    name = hashlib.sha256(str(recording).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    text = json.dumps(_workspace(recording, stop_at, flow_root), indent=2)
    try:
        folder = _folder()
        file = folder / f"{recording.stem}-{name}.code-workspace"
        part = file.with_suffix(f".{os.getpid()}.part")
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(file)
    except OSError as error:
        raise IdeUnavailable(f"The workspace file cannot be written: {error}.") from error
    return file


def _folder() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415  keep --help fast

    cache = os.environ.get("SPD_CACHE")
    if cache == "off":
        return Path(tempfile.mkdtemp(prefix="spd-open-"))
    root = Path(cache) if cache else user_cache_path("state-program-debugger", appauthor=False)
    folder = root / "open"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _workspace(recording: Path, stop_at: str | None, flow_root: Path | None) -> JsonObject:
    opened = recording if recording.is_dir() else recording.parent
    launch: JsonObject = {
        "type": "state-program",
        "request": "launch",
        "name": f"Recorded call {recording.name}",
        "recording": str(recording),
    }
    if stop_at is not None:
        launch["stopAt"] = stop_at
    folders: list[Path] = [opened]
    if flow_root is not None:
        folders.append(flow_root.resolve())
        launch["flowRoot"] = str(flow_root.resolve())
    settings: JsonObject = {}
    adapter = Path(sys.executable).with_name("spd-dap.exe" if os.name == "nt" else "spd-dap")
    if adapter.exists():
        settings["stateProgram.adapter.path"] = str(adapter)
    return {
        "folders": [{"path": str(folder)} for folder in folders],
        "settings": settings,
        "launch": {"version": "0.2.0", "configurations": [launch]},
    }
