"""WAV headers: what a RIFF/WAVE file claims, and what is really there.

A small walker over the chunks, for facts only: it reads no sample and sizes no buffer by what a
header says. Accepted: RIFF, RIFX (big endian) and RF64; integer PCM of 8, 16, 24 and 32 bits, float
of 32, mu-law and A-law, plain or extensible; 1 to 8 channels, 4 to 192 kHz. Anything else is
refused with a kind. What a file really holds is decided by its size, never by its header.
"""

import os
import re
import struct
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from engine.core.contract.canonical import INTEGER_MAX

CHUNKS_MAX = 64
CHANNELS_MAX = 8
RATE_MIN = 4_000
RATE_MAX = 192_000

_ORDERS = {b"RIFF": "<", b"RIFX": ">", b"RF64": "<"}
_OPEN_LENGTH = 0xFFFF_FFFF
_EXTENSIBLE = 0xFFFE
_GUID_TAIL = bytes.fromhex("800000aa00389b71")
_CHUNK_NAME = re.compile(rb"[\x20-\x7e]{4}")


class SampleFormat(StrEnum):
    """How one sample is stored; the value stands in artifacts as `sample_format`."""

    PCM_U8 = "pcm_u8"
    PCM_S16LE = "pcm_s16le"
    PCM_S16BE = "pcm_s16be"
    PCM_S24LE = "pcm_s24le"
    PCM_S24BE = "pcm_s24be"
    PCM_S32LE = "pcm_s32le"
    PCM_S32BE = "pcm_s32be"
    FLOAT32LE = "float32le"
    FLOAT32BE = "float32be"
    MULAW = "mulaw"
    ALAW = "alaw"


_FORMATS: dict[tuple[int, int, str], SampleFormat] = {
    (1, 8, "<"): SampleFormat.PCM_U8,
    (1, 8, ">"): SampleFormat.PCM_U8,
    (1, 16, "<"): SampleFormat.PCM_S16LE,
    (1, 16, ">"): SampleFormat.PCM_S16BE,
    (1, 24, "<"): SampleFormat.PCM_S24LE,
    (1, 24, ">"): SampleFormat.PCM_S24BE,
    (1, 32, "<"): SampleFormat.PCM_S32LE,
    (1, 32, ">"): SampleFormat.PCM_S32BE,
    (3, 32, "<"): SampleFormat.FLOAT32LE,
    (3, 32, ">"): SampleFormat.FLOAT32BE,
    (6, 8, "<"): SampleFormat.ALAW,
    (6, 8, ">"): SampleFormat.ALAW,
    (7, 8, "<"): SampleFormat.MULAW,
    (7, 8, ">"): SampleFormat.MULAW,
}
"""By format code, bits of a sample, byte order."""


class HeaderLie(StrEnum):
    """How a header differs from the file it stands in."""

    UNFINALISED = "UNFINALISED"
    """The data's length is 0, but audio follows: the writer never came back to fill it in."""
    OPEN_LENGTH = "OPEN_LENGTH"
    """The data's length is 2^32-1: the writer streamed and did not know it."""
    DATA_MISSING = "DATA_MISSING"
    """The header claims more audio than the file holds."""
    STRAY_BYTES = "STRAY_BYTES"
    """Bytes that belong to no chunk follow the last one; they do not count as audio."""
    RIFF_SIZE = "RIFF_SIZE"
    """The audio is there, but the length of the whole file is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WavFacts:
    """Header facts of one WAV. A frame is one sample of each channel."""

    sample_format: SampleFormat
    sample_rate: int
    channels: int
    bits: int
    data_offset: int
    """Byte offset of frame 0."""
    frames: int
    """Whole frames that are in the file."""
    header_frames: int
    """Whole frames that the header claims; at most 2^53-1."""
    lie: HeaderLie | None

    @property
    def frame_bytes(self) -> int:
        """Bytes of one frame."""
        return self.channels * self.bits // 8

    @property
    def data_bytes(self) -> int:
        """Bytes of all frames that are there."""
        return self.frames * self.frame_bytes

    @property
    def duration_ms(self) -> int:
        """Whole milliseconds of audio that are there."""
        return self.frames * 1000 // self.sample_rate


class NotWav(Exception):
    """Why a file gives no WAV facts.

    Attributes:
        kind: `EMPTY_FILE`, `NOT_RIFF`, `CHUNK_OUT_OF_BOUNDS`, `SAMPLE_RATE_OUT_OF_RANGE`, ...
        reason: what is wrong, as the end of a sentence that begins with the file.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


