"""Audio references against their files: facts, true availability, every difference a problem."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.wav_files import OPEN, Header, wav

from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, rows, text
from engine.core.contract.problems import Problem
from engine.core.contract.session_records import MEASURED_AUDIO_KEYS
from engine.recording import build_session
from engine.recording.audio import measure_audio

TONE = b"\x12\x34" * 800
HASH = hashlib.sha256(wav(TONE, Header())).hexdigest()


def reference(**members: JsonValue) -> JsonObject:
    return {
        "audio_id": "agent_played",
        "role": "agent_played",
        "path": "a.wav",
        "availability": "recorded",
        "code": None,
        "reason": None,
        "call_start_epoch": 0,
        "media_start_offset_ms": 0,
        "sample_rate": 8000,
        "channel_map": ["agent"],
        "duration_ms": 100,
        "sha256": None,
        **members,
    }


def measure(directory: Path, row: JsonObject) -> tuple[JsonObject, list[Problem]]:
    measured, problems = measure_audio(directory, [row])
    assert len(measured) == 1
    return measured[0], problems


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session directory with a right WAV of 800 frames, `a.wav`."""
    (tmp_path / "session").mkdir()
    (tmp_path / "session" / "a.wav").write_bytes(wav(TONE, Header()))
    return tmp_path / "session"


# -- facts -----------------------------------------------------------------------------------------


def test_a_right_file(folder: Path) -> None:
    row, problems = measure(folder, reference(sha256=HASH))
    assert problems == []
    assert row == {
        **reference(sha256=HASH),
        "frames": 800,
        "header_frames": 800,
        "measured_duration_ms": 100,
        "measured_sample_rate": 8000,
        "measured_channels": 1,
        "measured_sha256": HASH,
        "sample_format": "pcm_s16le",
        "data_offset": 44,
        "frame_bytes": 2,
    }


def test_facts_are_never_taken_from_the_reference(folder: Path) -> None:
    said: JsonObject = {"frames": 5, "header_frames": 6, "data_offset": 7}
    row, _ = measure(folder, reference(**said))
    assert (row["frames"], row["header_frames"], row["data_offset"]) == (800, 800, 44)
    gone, _ = measure(folder, reference(**said, path="b.wav"))
    assert not MEASURED_AUDIO_KEYS & gone.keys()


def test_nothing_is_changed(folder: Path) -> None:
    before = (folder / "a.wav").read_bytes()
    row = reference(more={"kept": [1]}, availability="unavailable")
    copy = json.loads(json.dumps(row))
    measured, _ = measure(folder, row)
    assert row == copy
    assert measured["more"] == {"kept": [1]}
    assert [path.name for path in folder.iterdir()] == ["a.wav"]
    assert (folder / "a.wav").read_bytes() == before


def test_a_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    digest = hashlib.file_digest

    def counted(file: object, name: str) -> object:
        read.append(name)
        return digest(file, name)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(hashlib, "file_digest", counted)
    measured, problems = measure_audio(folder, [reference(), reference(audio_id="again")])
    assert read == ["sha256"]
    assert [row["frames"] for row in measured] == [800, 800]
    assert problems == []


@pytest.mark.parametrize("call", ["booking_racy", "booking_clean"])
def test_the_fixtures(call: str, root: Path) -> None:
    artifact = build_session(root / "fixtures" / call)
    assert not [
        p for p in rows(artifact, "problems") if str(p["code"]).startswith(("AUDIO", "WAV"))
    ]
    audio = rows(artifact, "audio")
    assert [row["audio_id"] for row in audio] == ["caller", "agent_played"]
    for row in audio:
        rate, duration = row["sample_rate"], row["duration_ms"]
        assert type(rate) is int
        assert type(duration) is int
        assert row["frames"] == row["header_frames"] == duration * rate // 1000
        assert row["measured_duration_ms"] == duration
        assert (row["measured_sample_rate"], row["measured_sha256"]) == (rate, row["sha256"])


# -- availability ----------------------------------------------------------------------------------

