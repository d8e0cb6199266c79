"""What commands print: JSON on stdout, words on stderr."""

import sys

import click

from engine.core.contract.canonical import canonical_bytes, printable
from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject


def print_object(value: JsonObject) -> None:
    """Print one JSON object on one line of stdout, as UTF-8 whatever the locale."""
    sys.stdout.buffer.write(canonical_bytes(value) + b"\n")
    sys.stdout.buffer.flush()


def print_error(error: EngineError) -> None:
    """Say on stderr what went wrong."""
    click.echo(f"spd: {error.code}: {printable(error.message)}", err=True)
