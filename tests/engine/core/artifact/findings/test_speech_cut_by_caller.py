def test_a_cut(found, play, start) -> None:
    (finding,) = found([*start, *play("p1", 100, 350, how="audio_interrupted")])
    assert finding["at"] == 4
    assert finding["events"] == ["bus:5", "bus:4"]
    assert finding["visits"] == ["a#1"]
    assert finding["severity"] == "info"
    assert finding["detail"] == {"playback_id": "p1", "audible_ms": 250}


def test_a_cut_without_times(found, play, start) -> None:
    (finding,) = found([*start, *play("p1", None, 350, how="audio_interrupted")])
    assert finding["detail"] == {"playback_id": "p1", "audible_ms": None}


def test_what_cuts_nothing(found, play, start) -> None:
    cut = play("p1", 100, 350, how="audio_interrupted")
    assert found([*start, *play("p1", 100, 350)]) == []
    assert found([*start, *play("p1", 100, 350), cut[3]]) == []
    assert found([*start, *cut[:2], cut[3]]) == []
    assert found([*start, cut[3], *cut[:3]]) == []
    assert found([*start, {"type": "speech.interruption", "clock_ms": 1}]) == []