ABSENT: list[tuple[str, bytes | None, str, str]] = [
    ("missing", None, "unavailable", "FILE_MISSING"),
    ("no_riff", b"OggS" + bytes(60), "unavailable", "NOT_RIFF"),
    ("cut", b"RIFF\0\0", "unavailable", "CUT_IN_HEADER"),
    ("rate_0", wav(TONE, Header(rate=0)), "unavailable", "SAMPLE_RATE_OUT_OF_RANGE"),
    ("channels", wav(TONE, Header(channels=9)), "unavailable", "CHANNELS_OUT_OF_RANGE"),
    ("twelve", wav(TONE, Header(bits=12, frame_bytes=2)), "unavailable", "FORMAT_UNSUPPORTED"),
    ("no_bytes", b"", "empty_capture", "EMPTY_FILE"),
    ("no_data", wav(b"", Header())[:-8], "empty_capture", "NO_DATA"),
]


@pytest.mark.parametrize(("name", "data", "availability", "kind"), ABSENT)
def test_what_is_no_audio(
    folder: Path, name: str, data: bytes | None, availability: str, kind: str
) -> None:
    if data is not None:
        (folder / f"{name}.wav").write_bytes(data)
    row, problems = measure(folder, reference(path=f"{name}.wav"))
    assert row["availability"] == availability
    gone = availability == "unavailable"
    assert row["code"] == ("AGENT_PLAYED_AUDIO_UNAVAILABLE" if gone else None)
    assert text(row, "reason")
    assert not MEASURED_AUDIO_KEYS & row.keys()
    assert [(p.code, p.detail) for p in problems] == [
        (
            "AUDIO_AVAILABILITY_DIFFERS",
            {
                "audio_id": "agent_played",
                "declared": "recorded",
                "measured": availability,
                "kind": kind,
            },
        )
    ]


EMPTY = [
    Header(),
    Header(data_size=1600),
    Header(data_size=OPEN, riff_size=OPEN),
    Header(channels=2, rate=48_000),
]


@pytest.mark.parametrize("said", ["recorded", "unavailable", "empty_capture"])
@pytest.mark.parametrize("header", EMPTY)
def test_a_wav_without_frames_is_never_recorded(folder: Path, header: Header, said: str) -> None:
    (folder / "a.wav").write_bytes(wav(b"", header))
    row, problems = measure(folder, reference(availability=said))
    assert (row["availability"], row["frames"], row["code"]) == ("empty_capture", 0, None)
    assert row["reason"] == "The file holds no frame."
    assert ("AUDIO_AVAILABILITY_DIFFERS" in codes(problems)) == (said != "empty_capture")
    assert ("WAV_HEADER_MISMATCH" in codes(problems)) == (row["header_frames"] != 0)


@pytest.mark.parametrize("said", ["unavailable", "empty_capture"])
def test_audio_that_is_there_against_its_word(folder: Path, said: str) -> None:
    row, problems = measure(folder, reference(availability=said, code="X", reason="Off."))
    assert (row["availability"], row["code"], row["reason"]) == ("recorded", None, None)
    assert codes(problems) == ["AUDIO_AVAILABILITY_DIFFERS"]
    assert problems[0].detail["kind"] is None


@pytest.mark.parametrize(
    ("role", "audio_id", "code"),
    [
        ("agent_played", "x", "AGENT_PLAYED_AUDIO_UNAVAILABLE"),
        ("caller", "x", "CALLER_AUDIO_UNAVAILABLE"),
        ("mixed", "caller", "AUDIO_UNAVAILABLE"),
        (None, "agent_played", "AGENT_PLAYED_AUDIO_UNAVAILABLE"),
        (None, "caller", "CALLER_AUDIO_UNAVAILABLE"),
        (None, "x", "AUDIO_UNAVAILABLE"),
    ],
)
def test_the_code_says_whose_audio_is_missing(
    tmp_path: Path, role: str | None, audio_id: str, code: str
) -> None:
    row, _ = measure(tmp_path, reference(role=role, audio_id=audio_id))
    assert (row["availability"], row["code"]) == ("unavailable", code)


