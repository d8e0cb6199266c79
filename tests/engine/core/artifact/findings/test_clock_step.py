from support.records import noise


def test_back(found, start) -> None:
    (finding,) = found([*start, noise(clock_ms=10), noise(), noise(clock_ms=9), noise(clock_ms=9)])
    assert finding["at"] == 3
    assert finding["events"] == ["bus:4", "bus:2"]
    assert finding["severity"] == "info"
    assert finding["detail"] == {"step_ms": -1}
    assert found([*start, noise(clock_ms=10), noise(clock_ms=10)]) == []


def test_ahead_with_audio_running(found, play, start) -> None:
    (finding,) = found([*start, *play("p", 0, 5001)])
    assert (finding["at"], finding["detail"]) == (4, {"step_ms": 5001})
    assert found([*start, *play("p", 0, 5000)]) == []


def test_ahead_without_audio(found, play, start) -> None:
    assert found([*start, noise(clock_ms=99_000)]) == []
    assert found([*start, *play("p", 0, 10), noise(clock_ms=99_000)]) == []
    assert found([*start, *play("p", 99_000, 99_001)]) == []


def test_a_step_that_no_number_can_hold(found) -> None:
    (finding,) = found([noise(clock_ms=2**53 - 1), noise(clock_ms=-(2**53) + 1)])
    assert finding["detail"] == {"step_ms": None}


def test_one_step_back_is_one_finding(found) -> None:
    clocks = [5000, 10, 20, 30]
    assert len(found([noise(clock_ms=clock) for clock in clocks])) == 1
