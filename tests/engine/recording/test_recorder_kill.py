"""The process is killed at the Nth system call, for every N: nothing acknowledged is lost."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.recorded import ids_of, play, problem_codes, recorder_in

from engine.recording import build_session

CALLS = ("write", "fsync", "rename", "open", "fchmod", "chmod", "mkdir", "unlink", "fstat", "close")
TORN = {"TORN_LAST_LINE", "UNREADABLE_RECORD", "SEQUENCE_BROKEN"}
TESTS = Path(__file__).resolve().parents[2]


def check(directory: Path, acknowledged: list[str], *, torn: bool = False) -> bool:
    """See that what was acknowledged can be read; return whether the directory can be opened."""
    if not (directory / "manifest.json").exists():
        assert not acknowledged
        return False
    artifact = build_session(directory)
    found = [event_id for event_id in ids_of(artifact) if event_id.startswith("e")]
    assert found[: len(acknowledged)] == acknowledged
    assert len(found) <= len(acknowledged) + 1
    assert problem_codes(artifact) <= (TORN if torn else set())
    session = artifact["session"]
    assert isinstance(session, dict)
    how = "truncated" if session["ended"] is None else "call_ended"
    ends = [visit["exit"]["reason"] for visit in artifact["visits"] if not visit["closed_index"]]
    assert ends == [how] * len(ends)
    return True


def kill_at(number: int, how: str) -> None:
    """Kill this process at a system call: before it, after it, or in the middle of a write."""
    count = [0]

    def wrapped(real):
        def call(*arguments, **options):
            here, count[0] = count[0], count[0] + 1
            if here == number and how == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            if here == number and how == "within":
                real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            done = real(*arguments, **options)
            if here == number and how == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return call

    for name in CALLS if how != "within" else ("write",):
        setattr(os, name, wrapped(getattr(os, name)))


def child(directory: Path, number: int, how: str, out: int) -> None:
    """Record a call in this process, which ends here."""
    acknowledge = os.write
    kill_at(number, how)
    with recorder_in(directory) as recorder:
        play(recorder, lambda event_id: acknowledge(out, f"{event_id}\n".encode()))
        recorder.add_audio({"audio_id": "caller"})
    os._exit(0)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("how", ["before", "within", pytest.param("after", marks=pytest.mark.deep)])
def test_killed_at_every_call(tmp_path, how) -> None:
    number, opened = 0, 0
    while True:
        directory = tmp_path / f"call{number}"
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                child(directory, number, how, writer)
            finally:
                os._exit(9)
        os.close(writer)
        with os.fdopen(reader) as told:
            acknowledged = told.read().split()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code in {0, -signal.SIGKILL}
        opened += check(directory, acknowledged, torn=how == "within")
        if code == 0:
            break
        number += 1
    assert number > 15, "the loop ends at the first run that nothing touched"
    assert opened > 12


def under_strace(directory: Path, calls: str, number: int) -> tuple[int, list[str]]:
    """Run the recording program, killed by the tracer at a system call; 0: untouched."""
    rule = f"inject={calls}:signal=KILL:when={number}"
    done = subprocess.run(
        [
            *("strace", "-f", "-o", os.devnull, "-e", f"trace={calls}", "-e", rule),
            *(sys.executable, "-m", "support.recording_program", str(directory)),
        ],
        cwd=TESTS,
        env=os.environ | {"PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"},
        stdout=subprocess.PIPE,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout.decode().split()


needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@needs_strace
@pytest.mark.parametrize("number", [12, 30])
def test_killed_by_the_tracer_at_a_write(tmp_path, number) -> None:
    code, said = under_strace(tmp_path / "call", "write", number)
    if said and said[-1] != "closed":
        assert code != 0
    check(tmp_path / "call", [event_id for event_id in said if event_id != "closed"])


@needs_strace
@pytest.mark.deep
@pytest.mark.parametrize(
    "calls", ["write", "fsync", "rename,renameat,renameat2", "flock", "fchmod"]
)
def test_killed_by_the_tracer_at_every_call(tmp_path, calls) -> None:
    number = 1
    while True:
        directory = tmp_path / str(number)
        code, said = under_strace(directory, calls, number)
        check(directory, [event_id for event_id in said if event_id != "closed"])
        if code == 0:
            break
        number += 1
    assert "closed" in said
