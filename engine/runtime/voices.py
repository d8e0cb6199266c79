"""Voices for calls that the runtime records: espeak-ng where it is installed, else tones.

Tones are made of whole numbers only, so the same text has the same samples on every machine. Both
give 16-bit samples of one channel. The words go to espeak-ng by its input, never by its command
line, where other users would see them. numpy is imported on first need.
"""

import io
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.core.contract.errors import VoiceUnavailable
from engine.core.contract.json_types import JsonObject
from engine.recording.wav import NotWav, SampleFormat, wav_facts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]

SAMPLE_RATE = 16_000
PROGRAM = "espeak-ng"
TIMEOUT_S = 30
LETTER_MS = 65
"""How long a tone stands for one letter: some 15 letters a second, as in speech."""
GAP_MS = 65
"""The silence between two words."""
_RAMP_MS = 5
_LEVEL = 9_000


class VoiceKind(StrEnum):
    """How words become sound; the value stands in the manifest as `voices`."""

    ESPEAK_NG = "espeak-ng"
    TONES = "tones"


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One speaker.

    Attributes:
        name: who speaks, such as `agent`.
        variant: the espeak-ng voice.
        words_per_minute: espeak-ng's speed.
        tone_hz: the lowest tone; the others lie within an octave above it.
    """

    name: str
    variant: str
    words_per_minute: int
    tone_hz: int


AGENT = Voice(name="agent", variant="en-us+f3", words_per_minute=170, tone_hz=320)
CALLER = Voice(name="caller", variant="en-gb+m3", words_per_minute=160, tone_hz=150)


def installed_kind() -> VoiceKind:
    """Return espeak-ng if its program is found, else tones."""
    return VoiceKind.TONES if shutil.which(PROGRAM) is None else VoiceKind.ESPEAK_NG


def describe(kind: VoiceKind) -> JsonObject:
    """Return the manifest's members about the voices: `voices`, and espeak-ng's version.

    Raises: VoiceUnavailable.
    """
    if kind is VoiceKind.TONES:
        return {"voices": kind.value}
    said = _run(["--version"], b"").decode("utf-8", "replace").split("Data at:")[0]
    return {"voices": kind.value, "voices_version": said.strip()}


def speak(
    text: str,
    *,
    voice: Voice,
    kind: VoiceKind | None = None,
    sample_rate: int = SAMPLE_RATE,
) -> "Samples":
    """Return the samples of a text: one channel, 16 bits, `sample_rate` frames a second.

    A text without a letter or digit has no samples. With tones the length depends on the text only,
    and there is sound in the first and last 2 ms; espeak-ng may begin with silence.

    Raises: VoiceUnavailable: espeak-ng is not there, fails, or takes longer than 30 s.
    """
    assert 4_000 <= sample_rate <= 192_000
    chosen = installed_kind() if kind is None else kind
    words = ["".join(filter(str.isalnum, word)) for word in text.split()]
    words = [word for word in words if word]
    if chosen is VoiceKind.TONES or not words:
        return _tones(words, voice, sample_rate)
    return _espeak(text, voice, sample_rate)


def _tones(words: list[str], voice: Voice, sample_rate: int) -> "Samples":
    import numpy as np  # noqa: PLC0415  only where sound is made

    gap = np.zeros(sample_rate * GAP_MS // 1000, np.int16)
    pieces: list[Samples] = []
    for word in words:
        pieces += [gap, _tone(word, voice, sample_rate)]
    return np.concatenate(pieces[1:]) if pieces else np.zeros(0, np.int16)


def _tone(word: str, voice: Voice, sample_rate: int) -> "Samples":
    """Return one word: a tone for each letter, one running into the next, faded at both ends.

    Each half wave is a parabola. Phases are 32-bit numbers, a whole turn being 2^32.
    """
    import numpy as np  # noqa: PLC0415

    letter = sample_rate * LETTER_MS // 1000
    pitches = [voice.tone_hz * (16 + ord(char) % 16) for char in word]  # in sixteenths of a hertz
    steps = np.array([(pitch << 28) // sample_rate for pitch in pitches], np.int64)
    place = (np.cumsum(np.repeat(steps, letter)) & 0xFFFF_FFFF) >> 16
    half = place & 0x7FFF
    wave = (half * (0x8000 - half) >> 13) * np.where(place < 0x8000, _LEVEL, -_LEVEL) >> 15
    ramp = max(1, sample_rate * _RAMP_MS // 1000)
    rise = np.minimum(np.arange(1, len(wave) + 1), ramp)
    return (wave * np.minimum(rise, rise[::-1]) // ramp).astype(np.int16)


def _espeak(text: str, voice: Voice, sample_rate: int) -> "Samples":
    asked = ["-v", voice.variant, "-s", str(voice.words_per_minute), "-b", "1", "--stdin"]
    output = _run([*asked, "--stdout"], text.encode("utf-8", "replace"))
    try:
        facts = wav_facts(io.BytesIO(output))
    except NotWav as refusal:
        raise _unavailable("OUTPUT", f"gave audio that {refusal.reason}") from refusal
    if facts.sample_format is not SampleFormat.PCM_S16LE or facts.channels != 1:
        raise _unavailable("OUTPUT", "gave audio that is not 16-bit sound of one channel")
    import numpy as np  # noqa: PLC0415

    data = output[facts.data_offset : facts.data_offset + facts.data_bytes]
    return _resampled(np.frombuffer(data, "<i2").astype(np.int16), facts.sample_rate, sample_rate)


def _resampled(samples: "Samples", have: int, want: int) -> "Samples":
    """Return the samples at another rate: low-pass (windowed sinc), then straight lines between."""
    import numpy as np  # noqa: PLC0415

    if have == want or not len(samples):
        return samples
    smooth = samples.astype(np.float64)
    if want < have:
        taps = np.arange(-32, 33)
        kernel = np.sinc(taps * want / have) * np.hamming(len(taps))
        smooth = np.convolve(smooth, kernel / kernel.sum(), mode="same")
    places = np.arange(len(samples) * want // have) * (have / want)
    values = np.interp(places, np.arange(len(smooth)), smooth)
    return np.clip(np.rint(values), -32768, 32767).astype(np.int16)


def _run(arguments: list[str], said: bytes) -> bytes:
    """Return what espeak-ng writes. Raises: VoiceUnavailable."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise _unavailable("NOT_INSTALLED", "is not installed")
    try:
        done = subprocess.run(
            [program, *arguments], input=said, capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _unavailable("TIMEOUT", f"took longer than {TIMEOUT_S} s") from error
    except OSError as error:
        raise _unavailable("NOT_STARTED", "could not be started") from error
    if done.returncode:
        raise _unavailable("FAILED", f"ended with exit code {done.returncode}")
    return done.stdout


def _unavailable(kind: str, what: str) -> VoiceUnavailable:
    return VoiceUnavailable(
        f"{PROGRAM} {what}. Install it, or record with tones for voices.",
        {"kind": kind, "program": PROGRAM},
    )
