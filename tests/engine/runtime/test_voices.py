import hashlib
import shutil
import stat
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import VoiceUnavailable
from engine.runtime import voices
from engine.runtime.voices import AGENT, CALLER, VoiceKind, describe, installed_kind, speak

needs_espeak = pytest.mark.skipif(
    shutil.which(voices.PROGRAM) is None, reason="espeak-ng is not installed"
)


def tones(text, voice=AGENT, rate=16_000):
    return speak(text, voice=voice, kind=VoiceKind.TONES, sample_rate=rate)


def test_the_same_text_has_the_same_samples_everywhere() -> None:
    said = hashlib.sha256(tones("Hello, welcome to Riff.").astype("<i2").tobytes()).hexdigest()
    assert said == "b9a9b90cbb47e5530b0f643b860970434a57af1b51f25ac8d10d04c37aff586a"


def test_voices_and_texts_differ() -> None:
    assert not np.array_equal(tones("hello"), tones("hello", CALLER))
    assert not np.array_equal(tones("hello"), tones("jelly"))


@given(text=st.text(max_size=30), rate=st.sampled_from([8_000, 16_000, 22_050, 48_000]))
def test_a_tone_is_sound_from_its_first_to_its_last_frame(text, rate) -> None:
    samples = tones(text, rate=rate)
    letters = sum(map(str.isalnum, text))
    assert samples.dtype == np.int16
    assert samples.ndim == 1
    assert len(samples) >= letters * (rate * voices.LETTER_MS // 1000)
    assert bool(len(samples)) == bool(letters)
    if letters:
        assert samples[: rate // 500].any()
        assert samples[-(rate // 500) :].any()
        assert 4_000 < np.abs(samples.astype(int)).max() <= 9_000


def test_words_are_apart() -> None:
    letter, gap = 16 * voices.LETTER_MS, 16 * voices.GAP_MS
    samples = tones("ab c")
    assert len(samples) == 3 * letter + gap
    assert not samples[2 * letter : 2 * letter + gap].any()


def test_the_manifest_says_tones() -> None:
    assert describe(VoiceKind.TONES) == {"voices": "tones"}


def test_without_the_program_tones_speak_and_nothing_is_faked(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_kind() is VoiceKind.TONES
    assert np.array_equal(speak("hi", voice=AGENT), tones("hi"))
    with pytest.raises(VoiceUnavailable) as error:
        speak("hi", voice=AGENT, kind=VoiceKind.ESPEAK_NG)
    assert error.value.detail["kind"] == "NOT_INSTALLED"


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")
@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("exit 3", "FAILED"),
        ("echo no sound", "OUTPUT"),
        ("exec /bin/sleep 60", "TIMEOUT"),
        (None, "NOT_STARTED"),
    ],
)
def test_a_program_that_fails_is_a_typed_error(monkeypatch, tmp_path, script, kind) -> None:
    program = tmp_path / voices.PROGRAM
    program.write_bytes(b"\x7fELF no" if script is None else f"#!/bin/sh\n{script}\n".encode())
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    if kind == "TIMEOUT":
        monkeypatch.setattr(voices, "TIMEOUT_S", 0.2)
    with pytest.raises(VoiceUnavailable) as error:
        speak("a secret word", voice=AGENT)
    assert error.value.detail["kind"] == kind
    assert "secret" not in str(error.value.as_json())


@needs_espeak
@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100])
def test_espeak_speaks(rate) -> None:
    said = "--version is no option here; good evening"
    samples = speak(said, voice=AGENT, kind=VoiceKind.ESPEAK_NG, sample_rate=rate)
    assert samples.dtype == np.int16
    assert 1.5 < len(samples) / rate < 6
    assert np.abs(samples.astype(int)).max() > 3_000
    assert describe(VoiceKind.ESPEAK_NG)["voices"] == "espeak-ng"
    assert "espeak" in str(describe(VoiceKind.ESPEAK_NG)["voices_version"]).lower()
