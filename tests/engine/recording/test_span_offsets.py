import json

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from support.recorded import recorder_in

from engine.core.cursor.audio import frame_at
from engine.recording import PlaybackLedger, WavWriter, build_session, write_wav
from engine.recording.span_offsets import span_offsets
from engine.runtime.voices import AGENT, VoiceKind, speak

WORDS = ["Welcome.", "How can I help?", "One moment.", "Good-bye!"]
ROW = {
    "audio_id": "agent_played",
    "role": "agent_played",
    "availability": "recorded",
    "media_start_offset_ms": 100,
    "frames": 800,
    "measured_sample_rate": 8_000,
}


def voice(text, rate):
    return speak(text, voice=AGENT, kind=VoiceKind.TONES, sample_rate=rate)


@settings(max_examples=25, deadline=None)
@given(
    rate=st.sampled_from([8_000, 11_025, 16_000, 44_100]),
    offset=st.sampled_from([0, 335]),
    gaps=st.lists(st.integers(min_value=1, max_value=900), min_size=1, max_size=4),
)
def test_the_samples_at_an_offset_are_the_voices(tmp_path_factory, rate, offset, gaps) -> None:
    directory = tmp_path_factory.mktemp("call") / "call"
    spoken = {}
    with recorder_in(directory) as recorder:
        ledger = PlaybackLedger(recorder)
        recorder.append({"type": "state_entered", "state_id": "menu", "clock_ms": 0})
        wav = WavWriter(directory / "audio_agent_played.wav", sample_rate=rate, channels=1)
        clock_ms = offset
        for number, (gap, words) in enumerate(zip(gaps, WORDS, strict=False)):
            clock_ms += gap
            playback_id = ledger.request(
                state_id="menu",
                visit_id="menu#1",
                source_kind="model_audio",
                content=words,
                clock_ms=clock_ms,
            )
            samples = voice(words, rate)
            wav.silence_until(frame_at(clock_ms - offset, rate))
            wav.append(samples)
            spoken[playback_id] = samples
            start_ms, clock_ms = clock_ms, clock_ms - (-len(samples) * 1000 // rate)
            for kind, at in (("started", start_ms), ("ended", clock_ms)):
                message = {
                    "playback_id": playback_id,
                    "client_event_id": f"{number}{kind}",
                    "kind": kind,
                    "client_clock_ms": at,
                }
                ledger.acknowledge(message, received_clock_ms=at)
        wav.close()
        recorder.add_audio(
            {
                "audio_id": "agent_played",
                "role": "agent_played",
                "path": "audio_agent_played.wav",
                "channel_map": ["agent"],
                "media_start_offset_ms": offset,
            }
        )
    (row,) = json.loads((directory / "audio_refs.json").read_text())
    data, _ = soundfile.read(directory / row["path"], dtype="int16")
    assert [span["playback_id"] for span in row["spans"]] == [*spoken]
    for span in row["spans"]:
        samples = spoken[span["playback_id"]]
        found = data[span["start_frame"] : span["end_frame"]]
        count = min(len(samples), len(found))
        assert abs(len(samples) - len(found)) <= rate // 1000 + 1
        assert np.array_equal(found[:count], samples[:count])
    artifact = build_session(directory)
    assert artifact["problems"] == []
    assert artifact["audio"][0]["spans"] == row["spans"]
    times = [(row["start_ms"], row["end_ms"]) for row in artifact["playback"]]
    assert times == [(span["start_ms"], span["end_ms"]) for span in row["spans"]]


def played(start, end, name="p"):
    rows = [{"type": "audio_requested", "playback_id": name, "clock_ms": 0}]
    if start is not None:
        rows.append({"type": "audio_started", "playback_id": name, "clock_ms": start})
    if end is not None:
        rows.append({"type": "audio_completed", "playback_id": name, "clock_ms": end})
    return rows


@pytest.mark.parametrize(
    ("start", "end", "frames"),
    [
        (100, 150, (0, 400)),
        (110, None, (80, None)),
        (50, 120, (0, 160)),
        (190, 400, (720, 800)),
        (200, 300, None),
        (20, 100, None),
        (None, 150, None),
        (150, 140, None),
        (None, None, None),
    ],
)
def test_a_span_is_cut_to_what_the_file_holds(start, end, frames) -> None:
    (row,) = span_offsets([ROW], played(start, end))
    found = [(span["start_frame"], span["end_frame"]) for span in row["spans"]]
    assert found == ([] if frames is None else [frames])


@pytest.mark.parametrize(
    "change",
    [
        {"role": "caller"},
        {"availability": "empty_capture"},
        {"media_start_offset_ms": None},
        {"frames": None},
    ],
)
def test_audio_without_a_known_place_has_no_offsets(change) -> None:
    row = {**ROW, **change}
    assert span_offsets([row], played(100, 150)) == [row]


def test_both_channels_in_one_file() -> None:
    row = {**ROW, "role": None, "channel_map": ["caller", "agent"]}
    assert len(span_offsets([row], played(100, 150))[0]["spans"]) == 1


def test_an_empty_capture_is_never_recorded(tmp_path) -> None:
    directory = tmp_path / "call"
    with recorder_in(directory) as recorder:
        write_wav(directory / "audio_agent_played.wav", np.zeros(0, np.int16), 8_000)
        recorder.add_audio(
            {"audio_id": "a", "role": "agent_played", "path": "audio_agent_played.wav"}
        )
        recorder.add_audio({"audio_id": "b", "role": "agent_played", "reason": "no capture here"})
    empty, none = build_session(directory)["audio"]
    assert (directory / "audio_agent_played.wav").stat().st_size == 44
    assert empty["availability"] == "empty_capture"
    assert empty["reason"] == "The file holds no frame."
    assert none["availability"] == "unavailable"
    assert none["code"] == "AGENT_PLAYED_AUDIO_UNAVAILABLE"
    assert "spans" not in empty
