import json
import os
import stat
import threading
from pathlib import Path

import pytest
from support.recorded import EPOCH, FLOW, ids_of, play, problem_codes, recorder_in
from support.wav_files import Header, wav

from engine.core.contract.errors import (
    FlowInvalid,
    OutputRejected,
    RecordingFailed,
    RecordInvalid,
)
from engine.core.contract.labels import SlotClass, Stream
from engine.recording import Durability, RecordedFlow, SessionKey, build_session, read_session
from engine.recording.fingerprints import FINGERPRINT_SCHEME


def lines(directory, name="bus_events.jsonl"):
    return [json.loads(line) for line in (directory / name).read_text().splitlines()]


def manifest_of(directory):
    return json.loads((directory / "manifest.json").read_text())


def open_files():
    """How many descriptors this process has; None where the system does not tell."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else None


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "call"


def test_a_call_opens_without_a_problem(directory) -> None:
    acknowledged: list[str] = []
    with recorder_in(directory) as recorder:
        assert play(recorder, acknowledged.append) == 0
    artifact = build_session(directory)
    assert artifact["problems"] == []
    assert ids_of(artifact) == acknowledged
    assert [visit["visit_id"] for visit in artifact["visits"]] == ["menu#1", "bye#1"]
    rows = {row["slot"]: row["write_count"] for row in artifact["slots"]}
    assert rows["caller_name"] == 1
    assert rows["route"] == 2


def test_the_manifest_says_what_ran(directory) -> None:
    with recorder_in(directory, about={"voices": "tones"}) as recorder:
        assert manifest_of(directory)["ended"] is None
        assert recorder.directory == directory
    found = manifest_of(directory)
    assert found["ended"] == "completed"
    assert found["sequence"] == "session"
    assert found["fingerprint_scheme"] == FINGERPRINT_SCHEME
    assert found["slot_classes"] == {"site": "plain"}
    assert found["call_start_epoch"] == EPOCH
    assert found["flow"] == {"path": "flow/desk.flow.yaml", "source_path": FLOW.source_path}
    assert found["voices"] == "tones"
    assert found["engine_revision"] is None
    assert found["unavailable"] == {"engine_revision": "a test", "runtime_lock": "a test"}
    assert (directory / "flow" / "desk.flow.yaml").read_bytes() == FLOW.data


def test_the_directory_is_readable_after_each_record(directory) -> None:
    with recorder_in(directory) as recorder:
        seen: list[str] = []

        def look(event_id: str) -> None:
            seen.append(event_id)
            artifact = build_session(directory)
            assert ids_of(artifact) == seen
            assert artifact["problems"] == []

        assert play(recorder, look) == 0


def test_a_call_without_an_end_is_truncated_and_one_with_an_error_aborted(directory) -> None:
    recorder = recorder_in(directory)
    recorder.append({"type": "state_entered", "state_id": "menu", "clock_ms": 1})
    (visit,) = build_session(directory)["visits"]
    assert visit["exit"]["reason"] == "truncated"
    with pytest.raises(ZeroDivisionError), recorder:
        raise ZeroDivisionError
    assert manifest_of(directory)["ended"] == "aborted"


def test_closing_is_idempotent_and_ends_everything(directory) -> None:
    recorder = recorder_in(directory)
    assert recorder.close(ended=None) == directory
    assert recorder.close(ended="completed") == directory
    assert manifest_of(directory)["ended"] is None
    assert recorder.context.key.is_forgotten
    for late in (
        lambda: recorder.append({"type": "slot_filled", "slot": "x"}),
        lambda: recorder.write_slot(slot="x", new=1, kind="set", writer="w", clock_ms=1),
        lambda: recorder.seed([], clock_ms=1),
        lambda: recorder.set_flow(FLOW),
        lambda: recorder.add_audio({"audio_id": "a"}),
    ):
        with pytest.raises(RecordingFailed) as refused:
            late()
        assert refused.value.detail["kind"] == "CLOSED"


def test_sequence_and_ids(directory) -> None:
    with recorder_in(directory) as recorder:
        assert recorder.append({"type": "slot_filled", "slot": "x"}) == "e000000"
        assert recorder.append({"type": "slot_filled", "slot": "x", "event_id": "own"}) == "own"
        assert recorder.append({"type": "note", "event_id": "e000003"}) == "e000003"
        assert recorder.append({"type": "note"}, stream=Stream.TRACE) == "e000003x"
    assert [record["seq"] for record in lines(directory)] == [0, 1, 2]
    assert [record["seq"] for record in lines(directory, "trace_events.jsonl")] == [3]
    assert problem_codes(build_session(directory)) == {"UNKNOWN_TYPE"}


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({}, "FIELD_MISSING"),
        ({"type": "state_entered"}, "FIELD_MISSING"),
        ({"type": "slot_filled", "slot": 1}, "FIELD_INVALID"),
        ({"type": "note", "seq": 1}, "FIELD_INVALID"),
        ({"type": "note", "clock_ms": 1.0}, "FIELD_INVALID"),
        ({"type": "note", "clock_ms": True}, "FIELD_INVALID"),
        ({"type": "note", "visit_id": 1}, "FIELD_INVALID"),
        ({"type": "note", "event_id": "taken"}, "EVENT_ID_REPEATED"),
        ({"type": "note", "x": float("nan")}, "NOT_JSON"),
        ({"type": "note", "x": "\ud800"}, "NOT_JSON"),
        ({"type": "note", "x": {1: 2}}, "NOT_JSON"),
        ({"type": "note", "x": (1, 2)}, "NOT_JSON"),
        ({"type": "note", "x": b"raw"}, "NOT_JSON"),
        ({"type": "note", "x": {"a": object()}}, "NOT_JSON"),
        ({"type": "slot_write", "slot": "time", "new_fingerprint": "Alex"}, "FIELD_INVALID"),
        (
            {"type": "tool_called", "tool": "t", "tool_call_id": "k", "args_fingerprint": "x"},
            "FIELD_INVALID",
        ),
    ],
)
def test_a_record_that_is_not_what_its_type_asks_for(directory, record, kind) -> None:
    with recorder_in(directory) as recorder:
        recorder.append({"type": "slot_filled", "slot": "x", "event_id": "taken"})
        with pytest.raises(RecordInvalid) as refused:
            recorder.append(record)
        assert refused.value.detail["kind"] == kind
        recorder.append({"type": "slot_filled", "slot": "y"})
    assert [row["seq"] for row in lines(directory)] == [0, 1]
    assert build_session(directory)["problems"] == []


def test_a_record_too_deep_is_refused_and_the_deepest_is_read(directory) -> None:
    def nested(levels: int):
        return [nested(levels - 1)] if levels else "x"

    with recorder_in(directory) as recorder:
        recorder.append({"type": "note", "x": nested(63)})
        with pytest.raises(RecordInvalid):
            recorder.append({"type": "note", "x": nested(64)})
        with pytest.raises(RecordInvalid):
            recorder.append({"type": "note", "x": nested(5000 // 10)})
    assert problem_codes(build_session(directory)) == {"UNKNOWN_TYPE"}


def test_a_known_type_has_its_stream(directory) -> None:
    with recorder_in(directory) as recorder:
        recorder.append({"type": "slot_filled", "slot": "x"}, stream=Stream.BUS)
        with pytest.raises(RecordInvalid) as refused:
            recorder.append({"type": "slot_filled", "slot": "x"}, stream=Stream.TRACE)
        assert refused.value.detail["kind"] == "STREAM"


def test_numbers_that_not_every_reader_keeps_are_text(directory) -> None:
    with recorder_in(directory) as recorder:
        recorder.append({"type": "slot_filled", "slot": "x", "n": [2**60, 2**80, 1e22, 5, 2.0]})
    assert lines(directory)[0]["n"] == [str(2**60), str(2**80), "1e+22", 5, 2]
    assert build_session(directory)["problems"] == []


@pytest.mark.parametrize("session_id", ["", "x", "V3:a", "v3:", "v3:" + "a" * 65, "v3:a/b", "../x"])
def test_a_wrong_session_id_makes_nothing(directory, session_id) -> None:
    with pytest.raises(RecordInvalid):
        recorder_in(directory, session_id=session_id)
    assert not directory.exists()


def test_wrong_parts_make_nothing(directory) -> None:
    with pytest.raises(FlowInvalid):
        recorder_in(directory, flow=RecordedFlow(data=b"{", file_name="flow.json"))
    for name in ("", "../x.yaml", "a/b.yaml", ".hidden", "a\\b", "a\0b"):
        with pytest.raises(RecordInvalid):
            recorder_in(directory, flow=RecordedFlow(data=FLOW.data, file_name=name))
    with pytest.raises(RecordInvalid):
        recorder_in(directory, about={"ended": "completed"})
    assert not directory.exists()


def test_a_name_that_the_system_refuses_leaves_nothing(directory) -> None:
    with pytest.raises(RecordingFailed):
        recorder_in(directory, flow=RecordedFlow(data=FLOW.data, file_name="a" * 300 + ".yaml"))
    assert not directory.exists()
    directory.mkdir()
    with pytest.raises(RecordingFailed):
        recorder_in(directory, flow=RecordedFlow(data=FLOW.data, file_name="a" * 300 + ".yaml"))
    assert list(directory.iterdir()) == []


def test_the_flow_may_grow(directory) -> None:
    grown = [
        RecordedFlow(data=FLOW.data + b"\n" * n, file_name=f"grown{n // 2}.yaml") for n in range(4)
    ]
    with recorder_in(directory, flow=None) as recorder:
        assert manifest_of(directory)["unavailable"]["flow"]
        assert build_session(directory)["problems"] == []
        assert recorder.safe_value("time", "18:00") == "<str len=5>"
        for flow in grown:
            recorder.set_flow(flow)
            assert build_session(directory)["problems"] == []
            assert manifest_of(directory)["flow_revision"] is None
        assert recorder.safe_value("time", "18:00") == "18:00"
    found = manifest_of(directory)
    assert found["flow"]["path"] == "flow/grown1.yaml"
    assert found["flow_revision"].startswith("sha256:")
    assert [path.name for path in (directory / "flow").iterdir()] == ["grown1.yaml"]
    assert build_session(directory)["problems"] == []


def test_a_flow_that_was_known_may_change(directory) -> None:
    with recorder_in(directory) as recorder:
        recorder.set_flow(RecordedFlow(data=FLOW.data + b"\n", file_name=FLOW.file_name))
        assert build_session(directory)["problems"] == []
    assert build_session(directory)["problems"] == []


def test_a_flow_cannot_make_personal_what_is_recorded(directory) -> None:
    changed = FLOW.data.replace(b"{type: string, class: plain}", b"{type: string, class: personal}")
    with recorder_in(directory) as recorder:
        recorder.write_slot(slot="time", new="18:00", kind="set", writer="w", clock_ms=1)
        with pytest.raises(RecordInvalid) as refused:
            recorder.set_flow(RecordedFlow(data=changed, file_name=FLOW.file_name))
        assert refused.value.detail == {"kind": "CLASS_TOO_LATE", "slot": "time"}
    assert build_session(directory)["problems"] == []


def test_a_flow_that_cannot_be_read_leaves_the_old_one(directory) -> None:
    with recorder_in(directory) as recorder, pytest.raises(FlowInvalid):
        recorder.set_flow(RecordedFlow(data=b"[", file_name="x.yaml"))
    assert manifest_of(directory)["flow"]["path"] == "flow/desk.flow.yaml"


@pytest.mark.parametrize("umask", [0, 0o022, 0o277])
def test_modes_are_private_whatever_the_umask(directory, umask) -> None:
    mask = os.umask(umask)
    try:
        with recorder_in(directory) as recorder:
            play(recorder, lambda _: None)
    finally:
        os.umask(mask)
    for path in (directory, *directory.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_two_recorders_never_share_a_directory(directory) -> None:
    with recorder_in(directory), pytest.raises(OutputRejected, match="another recorder"):
        recorder_in(directory)
    with pytest.raises(OutputRejected, match="holds something"):
        recorder_in(directory)


def test_a_link_or_a_file_is_no_session_directory(tmp_path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("kept")
    for name in ("link", "dangling", "file", "file/below", "a" * 300, "nul\0"):
        with pytest.raises(OutputRejected):
            recorder_in(tmp_path / name)
    assert list((tmp_path / "real").iterdir()) == []
    assert (tmp_path / "file").read_text() == "kept"
    assert not (tmp_path / "nowhere").exists()


def test_many_threads(directory) -> None:
    with recorder_in(directory) as recorder:

        def work(number: int) -> None:
            for turn in range(50):
                recorder.append({"type": "slot_filled", "slot": f"{number}.{turn}"})
                recorder.write_slot(slot="n", new=turn, kind="set", writer="w", clock_ms=turn)

        workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    found = lines(directory)
    assert [record["seq"] for record in found] == list(range(800))
    assert build_session(directory)["problems"] == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_process_does_not_record_into_its_parents_call(directory) -> None:
    with recorder_in(directory) as recorder:
        child = os.fork()
        if child == 0:
            try:
                recorder.append({"type": "slot_filled", "slot": "x"})
            except RecordingFailed as refused:
                os._exit(0 if refused.detail["kind"] == "OTHER_PROCESS" else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert lines(directory) == []


def test_audio_is_measured_at_the_end(directory) -> None:
    with recorder_in(directory) as recorder:
        (directory / "audio_agent_played.wav").write_bytes(wav(bytes(1600), Header()))
        (directory / "audio_caller.wav").write_bytes(wav(b"", Header()))
        (directory / "audio_caller.wav").chmod(0o644)
        for role in ("agent_played", "caller"):
            recorder.add_audio(
                {
                    "audio_id": role,
                    "role": role,
                    "path": f"audio_{role}.wav",
                    "channel_map": [role],
                    "call_start_epoch": EPOCH,
                    "media_start_offset_ms": 0,
                }
            )
        recorder.add_audio({"audio_id": "mix", "reason": "nobody mixes"})
        assert read_session(directory).audio_refs[0]["availability"] == "recorded"
    played, caller, mix = json.loads((directory / "audio_refs.json").read_text())
    assert played["availability"] == "recorded"
    assert (played["sample_rate"], played["duration_ms"]) == (8000, 100)
    assert len(played["sha256"]) == 64
    assert caller["availability"] == "empty_capture"
    assert (mix["availability"], mix["code"]) == ("unavailable", "AUDIO_UNAVAILABLE")
    assert stat.S_IMODE((directory / "audio_caller.wav").stat().st_mode) == 0o600
    assert build_session(directory)["problems"] == []


@pytest.mark.parametrize(
    "reference",
    [{}, {"audio_id": 1}, {"audio_id": "taken"}, {"audio_id": "a", "path": "../x.wav"}],
    ids=str,
)
def test_a_wrong_audio_reference_is_refused(directory, reference) -> None:
    with recorder_in(directory) as recorder:
        recorder.add_audio({"audio_id": "taken"})
        with pytest.raises(RecordInvalid):
            recorder.add_audio(reference)
    assert len(json.loads((directory / "audio_refs.json").read_text())) == 1


def test_records_on_the_device(directory) -> None:
    with recorder_in(directory, durability=Durability.DEVICE) as recorder:
        assert play(recorder, lambda _: None) == 0
    assert build_session(directory)["problems"] == []


def test_a_recorder_that_is_dropped_forgets_its_key_and_lets_go(directory) -> None:
    recorder = recorder_in(directory)
    key = recorder.context.key
    recorder.append({"type": "slot_filled", "slot": "x"})
    before = open_files()
    del recorder
    assert key.is_forgotten
    assert before is None or open_files() == before - 4
    assert build_session(directory)["problems"] == []


def test_a_signal_handler_does_not_record_in_the_middle_of_a_record(directory, monkeypatch) -> None:
    real, refused = os.write, []
    with recorder_in(directory) as recorder:

        def write(fd, data):
            done = real(fd, data)
            if not refused:
                with pytest.raises(RecordingFailed) as error:
                    recorder.append({"type": "slot_filled", "slot": "y"})
                refused.append(error.value.detail["kind"])
            return done

        monkeypatch.setattr(os, "write", write)
        recorder.append({"type": "slot_filled", "slot": "x"})
        recorder.append({"type": "slot_filled", "slot": "z"})
        monkeypatch.undo()
    assert refused == ["BUSY"]
    assert [row["slot"] for row in lines(directory)] == ["x", "z"]


def test_the_same_steps_under_a_fixtures_key_give_the_same_bytes(tmp_path) -> None:
    found = []
    for name in ("one", "other"):
        with recorder_in(tmp_path / name, key=SessionKey(bytes(32))) as recorder:
            play(recorder, lambda _: None)
        found.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir() if p.is_file()})
    assert found[0] == found[1]


def test_slots_of_the_flow_have_its_class_whatever_the_manifest_says(directory) -> None:
    asked = {"caller_name": SlotClass.PLAIN}
    with recorder_in(directory, slot_classes=asked) as recorder:
        assert recorder.safe_value("caller_name", "Alex") == "<str len=4>"


def test_a_slot_keeps_its_old_value_where_the_record_is_not_kept(directory) -> None:
    with recorder_in(directory) as recorder:
        recorder.write_slot(slot="time", new="1", kind="set", writer="w", clock_ms=1)
        for clock in (1.5, "x"):
            with pytest.raises(RecordInvalid):
                recorder.write_slot(slot="time", new="2", kind="set", writer="w", clock_ms=clock)
            with pytest.raises(RecordInvalid):
                recorder.seed([("w", {"time": "2"})], clock_ms=clock)
        assert recorder.context.slots["time"] == "1"
