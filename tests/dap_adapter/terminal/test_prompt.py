"""The prompt, on a real pseudo-terminal: lines, repeats, history, completion, interrupt, end."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from dap_adapter.terminal.prompt import LineCompleter
from dap_adapter.terminal.screen import Screen
from dap_adapter.terminal.session import opened

PROGRAM = "from engine.faces.cli.main import main; main()"
PROMPT = "(spd)"


class Terminal:
    """A process on a pseudo-terminal."""

    def __init__(self, command: list[str], folder: Path, **environment: str) -> None:
        self.shown = ""
        self._read_to = 0
        self._main, side = pty.openpty()
        variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        variables |= {"TERM": "xterm", "HOME": str(folder), "XDG_STATE_HOME": str(folder)}
        self.process = subprocess.Popen(
            command,
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
            env=variables | {"PROMPT_TOOLKIT_NO_CPR": "1"} | environment,
        )
        os.close(side)

    def until(self, wanted: str) -> str:
        """Read until `wanted` is shown; return what came with it."""
        deadline = time.monotonic() + 60
        while wanted not in self.shown[self._read_to :]:
            if not select.select([self._main], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"no {wanted!r} in {self.shown[self._read_to :]!r}")
            try:
                chunk = os.read(self._main, 1 << 16)
            except OSError:
                chunk = b""
            if not chunk:
                raise AssertionError(f"ended before {wanted!r}: {self.shown!r}")
            self.shown += chunk.decode("utf-8", "replace")
        start = self._read_to
        self._read_to = self.shown.index(wanted, start) + len(wanted)
        return self.shown[start : self._read_to]

    def type(self, text: str) -> None:
        os.write(self._main, text.encode())

    def end(self) -> int:
        """Drain what is left and return the exit status."""
        while select.select([self._main], [], [], 30)[0]:
            try:
                chunk = os.read(self._main, 1 << 16)
            except OSError:
                break
            if not chunk:
                break
            self.shown += chunk.decode("utf-8", "replace")
        return self.process.wait(30)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._main)


@pytest.fixture
def terminal(racy: Path, tmp_path: Path) -> Iterator[Terminal]:
    found = Terminal([sys.executable, "-c", PROGRAM, "debug", str(racy)], tmp_path)
    yield found
    found.close()


def test_lines_repeats_and_the_end(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(PROMPT)
    terminal.type("n\r")
    terminal.until("#0 ")
    terminal.type("\r")
    terminal.until("#1 ")
    terminal.type("xyzzy\r")
    terminal.until("xyzzy")
    terminal.type("quit\r")
    assert terminal.end() == 0, "at a terminal a refused line is no failure"
    assert "Traceback" not in terminal.shown
    kept = next(tmp_path.rglob("debug_history"))
    assert "+xyzzy" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_history_and_completion(terminal: Terminal) -> None:
    terminal.until(PROMPT)
    terminal.type("n\r")
    terminal.until("#0 ")
    terminal.type("\x1b[A\r")
    terminal.until("#1 ")
    terminal.type("conv\t\r")
    terminal.until("conversation")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_what_is_offered(racy: Path) -> None:
    def offered(line: str) -> list[str]:
        found = completer.get_completions(Document(line), CompleteEvent())
        return [line[: len(line) + item.start_position] + item.text for item in found]

    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (debugger, _stop):
        completer = LineCompleter(debugger)
        assert offered("watch ti") == ["watch time"]
        assert offered("why ti") == ["why time"]
        assert offered("goto no") == ["goto no_table#1"]
        assert "conversation" in offered("con")
        assert "dir" in offered("di")
        assert "next" in offered("")
        assert offered("b ti") == []


def test_an_interrupt_clears_the_line_and_leaves_the_session(terminal: Terminal) -> None:
    terminal.until(PROMPT)
    terminal.type("nonsense\x03")
    terminal.type("n\r")
    terminal.until("#0 ")
    terminal.type("q\r")
    assert terminal.end() == 0


@pytest.mark.parametrize("no_color", ["", "1"])
def test_colour_only_where_it_is_wanted(racy: Path, tmp_path: Path, no_color: str) -> None:
    command = [sys.executable, "-c", PROGRAM, "debug", str(racy), "--batch", "-c", "n"]
    terminal = Terminal(command, tmp_path, NO_COLOR=no_color)
    try:
        assert terminal.end() == 0
        assert "#0 " in terminal.shown
        assert ("\x1b[" in terminal.shown) == (no_color == "")
    finally:
        terminal.close()


def test_the_demo_ends_at_a_prompt(racy: Path, tmp_path: Path) -> None:
    terminal = Terminal([sys.executable, "-m", "dap_adapter.demo", str(racy)], tmp_path)
    try:
        terminal.until("Forwards mirrors backwards")
        terminal.until(PROMPT)
        terminal.type("p time\r")
        terminal.until("18:00")
        terminal.type("q\r")
        assert terminal.end() == 0
    finally:
        terminal.close()
