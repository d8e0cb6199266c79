"""`spd record`: run a flow with a scripted caller, and record the call."""

import sys
from pathlib import Path

import click

from engine.core.contract.errors import EngineError, ScriptInvalid
from engine.faces.cli.output import print_error


@click.command("record")
@click.argument("flow", type=click.Path(path_type=Path))
@click.option(
    "--script", required=True, type=click.Path(path_type=Path), help="The call: a YAML file."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A folder that is not there."
)
@click.option(
    "--voices",
    type=click.Choice(["espeak-ng", "tones", "none"]),
    help="How words sound; espeak-ng where it is installed, else tones.",
)
@click.option("--redact", is_flag=True, help="Replace what identifies somebody in free text.")
def record(flow: Path, script: Path, out: Path, voices: str | None, *, redact: bool) -> None:
    """Record the call that SCRIPT describes, faster than real time.

    FLOW runs as riff.flow/v1: all guards, sets, clears, choices and tools, with a scripted caller.
    """
    from engine.recording import (  # noqa: PLC0415 - start-up
        RecordedFlow,
        open_recording,
        stamp_identity,
    )
    from engine.runtime import (  # noqa: PLC0415
        VoiceKind,
        installed_kind,
        read_script,
        record_call,
    )

    try:
        told = read_script(_read(script), file=str(script))
        chosen = installed_kind() if voices is None else None
        kind = chosen if voices in (None, "none") else VoiceKind(voices)
        ended = record_call(
            RecordedFlow(data=_read(flow), file_name=flow.name, source_path=flow.name),
            told,
            out,
            identity=stamp_identity(engine_root=None, lock_file=None),
            voices=kind,
            redacts=redact,
        )
        view = open_recording(out).view
    except EngineError as error:
        print_error(error)
        sys.exit(1)
    how = "the script ran out" if ended is None else ended.value.replace("_", " ")
    click.echo(f"{out}: {view.event_count} events, {len(view.visits)} visits; {how}.")
    click.echo(f"Next: spd debug {out}")


def _read(path: Path) -> bytes:
    """Return a file's bytes. Raises: ScriptInvalid."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise ScriptInvalid(
            f"{path} cannot be read.", {"file": str(path), "kind": "UNREADABLE_FILE"}
        ) from error