def wav_facts(source: Path | BinaryIO) -> WavFacts:
    """Return the header facts of a WAV file; a file object may be left at any position.

    Cost: some dozens of small reads at most, whatever the file's size. Raises: NotWav, OSError.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            return wav_facts(file)
    walk = _Walk(source)
    walk.to_data()
    assert walk.format is not None
    return _facts(walk, walk.format)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    sample_format: SampleFormat
    sample_rate: int
    channels: int
    bits: int


class _Walk:
    """One walk over the chunks of a file, bounds checked against the file's size."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, os.SEEK_END)
        if self.size == 0:
            raise NotWav("EMPTY_FILE", "holds no byte")
        file.seek(0)
        head = self._read(12)
        self._order = _ORDERS.get(head[:4], "")
        if not self._order:
            raise NotWav("NOT_RIFF", "does not begin as a RIFF file")
        if head[8:] != b"WAVE":
            raise NotWav("NOT_WAVE", "is a RIFF file, but no WAVE")
        self.riff_size = self._integer(head[4:8])
        self.format: _Format | None = None
        self.data_offset = 0
        self.claimed = 0
        """Bytes of audio that the header claims."""
        self._wide = head[:4] == b"RF64"
        self._chunks = 0

    def to_data(self) -> None:
        """Walk until the data and its format are known.

        Raises: NotWav.
        """
        position = 12
        while not (self.data_offset and self.format):
            name, length = self._chunk(position)
            body = position + 8
            if name == b"data" and not self.data_offset:
                self.data_offset = body
                self.claimed = self.claimed if self._wide and length == _OPEN_LENGTH else length
                length = min(self.claimed, self.size - body)
            elif length > self.size - body:
                raise NotWav(
                    "CHUNK_OUT_OF_BOUNDS", f"has a chunk at byte {position} beyond its end"
                )
            elif name == b"fmt " and self.format is None:
                self.format = self._format(length)
            elif name == b"ds64" and self._wide and not self.data_offset:
                self._sizes(length)
            position = body + length + length % 2

    def stray_bytes(self) -> int:
        """Return how many bytes at the end belong to no chunk."""
        position = self.data_offset + self.claimed + self.claimed % 2
        while position < self.size:
            try:
                name, length = self._chunk(position)
            except _End:
                return self.size - position
            body = position + 8
            if not _CHUNK_NAME.fullmatch(name) or length > self.size - body:
                return self.size - position
            position = body + length + length % 2
        return 0

    def _chunk(self, position: int) -> tuple[bytes, int]:
        """Return name and length of the chunk at `position`."""
        if self.size - position < 8:
            raise _End(self.data_offset)
        self._chunks += 1
        if self._chunks > CHUNKS_MAX:
            raise NotWav("TOO_MANY_CHUNKS", f"has more than {CHUNKS_MAX} chunks")
        self._file.seek(position)
        head = self._read(8)
        return head[:4], self._integer(head[4:])

    def _format(self, length: int) -> _Format:
        """Return the format that the chunk just entered declares, checked against the limits."""
        if length < 16:
            raise NotWav("FORMAT_TOO_SHORT", "has a format chunk of less than 16 bytes")
        body = self._read(min(length, 40))
        code, channels, rate, _, frame_bytes, bits = struct.unpack(
            self._order + "HHIIHH", body[:16]
        )
        if code == _EXTENSIBLE:
            code = self._extended_code(body)
        return _checked_format(code, channels, rate, frame_bytes, bits, self._order)

    def _extended_code(self, body: bytes) -> int:
        """Return the format code inside an extensible format chunk."""
        if len(body) < 40:
            raise NotWav("FORMAT_TOO_SHORT", "has an extensible format chunk of less than 40 bytes")
        if body[32:] != _GUID_TAIL:
            raise NotWav("FORMAT_UNSUPPORTED", "has an extensible format that is not known")
        return self._integer(body[24:28])

    def _sizes(self, length: int) -> None:
        """Take the 64-bit lengths of an RF64 file."""
        if length < 16:
            raise NotWav("SIZES_TOO_SHORT", "has an RF64 size chunk of less than 16 bytes")
        self.riff_size, self.claimed = struct.unpack("<QQ", self._read(16))

    def _integer(self, four: bytes) -> int:
        return int.from_bytes(four, "little" if self._order == "<" else "big")

    def _read(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) < count:
            raise NotWav("CUT_IN_HEADER", "ends within its header")
        return data


