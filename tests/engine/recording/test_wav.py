"""Header facts: every format, every lie, every refusal; and what any bytes come to."""

import contextlib
import io
import struct
from pathlib import Path

import pytest
import soundfile
from hypothesis import example, given
from hypothesis import strategies as st
from support.wav_files import FORMATS, OPEN, Header, chunk, format_chunk, wav

from engine.core.contract.canonical import INTEGER_MAX
from engine.recording.wav import CHUNKS_MAX, HeaderLie, NotWav, WavFacts, wav_facts

TONE = b"\x12\x34" * 800


def facts_of(data: bytes) -> WavFacts:
    return wav_facts(io.BytesIO(data))


def refusal_of(data: bytes) -> str:
    with pytest.raises(NotWav) as caught:
        facts_of(data)
    assert caught.value.reason == str(caught.value)
    return caught.value.kind


# -- what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 8])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format(name: str, channels: int, extensible: bool) -> None:
    width = channels * FORMATS[name][1] // 8
    data = bytes(width * 5)
    header = Header(format_name=name, channels=channels, rate=44_100, extensible=extensible)
    facts = facts_of(wav(data, header))
    assert facts.sample_format == name
    assert (facts.channels, facts.sample_rate, facts.bits) == (channels, 44_100, FORMATS[name][1])
    assert (facts.frames, facts.header_frames, facts.lie) == (5, 5, None)
    assert facts.data_offset == 20 + len(format_chunk(header))
    assert (facts.frame_bytes, facts.data_bytes) == (width, len(data))


@pytest.mark.parametrize("endian", ["LITTLE", "BIG"])
@pytest.mark.parametrize("container", ["WAV", "WAVEX", "RF64"])
@pytest.mark.parametrize(
    "subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "ULAW", "ALAW"]
)
def test_what_libsndfile_writes(tmp_path: Path, container: str, subtype: str, endian: str) -> None:
    if not soundfile.check_format(container, subtype, endian):
        pytest.skip("libsndfile does not write this")
    path = tmp_path / "a.wav"
    soundfile.write(path, [[0.5, -0.5]] * 333, 16_000, subtype, endian, container)
    facts = wav_facts(path)
    assert (facts.frames, facts.header_frames, facts.lie) == (333, 333, None)
    assert (facts.channels, facts.sample_rate) == (2, 16_000)
    assert facts.duration_ms == 20


@pytest.mark.parametrize("rate", [4_000, 192_000])
def test_the_ends_of_the_rates(rate: int) -> None:
    assert facts_of(wav(TONE, Header(rate=rate))).sample_rate == rate


def test_chunks_of_odd_length_are_padded() -> None:
    header = Header(before=chunk(b"LIST", b"odd"), after=chunk(b"note", b"abc"))
    assert facts_of(wav(TONE, header)).lie is None
    odd = wav(b"\x80" * 7, Header(format_name="pcm_u8"))
    assert (facts_of(odd).frames, facts_of(odd).lie) == (7, None)
    assert (facts_of(odd[:-1]).frames, facts_of(odd[:-1]).lie) == (7, None), "no pad at the end"


def test_the_format_may_follow_the_data() -> None:
    body = chunk(b"data", TONE) + format_chunk(Header())
    data = b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body
    assert (facts_of(data).frames, facts_of(data).data_offset) == (800, 20)


def test_a_frame_that_is_not_whole_does_not_count() -> None:
    facts = facts_of(wav(TONE + b"\x01", Header()))
    assert (facts.frames, facts.header_frames, facts.lie) == (800, 800, None)


def test_the_first_of_two_counts() -> None:
    header = Header(before=format_chunk(Header(rate=16_000)), after=chunk(b"data", TONE))
    assert (facts_of(wav(TONE, header)).frames, facts_of(wav(TONE, header)).sample_rate) == (
        800,
        8000,
    )


# -- lies ------------------------------------------------------------------------------------------

