import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.artifact import StreamInput
from engine.core.contract.labels import Stream
from engine.recording import build_session, write_wav
from engine.recording.alignment import Alignment, align, match, onsets
from engine.recording.anchors import Anchors, sound_anchors
from engine.recording.audio import measure_audio
from engine.recording.lines import read_lines
from engine.recording.wav import wav_facts

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
RATE = 8_000


def tone(milliseconds, level=9_000):
    frames = RATE * milliseconds // 1000
    return (np.sign(np.sin(np.arange(frames) / 3 + 1)) * level).astype(np.int16)


def call(path, starts, *, length_ms=700, noise=0, channels=1, channel=0, total_ms=None):
    """Write a WAV with a tone at each of these milliseconds of the file."""
    frames = RATE * (total_ms or (max(starts, default=0) + length_ms + 500)) // 1000
    samples = np.random.default_rng(7).integers(-noise, noise + 1, (frames, channels))
    samples = samples.astype(np.int16)
    for start in starts:
        first = RATE * start // 1000
        samples[first : first + RATE * length_ms // 1000, channel] += tone(length_ms)
    write_wav(path, samples, RATE)
    return path


def measured(path, anchors, *, near_ms=0, channel=0):
    with path.open("rb") as file:
        return align(file, wav_facts(file), channel=channel, anchors=anchors, near_ms=near_ms)


STARTS = [1_000, 4_000, 9_500, 14_000, 21_000, 29_000]


@pytest.mark.parametrize("noise", [0, 60, 400])
@pytest.mark.parametrize("offset", [0, 335, -1_200])
def test_the_offset_is_found(tmp_path, noise, offset) -> None:
    path = call(tmp_path / "a.wav", STARTS, noise=noise)
    found = measured(path, [start + offset for start in STARTS])
    assert (found.offset_ms, found.drift_ppm, found.residual_ms) == (offset, 0, 0)
    assert (found.anchors, found.reason) == (6, None)


def test_clicks_and_short_gaps_are_no_onsets(tmp_path) -> None:
    path = call(tmp_path / "a.wav", [1_000, 1_800, 5_000])
    with path.open("rb") as file:
        assert onsets(file, wav_facts(file), channel=0).tolist() == [1_000, 5_000]
    samples = np.zeros(RATE * 3, np.int16)
    samples[RATE] = 20_000
    write_wav(tmp_path / "click.wav", samples, RATE)
    with (tmp_path / "click.wav").open("rb") as file:
        assert onsets(file, wav_facts(file), channel=0).tolist() == []


@pytest.mark.parametrize("ppm", [-400, -50, 120, 480])
def test_the_drift_of_a_long_call_is_found(ppm) -> None:
    heard = np.arange(2_000, 3_600_000, 37_000)
    anchors = heard + 335 + np.rint(heard * ppm / 1_000_000).astype(np.int64)
    found = match(heard, anchors.tolist(), near_ms=300)
    assert found.drift_ppm is not None
    assert abs(found.drift_ppm - ppm) <= 2
    assert abs((found.offset_ms or 0) - 335) <= 2
    assert (found.residual_ms or 0) <= 2
    assert found.drift_error_ppm == -(-2_000_000 * (found.residual_ms or 0) // int(np.ptp(heard)))


@given(
    offset=st.integers(min_value=-3_000, max_value=3_000),
    jitter=st.lists(st.integers(min_value=-20, max_value=20), min_size=12, max_size=12),
    false=st.lists(st.integers(min_value=0, max_value=60_000), max_size=5),
    extra=st.lists(st.integers(min_value=0, max_value=60_000), max_size=8),
)
def test_anchors_that_are_wrong_do_not_move_the_offset(offset, jitter, false, extra) -> None:
    rng = np.random.default_rng(3)
    sounds = np.cumsum(rng.integers(2_000, 6_000, 12))
    told = (sounds + offset + np.array(jitter)).tolist()
    found = match(np.unique([*sounds.tolist(), *extra]), [*told, *false], near_ms=0)
    if found.reason != "anchors_disagree":
        assert found.offset_ms is not None
        assert found.residual_ms is not None
        at_30_s = found.offset_ms + 30_000 * (found.drift_ppm or 0) / 1_000_000
        assert abs(at_30_s - offset) <= 60
        assert found.residual_ms <= 150


def test_too_little_is_said(tmp_path) -> None:
    path = call(tmp_path / "a.wav", STARTS)
    assert measured(path, STARTS[:2]) == Alignment(anchors=2, reason="too_few_anchors")
    few = measured(path, STARTS[:4])
    assert (few.offset_ms, few.drift_ppm, few.reason) == (0, None, "too_few_anchors")
    near = [1_000, 2_500, 4_000, 5_500, 7_000, 8_500]
    short = measured(call(tmp_path / "b.wav", near), near)
    assert (short.offset_ms, short.drift_ppm, short.reason) == (0, None, "too_short")
    other = [700, 3_100, 12_000, 17_770, 18_900, 23_700, 26_200]
    assert measured(path, other).reason == "anchors_disagree"
    silent = call(tmp_path / "c.wav", [], total_ms=4_000)
    assert measured(silent, STARTS).reason == "anchors_disagree"


def test_the_booking_calls_agree_with_what_is_known_of_them() -> None:
    for name, low, high in (("clean", 325, 358), ("racy", 341, 381)):
        rows = {
            row["audio_id"]: row for row in build_session(FIXTURES / f"booking_{name}")["audio"]
        }
        agent, caller = rows["agent_played"], rows["caller"]
        assert low <= agent["offset_ms"] <= high
        assert agent["alignment_anchors"] == 6
        for at in (330, 25_830):
            assert low <= agent["offset_ms"] + at * agent["drift_ppm"] / 1_000_000 <= high
        assert caller["offset_ms"] is None
        assert caller["alignment_reason"] == "too_few_anchors"


def stream(kind, *records):
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    return read_lines(lines, stream=kind, file="x")


def test_what_counts_as_an_anchor() -> None:
    begun = [{"type": "audio_started", "playback_id": f"p{at}", "clock_ms": at} for at in (5, 9)]
    handed = [{"type": "speech.bot_speech_started", "clock_ms": at} for at in (7, 11)]
    said = [
        {"type": "transcript_segment", "speaker": "caller", "text": "a", "start_ms": 3},
        {"type": "transcript_segment", "speaker": "agent", "text": "a", "start_ms": 4},
        {"type": "transcript_segment", "speaker": "caller", "text": "a", "clock_ms": 4},
        {"type": "note", "text": '"transcript_segment"', "speaker": "caller", "start_ms": "3"},
    ]
    other = {"type": "note", "text": "audio_started", "also": "audio_started", "clock_ms": 1}
    bus = stream(Stream.BUS, other, *begun, {"type": "audio_started", "playback_id": "q"})
    found = sound_anchors([bus, stream(Stream.TRANSCRIPT, *said)])
    assert found == Anchors(agent=(5, 9), caller=(3,))
    assert sound_anchors([stream(Stream.BUS, *begun, *handed)]).agent == (7, 11)
    assert sound_anchors([stream(Stream.BUS, *begun, handed[0])]).agent == (5, 9)
    assert sound_anchors([StreamInput(stream=Stream.BUS, records=begun)]) == Anchors()


def row_of(directory, anchors, **members):
    reference = {"audio_id": "a", "path": "a.wav", "availability": "recorded", **members}
    rows, _ = measure_audio(directory, [reference], anchors)
    return rows[0]


@pytest.mark.parametrize(
    ("channels", "channel", "members", "offset"),
    [
        (1, 0, {"role": "agent_played"}, 20),
        (1, 0, {"channel_map": ["agent"]}, 20),
        (1, 0, {"channel_map": ["caller"]}, 40),
        (2, 1, {"channel_map": ["caller", "agent"]}, 20),
        (2, 0, {"channel_map": ["agent", "music"]}, 20),
        (2, 0, {"channel_map": ["agent"]}, None),
        (2, 0, {"role": "agent_played"}, None),
        (1, 0, {"role": "music"}, None),
    ],
)
def test_each_channel_has_its_anchors(tmp_path, channels, channel, members, offset) -> None:
    call(tmp_path / "a.wav", STARTS, channels=channels, channel=channel)
    anchors = Anchors(
        agent=tuple(start + 20 for start in STARTS),
        caller=tuple(start + 40 for start in STARTS[:5]),
    )
    row = row_of(tmp_path, anchors, **members)
    assert row.get("offset_ms") == offset
    if offset is None:
        assert row["alignment_reason"] == "channels_unknown"


def test_without_frames_nothing_is_measured(tmp_path) -> None:
    write_wav(tmp_path / "a.wav", np.zeros(0, np.int16), RATE)
    row = row_of(tmp_path, Anchors(agent=(1, 2, 3)), role="agent_played")
    assert row["availability"] == "empty_capture"
    assert "offset_ms" not in row
    assert "offset_ms" not in row_of(tmp_path, None, role="agent_played")
