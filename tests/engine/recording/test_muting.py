"""Muting: exactly the redacted parts are silent, and what cannot be placed is not kept."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.core.contract.json_types import JsonObject, mapping, rows
from engine.recording import Identity, RecordedFlow, Recorder, build_session
from engine.recording.muting import PAD_MS, mute_redacted, redacted_parts
from engine.recording.redaction import TextRedactor

RATE = 8000
FLOW = b"schema: riff.flow/v1\nflow_id: f\nentry: a\nstates:\n  a: {}\n"


def tone(frames: int, channels: int) -> np.ndarray:
    return np.full((frames, channels), 7000, dtype=np.int16)


def segment(said: str, speaker: str = "caller", **more: object) -> JsonObject:
    return {"type": "transcript_segment", "speaker": speaker, "text": said, **more}  # type: ignore[dict-item]


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "FLOAT", "ULAW", "ALAW"])
def test_only_the_channel_and_the_frames_of_the_part_are_silent(
    tmp_path: Path, subtype: str
) -> None:
    soundfile.write(tmp_path / "a.wav", tone(5 * RATE, 2), RATE, subtype=subtype)
    loud = soundfile.read(tmp_path / "a.wav")[0][0, 0]
    row: JsonObject = {
        "audio_id": "a",
        "path": "a.wav",
        "channel_map": ["caller", "agent"],
        "media_start_offset_ms": 500,
    }
    said = segment("It is <PHONE_1>", start_ms=2000, end_ms=3000, event_id="e7")
    [muted] = mute_redacted(tmp_path, [row], [said])
    start, end = 2000 - 500 - PAD_MS, 3000 - 500 + PAD_MS
    assert muted["redacted_spans"] == [
        {
            "event_id": "e7",
            "start_frame": start * 8,
            "end_frame": end * 8,
            "start_ms": start,
            "end_ms": end,
        }
    ]
    heard = soundfile.read(tmp_path / "a.wav")[0]
    assert np.abs(heard[start * 8 : end * 8, 0]).max() < 0.001
    assert (heard[:, 1] == loud).all()
    assert (heard[: start * 8, 0] == loud).all()
    assert (heard[end * 8 :, 0] == loud).all()


def test_a_part_without_times_takes_the_file_away(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(RATE, 1), RATE)
    row: JsonObject = {
        "audio_id": "a",
        "role": "caller",
        "path": "a.wav",
        "media_start_offset_ms": 0,
    }
    [muted] = mute_redacted(tmp_path, [row], [segment("<EMAIL_1>")])
    assert muted["availability"] == "unavailable"
    assert muted["code"] == "AUDIO_REDACTED"
    assert muted["path"] is None
    assert not (tmp_path / "a.wav").exists()


def test_the_audio_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(RATE, 1), RATE)
    before = (tmp_path / "a.wav").read_bytes()
    row: JsonObject = {"audio_id": "a", "role": "agent_played", "path": "a.wav"}
    assert mute_redacted(tmp_path, [row], [segment("<EMAIL_1>")]) == [row]
    assert (tmp_path / "a.wav").read_bytes() == before


def test_a_playback_is_muted_from_its_start_to_its_end() -> None:
    said = {"playback_id": "p", "type": "audio_requested", "planned": "<NAME_1>, hello"}
    start = {"playback_id": "p", "type": "audio_started", "clock_ms": 10}
    end = {"playback_id": "p", "type": "audio_completed", "clock_ms": 90}
    [part] = redacted_parts([dict(said), dict(start), dict(end)])  # type: ignore[list-item]
    assert (part.speaker, part.start_ms, part.end_ms) == ("agent", 10, 90)


def recorded(directory: Path, said: JsonObject) -> JsonObject:
    """Record one segment with a redactor and a WAV of five seconds; return the artifact."""
    redactor = TextRedactor()
    recorder = Recorder.open(
        directory,
        session_id="v3:redacted",
        flow=RecordedFlow(data=FLOW, file_name="flow.yaml"),
        identity=Identity(
            engine_revision=None,
            runtime_lock=None,
            unavailable={"engine_revision": "test", "runtime_lock": "test"},
        ),
        call_start_epoch=0,
        redactor=redactor,
    )
    soundfile.write(directory / "caller.wav", tone(5 * RATE, 1), RATE)
    recorder.append(said)
    recorder.add_audio(
        {
            "audio_id": "caller",
            "role": "caller",
            "path": "caller.wav",
            "call_start_epoch": 0,
            "media_start_offset_ms": 0,
        }
    )
    recorder.close(ended="completed")
    return build_session(directory)


def test_a_recorded_call_is_muted_word_by_word(tmp_path: Path) -> None:
    words = ["It", "is", "four", "one", "five", "five", "five", "okay"]
    timed = [
        {"text": word, "start_ms": at * 400, "end_ms": at * 400 + 300}
        for at, word in enumerate(words)
    ]
    said = segment(" ".join(words), start_ms=0, end_ms=3100, words=timed, clock_ms=3100)
    artifact = recorded(tmp_path / "call", said)
    record = mapping(rows(artifact, "events")[0], "record")
    assert record["text"] == "It is <NUMBER_1> okay"
    assert all("text" not in word for word in rows(record, "words"))
    heard, _ = soundfile.read(tmp_path / "call" / "caller.wav")
    assert (heard[: (800 - PAD_MS) * 8] != 0).all()
    assert (heard[(800 - PAD_MS) * 8 : (2700 + PAD_MS) * 8] == 0).all()
    assert (heard[(2700 + PAD_MS) * 8 :] != 0).all()
    [audio] = rows(artifact, "audio")
    assert len(rows(audio, "redacted_spans")) == 5
    assert artifact["problems"] == []


def test_no_word_of_a_redacted_segment_is_on_disk(tmp_path: Path) -> None:
    said = segment("pin nine nine nine nine", words=[{"text": "nine"}] * 4, start_ms=0, end_ms=10)
    recorded(tmp_path / "call", said)
    for file in sorted((tmp_path / "call").rglob("*.jsonl")):
        assert b"nine" not in file.read_bytes()
