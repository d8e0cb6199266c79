"""The Nth system call of a recorded call fails, for every N: nothing acknowledged is lost."""

import errno
import os
from collections.abc import Callable

import pytest
from support.recorded import FLOW, RecordedFlow, ids_of, play, recorder_in

from engine.core.contract.errors import EngineError, RecordingFailed
from engine.recording import Durability, build_session

CALLS = ("write", "fsync", "fdatasync", "rename", "open", "fchmod", "mkdir", "unlink", "fstat")


class Faults:
    """Makes one of the system calls under test fail, once, or from then on."""

    def __init__(self, monkeypatch, *, at: int, error: int | None, lasting: bool) -> None:
        self.count, self.at, self.error, self.lasting = 0, at, error, lasting
        for name in CALLS:
            if hasattr(os, name):
                monkeypatch.setattr(os, name, self.wrapped(name, getattr(os, name)))

    @property
    def hit(self) -> bool:
        return self.count > self.at

    def wrapped(self, name: str, real: Callable) -> Callable:
        def call(*arguments, **options):
            number, self.count = self.count, self.count + 1
            if number == self.at or (self.lasting and number > self.at):
                if self.error is None and name == "write":  # a short write, then the rest fails
                    self.error = errno.ENOSPC
                    self.lasting = True
                    return real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                raise OSError(self.error or errno.EIO, "injected")
            return real(*arguments, **options)

        return call


def run(directory, acknowledged: list[str]) -> bool:
    """Record a call, whatever fails; return whether it could be opened."""
    try:
        recorder = recorder_in(directory, durability=Durability.DEVICE)
    except EngineError:
        return False
    play(recorder, acknowledged.append)
    for step in (
        lambda: recorder.set_flow(RecordedFlow(data=FLOW.data + b"\n", file_name="other.yaml")),
        lambda: recorder.set_flow(RecordedFlow(data=FLOW.data, file_name="other.yaml")),
        lambda: recorder.add_audio({"audio_id": "caller"}),
        lambda: recorder.close(ended="completed"),
        lambda: recorder.close(ended="completed"),
    ):
        try:
            step()
        except RecordingFailed:
            continue
    return True


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EINTR, None])
def test_every_call_may_fail(tmp_path, error, lasting) -> None:
    at, opened_once = 0, 0
    while True:
        directory, acknowledged = tmp_path / f"call{at}", []
        with pytest.MonkeyPatch.context() as monkeypatch:
            faults = Faults(monkeypatch, at=at, error=error, lasting=lasting)
            opened = run(directory, acknowledged)
        if opened:
            opened_once += 1
            artifact = build_session(directory)
            assert ids_of(artifact) == acknowledged
            assert artifact["problems"] == []
        else:
            assert not acknowledged
        if not faults.hit:
            break
        at += 1
    assert at > 50, "the loop ends at the first run that nothing touched"
    assert opened_once > 40