def test_the_recorders_own_words_stay_where_they_are_true(tmp_path: Path) -> None:
    said = reference(path=None, availability="unavailable", code="OWN", reason="Capture was off.")
    row, problems = measure(tmp_path, said)
    assert (row, problems) == (said, [])
    bare, problems = measure(tmp_path, reference(path=None, availability="unavailable"))
    assert bare["code"] == "AGENT_PLAYED_AUDIO_UNAVAILABLE"
    assert bare["reason"] == "The reference names no file."
    assert problems == []


def test_without_a_file_the_recorders_empty_capture_stands(tmp_path: Path) -> None:
    said = reference(path=None, availability="empty_capture", reason="Nothing came.")
    assert measure(tmp_path, said) == (said, [])
    row, problems = measure(tmp_path, reference(path=None))
    assert (row["availability"], codes(problems)) == ("unavailable", ["AUDIO_AVAILABILITY_DIFFERS"])


# -- paths -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["../a.wav", "/etc/hostname", "x/../../a.wav", "link.wav", "out/a.wav"]
)
def test_paths_that_leave_the_directory_are_not_followed(folder: Path, path: str) -> None:
    shutil.copy(folder / "a.wav", folder.parent / "a.wav")
    (folder / "link.wav").symlink_to(folder.parent / "a.wav")
    (folder / "out").symlink_to(folder.parent)
    row, problems = measure(folder, reference(path=path))
    assert (row["availability"], row["code"]) == ("unavailable", "AGENT_PLAYED_AUDIO_UNAVAILABLE")
    assert "frames" not in row
    assert [(p.code, p.detail["path"]) for p in problems] == [("AUDIO_PATH_REJECTED", path)]


def test_a_link_within_the_directory_is_followed(folder: Path) -> None:
    (folder / "link.wav").symlink_to("a.wav")
    row, problems = measure(folder, reference(path="link.wav"))
    assert (row["frames"], problems) == (800, [])


@pytest.mark.parametrize(
    "path", ["", ".", "pipe.wav", "loop.wav", "a\0b", "x" * 5000, "a.wav/b.wav"]
)
def test_what_is_no_file(folder: Path, path: str) -> None:
    os.mkfifo(folder / "pipe.wav")
    (folder / "loop.wav").symlink_to("loop.wav")
    row, problems = measure(folder, reference(path=path))
    assert row["availability"] == "unavailable"
    assert len(problems) == 1


# -- what differs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "code", "measured"),
    [
        ({"sample_rate": 16_000}, "AUDIO_RATE_DIFFERS", 8000),
        ({"channel_map": ["caller", "agent"]}, "AUDIO_CHANNELS_DIFFER", 1),
        ({"channel_map": []}, "AUDIO_CHANNELS_DIFFER", 1),
        ({"duration_ms": 102}, "AUDIO_DURATION_DIFFERS", 100),
        ({"duration_ms": 98}, "AUDIO_DURATION_DIFFERS", 100),
        ({"duration_ms": 2**70}, "AUDIO_DURATION_DIFFERS", 100),
        ({"sha256": "00" * 32}, "AUDIO_HASH_DIFFERS", HASH),
        ({"sha256": "nonsense"}, "AUDIO_HASH_DIFFERS", HASH),
    ],
)
def test_declared_facts_that_differ(
    folder: Path, declared: JsonObject, code: str, measured: JsonValue
) -> None:
    row, problems = measure(folder, reference(**declared))
    assert codes(problems) == [code]
    assert problems[0].detail["measured"] == measured
    assert row["availability"] == "recorded"
    assert declared.items() <= row.items(), "what was declared stays"


