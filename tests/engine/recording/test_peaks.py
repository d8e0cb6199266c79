"""Waveform peaks: equal to a naive loop for every format; the cache; nothing imported too early."""

import hashlib
import io
import math
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from support.wav_files import FORMATS, OPEN, Header, wav

from engine.core.contract.errors import SessionInvalid
from engine.core.cursor.audio import frame_at
from engine.recording import peaks as peaks_module
from engine.recording.peaks import Peaks, measure_peaks, waveform_peaks
from engine.recording.wav import wav_facts


def samples_of(name: str, data: bytes) -> list[int]:
    """Decode sample by sample, on the scale of 16 bits, without numpy."""
    _, bits, order = FORMATS[name]
    width = bits // 8
    words = [data[at : at + width] for at in range(0, len(data), width)]
    endian = "little" if order == "<" else "big"
    match name:
        case "mulaw" | "alaw":
            decoded, _ = soundfile.read(
                io.BytesIO(wav(data, Header(format_name=name))), dtype="int16"
            )
            return [int(value) for value in decoded]
        case "float32le" | "float32be":
            return [scaled(struct.unpack(order + "f", word)[0]) for word in words]
        case "pcm_u8":
            return [(word[0] - 128) * 256 for word in words]
        case _:
            return [int.from_bytes(word, endian, signed=True) >> (bits - 16) for word in words]


def scaled(value: float) -> int:
    if math.isnan(value):
        return 0
    return max(-32768, min(32767, math.floor(max(-1.0, min(1.0, value)) * 32768)))


