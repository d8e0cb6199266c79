import itertools
import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.recorded import problem_codes, recorder_in

from engine.core.contract.errors import RecordingFailed, RecordInvalid
from engine.recording import PlaybackLedger, SourceKind, build_session, playback_ledger
from engine.recording.playback_ledger import _LIFECYCLE

MENU = {"state_id": "menu", "visit_id": "menu#1"}
_numbers = itertools.count()


def said(playback_id, kind, client_ms=0, **fields):
    """An acknowledgement as a client sends it."""
    return {
        "playback_id": playback_id,
        "client_event_id": f"c{next(_numbers)}",
        "kind": kind,
        "client_clock_ms": client_ms,
        **fields,
    }


class Call:
    """A call with one open visit and a ledger."""

    def __init__(self, directory) -> None:
        self.directory = directory
        self.recorder = recorder_in(directory)
        self.ledger = PlaybackLedger(self.recorder)
        self.recorder.append({"type": "state_entered", "state_id": "menu", "clock_ms": 0})

    def ask(self, content="Welcome.", *, clock_ms=10, kind=SourceKind.STATIC_ASSET, **fields):
        return self.ledger.request(
            **MENU, source_kind=kind, content=content, clock_ms=clock_ms, **fields
        )

    def hear(self, playback_id, kind, at, **fields):
        message = said(playback_id, kind, client_ms=at + 5_000, **fields)
        return self.ledger.acknowledge(message, received_clock_ms=at)

    def play(self, playback_id, start, end, **fields):
        self.hear(playback_id, "started", start, **fields)
        self.hear(playback_id, "ended", end, **fields)

    def artifact(self):
        self.ledger.finish()
        self.recorder.close(ended="completed")
        found = build_session(self.directory)
        assert problem_codes(found) == set()
        return found


@pytest.fixture
def call(tmp_path):
    return Call(tmp_path / "call")


def spans(artifact):
    return {row["playback_id"]: row for row in artifact["playback"]}


def times(artifact):
    return [
        (row["playback_id"], row["start_ms"], row["end_ms"], row["end_type"])
        for row in artifact["playback"]
    ]


def findings(artifact, code="DUPLICATE_AGENT_PLAYBACK"):
    return [row for row in artifact["findings"] if row["code"] == code]


def test_the_whole_life_of_a_playback(call) -> None:
    playback_id = call.ask(kind=SourceKind.MODEL_AUDIO, planned="Welcome.", generation_id="g1")
    call.ledger.generated(playback_id, clock_ms=20)
    call.play(playback_id, 100, 900)
    artifact = call.artifact()
    (row,) = artifact["playback"]
    assert row["acknowledged"] is True
    assert (row["visit_id"], row["source_kind"]) == ("menu#1", "model_audio")
    assert (row["start_ms"], row["end_ms"], row["end_type"]) == (100, 900, "audio_completed")
    assert row["content_fingerprint"].startswith("hmac-sha256:")
    records = [event["record"] for event in artifact["events"][1:]]
    assert [record["type"] for record in records] == [
        "audio_requested",
        "audio_generated",
        "audio_started",
        "audio_completed",
    ]
    for record in records[1:]:
        assert record["request_event_id"] == row["requested_event_id"]
        assert record["visit_id"] == "menu#1"
    assert records[2]["client_ack"]["client_clock_ms"] == 5_100
    assert records[2]["client_ack"]["received_clock_ms"] == 100
    assert findings(artifact, "PLAYBACK_CAPTURE_GAP") == []


@pytest.mark.parametrize("kind", [*SourceKind])
def test_every_source_kind(call, kind) -> None:
    call.play(call.ask(kind=kind), 20, 30)
    assert call.artifact()["playback"][0]["source_kind"] == kind.value


def test_two_sources_of_one_content_within_82_ms(call) -> None:
    call.play(call.ask("Welcome."), 100, 900)
    call.play(call.ask("Welcome.", kind="model_audio"), 982, 1_800)
    (found,) = findings(call.artifact())
    assert found["mechanism"] == "static_plus_model"
    assert found["detail"]["gap_ms"] == 82
    assert len(found["detail"]) == 8


def test_other_words_are_no_duplicate(call) -> None:
    call.play(call.ask("Welcome."), 100, 900)
    call.play(call.ask("How can I help?"), 982, 1_800)
    assert findings(call.artifact()) == []


def test_a_request_sent_twice_is_a_client_replay(call) -> None:
    first = call.ask()
    again = call.ledger.dispatch_again(first, clock_ms=12)
    assert first != again
    call.play(first, 100, 900)
    call.play(again, 950, 1_750)
    artifact = call.artifact()
    (found,) = findings(artifact)
    assert found["mechanism"] == "client_replay"
    assert all(row["requested_event_id"] for row in artifact["playback"])


