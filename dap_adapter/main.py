"""`spd-dap`: the adapter as a process that speaks the protocol on standard input and output.

Rules: starts fast, so nothing is imported before it is needed: options are parsed only when there
are any, and what reads a recording is loaded with the first launch.
"""

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dap_adapter.session import Session
from dap_adapter.transport import protected_stdio, serve

if TYPE_CHECKING:
    from engine.recording import Recording

DISTRIBUTION = "state-program-debugger"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    log: Path | None = None


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one client on stdio; return the exit status."""
    arguments = sys.argv[1:] if argv is None else argv
    options = _parsed(arguments) if arguments else _Options()
    log = _logger(options.log) if options.log is not None else None
    if sys.stdin.isatty():
        sys.stderr.write("spd-dap waits for a debug client on standard input; see spd-dap --help\n")
    pipes = protected_stdio()
    try:
        return serve(Session(load=_load, log=log), pipes, log)
    except KeyboardInterrupt:
        return 130


def _load(path: Path) -> "Recording":
    """Open a recording; importing what reads it is part of the launch, not of the start.

    What is alive then stays alive, so the collector need not walk it at every stop.
    """
    from engine.recording import open_recording  # noqa: PLC0415 - start-up

    recording = open_recording(path)
    gc.freeze()
    return recording


def _parsed(arguments: Sequence[str]) -> _Options:
    from argparse import ArgumentParser  # noqa: PLC0415 - start-up
    from importlib.metadata import version  # noqa: PLC0415 - start-up

    parser = ArgumentParser(
        prog="spd-dap",
        description="Debug adapter for recorded calls of state-program agents. A client starts it"
        " and speaks the Debug Adapter Protocol on its standard input and output; the launch"
        " argument 'recording' names a session directory or an artifact file.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version(DISTRIBUTION)}")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="append every message and every failure to FILE"
    )
    return _Options(log=parser.parse_args(list(arguments)).log)


def _logger(path: Path) -> Callable[[str], None]:
    """Return a function that appends a line to `path`, at once, so that a crash loses none."""
    file = path.open("a", encoding="utf-8", errors="backslashreplace", buffering=1)

    def log(line: str) -> None:
        file.write(line.rstrip("\n") + "\n")

    return log


if __name__ == "__main__":
    sys.exit(main())
