"""Recordings of 100,000 events: `make test-deep`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.generated import generated_session

from engine.core.artifact import ArtifactView, artifact_bytes
from engine.core.contract.labels import Direction, Unit
from engine.core.cursor import determinism_hash, project, step
from engine.recording import build_session, stream_session

pytestmark = pytest.mark.deep
EVENTS = 100_000

PEAK = """
import sys
from pathlib import Path
from engine.core.artifact import artifact_bytes
from engine.recording import build_session, stream_session
directory, how = Path(sys.argv[1]), sys.argv[2]
built = stream_session(directory).members() if how == "streaming" else build_session(directory)
for piece in artifact_bytes(built):
    pass
status = Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0])
"""


@pytest.mark.parametrize("sequence", ["session", "per_stream"])
def test_streaming_and_pure_builds_give_the_same_bytes(sequence: str) -> None:
    directory = generated_session(events=EVENTS, seed=3, sequence=sequence).directory
    pure = artifact_bytes(build_session(directory))
    for ours, theirs in zip(artifact_bytes(stream_session(directory).members()), pure, strict=True):
        assert ours == theirs


def peak_kib(directory: Path, how: str) -> int:
    """The most memory, in KiB, that a build in a process of its own takes."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(directory), how], capture_output=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_streaming_build_holds_no_records() -> None:
    """What grows with the call is a third of what the pure build holds; the rest is the same."""
    small, large = (
        generated_session(events=events, seed=3, sequence="session").directory
        for events in (EVENTS // 10, EVENTS)
    )
    mapped = sum(path.stat().st_size for path in large.glob("*.jsonl")) / 1024
    streaming, pure = (peak_kib(large, how) - peak_kib(small, how) for how in ("streaming", "pure"))
    assert streaming - mapped < (pure - mapped) / 2.5


def test_step_then_reverse_restores_the_hash_all_over_a_long_call() -> None:
    directory = generated_session(events=EVENTS, seed=3, sequence="session").directory
    view = ArtifactView.of(build_session(directory))
    truth = json.loads(directory.with_name(directory.name + ".truth.json").read_text("utf-8"))
    assert [view.event_id(i) for i in range(view.event_count)] == truth["order"]
    for cursor in range(-1, view.event_count - 1, 97):
        before = determinism_hash(view, cursor, project(view, cursor))
        ahead = step(view, cursor, unit=Unit.EVENT, direction=Direction.FORWARD)
        back = step(view, ahead.cursor, unit=Unit.EVENT, direction=Direction.REVERSE)
        assert determinism_hash(view, back.cursor, project(view, back.cursor)) == before