def test_a_second_dispatch_that_never_ends_is_a_capture_gap(call) -> None:
    first = call.ask()
    again = call.ledger.dispatch_again(first, clock_ms=12)
    call.play(first, 100, 900)
    assert call.ledger.unended() == (again,)
    (found,) = findings(call.artifact(), "PLAYBACK_CAPTURE_GAP")
    assert found["detail"]["playback_id"] == again


@pytest.mark.parametrize("plays", [(None, None), ("a", "b"), ("a", "a")])
def test_what_a_client_plays_twice_is_a_replay(call, plays) -> None:
    playback_id = call.ask()
    for play_id, start in zip(plays, (100, 950), strict=True):
        call.play(playback_id, start, start + 800, play_id=play_id)
    artifact = call.artifact()
    assert times(artifact) == [
        ("p000001", 100, 900, "audio_completed"),
        ("p000001.2", 950, 1_750, "audio_completed"),
    ]
    (found,) = findings(artifact)
    assert found["mechanism"] == "client_replay"


def test_two_players_over_each_other_are_kept_apart(call) -> None:
    playback_id = call.ask()
    call.hear(playback_id, "started", 100, play_id="a")
    call.hear(playback_id, "started", 200, play_id="b")
    call.hear(playback_id, "ended", 900, play_id="a")
    call.hear(playback_id, "ended", 1_000, play_id="b")
    artifact = call.artifact()
    assert [row[1:3] for row in times(artifact)] == [(100, 900), (200, 1_000)]
    assert findings(artifact)[0]["detail"]["gap_ms"] == -700


def test_pauses_and_stalls_are_silence(call) -> None:
    playback_id = call.ask()
    for kind, at in [
        ("started", 100),
        ("paused", 300),
        ("resumed", 500),
        ("stalled", 600),
        ("resumed", 700),
        ("ended", 900),
    ]:
        call.hear(playback_id, kind, at)
    artifact = call.artifact()
    assert times(artifact) == [
        ("p000001", 100, 300, "audio_stopped"),
        ("p000001.2", 500, 600, "audio_stopped"),
        ("p000001.3", 700, 900, "audio_completed"),
    ]
    assert findings(artifact) == []
    reasons = [event["record"].get("stop_reason") for event in artifact["events"]]
    assert [reason for reason in reasons if reason] == ["paused", "stalled"]


def test_a_pause_that_is_cut_has_no_further_span(call) -> None:
    playback_id = call.ask()
    for kind, at in [("started", 100), ("paused", 300), ("interrupted", 400)]:
        call.hear(playback_id, kind, at)
    assert times(call.artifact()) == [("p000001", 100, 300, "audio_stopped")]


def test_blocked_audio_failed_and_never_started(call) -> None:
    playback_id = call.ask()
    call.hear(playback_id, "failed", 50, reason="NotAllowedError")
    artifact = call.artifact()
    assert times(artifact) == [("p000001", None, 50, "audio_failed")]
    assert artifact["events"][-1]["record"]["reason"] == "NotAllowedError"


def test_an_interruption_names_its_cause_and_what_was_heard(call) -> None:
    playback_id = call.ask()
    call.hear(playback_id, "started", 100)
    call.ledger.acknowledge(
        said(playback_id, "interrupted", reason="barge_in"),
        received_clock_ms=300,
        caused_by="e000000",
        heard="Wel",
    )
    record = call.artifact()["events"][-1]["record"]
    assert (record["caused_by"], record["heard"], record["stop_reason"]) == (
        "e000000",
        "Wel",
        "barge_in",
    )


def test_what_was_never_acknowledged_has_no_start_and_no_end(call) -> None:
    call.ask()
    assert call.ledger.finish() == ("p000001",)
    artifact = call.artifact()
    assert times(artifact) == [("p000001", None, None, None)]
    assert len(findings(artifact, "PLAYBACK_CAPTURE_GAP")) == 1


def test_a_repeated_acknowledgement_is_written_once(call) -> None:
    playback_id = call.ask()
    message = said(playback_id, "started")
    first = call.ledger.acknowledge(message, received_clock_ms=100)
    assert call.ledger.acknowledge(message, received_clock_ms=180) == first
    call.ledger.finish()
    assert call.ledger.acknowledge(message, received_clock_ms=190) == first
    assert len(call.artifact()["events"]) == 3


def test_an_end_before_its_start_is_kept_as_it_came(call) -> None:
    playback_id = call.ask()
    call.hear(playback_id, "ended", 900, play_id="a")
    call.hear(playback_id, "started", 905, play_id="a")
    artifact = call.artifact()
    assert times(artifact) == [("p000001", 905, 900, "audio_completed")]


