"""`spd debug RECORDING`: the terminal debugger as a command.

Rules: options only; the work is `session.py`'s, which is imported when the command runs.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from engine.core.contract.json_types import JsonObject


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option(
    "-c",
    "--command",
    "commands",
    multiple=True,
    metavar="LINE",
    help="Do this line first; may be given several times.",
)
@click.option("--batch", is_flag=True, help="Never prompt; end after the lines of --command.")
@click.option("--at", "place", metavar="PLACE", help="Begin at start, end, #812, 01:42.3, a visit.")
@click.option("--flow-root", type=click.Path(path_type=Path), help="The workspace of the flow.")
@click.option("--unit", type=click.Choice(["event", "beat", "visit"]), help="How far a step goes.")
@click.pass_context
def debug(
    ctx: click.Context,
    recording: Path,
    commands: tuple[str, ...],
    place: str | None,
    flow_root: Path | None,
    unit: str | None,
    *,
    batch: bool,
) -> None:
    """Step through RECORDING at the terminal: a session directory, an artifact, an importable file.

    Forwards and backwards, with breakpoints, watched slots and questions: type help. Lines come
    from --command, then from standard input.
    """
    from dap_adapter.terminal.session import run  # noqa: PLC0415 - keeps --help fast

    launch: JsonObject = {"recording": str(recording.absolute())}
    for key, value in (("stopAt", place), ("flowRoot", flow_root), ("stepUnit", unit)):
        if value is not None:
            launch[key] = str(value.absolute()) if isinstance(value, Path) else value
    ctx.exit(run(launch, commands, reads_on=not (batch and commands), may_prompt=not batch))
