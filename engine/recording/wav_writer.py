"""Writing WAV files: 16-bit samples, readable at every moment of the writing.

A file being written has the length 2^32-1 in its header, which a reader takes as all that follows;
so a recorder that dies leaves every whole frame that it wrote. `close` puts the true lengths in.
Until the first frame a file claims no data: a header alone is never taken for audio.
"""

import os
import struct
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from engine.recording.wav import CHANNELS_MAX, RATE_MAX, RATE_MIN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEADER_BYTES = 44
DATA_BYTES_MAX = 0xFFFF_FFFF - HEADER_BYTES
"""Beyond it, lengths do not fit a RIFF header; the file stays one of open length."""
_OPEN_LENGTH = 0xFFFF_FFFF
_SAMPLE_BYTES = 2


class WavWriter:
    """A WAV file that grows. Not for several threads at once; use as a context manager."""

    def __init__(self, path: Path, *, sample_rate: int, channels: int) -> None:
        """Make the file. Raises: FileExistsError, OSError."""
        assert RATE_MIN <= sample_rate <= RATE_MAX
        assert 1 <= channels <= CHANNELS_MAX
        self.path = path
        self.sample_rate = sample_rate
        self.channels = channels
        self.frames = 0
        """Whole frames that are written."""
        self._file: BinaryIO = os.fdopen(
            os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "r+b", buffering=0
        )
        try:
            self._put(0, self._header(0))
        except OSError:
            self._file.close()
            raise

    def append(self, samples: "NDArray[np.int16]") -> int:
        """Add frames, shape (frames, channels), or (frames,) for one channel; return the first.

        The frames are with the system when it returns. Where the system does not take them, the
        file is as it was. Raises: OSError.
        """
        assert samples.dtype.name == "int16"
        width = samples.shape[1] if samples.ndim == 2 else 1
        assert width == self.channels, (samples.shape, self.channels)
        first = self.frames
        if not len(samples):
            return first
        end = HEADER_BYTES + first * self.channels * _SAMPLE_BYTES
        try:
            self._put(end, samples.astype("<i2").tobytes())
            if not first:
                self._put(0, self._header(_OPEN_LENGTH))
        except OSError:
            self._file.truncate(end)
            raise
        self.frames += len(samples)
        return first

    def silence_until(self, frame: int) -> None:
        """Add silence so that the next frame is `frame`; nothing where that is reached.

        Raises: OSError.
        """
        import numpy as np  # noqa: PLC0415  only where sound is written

        while self.frames < frame:
            count = min(frame - self.frames, self.sample_rate)
            self.append(np.zeros((count, self.channels), np.int16))

    def close(self) -> None:
        """Put the true lengths into the header and bring the file to the device.

        A second call does nothing. Raises: OSError; then the file reads as one of open length.
        """
        if self._file.closed:
            return
        try:
            data = self.frames * self.channels * _SAMPLE_BYTES
            if data <= DATA_BYTES_MAX:
                self._put(0, self._header(data))
            os.fsync(self._file.fileno())
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _header(self, data: int) -> bytes:
        width = self.channels * _SAMPLE_BYTES
        whole = _OPEN_LENGTH if data == _OPEN_LENGTH else HEADER_BYTES - 8 + data
        return struct.pack(
            "<4sI4s4sIHHIIHH4sI",
            b"RIFF",
            whole,
            b"WAVE",
            b"fmt ",
            16,
            1,
            self.channels,
            self.sample_rate,
            self.sample_rate * width,
            width,
            _SAMPLE_BYTES * 8,
            b"data",
            data,
        )

    def _put(self, place: int, data: bytes) -> None:
        """Write all of `data` at a byte of the file. Raises: OSError."""
        self._file.seek(place)
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) or 0 :]


_BINARY: int = getattr(os, "O_BINARY", 0)


def write_wav(path: Path, samples: "NDArray[np.int16]", sample_rate: int) -> None:
    """Write a WAV of the samples, shape (frames, channels), or (frames,) for one channel.

    Raises: FileExistsError: a recording is never written over; OSError.
    """
    channels = samples.shape[1] if samples.ndim == 2 else 1
    with WavWriter(path, sample_rate=sample_rate, channels=channels) as writer:
        writer.append(samples)
