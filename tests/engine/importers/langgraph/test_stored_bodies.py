"""Bodies of checkpoints: decoded when looked at, few at a time."""

import msgspec

from engine.importers.langgraph.stored_bodies import KEPT, StoredBodies


def body(value: object) -> bytes:
    return msgspec.msgpack.encode({"ts": "2026-12-01T00:00:00+00:00", "channel_values": value})


def test_a_body_is_its_values_and_its_time() -> None:
    stored = StoredBodies().add("msgpack", body({"a": 1, "b": [2]}))
    assert dict(stored) == {"a": 1, "b": [2]}
    assert (stored["a"], len(stored), "c" in stored) == (1, 2, False)
    assert stored.recorded_at == "2026-12-01T00:00:00+00:00"


def test_what_is_no_body_is_empty() -> None:
    for kind, data in (("pickle", b"x"), ("msgpack", b"\xc1"), (None, None), ("json", b"3")):
        stored = StoredBodies().add(kind, data)
        assert not dict(stored)
        assert stored.recorded_at is None


def test_values_are_right_however_they_are_looked_at() -> None:
    """More bodies than are kept, forwards, backwards and again."""
    bodies = StoredBodies()
    rows = [bodies.add("msgpack", body({"n": number})) for number in range(KEPT * 3)]
    for order in (rows, rows[::-1], rows):
        for row in order:
            assert row["n"] == rows.index(row)
            assert row["n"] is not None


def test_the_body_looked_at_last_is_not_decoded_again() -> None:
    stored = StoredBodies().add("msgpack", body({"a": [1]}))
    assert stored["a"] is stored["a"]