def naive(name: str, data: bytes, channels: int, rate: int, bin_ms: int) -> list[list[list[int]]]:
    """Return [lows, highs], each by channel, by asking of every frame in which bin it is."""
    decoded = samples_of(name, data)
    bins: list[list[list[int]]] = []
    for frame in range(len(decoded) // channels):
        number = len(bins)
        while number and number * bin_ms * rate // 1000 > frame:
            number -= 1
        if number == len(bins):
            bins.append([[] for _ in range(channels)])
        for channel in range(channels):
            bins[number][channel].append(decoded[frame * channels + channel])
    return [
        [[least(row[channel]) for row in bins] for channel in range(channels)]
        for least in (min, max)
    ]


def measured(data: bytes, bin_ms: int) -> Peaks:
    file = io.BytesIO(data)
    return measure_peaks(file, wav_facts(file), bin_ms=bin_ms)


def listed(peaks: Peaks) -> list[list[list[int]]]:
    return [[row.tolist() for row in peaks.lows], [row.tolist() for row in peaks.highs]]


def noise(name: str, frames: int, channels: int, seed: int) -> bytes:
    source = random.Random(seed)
    count = frames * channels
    if name.startswith("float"):
        order = FORMATS[name][2]
        values = [source.choice([source.uniform(-1.2, 1.2), 1.0, -1.0, 0.0]) for _ in range(count)]
        return struct.pack(f"{order}{count}f", *values)
    return source.randbytes(count * FORMATS[name][1] // 8)


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("name", FORMATS)
def test_equal_to_a_naive_loop(name: str, channels: int) -> None:
    data = noise(name, 2_003, channels, seed=channels)
    for rate, bin_ms in ((8_000, 50), (11_025, 7), (44_100, 1)):
        peaks = measured(wav(data, Header(format_name=name, channels=channels, rate=rate)), bin_ms)
        assert listed(peaks) == naive(name, data, channels, rate, bin_ms)
        assert (peaks.frames, peaks.sample_rate, peaks.bin_ms) == (2_003, rate, bin_ms)


@given(
    st.sampled_from([*FORMATS]),
    st.binary(max_size=900),
    st.integers(4_000, 192_000),
    st.integers(1, 60),
    st.integers(1, 3),
)
def test_any_bytes(name: str, data: bytes, rate: int, bin_ms: int, channels: int) -> None:
    width = channels * FORMATS[name][1] // 8
    whole = data[: len(data) // width * width]
    peaks = measured(wav(data, Header(format_name=name, channels=channels, rate=rate)), bin_ms)
    assert listed(peaks) == naive(name, whole, channels, rate, bin_ms)
    for lows, highs in zip(peaks.lows, peaks.highs, strict=True):
        assert all(low <= high for low, high in zip(lows, highs, strict=True))


@pytest.mark.parametrize("piece_bytes", [1, 1_000, 4_096])
def test_pieces_do_not_show(monkeypatch: pytest.MonkeyPatch, piece_bytes: int) -> None:
    data = wav(noise("pcm_s24le", 3_001, 2, seed=4), Header(format_name="pcm_s24le", channels=2))
    whole = measured(data, 3)
    monkeypatch.setattr(peaks_module, "_PIECE_BYTES", piece_bytes)
    assert listed(measured(data, 3)) == listed(whole)


@pytest.mark.parametrize(
    ("name", "values"),
    [("mulaw", {0x00: -32124, 0x80: 32124, 0xFF: 0}), ("alaw", {0x55: -8, 0xD5: 8, 0x2A: -32256})],
)
def test_companding_as_the_standard_has_it(name: str, values: dict[int, int]) -> None:
    for byte, value in values.items():
        peaks = measured(wav(bytes([byte]), Header(format_name=name)), 50)
        assert listed(peaks) == [[[value]], [[value]]]


def test_no_number_and_beyond_full_scale() -> None:
    data = struct.pack("<6f", math.nan, -math.nan, 3e38, -3e38, math.inf, -math.inf)
    peaks = measured(wav(data, Header(format_name="float32le", channels=2)), 50)
    assert listed(peaks) == [[[0], [-32768]], [[32767], [0]]]


def test_bins_are_the_clocks_milliseconds() -> None:
    peaks = measured(wav(bytes(40_000), Header(rate=11_025)), 7)
    assert all(peaks.bin_frame(n) == frame_at(n * 7, 11_025) for n in range(len(peaks.lows[0])))
    last = len(peaks.lows[0]) - 1
    assert peaks.bin_frame(last) < 20_000 <= peaks.bin_frame(last + 1)


def test_no_frames_no_bins() -> None:
    assert listed(measured(wav(b"", Header(channels=2)), 50)) == [[[], []], [[], []]]


def test_a_header_that_lies_sizes_nothing() -> None:
    peaks = measured(wav(b"\1\0" * 800, Header(data_size=OPEN, riff_size=OPEN)), 50)
    assert (peaks.frames, listed(peaks)) == (800, [[[1, 1]], [[1, 1]]])


def test_a_file_that_shrinks_meanwhile() -> None:
    data = wav(b"\1\0" * 800, Header())
    facts = wav_facts(io.BytesIO(data))
    peaks = measure_peaks(io.BytesIO(data[:-801]), facts)
    assert (peaks.frames, listed(peaks)) == (399, [[[1]], [[1]]])


# -- the cache -------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    path = tmp_path / "a.wav"
    path.write_bytes(wav(noise("pcm_s16le", 2_000, 2, seed=5), Header(channels=2)))
    return path


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_cache_answers_without_the_file(cache: Path, audio: Path) -> None:
    digest = hash_of(audio)
    first = waveform_peaks(audio, sha256=digest)
    assert [path.name for path in cache.iterdir()] == [f"{digest}.50.peaks"]
    audio.unlink()
    again = waveform_peaks(audio, sha256=digest)
    assert (listed(again), again.frames, again.sample_rate) == (listed(first), 2_000, 8_000)
    assert all(view.readonly for view in (*first.lows, *again.highs))


def test_each_width_has_its_own(cache: Path, audio: Path) -> None:
    digest = hash_of(audio)
    assert len(waveform_peaks(audio, sha256=digest, bin_ms=10).lows[0]) == 25
    assert len(waveform_peaks(audio, sha256=digest, bin_ms=100).lows[0]) == 3
    assert len([*cache.iterdir()]) == 2


def test_a_damaged_cache_file_is_made_anew(cache: Path, audio: Path) -> None:
    digest = hash_of(audio)
    right = listed(waveform_peaks(audio, sha256=digest))
    kept = cache / f"{digest}.50.peaks"
    sound = kept.read_bytes()
    for at in range(0, len(sound), 7):
        for damaged in (sound[:at], sound[:at] + bytes([sound[at] ^ 4]) + sound[at + 1 :]):
            kept.write_bytes(damaged)
            assert listed(waveform_peaks(audio, sha256=digest)) == right
            assert kept.read_bytes() == sound


@pytest.mark.parametrize(("key", "value"), [("schema", "x"), ("sha256", "00"), ("bin_ms", 51)])
def test_a_cache_file_of_something_else(cache: Path, audio: Path, key: str, value: object) -> None:
    digest = hash_of(audio)
    right = listed(waveform_peaks(audio, sha256=digest))
    kept = cache / f"{digest}.50.peaks"
    sound = kept.read_bytes()
    line, _, values = sound[32:].partition(b"\n")
    header = peaks_module.msgspec.json.decode(line)
    body = peaks_module.msgspec.json.encode({**header, key: value}) + b"\n" + bytes(len(values))
    kept.write_bytes(hashlib.sha256(body).digest() + body)
    assert listed(waveform_peaks(audio, sha256=digest)) == right
    assert kept.read_bytes() == sound


@pytest.mark.parametrize("named", ["off", "/dev/null/none"])
def test_without_a_cache(audio: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("SPD_CACHE", named)
    assert len(waveform_peaks(audio, sha256=hash_of(audio)).lows) == 2


def test_a_cache_that_cannot_be_written(cache: Path, audio: Path) -> None:
    digest = hash_of(audio)
    (cache / f"{digest}.50.peaks").mkdir(parents=True)
    assert len(waveform_peaks(audio, sha256=digest).lows) == 2


def test_another_file_is_refused_and_not_kept(cache: Path, audio: Path) -> None:
    with pytest.raises(SessionInvalid) as caught:
        waveform_peaks(audio, sha256="00" * 32)
    assert caught.value.detail == {"file": "a.wav", "kind": "HASH_DIFFERS"}
    assert [*cache.iterdir()] == []


@pytest.mark.parametrize(("data", "kind"), [(None, "FILE_MISSING"), (b"OggS" * 9, "NOT_RIFF")])
def test_what_is_no_wav_is_refused(
    cache: Path, tmp_path: Path, data: bytes | None, kind: str
) -> None:
    path = tmp_path / "b.wav"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(SessionInvalid) as caught:
        waveform_peaks(path, sha256="00" * 32)
    assert caught.value.detail == {"file": "b.wav", "kind": kind}


# -- imports ---------------------------------------------------------------------------------------


LOADED = """
import sys
from pathlib import Path

import dap_adapter.main
from engine.recording import open_recording
from engine.recording.peaks import waveform_peaks

def heavy():
    return sorted({"numpy", "soundfile", "cffi"} & sys.modules.keys())

open_recording(Path("fixtures/booking_racy"))
before = heavy()
waveform_peaks(Path(sys.argv[1]), sha256=sys.argv[2])
print(before, heavy())
"""


def test_a_cached_recording_and_its_waveform_load_no_heavy_library(
    cache: Path, audio: Path, root: Path
) -> None:
    def loaded() -> str:
        words = [sys.executable, "-c", LOADED, str(audio), hash_of(audio)]
        return subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout

    assert loaded() == "['numpy'] ['numpy']\n", "the first build measures the audio's clock"
    assert loaded() == "[] []\n", "the cache answers without them"
