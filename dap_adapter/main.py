"""`spd-dap`: the adapter as a process, on standard input and output or on a port.

Rules: starts fast, so nothing is imported before it is needed: options are parsed only when there
are any, and what reads a recording is loaded with the first launch.
"""

import gc
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dap_adapter.session import Session
from dap_adapter.transport import protected_stdio, serve

if TYPE_CHECKING:
    from dap_adapter.jobs import Advance
    from engine.recording import Recording

DISTRIBUTION = "state-program-debugger"


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    log: Path | None = None
    listen: int | None = None


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one client on stdio, or many on a port; return the exit status."""
    arguments = sys.argv[1:] if argv is None else argv
    options = _parsed(arguments) if arguments else _Options()
    log = _logger(options.log) if options.log is not None else None
    if options.listen is not None:
        return _listening(options.listen, log)
    if sys.stdin.isatty():
        sys.stderr.write("spd-dap waits for a debug client on standard input; see spd-dap --help\n")
    pipes = protected_stdio()
    try:
        return serve(Session(load=_load, log=log), pipes, log)
    except KeyboardInterrupt:
        return 130


def _listening(port: int, log: Callable[[str], None] | None) -> int:
    from dap_adapter.tcp import HOST, listen  # noqa: PLC0415 - start-up

    try:
        return listen(port, lambda token: Session(load=_load, log=log, token=token))
    except OSError as error:
        sys.stderr.write(f"spd-dap: cannot listen on {HOST}:{port}: {error.strerror}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def _load(path: Path) -> "Generator[Advance | None, None, Recording]":
    """Open a recording; loading what reads it is part of the launch, not of the start."""
    from dap_adapter.loading import loaded_in_slices  # noqa: PLC0415 - start-up

    return loaded_in_slices(_opened, path)


def _opened(path: Path, report: Callable[[str, int, int], None]) -> "Recording":
    """Open a recording; what is alive then stays alive, so the collector need not walk it."""
    from engine.importers import open_any  # noqa: PLC0415 - start-up

    recording = open_any(path, progress=report)
    gc.freeze()
    return recording


def _parsed(arguments: Sequence[str]) -> _Options:
    from argparse import ArgumentParser  # noqa: PLC0415 - start-up
    from importlib.metadata import version  # noqa: PLC0415 - start-up

    parser = ArgumentParser(
        prog="spd-dap",
        description="Debug adapter for recorded calls of state-program agents. A client starts it"
        " and speaks the Debug Adapter Protocol on its standard input and output, or on a port"
        " with --listen; the launch argument 'recording' names a session directory or an artifact"
        " file.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version(DISTRIBUTION)}")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="append every message and every failure to FILE"
    )
    parser.add_argument(
        "--listen",
        type=_port,
        metavar="PORT",
        help="serve clients on this port of the loopback interface (0: any free one); prints one"
        " line of JSON with host, port and the token that a launch must carry",
    )
    given = parser.parse_args(list(arguments))
    return _Options(log=given.log, listen=given.listen)


def _port(text: str) -> int:
    """Return a port number. Raises: ValueError."""
    port = int(text)
    if not 0 <= port <= 65_535:
        raise ValueError(text)
    return port


def _logger(path: Path) -> Callable[[str], None]:
    """Return a function that appends a line to `path`, at once, so that a crash loses none."""
    file = path.open("a", encoding="utf-8", errors="backslashreplace", buffering=1)

    def log(line: str) -> None:
        file.write(line.rstrip("\n") + "\n")

    return log


if __name__ == "__main__":
    sys.exit(main())