LIES: list[tuple[Header, bytes, int, int, HeaderLie]] = [
    (Header(data_size=2_147_483_646), TONE, 800, 1_073_741_823, HeaderLie.DATA_MISSING),
    (Header(data_size=1600), TONE[:56], 28, 800, HeaderLie.DATA_MISSING),
    (Header(data_size=1600), b"", 0, 800, HeaderLie.DATA_MISSING),
    (Header(data_size=OPEN, riff_size=OPEN), TONE, 800, OPEN // 2, HeaderLie.OPEN_LENGTH),
    (Header(data_size=OPEN), b"", 0, OPEN // 2, HeaderLie.OPEN_LENGTH),
    (Header(data_size=0, riff_size=0), TONE, 800, 0, HeaderLie.UNFINALISED),
    (Header(data_size=0, riff_size=36), TONE, 800, 0, HeaderLie.UNFINALISED),
    (Header(data_size=0, riff_size=OPEN), bytes(1600), 800, 0, HeaderLie.UNFINALISED),
    (Header(channels=2, data_size=0), b"\x01\x02", 0, 0, HeaderLie.UNFINALISED),
    (Header(data_size=400), TONE, 200, 200, HeaderLie.STRAY_BYTES),
    (Header(after=b"junk"), TONE, 800, 800, HeaderLie.STRAY_BYTES),
    (Header(after=chunk(b"LIST", b"", size=99)), TONE, 800, 800, HeaderLie.STRAY_BYTES),
    (Header(riff_size=0), TONE, 800, 800, HeaderLie.RIFF_SIZE),
    (Header(riff_size=99_999), TONE, 800, 800, HeaderLie.RIFF_SIZE),
    (
        Header(magic=b"RF64", data_size=OPEN, ds64_size=2**64 - 1),
        TONE,
        800,
        INTEGER_MAX,
        HeaderLie.DATA_MISSING,
    ),
    (
        Header(magic=b"RF64", data_size=OPEN, ds64_size=0),
        TONE,
        800,
        0,
        HeaderLie.UNFINALISED,
    ),
]


@pytest.mark.parametrize(("header", "data", "frames", "claimed", "lie"), LIES)
def test_lies(header: Header, data: bytes, frames: int, claimed: int, lie: HeaderLie) -> None:
    facts = facts_of(wav(data, header))
    assert (facts.frames, facts.header_frames, facts.lie) == (frames, claimed, lie)


def test_rf64_takes_the_wide_length() -> None:
    facts = facts_of(wav(TONE, Header(magic=b"RF64", data_size=OPEN)))
    assert (facts.frames, facts.header_frames, facts.lie) == (800, 800, None)


def test_no_frames_and_no_lie() -> None:
    facts = facts_of(wav(b"", Header(after=chunk(b"LIST", b"abcd"))))
    assert (facts.frames, facts.header_frames, facts.duration_ms, facts.lie) == (0, 0, 0, None)


# -- refusals --------------------------------------------------------------------------------------

EXTENSIBLE = wav(TONE, Header(extensible=True))
REFUSED: list[tuple[bytes, str]] = [
    (b"", "EMPTY_FILE"),
    (b"RIFF", "CUT_IN_HEADER"),
    (b"OggS" + bytes(40), "NOT_RIFF"),
    (b"RIFF\x04\0\0\0AVI ", "NOT_WAVE"),
    (wav(TONE, Header())[:12], "NO_DATA"),
    (wav(TONE, Header())[:30], "CHUNK_OUT_OF_BOUNDS"),
    (wav(TONE, Header())[:40], "NO_DATA"),
    (b"RIFF\0\0\0\0WAVE" + chunk(b"data", TONE), "NO_FORMAT"),
    (b"RIFF\0\0\0\0WAVE" + chunk(b"data", TONE, size=OPEN), "NO_FORMAT"),
    (b"RIFF\0\0\0\0WAVE" + chunk(b"fmt ", bytes(14)), "FORMAT_TOO_SHORT"),
    (b"RF64\0\0\0\0WAVE" + chunk(b"ds64", bytes(8)), "SIZES_TOO_SHORT"),
    (wav(TONE, Header(before=chunk(b"LIST", b"", size=OPEN))), "CHUNK_OUT_OF_BOUNDS"),
    (wav(TONE, Header(before=chunk(b"note", b"") * CHUNKS_MAX)), "TOO_MANY_CHUNKS"),
    (wav(TONE, Header(after=chunk(b"note", b"") * CHUNKS_MAX)), "TOO_MANY_CHUNKS"),
    (wav(TONE, Header(rate=0)), "SAMPLE_RATE_OUT_OF_RANGE"),
    (wav(TONE, Header(rate=2**32 - 1)), "SAMPLE_RATE_OUT_OF_RANGE"),
    (wav(TONE, Header(rate=3_999)), "SAMPLE_RATE_OUT_OF_RANGE"),
    (wav(TONE, Header(rate=192_001)), "SAMPLE_RATE_OUT_OF_RANGE"),
    (wav(TONE, Header(channels=0)), "CHANNELS_OUT_OF_RANGE"),
    (wav(TONE, Header(channels=9)), "CHANNELS_OUT_OF_RANGE"),
    (wav(TONE, Header(channels=65_535, frame_bytes=0)), "CHANNELS_OUT_OF_RANGE"),
    (wav(TONE, Header(bits=12, frame_bytes=2)), "FORMAT_UNSUPPORTED"),
    (wav(TONE, Header(format_name="float32le", bits=64)), "FORMAT_UNSUPPORTED"),
    (wav(TONE, Header(code=0x11, bits=4, frame_bytes=1)), "FORMAT_UNSUPPORTED"),
    (EXTENSIBLE.replace(b"\x80\0\0\xaa", b"\x80\0\0\xab"), "FORMAT_UNSUPPORTED"),
    (EXTENSIBLE.replace(b"fmt \x28", b"fmt \x18"), "FORMAT_TOO_SHORT"),
    (wav(TONE, Header(frame_bytes=0)), "FRAME_SIZE_WRONG"),
    (wav(TONE, Header(frame_bytes=4)), "FRAME_SIZE_WRONG"),
]


@pytest.mark.parametrize(
    ("data", "kind"), REFUSED, ids=[f"{k}-{i}" for i, (_, k) in enumerate(REFUSED)]
)
def test_refusals(data: bytes, kind: str) -> None:
    assert refusal_of(data) == kind


def test_as_many_chunks_as_allowed() -> None:
    before = chunk(b"note", b"") * (CHUNKS_MAX - 2)
    assert facts_of(wav(TONE, Header(before=before))).frames == 800


class Shrinking(io.BytesIO):
    """A file that is cut when its header has been looked at."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() >= 12:
            self.truncate(14)
        return super().read(size)


def test_a_file_that_shrinks_meanwhile() -> None:
    with pytest.raises(NotWav, match="ends within its header"):
        wav_facts(Shrinking(wav(TONE, Header())))


# -- properties ------------------------------------------------------------------------------------

WHOLE = [wav(TONE[:32], Header(format_name=name, channels=2)) for name in FORMATS]
WHOLE += [EXTENSIBLE[:200], wav(TONE[:32], Header(magic=b"RF64", data_size=OPEN))]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A WAV with some bytes changed and its end cut or prolonged."""
    data = bytearray(draw(st.sampled_from(WHOLE)))
    for place, value in draw(
        st.lists(st.tuples(st.integers(0, 80), st.integers(0, 255)), max_size=6)
    ):
        data[place % len(data)] = value
    return bytes(data[: draw(st.integers(0, len(data)))]) + draw(st.binary(max_size=12))


@given(
    st.binary(max_size=80) | damaged() | st.binary(max_size=80).map(lambda b: b"RIFF....WAVE" + b)
)
@example(b"RIFF....WAVE")
def test_any_bytes_give_facts_or_a_reason(data: bytes) -> None:
    try:
        facts = facts_of(data)
    except NotWav:
        return
    assert facts.frames >= 0
    assert facts.data_offset + facts.data_bytes <= len(data), "never more than the file has"
    assert 0 <= facts.header_frames <= INTEGER_MAX
    assert facts.lie is not None or facts.frames == facts.header_frames
    assert 1 <= facts.channels <= 8
    assert 4_000 <= facts.sample_rate <= 192_000
    assert facts_of(data) == facts


@given(st.sampled_from(WHOLE), st.data())
def test_a_cut_never_adds_frames(whole: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(whole) - 1))
    with contextlib.suppress(NotWav):
        assert facts_of(whole[:cut]).frames <= facts_of(whole).frames
