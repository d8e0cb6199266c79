"""Order: the documents' words on `seq`, clocks and ties, through what an artifact shows."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import build, manifest_of, noise, rows_of

from engine.core.artifact.order import NO_KEY, StreamKeys, order_records
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.labels import Stream


def artifact_of(
    kind: str,
    trace: Sequence[JsonObject],
    bus: Sequence[JsonObject] = (),
    transcript: Sequence[JsonObject] = (),
) -> JsonObject:
    """The artifact of records whose ids are t1, b1, s1, ... by stream and line."""
    return build(
        trace=named("t", trace),
        bus=named("b", bus),
        transcript=named("s", transcript),
        manifest=manifest_of(sequence=kind),
    )


def named(letter: str, records: Sequence[JsonObject]) -> list[JsonObject]:
    return [{**r, "event_id": f"{letter}{line}"} for line, r in enumerate(records, start=1)]


def ids(artifact: JsonObject) -> str:
    return " ".join(str(row["event_id"]) for row in rows_of(artifact, "events"))


def problems(artifact: JsonObject, code: str) -> list[tuple[JsonValue, JsonValue]]:
    """(event id, detail) of the problems of one code."""
    return [
        (row["event_id"], row["detail"])
        for row in rows_of(artifact, "problems")
        if row["code"] == code
    ]


def broken(artifact: JsonObject) -> list[JsonValue]:
    return [event_id for event_id, _ in problems(artifact, "SEQUENCE_BROKEN")]


def seq(*numbers: JsonValue) -> list[JsonObject]:
    """A record per number; a record without `seq` per None."""
    return [noise(seq=number) for number in numbers]


def clock(*numbers: JsonValue) -> list[JsonObject]:
    return [noise(clock_ms=number) for number in numbers]


# -- sequence: session -----------------------------------------------------------------------------


def test_seq_is_the_order_across_streams_and_inside_one() -> None:
    artifact = artifact_of("session", seq(0, 4), seq(3, 1), seq(2))
    assert ids(artifact) == "t1 b2 s1 b1 t2"
    assert rows_of(artifact, "problems")[0]["code"] == "UNKNOWN_TYPE"
    assert broken(artifact) == []


def test_a_clock_has_no_say() -> None:
    records = [noise(seq=0, clock_ms=900), noise(seq=1, clock_ms=5), noise(seq=2)]
    assert ids(artifact_of("session", records)) == "t1 t2 t3"


def test_negative_and_big_numbers() -> None:
    assert ids(artifact_of("session", seq(2**53 - 1, -(2**53) + 1, -1))) == "t2 t3 t1"


def test_a_record_without_seq_stands_right_behind_its_predecessor() -> None:
    artifact = artifact_of("session", seq(0, None, None, 5), seq(1, 2))
    assert ids(artifact) == "t1 t2 t3 b1 b2 t4"
    assert broken(artifact) == ["t2", "t3"]


def test_at_the_head_it_stands_before_everything() -> None:
    artifact = artifact_of("session", seq(None, 5), seq(None, None, -9), seq(None, 0))
    assert ids(artifact) == "t1 b1 b2 s1 b3 s2 t2"
    assert broken(artifact) == ["t1", "b1", "b2", "s1"]


def test_it_follows_the_record_before_it_in_the_stream_wherever_that_went() -> None:
    assert ids(artifact_of("session", seq(9, None, 1), seq(8, 10))) == "t3 b1 t1 t2 b2"


def test_a_repeated_seq_in_one_stream() -> None:
    artifact = artifact_of("session", seq(1, 2, 1, 3))
    assert ids(artifact) == "t1 t2 t3 t4"
    assert broken(artifact) == ["t3"]


def test_of_a_seq_repeated_across_streams_the_first_stream_has_it() -> None:
    artifact = artifact_of("session", seq(1, 5), seq(2, 5, 6), seq(3, 6))
    assert ids(artifact) == "t1 b1 b2 s1 s2 t2 b3"
    assert broken(artifact) == ["b2", "s2"]


def test_a_repeated_seq_at_a_streams_head() -> None:
    artifact = artifact_of("session", seq(1, 2), seq(1, 3))
    assert ids(artifact) == "b1 t1 t2 b2"
    assert broken(artifact) == ["b1"]


@pytest.mark.parametrize("odd", ["2", 2.5, True, [2], {"a": 1}, 2**60, 1e300])
def test_a_seq_that_is_no_integer_is_missing(odd: JsonValue) -> None:
    artifact = artifact_of("session", [noise(seq=1), noise(seq=odd), noise(seq=3)], seq(2))
    assert ids(artifact) == "t1 t2 b1 t3"
    assert broken(artifact) == ["t2"]


def test_null_is_missing() -> None:
    artifact = artifact_of("session", [noise(seq=1), {**noise(), "seq": None}, noise(seq=2)])
    assert ids(artifact) == "t1 t2 t3"
    assert broken(artifact) == ["t2"]


def test_gaps_are_reported_where_they_end() -> None:
    artifact = artifact_of("session", seq(3, 9), seq(4, 7))
    assert ids(artifact) == "t1 b1 b2 t2"
    assert problems(artifact, "SEQUENCE_GAP") == [
        ("t2", {"after": 7, "seq": 9, "missing": 1}),
        ("b2", {"after": 4, "seq": 7, "missing": 2}),
    ]


def test_a_repeated_seq_is_no_gap() -> None:
    artifact = artifact_of("session", seq(1, 2, 2, 3), seq(2))
    assert problems(artifact, "SEQUENCE_GAP") == []


# -- sequence: per_stream --------------------------------------------------------------------------


def test_streams_merge_on_the_clock() -> None:
    assert (
        ids(artifact_of("per_stream", clock(5, 30), clock(10, 20), clock(25))) == "t1 b1 b2 s1 t2"
    )


def test_ties_go_trace_bus_transcript_then_line() -> None:
    assert (
        ids(artifact_of("per_stream", clock(7, 7), clock(7, 7), clock(7, 7))) == "t1 t2 b1 b2 s1 s2"
    )


def test_a_record_without_a_clock_stays_right_behind_its_predecessor() -> None:
    artifact = artifact_of("per_stream", clock(5, 10), clock(5, None, None, 7), clock(5))
    assert ids(artifact) == "t1 b1 b2 b3 s1 b4 t2"


def test_a_head_without_a_clock_stands_before_everything() -> None:
    artifact = artifact_of("per_stream", clock(-50, 1), clock(None, None, 0), clock(None))
    assert ids(artifact) == "b1 b2 s1 t1 b3 t2"


def test_a_backward_clock_never_reorders_a_stream() -> None:
    artifact = artifact_of("per_stream", clock(10, 4, 12), clock(5, 11, 1, 12))
    assert ids(artifact) == "b1 t1 t2 b2 b3 t3 b4"


def test_seq_has_no_say_and_is_no_problem() -> None:
    records = [noise(seq=9, clock_ms=1), noise(seq=9, clock_ms=2), noise(seq="x", clock_ms=3)]
    artifact = artifact_of("per_stream", records)
    assert ids(artifact) == "t1 t2 t3"
    assert broken(artifact) == []
    assert problems(artifact, "SEQUENCE_GAP") == []


def test_a_clock_that_is_no_number_is_none() -> None:
    artifact = artifact_of("per_stream", clock(1, "0", True, 5), clock(3))
    assert ids(artifact) == "t1 t2 t3 b1 t4"
    invalid = [d for _, d in problems(artifact, "FIELD_INVALID")]
    assert invalid == [{"field": "clock_ms"}, {"field": "clock_ms"}]


def test_a_floored_clock_orders() -> None:
    assert ids(artifact_of("per_stream", clock(5.9, 6), clock(5.1, 5.99, 6.0))) == "t1 b1 b2 t2 b3"


# -- the module alone, and a slow oracle -----------------------------------------------------------

Keys = list[list[int | None]]
KEYS = st.lists(st.lists(st.none() | st.integers(-2, 7), max_size=6), min_size=3, max_size=3)


def order_of(keys: Keys, *, session_wide: bool) -> list[tuple[int, int]]:
    streams = [
        StreamKeys(
            stream=stream,
            lines=range(1, len(own) + 1),
            keys=[NO_KEY if key is None else key for key in own],
        )
        for stream, own in zip(Stream, keys, strict=True)
    ]
    order, _ = order_records(streams, session_wide=session_wide)
    return list(zip(order.streams, order.positions, strict=True))


def slow_order(keys: Keys, *, session_wide: bool) -> list[tuple[int, int]]:
    """Put each record at its place by insertion, in the words of contract "Order"."""
    seen: set[int] = set()
    leaders: list[tuple[float, int, int]] = []
    followers: dict[tuple[float, int, int], list[tuple[int, int]]] = {}
    for stream, own in enumerate(keys):
        place = (float("-inf"), stream, -1)
        for position, key in enumerate(own):
            leads = key is not None and (key not in seen if session_wide else key > place[0])
            if leads and key is not None:
                place = (key, stream, position)
                leaders.append(place)
                seen.add(key)
                followers[place] = []
            elif place not in followers:
                leaders.append(place)
                followers[place] = []
            if not leads:
                followers[place].append((stream, position))
    out: list[tuple[int, int]] = []
    for place in sorted(leaders):
        if place[2] >= 0:
            out.append((place[1], place[2]))
        out.extend(followers[place])
    return out


@given(KEYS, st.booleans())
@example([[None, 1], [None, None, 0], [None]], True)
@example([[1, 3], [2, 4], []], True)
@example([[3, 1], [2, None], [2]], False)
def test_order_equals_the_slow_oracle(keys: Keys, session_wide: bool) -> None:
    expected = slow_order(keys, session_wide=session_wide)
    assert order_of(keys, session_wide=session_wide) == expected


@given(KEYS)
def test_time_never_reorders_a_stream(keys: Keys) -> None:
    found = order_of(keys, session_wide=False)
    for number, own in enumerate(keys):
        assert [p for s, p in found if s == number] == list(range(len(own)))


@given(KEYS, st.booleans())
def test_every_record_has_one_place(keys: Keys, session_wide: bool) -> None:
    found = order_of(keys, session_wide=session_wide)
    everything = [(s, p) for s, own in enumerate(keys) for p in range(len(own))]
    assert sorted(found) == everything
