from support.records import entered, noise


def test_a_request_without_an_end(found, play, start) -> None:
    (finding,) = found([*start, *play("p1", 0, 1)[:1], noise()])
    assert finding["at"] == 2
    assert finding["events"] == ["ask-p1"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {"playback_id": "p1", "started": False}
    (started,) = found([entered("a"), *play("p1", 0, 1)[:3]])
    assert started["events"] == ["ask-p1", "bus:4"]
    assert started["detail"] == {"playback_id": "p1", "started": True}


def test_an_end_of_any_kind_and_a_playback_that_nobody_asked_for(found, play, start) -> None:
    for how in ("audio_completed", "audio_interrupted", "audio_failed", "audio_stopped"):
        assert found([*start, *play("p1", 0, 1, how=how)]) == []
    assert found([*start, *play("p1", 0, 1)[1:3]]) == []