class _End(NotWav):
    """The file ends where a chunk should begin."""

    def __init__(self, data_offset: int) -> None:
        if data_offset:
            super().__init__("NO_FORMAT", "has no format chunk")
        else:
            super().__init__("NO_DATA", "has no data chunk")


def _checked_format(
    code: int, channels: int, rate: int, frame_bytes: int, bits: int, order: str
) -> _Format:
    """Return the format if it is one that we read. Raises: NotWav."""
    if not 1 <= channels <= CHANNELS_MAX:
        raise NotWav("CHANNELS_OUT_OF_RANGE", f"has {channels} channels, not 1 to {CHANNELS_MAX}")
    if not RATE_MIN <= rate <= RATE_MAX:
        what = f"has a sample rate of {rate}, not {RATE_MIN} to {RATE_MAX}"
        raise NotWav("SAMPLE_RATE_OUT_OF_RANGE", what)
    sample_format = _FORMATS.get((code, bits, order))
    if sample_format is None:
        raise NotWav("FORMAT_UNSUPPORTED", f"has samples of format {code} with {bits} bits")
    if frame_bytes != channels * bits // 8:
        what = f"has frames of {frame_bytes} bytes for {channels} channels of {bits} bits"
        raise NotWav("FRAME_SIZE_WRONG", what)
    return _Format(sample_format=sample_format, sample_rate=rate, channels=channels, bits=bits)


def _facts(walk: _Walk, declared: _Format) -> WavFacts:
    frame_bytes = declared.channels * declared.bits // 8
    lie = _lie(walk)
    there = walk.size - walk.data_offset
    if lie is not HeaderLie.UNFINALISED:
        there = min(there, walk.claimed)
    assert 0 <= there <= walk.size - walk.data_offset
    return WavFacts(
        sample_format=declared.sample_format,
        sample_rate=declared.sample_rate,
        channels=declared.channels,
        bits=declared.bits,
        data_offset=walk.data_offset,
        frames=there // frame_bytes,
        header_frames=min(walk.claimed // frame_bytes, INTEGER_MAX),
        lie=lie,
    )


def _lie(walk: _Walk) -> HeaderLie | None:
    """Return how the header differs from the file, the gravest first."""
    there = walk.size - walk.data_offset
    if walk.claimed > there:
        is_open = walk.claimed == _OPEN_LENGTH
        return HeaderLie.OPEN_LENGTH if is_open else HeaderLie.DATA_MISSING
    if walk.stray_bytes():
        return HeaderLie.STRAY_BYTES if walk.claimed else HeaderLie.UNFINALISED
    riff_end = walk.riff_size + 8
    if not walk.data_offset + walk.claimed <= riff_end <= walk.size + 1:
        return HeaderLie.RIFF_SIZE
    return None
