from support.records import exited, noise


def test_one_finding_with_the_count(found, start) -> None:
    (finding,) = found([noise(), *start, noise(), exited("a"), noise()])
    assert finding["at"] == 4
    assert finding["events"] == ["bus:1", "bus:5"]
    assert finding["events_total"] == 2
    assert finding["severity"] == "info"
    assert finding["detail"] == {"count": 2}


def test_many(found, start) -> None:
    (finding,) = found([*(noise() for _ in range(50)), *start])
    assert finding["events"] == [f"bus:{n}" for n in range(1, 33)]
    assert finding["events_total"] == 50


def test_none(found, start) -> None:
    assert found([*start, noise()]) == []
    assert found([]) == []
