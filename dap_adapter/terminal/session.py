"""A session at the terminal from its opening to its exit status.

Rules: a line comes from the command line, then from standard input, at a prompt where that is a
terminal. Exit status: 0, or 1 where the recording does not open or a script's line was refused.
Nothing here ends with a traceback.
"""

import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dap_adapter.client import ClientError, DapClient, RequestFailed
from dap_adapter.terminal.debugger import Debugger
from dap_adapter.terminal.ide_client import IdeClient, Refusal
from dap_adapter.terminal.patient_client import PatientClient, reason_of
from dap_adapter.terminal.screen import Screen
from dap_adapter.terminal.verbs import Quit, run_line
from engine.core.contract.json_types import JsonObject

ANSWER_WITHIN_S = 3600.0
"""How long an answer may take: a long call is built, and a person may interrupt."""

INTERRUPTED = 130


def run(
    launch: JsonObject, commands: Sequence[str], *, reads_on: bool = True, may_prompt: bool = True
) -> int:
    """Open a recording, do the lines and return the exit status."""
    screen = Screen()
    try:
        with opened(launch, screen) as (debugger, stop):
            screen.say(f"{debugger.ide.call_name()}. Type help for the verbs.")
            debugger.arrive(stop)
            is_fine = do_all(debugger, commands)
            if reads_on and may_prompt and sys.stdin.isatty():
                converse(debugger)
            elif reads_on:
                is_fine = do_all(debugger, _piped()) and is_fine
            return 0 if is_fine else 1
    except Quit:
        return 0
    except RequestFailed as failed:
        screen.words(f"spd: {reason_of(failed)}")
        return 1
    except (ClientError, Refusal) as error:
        screen.words(f"spd: {error}")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


@contextmanager
def opened(
    launch: JsonObject, screen: Screen, *, answer_within_s: float = ANSWER_WITHIN_S
) -> Generator[tuple[Debugger, JsonObject]]:
    """Yield a debugger on a recording and its first stop. Raises: RequestFailed, ClientError."""
    with _started(screen, answer_within_s) as client:
        ide = IdeClient(client)
        stop = ide.start(launch)
        with _interrupts_pause(ide):
            yield Debugger(ide, screen), stop


def do_all(debugger: Debugger, lines: Sequence[str] | Iterator[str]) -> bool:
    """Do lines one after the other; return whether none was refused. A script's `quit` ends it."""
    refused = 0
    for line in lines:
        try:
            refused += not run_line(debugger, line)
        except Quit:
            if refused:
                return False
            raise
    return not refused


def converse(debugger: Debugger) -> None:
    """Answer a person until the end; an empty line repeats the last one."""
    from dap_adapter.terminal.prompt import Prompt  # noqa: PLC0415 - only for a terminal

    prompt, last = Prompt(debugger), ""
    while True:
        try:
            line = prompt.read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        last = line if line.strip() else last
        try:
            run_line(debugger, last)
        except KeyboardInterrupt:
            debugger.screen.words("Interrupted.")
        except Quit:
            return


def _piped() -> Iterator[str]:
    """Yield the lines of standard input, whatever bytes they are."""
    for raw in sys.stdin.buffer:
        yield raw.decode("utf-8", "replace")


@contextmanager
def _started(screen: Screen, answer_within_s: float) -> Generator[DapClient]:
    """Yield a client of a fresh adapter, which an interrupt at the terminal does not reach."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        client = PatientClient(
            adapter_command(), timeout_s=answer_within_s, show_progress=screen.progress
        )
    finally:
        signal.signal(signal.SIGINT, before)
    with client:
        yield client


@contextmanager
def _interrupts_pause(ide: IdeClient) -> Generator[None]:
    """Turn an interrupt into a pause while something runs; between moves it ends a script."""

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        if not ide.is_asking:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def adapter_command() -> list[str]:
    """Return how to start the adapter: the installed script, else this package's module."""
    script = Path(sys.executable).with_name("spd-dap")
    return [str(script)] if script.exists() else [sys.executable, "-m", "dap_adapter.main"]
