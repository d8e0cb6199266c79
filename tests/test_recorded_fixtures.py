"""The calls that the runtime recorded: same bytes again, mechanisms named, near misses silent."""

import filecmp
from pathlib import Path

import pytest
import soundfile

from engine.core.contract.json_types import JsonObject, integer, mapping, rows, text
from engine.core.cursor import apply_command, open_debugger
from engine.recording import build_session, open_recording
from engine.runtime.voices import AGENT, VoiceKind, speak
from fixtures.make_recorded import CALLS, names, record_fixture

DUPLICATE = "DUPLICATE_AGENT_PLAYBACK"
MECHANISMS = {
    "static_plus_model": [("static_plus_model", 82, ["menu#1"])],
    "adjacent_visits": [("unknown", 40, ["ask#1", "ask_again#1"])],
    "re_entry": [("re_entry", 240, ["menu#1", "menu#2"])],
    "nudge": [("nudge", 1540, ["menu#1"])],
    "client_replay": [("client_replay", 120, ["menu#1"])],
    "property_menu": [("client_replay", 297, ["menu#1"]), ("client_replay", 297, ["menu#2"])],
}
"""(mechanism, gap in milliseconds, visits) of each duplicate; every other call has none."""


def artifact(name: str) -> JsonObject:
    return build_session(CALLS / name / "recording")


def visit(built: JsonObject, visit_id: str) -> JsonObject:
    return next(row for row in rows(built, "visits") if row["visit_id"] == visit_id)


@pytest.mark.parametrize("name", names())
def test_the_same_flow_and_script_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    record_fixture(name, tmp_path / name)
    kept = CALLS / name / "recording"
    files = sorted(p.relative_to(kept).as_posix() for p in kept.rglob("*") if p.is_file())
    again = sorted(
        p.relative_to(tmp_path / name).as_posix()
        for p in (tmp_path / name).rglob("*")
        if p.is_file()
    )
    assert files == again
    assert filecmp.cmpfiles(kept, tmp_path / name, files, shallow=False)[0] == files


@pytest.mark.parametrize("name", names())
def test_duplicates_have_their_mechanism_and_near_misses_are_silent(name: str) -> None:
    built = artifact(name)
    assert built["problems"] == []
    found = [row for row in rows(built, "findings") if row["code"] == DUPLICATE]
    assert [(r["mechanism"], mapping(r, "detail")["gap_ms"], r["visits"]) for r in found] == (
        MECHANISMS.get(name, [])
    )
    for row in found:
        assert sorted(mapping(row, "detail")) == [
            "code", "confidence", "duplicate_playback_id", "duplicate_visit_id",
            "first_playback_id", "first_visit_id", "gap_ms", "source_pair",
        ]  # fmt: skip


@pytest.mark.parametrize("name", names())
def test_each_call_steps_both_ways_with_equal_hashes(name: str) -> None:
    state = open_debugger(open_recording(CALLS / name / "recording").view)
    hashes = [apply_command(state, {"action": "seek", "edge": "start"})[1]["determinism_hash"]]
    while True:
        state, answer = apply_command(state, {"action": "step", "unit": "event"})
        if answer["error"] is not None:
            break
        hashes.append(answer["determinism_hash"])
    assert len(hashes) == state.view.event_count + 1
    for expected in reversed(hashes[:-1]):
        state, answer = apply_command(state, {"action": "reverse", "unit": "event"})
        assert answer["determinism_hash"] == expected


def test_an_empty_capture_is_never_recorded() -> None:
    assert (CALLS / "empty_wav" / "recording" / "audio_agent_played.wav").stat().st_size == 44
    agent, caller = rows(artifact("empty_wav"), "audio")
    assert agent["availability"] == "empty_capture"
    assert caller["availability"] == "unavailable"
    assert caller["reason"] == "the transport has no tap on the caller's side"


def test_the_menu_where_sources_disagree() -> None:
    built = artifact("property_menu")
    records = [mapping(row, "record") for row in rows(built, "events")]
    heard = [
        (record["source"], record["text"])
        for record in records
        if record["type"] == "transcript_segment" and record["speaker"] == "caller"
    ]
    assert heard[:2] == [("gemini", "rent"), ("whisper", "parent")]
    selected = next(record for record in records if record["type"] == "input_selected")
    assert selected["selected_source"] == "dtmf"
    entry = integer(visit(built, "menu#2"), "entered_index")
    assert entry is not None
    assert records[entry]["clock_ms"] == 40_933
    second = [row for row in rows(built, "findings") if row["code"] == DUPLICATE][1]
    at = integer(second, "at")
    assert at is not None
    assert records[at]["clock_ms"] == 42_180


def test_an_interrupted_and_a_failed_playback_say_so() -> None:
    ends = {row["state_id"]: row["end_type"] for row in rows(artifact("interrupted"), "playback")}
    assert ends["menu"] == "audio_interrupted"
    first = rows(artifact("failed"), "playback")[0]
    assert (first["state_id"], first["end_type"]) == ("announce", "audio_failed")


def test_what_the_client_never_said_stays_unsaid() -> None:
    built = artifact("missing_acknowledgement")
    menu = [row for row in rows(built, "playback") if row["state_id"] == "menu"]
    assert [(row["started_event_id"], row["end_type"]) for row in menu] == [(None, None)] * 2
    codes = [row["code"] for row in rows(built, "findings")]
    assert codes.count("PLAYBACK_CAPTURE_GAP") == 2


@pytest.mark.parametrize("name", ["static_plus_model", "property_menu"])
def test_spans_are_sample_accurate(name: str) -> None:
    built = artifact(name)
    audio = rows(built, "audio")[0]
    samples, rate = soundfile.read(CALLS / name / "recording" / str(audio["path"]), dtype="int16")
    planned = {
        text(mapping(row, "record"), "playback_id"): text(mapping(row, "record"), "planned")
        for row in rows(built, "events")
        if mapping(row, "record")["type"] == "audio_requested"
    }
    checked = 0
    for span in rows(audio, "spans"):
        said = planned.get(str(span["playback_id"]).partition(".")[0])
        start = integer(span, "start_frame")
        assert said is not None
        assert start is not None
        spoken = speak(said, voice=AGENT, kind=VoiceKind.TONES, sample_rate=rate)
        assert (samples[start : start + len(spoken)] == spoken).all()
        checked += 1
    assert checked >= 4
