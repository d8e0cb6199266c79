"""What commands print: JSON on stdout, words on stderr."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

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


PROGRESS_AFTER_S = 0.5


@contextmanager
def progress_on_terminal() -> Generator[Callable[[str, int, int], None]]:
    """Yield what shows progress on stderr once work takes longer than half a second.

    Nothing is shown where stderr is no terminal.
    """
    started, shown = monotonic(), False

    def show(stage: str, done: int, total: int) -> None:
        nonlocal shown
        if sys.stderr.isatty() and monotonic() - started > PROGRESS_AFTER_S:
            shown = True
            sys.stderr.write(f"\r\033[K{stage}: {done:,} of {total:,}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
