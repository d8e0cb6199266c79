"""A recorded stream is cut anywhere: what stands before the cut is read, and the cut is said."""

import shutil

import pytest
from support.recorded import ids_of, play, problem_codes, recorder_in

from engine.recording import build_session

STREAMS = ("trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl")
CUT_CODES = {"TORN_LAST_LINE", "UNREADABLE_RECORD", "SEQUENCE_GAP", "SEQUENCE_BROKEN"}


def whole_ids(data: bytes, every: dict[bytes, str]) -> list[str]:
    """The ids of the lines that are whole in `data`."""
    return [every[line] for line in data.split(b"\n")[:-1]]


@pytest.mark.parametrize("stride", [23, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("name", STREAMS)
def test_cut_at_any_byte(tmp_path, name, stride) -> None:
    acknowledged: list[str] = []
    directory = tmp_path / "call"
    recorder = recorder_in(directory)
    play(recorder, acknowledged.append)
    recorder.close(ended=None)
    data = (directory / name).read_bytes()
    every = {
        line: line.split(b'"event_id":"')[1].split(b'"')[0].decode() for line in data.splitlines()
    }
    others = [event_id for event_id in acknowledged if event_id not in every.values()]
    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    for stop in [*range(0, len(data), stride), len(data)]:
        (copy / name).write_bytes(data[:stop])
        artifact = build_session(copy)
        kept = set(others) | set(whole_ids(data[:stop], every))
        found = [event_id for event_id in ids_of(artifact) if event_id in set(acknowledged)]
        assert kept <= set(found)
        assert problem_codes(artifact) <= CUT_CODES
        if stop == len(data):
            assert not problem_codes(artifact)
