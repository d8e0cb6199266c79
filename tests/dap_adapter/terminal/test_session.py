"""The session in this process: lines of a script, exit statuses, what an interrupt does."""

import os
import signal
from pathlib import Path

import pytest

from dap_adapter.client import ClientError
from dap_adapter.terminal.screen import Screen
from dap_adapter.terminal.session import INTERRUPTED, do_all, opened, run
from dap_adapter.terminal.verbs import Quit


def test_lines_are_done_to_the_end_and_refusals_are_counted(racy: Path) -> None:
    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (debugger, _stop):
        assert do_all(debugger, ["n", "p time"]) is True
        assert do_all(debugger, ["xyzzy", "n"]) is False
        with pytest.raises(Quit):
            do_all(debugger, ["q", "xyzzy"])
        assert do_all(debugger, ["xyzzy", "q"]) is False


def test_statuses(racy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run({"recording": str(racy)}, ["n"], reads_on=False) == 0
    assert run({"recording": str(racy)}, ["xyzzy"], reads_on=False) == 1
    assert run({"recording": str(tmp_path / "nothing")}, [], reads_on=False) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("spd: ")


def test_an_interrupt_between_answers_ends_a_script(racy: Path) -> None:
    before = signal.getsignal(signal.SIGINT)

    def lines() -> "list[str]":
        os.kill(os.getpid(), signal.SIGINT)
        return ["n"]

    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (debugger, _stop):
        with pytest.raises(KeyboardInterrupt):
            do_all(debugger, (line for _ in range(1) for line in lines()))
        with debugger.ide._asking():
            os.kill(os.getpid(), signal.SIGINT)
        assert do_all(debugger, ["n"]) is True, "what was asked for was answered"
    assert signal.getsignal(signal.SIGINT) is before
    assert INTERRUPTED == 130


def test_an_interrupt_does_not_reach_the_adapter(racy: Path) -> None:
    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (debugger, _stop):
        debugger.ide._client.process.send_signal(signal.SIGINT)
        assert do_all(debugger, ["n", "rn"]) is True


def test_an_adapter_that_dies_is_said_in_words(racy: Path, capfd: pytest.CaptureFixture) -> None:
    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (debugger, _stop):
        debugger.ide._client.process.kill()
        with pytest.raises(ClientError, match="the adapter has ended"):
            do_all(debugger, ["n", "n"])
