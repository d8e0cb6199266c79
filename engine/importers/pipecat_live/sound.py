"""The call's audio, one WAV for each side, on the clock of the events: sample 0 is clock 0.

A piece is placed where the event clock stood when it began: what came in has just been heard, what
went out has just been written. Pieces that follow each other closely are joined without a gap, so
no jitter of the loop is heard; a true gap is silence. The files can be read at every moment, also
after a crash.
"""

from typing import TYPE_CHECKING

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.importers.pipecat_live.live_call import Hook, LiveCall
from engine.importers.pipecat_live.seen import attribute, number_of
from engine.importers.pipecat_live.wiring import Parts, listen
from engine.recording.wav_writer import WavWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GAP_MS = 120
"""A piece that begins at most this much behind the last one's end follows it without a gap."""


class SoundHooks:
    """Writes both sides' audio."""

    def __init__(self, call: LiveCall, *, call_start_epoch: int) -> None:
        self._call = call
        self._epoch = call_start_epoch
        self.caller = _Side(call, "caller", "caller", call_start_epoch)
        self.agent = _Side(call, "agent_played", "agent", call_start_epoch)

    def install(self, parts: Parts) -> None:
        """Listen to both transports."""
        call = self._call
        heard = {"InputAudioRawFrame": self.caller.add}
        listen(parts.input, "on_before_push_frame", Hook(call, "audio of the caller", heard))
        played = {"OutputAudioRawFrame": self.agent.add}
        listen(parts.output, "on_before_push_frame", Hook(call, "audio of the agent", played))

    def close(self) -> None:
        """End the files and say of a side without sound that it has none."""
        for side in (self.caller, self.agent):
            side.close()


class _Side:
    """One side of the call."""

    def __init__(self, call: LiveCall, role: str, channel: str, epoch: int) -> None:
        self._call = call
        self._role = role
        self._channel = channel
        self._epoch = epoch
        self._writer: WavWriter | None = None
        self._other_rate = False

    def add(self, frame: object) -> None:
        """Place a piece of audio that has just passed."""
        samples, rate = _samples(frame), number_of(frame, "sample_rate")
        if samples is None or not rate or not len(samples):
            return
        writer = self._opened(rate)
        if writer.sample_rate != rate:
            self._say_rate(rate)
            return
        now_ms = self._call.clock_ms()
        start = max(0, now_ms * rate // 1000 - len(samples))
        if start - writer.frames > GAP_MS * rate // 1000 or not writer.frames:
            writer.silence_until(start)
        writer.append(samples)

    def _opened(self, rate: int) -> WavWriter:
        if self._writer is None:
            name = f"audio_{self._role}.wav"
            recorder = self._call.recorder
            self._writer = WavWriter(recorder.directory / name, sample_rate=rate, channels=1)
            recorder.add_audio(self._reference(path=name))
            self._call.write({"type": "audio_recording_started", "role": self._role})
        return self._writer

    def _reference(self, *, path: str | None) -> JsonObject:
        channels: list[JsonValue] = [self._channel]
        return {
            "audio_id": self._role,
            "role": self._role,
            "path": path,
            "call_start_epoch": self._epoch,
            "media_start_offset_ms": 0,
            "channel_map": channels,
        }

    def _say_rate(self, rate: int) -> None:
        if not self._other_rate:
            self._other_rate = True
            reason = f"pieces with {rate} samples a second do not fit the file's rate: left out"
            row: JsonObject = {"type": "audio_left_out", "role": self._role, "reason": reason}
            self._call.write(row)

    def close(self) -> None:
        """End the file."""
        if self._writer is not None:
            self._writer.close()
            return
        row = self._reference(path=None)
        reason = "no audio of this side passed the transport"
        self._call.recorder.add_audio(
            {**row, "availability": "unavailable", "code": "NO_AUDIO", "reason": reason}
        )


def _samples(frame: object) -> "NDArray[np.int16] | None":
    """Return a frame's samples, several channels as their mean."""
    import numpy as np  # noqa: PLC0415  only where sound is recorded

    audio = attribute(frame, "audio")
    if not isinstance(audio, (bytes, bytearray)):
        return None
    channels = number_of(frame, "num_channels") or 1
    whole = len(audio) // (2 * channels) * 2 * channels
    samples = np.frombuffer(audio[:whole], dtype="<i2")
    if channels == 1:
        return samples.astype(np.int16)
    return samples.reshape(-1, channels).mean(axis=1).astype(np.int16)