@pytest.mark.parametrize(
    "declared",
    [
        {"duration_ms": 99},
        {"duration_ms": 101},
        {"sha256": HASH.upper()},
        {"sha256": "sha256:" + HASH},
        {"sample_rate": None, "channel_map": None, "duration_ms": None, "sha256": None},
    ],
)
def test_what_is_no_difference(folder: Path, declared: JsonObject) -> None:
    assert measure(folder, reference(**declared))[1] == []


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (Header(data_size=0, riff_size=0), "UNFINALISED"),
        (Header(data_size=OPEN, riff_size=OPEN), "OPEN_LENGTH"),
        (Header(data_size=2_147_483_646), "DATA_MISSING"),
        (Header(after=b"junk"), "STRAY_BYTES"),
        (Header(riff_size=7), "RIFF_SIZE"),
    ],
)
def test_a_lying_header(folder: Path, header: Header, kind: str) -> None:
    (folder / "a.wav").write_bytes(wav(TONE, header))
    row, problems = measure(folder, reference())
    assert (row["frames"], row["availability"]) == (800, "recorded")
    assert codes(problems) == ["WAV_HEADER_MISMATCH"]
    assert problems[0].detail == {
        "audio_id": "agent_played",
        "kind": kind,
        "frames": 800,
        "header_frames": row["header_frames"],
    }


def test_an_id_that_stands_twice(folder: Path) -> None:
    measured, problems = measure_audio(folder, [reference(), reference(), reference()])
    assert len(measured) == 3
    assert codes(problems) == ["AUDIO_ID_REPEATED", "AUDIO_ID_REPEATED"]


# -- whole builds, and any references --------------------------------------------------------------


def test_the_artifact_has_facts_and_problems(tmp_path: Path, root: Path) -> None:
    session = tmp_path / "call"
    shutil.copytree(root / "fixtures" / "booking_racy", session)
    (session / "audio_agent_played.wav").write_bytes(wav(b"", Header()))
    (session / "audio_caller.wav").unlink()
    artifact = build_session(session)
    assert [(row["availability"], row["code"]) for row in rows(artifact, "audio")] == [
        ("unavailable", "CALLER_AUDIO_UNAVAILABLE"),
        ("empty_capture", None),
    ]
    found = [p for p in rows(artifact, "problems") if str(p["code"]).startswith("AUDIO")]
    assert [p["code"] for p in found] == [
        *["AUDIO_AVAILABILITY_DIFFERS"] * 2,
        "AUDIO_DURATION_DIFFERS",
        "AUDIO_HASH_DIFFERS",
    ]
    again = tmp_path / "elsewhere"
    shutil.copytree(session, again)
    assert build_session(again) == artifact


def test_a_reference_that_does_not_fit_is_the_builders_to_refuse(
    tmp_path: Path, root: Path
) -> None:
    wrong: JsonObject = {"audio_id": 5, "path": "a.wav", "availability": "recorded"}
    assert measure_audio(tmp_path, [wrong]) == ([wrong], [])
    session = tmp_path / "call"
    shutil.copytree(root / "fixtures" / "booking_racy", session)
    (session / "audio_refs.json").write_text(json.dumps([wrong]))
    with pytest.raises(SessionInvalid):
        build_session(session)


MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "audio_id": st.text(max_size=3) | st.none(),
        "role": st.sampled_from(["caller", "agent_played", None, 5]),
        "path": st.sampled_from(["a.wav", "empty.wav", "b.wav", "..", "a\0", "\ud800", None, 5]),
        "availability": st.sampled_from(["recorded", "unavailable", "empty_capture", "x", None]),
        "code": st.sampled_from(["X", "", None]),
        "duration_ms": st.integers() | st.floats(),
        "sha256": st.text(max_size=3),
        "channel_map": st.lists(st.text(max_size=2), max_size=3),
        "frames": st.integers(),
    },
)


@given(st.lists(MEMBERS, max_size=4))
def test_any_references_are_answered(
    tmp_path_factory: pytest.TempPathFactory, refs: list[JsonObject]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "a.wav").write_bytes(wav(TONE, Header()))
    (folder / "empty.wav").write_bytes(wav(b"", Header()))
    measured, _ = measure_audio(folder, refs)
    assert len(measured) == len(refs)
    for row, given_row in zip(measured, refs, strict=True):
        if row is given_row:
            continue
        assert (row["availability"] == "recorded") == (row.get("frames", 0) != 0)
        assert row["availability"] == "recorded" or row["reason"]
        assert row["availability"] != "unavailable" or row["code"]
        for key in MEASURED_AUDIO_KEYS & row.keys():
            assert type(row[key]) in {int, str}
