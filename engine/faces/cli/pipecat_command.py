"""`spd pipecat`: what a Pipecat bot needs so that its calls are recorded."""

import click


@click.group()
def pipecat() -> None:
    """Record the calls of a Pipecat bot."""


@pipecat.command("setup-file")
def setup_file() -> None:
    r"""Print the path of the file to name in PIPECAT_SETUP_FILES.

    \b
    PIPECAT_SETUP_FILES=$(spd pipecat setup-file) python bot.py
    """
    from engine.importers import SETUP_FILE  # noqa: PLC0415 - start-up

    click.echo(SETUP_FILE)
