import os
import stat
import sys

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.recording import WavWriter, write_wav
from engine.recording.wav import HeaderLie, NotWav, wav_facts

RATE = 8_000


def frames_of(count, channels=1):
    values = np.arange(count * channels) * 37 % 20_000 - 10_000
    return values.reshape(count, channels).astype(np.int16)


def read(path):
    samples, rate = soundfile.read(path, dtype="int16", always_2d=True)
    return samples, rate


@given(
    pieces=st.lists(st.integers(min_value=0, max_value=50), max_size=6),
    channels=st.integers(min_value=1, max_value=8),
)
@settings(max_examples=40)
def test_what_is_written_is_read(tmp_path_factory, pieces, channels) -> None:
    path = tmp_path_factory.mktemp("wav") / "call.wav"
    samples = frames_of(sum(pieces), channels)
    starts = []
    with WavWriter(path, sample_rate=RATE, channels=channels) as writer:
        starts += [writer.append(samples[writer.frames :][:count]) for count in pieces]
    assert starts == [sum(pieces[:i]) for i in range(len(pieces))]
    facts = wav_facts(path)
    assert (facts.frames, facts.header_frames, facts.lie) == (len(samples), len(samples), None)
    found, rate = read(path)
    assert rate == RATE
    assert np.array_equal(found, samples)


def test_a_file_that_is_being_written_has_all_frames(tmp_path) -> None:
    path = tmp_path / "call.wav"
    writer = WavWriter(path, sample_rate=RATE, channels=2)
    assert wav_facts(path).frames == 0
    assert path.stat().st_size == 44
    for count in (1, 10, 100):
        writer.append(frames_of(count, 2))
        facts = wav_facts(path)
        assert (facts.frames, facts.lie) == (writer.frames, HeaderLie.OPEN_LENGTH)
    writer.close()
    writer.close()
    assert wav_facts(path).lie is None


def test_a_writer_cut_at_any_byte_leaves_every_whole_frame(tmp_path) -> None:
    path, cut = tmp_path / "call.wav", tmp_path / "cut.wav"
    writer = WavWriter(path, sample_rate=RATE, channels=1)
    writer.append(frames_of(20))
    data = path.read_bytes()
    writer.close()
    for end in range(len(data) + 1):
        cut.write_bytes(data[:end])
        if end < 44:
            with pytest.raises(NotWav):
                wav_facts(cut)
        else:
            assert wav_facts(cut).frames == (end - 44) // 2


class Full:
    """A disk that takes `room` more bytes."""

    def __init__(self, file, room) -> None:
        self.file, self.room = file, room

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        if not self.room:
            raise OSError(28, "No space left on device")
        count = min(self.room, len(data))
        self.room -= count
        return self.file.write(data[:count])


@pytest.mark.parametrize("room", [0, 1, 39, 40, 60])
@pytest.mark.parametrize("before", [0, 5])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch, room, before) -> None:
    path = tmp_path / "call.wav"
    writer = WavWriter(path, sample_rate=RATE, channels=1)
    writer.append(frames_of(before))
    true = writer._file
    monkeypatch.setattr(writer, "_file", Full(true, room))
    if room >= 40 and before:
        assert writer.append(frames_of(20)) == before
        true.close()
        return
    with pytest.raises(OSError, match="No space"):
        writer.append(frames_of(20))
    assert writer.frames == before
    assert wav_facts(path).frames == before
    monkeypatch.setattr(writer, "_file", true)
    assert writer.append(frames_of(3)) == before
    writer.close()
    assert wav_facts(path).frames == before + 3
    assert wav_facts(path).lie is None


def test_silence_fills_up_to_a_frame(tmp_path) -> None:
    path = tmp_path / "call.wav"
    with WavWriter(path, sample_rate=RATE, channels=1) as writer:
        writer.silence_until(20_000)
        writer.append(frames_of(4))
        writer.silence_until(5)
    samples, _ = read(path)
    assert len(samples) == 20_004
    assert not samples[:20_000].any()


def test_an_empty_call_is_a_header_that_claims_nothing(tmp_path) -> None:
    path = tmp_path / "call.wav"
    write_wav(path, np.zeros(0, np.int16), RATE)
    assert path.stat().st_size == 44
    assert (wav_facts(path).frames, wav_facts(path).lie) == (0, None)


def test_nothing_is_written_over_and_nobody_else_may_read(tmp_path) -> None:
    path = tmp_path / "call.wav"
    write_wav(path, frames_of(3, 2), RATE)
    with pytest.raises(FileExistsError):
        write_wav(path, frames_of(3, 2), RATE)
    assert read(path)[0].shape == (3, 2)
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600  # noqa: PTH116
