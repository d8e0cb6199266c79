"""Waveform peaks: the lowest and highest sample of each channel in each bin of some milliseconds.

One pass over the file in pieces of fixed size, so memory does not grow with the call. Values are on
the scale of 16-bit samples, whatever the format. Peaks are kept in the cache folder under the
audio's hash and made anew when missing or damaged. numpy and soundfile are imported on first need.
"""

import contextlib
import hashlib
import io
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from engine.core.contract.errors import SessionInvalid
from engine.recording.artifact_file import write_whole
from engine.recording.audio import hash_file
from engine.recording.cache import cache_folder
from engine.recording.wav import NotWav, SampleFormat, WavFacts, wav_facts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BIN_MS = 50
BIN_MS_MAX = 1_000
_PIECE_BYTES = 1 << 20
_CACHE_SCHEMA = "riff.audio_peaks/v1"
_DIGEST_BYTES = 32

_UPPER_HALF: dict[SampleFormat, tuple[str, int]] = {
    SampleFormat.PCM_S16LE: ("<i2", 0),
    SampleFormat.PCM_S16BE: (">i2", 0),
    SampleFormat.PCM_S24LE: ("<i2", 1),
    SampleFormat.PCM_S24BE: (">i2", 0),
    SampleFormat.PCM_S32LE: ("<i2", 2),
    SampleFormat.PCM_S32BE: (">i2", 0),
}
"""Type and place of the upper 16 bits in one sample."""
_COMPANDING = {SampleFormat.MULAW: "ULAW", SampleFormat.ALAW: "ALAW"}
"""The names that libsndfile has for the companded formats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """Peaks of one audio file, by channel in the file's order.

    Bin b covers the frames from `bin_frame(b)` up to but not including `bin_frame(b + 1)`: the
    milliseconds [b * bin_ms, (b + 1) * bin_ms) of the file. The last bin may be shorter; no bin is
    empty. Values run from -32768 to 32767; `lows[c][b] <= highs[c][b]`.
    """

    bin_ms: int
    sample_rate: int
    frames: int
    lows: tuple["memoryview[int]", ...]
    highs: tuple["memoryview[int]", ...]

    def bin_frame(self, number: int) -> int:
        """Return the first frame of a bin."""
        return _bin_frame(number, self.bin_ms, self.sample_rate)


def waveform_peaks(wav: Path, *, sha256: str, bin_ms: int = BIN_MS) -> Peaks:
    """Return the peaks of the WAV whose hash is `sha256` (hex, the artifact's `measured_sha256`).

    From the cache where that has them; then `wav` is not opened. Cost: else one pass and the hash.

    Raises:
        SessionInvalid: `wav` cannot be read, is no WAV, or is not the file with that hash.
    """
    assert 1 <= bin_ms <= BIN_MS_MAX
    assert sha256.isalnum()
    folder = cache_folder()
    cached = folder / f"{sha256}.{bin_ms}.peaks" if folder is not None else None
    found = _read_cached(cached, sha256, bin_ms) if cached is not None else None
    if found is not None:
        return found
    peaks = _checked_peaks(wav, sha256, bin_ms)
    if cached is not None:
        with contextlib.suppress(OSError):  # a cache that cannot be written is none
            write_whole(cached, _cache_bytes(peaks, sha256))
    return peaks


def measure_peaks(file: BinaryIO, facts: WavFacts, *, bin_ms: int = BIN_MS) -> Peaks:
    """Return the peaks of an open WAV with these facts.

    A file that shrinks meanwhile gives fewer frames. Cost: one pass, some MiB.
    """
    import numpy as np  # noqa: PLC0415  only where samples are looked at

    bins = -(-facts.frames * 1000 // (bin_ms * facts.sample_rate))
    lows = np.zeros((facts.channels, bins), np.int16)
    highs = np.zeros((facts.channels, bins), np.int16)
    frames = done = 0
    for data, starts in _pieces(file, facts, bin_ms):
        samples = _samples(data, facts)
        first, done = done, done + len(starts)
        frames += len(samples)
        for channel in range(facts.channels):
            lows[channel, first:done] = np.minimum.reduceat(samples[:, channel], starts)
            highs[channel, first:done] = np.maximum.reduceat(samples[:, channel], starts)
    return Peaks(
        bin_ms=bin_ms,
        sample_rate=facts.sample_rate,
        frames=frames,
        lows=_columns(lows[:, :done].tobytes(), facts.channels),
        highs=_columns(highs[:, :done].tobytes(), facts.channels),
    )


def _bin_frame(number: int, bin_ms: int, sample_rate: int) -> int:
    return number * bin_ms * sample_rate // 1000


def _pieces(file: BinaryIO, facts: WavFacts, bin_ms: int) -> Iterator[tuple[bytes, list[int]]]:
    """Yield the bytes of whole frames in order, each with the frames in it where a bin starts."""
    bins_per_piece = max(1, _PIECE_BYTES * 1000 // (bin_ms * facts.sample_rate * facts.frame_bytes))
    file.seek(facts.data_offset)
    number, frame = 0, 0
    while frame < facts.frames:
        starts = [
            _bin_frame(n, bin_ms, facts.sample_rate) for n in range(number, number + bins_per_piece)
        ]
        number += bins_per_piece
        end = min(_bin_frame(number, bin_ms, facts.sample_rate), facts.frames)
        data = file.read((end - frame) * facts.frame_bytes)
        count = len(data) // facts.frame_bytes
        if count:
            inside = [start - frame for start in starts if start < frame + count]
            yield data[: count * facts.frame_bytes], inside
        if count < end - frame:
            return
        frame = end


def _samples(data: bytes, facts: WavFacts) -> "NDArray[np.int16]":
    """Return samples by (frame, channel) on the scale of 16 bits; wider ones lose their low bits.

    Float samples: full scale is 1, what lies beyond is clipped, and not-a-number counts as 0.
    """
    import numpy as np  # noqa: PLC0415

    shape = len(data) // facts.frame_bytes, facts.channels
    match facts.sample_format:
        case SampleFormat.PCM_U8:
            unsigned = np.frombuffer(data, np.uint8).reshape(shape)
            return (unsigned.astype(np.int16) - 128) * 256
        case SampleFormat.MULAW | SampleFormat.ALAW as companded:
            return _companding_table(companded).take(np.frombuffer(data, np.uint8)).reshape(shape)
        case SampleFormat.FLOAT32LE | SampleFormat.FLOAT32BE as spelled:
            order = "<f4" if spelled is SampleFormat.FLOAT32LE else ">f4"
            wide = np.nan_to_num(np.frombuffer(data, order).reshape(shape).clip(-1, 1), nan=0)
            return np.minimum(np.floor(wide * 32768), 32767).astype(np.int16)
        case integer:
            kind, offset = _UPPER_HALF[integer]
            strides = facts.frame_bytes, facts.bits // 8
            return np.ndarray(shape, np.dtype(kind), data, offset, strides)


def _companding_table(companded: SampleFormat) -> "NDArray[np.int16]":
    """Return the 16-bit sample of each byte. libsndfile knows it; it never sees a recorded byte."""
    import numpy as np  # noqa: PLC0415
    import soundfile  # noqa: PLC0415

    table, _ = soundfile.read(
        io.BytesIO(bytes(range(256))),
        dtype="int16",
        format="RAW",
        subtype=_COMPANDING[companded],
        samplerate=8000,
        channels=1,
    )
    return np.asarray(table, np.int16)


def _columns(values: bytes, channels: int) -> tuple["memoryview[int]", ...]:
    """Return 16-bit values, stored channel after channel, as one read-only view a channel."""
    view = memoryview(values).cast("h")
    count = len(view) // channels
    return tuple(view[c * count : (c + 1) * count] for c in range(channels))


def _checked_peaks(wav: Path, sha256: str, bin_ms: int) -> Peaks:
    """Return the peaks of `wav` if its hash is `sha256`; hash and peaks run side by side."""
    try:
        if not wav.is_file():
            raise _refused(wav, "FILE_MISSING", "is not there or no regular file")
        with wav.open("rb") as file, wav.open("rb") as again, ThreadPoolExecutor(1) as pool:
            digest = pool.submit(hash_file, again)
            peaks = measure_peaks(file, wav_facts(file), bin_ms=bin_ms)
            if digest.result() != sha256:
                raise _refused(wav, "HASH_DIFFERS", "is not the file that was recorded")
    except NotWav as refusal:
        raise _refused(wav, refusal.kind, refusal.reason) from refusal
    except (OSError, ValueError) as error:
        raise _refused(wav, "UNREADABLE_FILE", f"cannot be read: {error}") from error
    return peaks


def _refused(wav: Path, kind: str, what: str) -> SessionInvalid:
    return SessionInvalid(f"{wav.name} {what}.", {"file": wav.name, "kind": kind})


# -- cache files: the hash of all that follows, a header line, all lows, all highs -----------------


class _Header(msgspec.Struct, kw_only=True):
    """What the values of a cache file are."""

    schema: str
    byte_order: str
    sha256: str
    bin_ms: int
    sample_rate: int
    frames: int
    channels: int


def _cache_bytes(peaks: Peaks, sha256: str) -> Iterator[bytes]:
    header = _Header(
        schema=_CACHE_SCHEMA,
        byte_order=sys.byteorder,
        sha256=sha256,
        bin_ms=peaks.bin_ms,
        sample_rate=peaks.sample_rate,
        frames=peaks.frames,
        channels=len(peaks.lows),
    )
    body = b"".join([msgspec.json.encode(header), b"\n", *peaks.lows, *peaks.highs])
    yield hashlib.sha256(body).digest()
    yield body


def _read_cached(path: Path, sha256: str, bin_ms: int) -> Peaks | None:
    """Return the peaks that a cache file holds; None if it is missing, damaged or another's."""
    try:
        data = path.read_bytes()
        line, _, values = data[_DIGEST_BYTES:].partition(b"\n")
        if data[:_DIGEST_BYTES] != hashlib.sha256(data[_DIGEST_BYTES:]).digest():
            return None
        header = msgspec.json.decode(line, type=_Header)
    except (OSError, msgspec.DecodeError):
        return None
    mine = header.schema, header.byte_order, header.sha256, header.bin_ms
    if mine != (_CACHE_SCHEMA, sys.byteorder, sha256, bin_ms):
        return None
    half = len(values) // 2
    return Peaks(
        bin_ms=bin_ms,
        sample_rate=header.sample_rate,
        frames=header.frames,
        lows=_columns(values[:half], header.channels),
        highs=_columns(values[half:], header.channels),
    )
