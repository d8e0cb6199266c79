"""Rewinding to a duplicate: the request of the first playback, of the pair that is nearest."""

from support.questions import booking, bus, trace, view_of

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject
from engine.core.cursor import duplicate_before


def play(name: str, content: str, at: int, *, requested: bool = True) -> list[JsonObject]:
    """The records of one playback: at `at`, for 7 ms."""
    heard: JsonObject = {
        "playback_id": name,
        "source_kind": "static_asset",
        "content_fingerprint": content,
        "client_ack": {"at": 1},
    }
    request = [bus("audio_requested", clock_ms=at, **heard)] if requested else []
    return [
        *request,
        bus("audio_started", clock_ms=at + 1, **heard),
        bus("audio_completed", clock_ms=at + 8, **heard),
    ]


def call(*plays: list[JsonObject]) -> ArtifactView:
    begin = trace("state_entered", state_id="menu", clock_ms=0)
    return view_of(begin, *(record for playback in plays for record in playback))


def test_it_is_the_request_of_the_first_playback() -> None:
    view = call(play("p1", "f", 1), play("p2", "f", 10))
    for cursor in (-1, 1, 5, view.event_count - 1):
        pair = duplicate_before(view, cursor)
        assert pair is not None
        assert (pair.first_playback_id, pair.duplicate_playback_id) == ("p1", "p2")
        assert view.event_type(pair.rewind_to) == "audio_requested"
        assert (pair.rewind_to, pair.second_started) == (1, 5)
        assert pair.finding_id == "DUPLICATE_AGENT_PLAYBACK#1"


def test_without_a_request_it_is_the_start() -> None:
    pair = duplicate_before(call(play("p1", "f", 1, requested=False), play("p2", "f", 10)), 9)
    assert pair is not None
    assert pair.rewind_to == 1


def test_of_several_pairs_it_is_the_last_one_that_was_heard() -> None:
    view = call(
        play("p1", "f", 1), play("p2", "f", 10), play("q1", "g", 9000), play("q2", "g", 9010)
    )
    seconds = {}
    for cursor in range(-1, view.event_count):
        pair = duplicate_before(view, cursor)
        assert pair is not None
        seconds[cursor] = pair.duplicate_playback_id
    assert [seconds[at] for at in (-1, 5, 10, 11, 12)] == ["p2", "p2", "p2", "q2", "q2"]


def test_a_call_without_a_repetition_has_none() -> None:
    assert duplicate_before(booking(), 100) is None
