"""`spd command RECORDING --json '{...}'`: the debugger's command language, for programs."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.errors import EngineError, InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.strict_json import NotJson, decode_strict
from engine.faces.cli.output import print_error, print_object

if TYPE_CHECKING:
    from engine.core.cursor import DebuggerState


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--json", "one", metavar="COMMAND", help="One command, a JSON object.")
@click.option("--jsonl", "many", is_flag=True, help="Commands from stdin, one JSON object a line.")
@click.pass_context
def command(ctx: click.Context, recording: Path, one: str | None, *, many: bool) -> None:
    r"""Apply commands to RECORDING (a session directory or an artifact file).

    Prints one JSON response a command. Nothing is remembered between runs: pass `cursor` (-1, the
    start, by default); with --jsonl a line without `cursor` goes on where the last one stopped.

    \b
    spd command fixtures/booking_racy --json '{"action": "list_visits"}'
    spd command fixtures/booking_racy --json '{"action": "continue_until",
        "cursor": 191, "direction": "reverse", "until": [{"slot_write": "time"}]}'
    """
    if (one is None) == (not many):
        raise click.UsageError("Give either --json COMMAND or --jsonl.")
    lines = [os.fsencode(one)] if one is not None else sys.stdin.buffer
    ctx.exit(0 if _run(recording, lines) else 1)


def _run(recording: Path, lines: Iterable[bytes]) -> bool:
    """Answer every line; return whether all went well."""
    from engine.core.cursor import open_debugger  # noqa: PLC0415  keep --help fast
    from engine.importers import open_any  # noqa: PLC0415

    try:
        state = open_debugger(open_any(recording).view)
    except EngineError as error:
        print_error(error)
        for line in lines:
            print_object(_without_recording(line, error))
        return False
    well = True
    for line in lines:
        state, response = _answer(state, line)
        print_object(response)
        well = well and response["error"] is None
    return well


def _answer(state: "DebuggerState", line: bytes) -> tuple["DebuggerState", JsonObject]:
    from engine.core.cursor import apply_command, refuse_command  # noqa: PLC0415

    command = _decoded(line)
    if isinstance(command, InvalidCommand):
        return state, refuse_command(state, command)
    return apply_command(state, command)


def _without_recording(line: bytes, error: EngineError) -> JsonObject:
    from engine.core.cursor import action_of, respond_without_recording  # noqa: PLC0415

    command = _decoded(line)
    action = None if isinstance(command, InvalidCommand) else action_of(command)
    return respond_without_recording(action=action, error=error)


def _decoded(line: bytes) -> JsonValue | InvalidCommand:
    """Return the command on a line, or why the line is none."""
    try:
        return decode_strict(line.strip())
    except NotJson as error:
        detail: JsonObject = {"kind": error.kind, "byte_offset": error.byte_offset}
        return InvalidCommand(f"The command {error.reason}.", detail)