GOOD = {"playback_id": "p000001", "client_event_id": "x", "kind": "started", "client_clock_ms": 1}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"playback_id": "p9"}, "PLAYBACK_UNKNOWN"),
        ({"playback_id": "p000001.2"}, "PLAYBACK_UNKNOWN"),
        ({"playback_id": ""}, "ACKNOWLEDGEMENT"),
        ({"playback_id": 7}, "ACKNOWLEDGEMENT"),
        ({"client_event_id": "x" * 129}, "ACKNOWLEDGEMENT"),
        ({"client_event_id": None}, "ACKNOWLEDGEMENT"),
        ({"kind": "audio_started"}, "ACKNOWLEDGEMENT"),
        ({"kind": ["started"]}, "ACKNOWLEDGEMENT"),
        ({"client_clock_ms": float("nan")}, "ACKNOWLEDGEMENT"),
        ({"client_clock_ms": 1e300}, "ACKNOWLEDGEMENT"),
        ({"client_clock_ms": 10**30}, "ACKNOWLEDGEMENT"),
        ({"client_clock_ms": True}, "ACKNOWLEDGEMENT"),
        ({"client_clock_ms": "1"}, "ACKNOWLEDGEMENT"),
        ({"media_ms": float("inf")}, "ACKNOWLEDGEMENT"),
        ({"reason": "call me on 415 555 0182"}, "ACKNOWLEDGEMENT"),
        ({"reason": "x" * 65}, "ACKNOWLEDGEMENT"),
        ({"play_id": {}}, "ACKNOWLEDGEMENT"),
    ],
)
def test_what_is_no_acknowledgement_is_refused_and_leaves_nothing(call, change, kind) -> None:
    call.ask()
    before = (call.directory / "bus_events.jsonl").read_bytes()
    with pytest.raises(RecordInvalid) as error:
        call.ledger.acknowledge({**GOOD, **change}, received_clock_ms=1)
    assert error.value.detail == {"kind": kind}
    assert "415" not in str(error.value.as_json())
    assert (call.directory / "bus_events.jsonl").read_bytes() == before
    assert call.ledger.acknowledge({**GOOD, "extra": 1}, received_clock_ms=1)


def test_other_refusals(call, monkeypatch) -> None:
    with pytest.raises(RecordInvalid):
        call.ask(kind="music")
    with pytest.raises(RecordInvalid):
        call.ledger.generated("p1", clock_ms=1)
    with pytest.raises(RecordInvalid):
        call.ledger.dispatch_again("p1", clock_ms=1)
    monkeypatch.setattr(playback_ledger, "ACKNOWLEDGEMENTS_MAX", 2)
    playback_id = call.ask()
    assert playback_id == "p000001"
    call.play(playback_id, 1, 2)
    with pytest.raises(RecordInvalid) as error:
        call.hear(playback_id, "started", 3)
    assert error.value.detail["kind"] == "ACKNOWLEDGEMENTS_MAX"
    call.ledger.finish()
    with pytest.raises(RecordInvalid) as error:
        call.hear(playback_id, "started", 3)
    assert error.value.detail["kind"] == "LEDGER_FINISHED"


def test_what_cannot_be_kept_can_be_sent_again(call, monkeypatch) -> None:
    playback_id = call.ask()
    message = said(playback_id, "started")
    true = call.recorder.append

    def full(record, **_):
        raise RecordingFailed("The disk is full.", {"kind": "IO"})

    monkeypatch.setattr(call.recorder, "append", full)
    with pytest.raises(RecordingFailed):
        call.ledger.acknowledge(message, received_clock_ms=100)
    with pytest.raises(RecordingFailed):
        call.ask()
    monkeypatch.setattr(call.recorder, "append", true)
    call.ledger.acknowledge(message, received_clock_ms=110)
    call.hear(playback_id, "ended", 300)
    assert call.ask() == "p000002"
    assert times(call.artifact())[0] == ("p000001", 110, 300, "audio_completed")


def test_many_threads(call) -> None:
    ids = [call.ask() for _ in range(20)]

    def client(playback_id) -> None:
        for at in range(20):
            call.play(playback_id, 100 + at, 100 + at, play_id=f"{at}")

    threads = [threading.Thread(target=client, args=[playback_id]) for playback_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = spans(call.artifact())
    assert len(rows) == 400
    assert all(row["end_type"] == "audio_completed" for row in rows.values())


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from([*_LIFECYCLE]),
            st.sampled_from([None, "a", "b"]),
            st.integers(min_value=0, max_value=3),
        ),
        max_size=12,
    )
)
def test_any_order_of_acknowledgements_is_kept_whole(tmp_path_factory, steps) -> None:
    call = Call(tmp_path_factory.mktemp("call") / "call")
    asked = [call.ask(f"line {number}") for number in range(2)]
    for at, (kind, play_id, which) in enumerate(steps):
        call.hear(asked[which % 2], kind, 100 + at, play_id=play_id)
    unended = call.ledger.unended()
    artifact = call.artifact()
    records = [event["record"] for event in artifact["events"][3:]]
    assert [record["type"] for record in records] == [
        _LIFECYCLE[kind].record_type for kind, _, _ in steps
    ]
    rows = spans(artifact)
    assert {name for name, row in rows.items() if row["end_type"] is None} == set(unended)
    starts = sum(record["type"] == "audio_started" for record in records)
    assert sum(row["start_ms"] is not None for row in rows.values()) <= starts
    assert all(json.dumps(record["client_ack"]) for record in records)
