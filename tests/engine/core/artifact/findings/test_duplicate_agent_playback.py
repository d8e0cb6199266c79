import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import build_in_order, entered, exited, record, rows_of

from engine.core.artifact.findings.duplicate_agent_playback import CODE

FIELDS = [
    "code",
    "first_playback_id",
    "duplicate_playback_id",
    "first_visit_id",
    "duplicate_visit_id",
    "gap_ms",
    "source_pair",
    "confidence",
]


def test_the_document_s_own_example(found, play, start) -> None:
    calls = [
        *start,
        *play("p1", 1000, 3000),
        *play("p2", 3082, 4000, kind="model_audio"),
    ]
    (finding,) = found(calls)
    assert list(finding["detail"]) == FIELDS
    assert finding["detail"] == {
        "code": CODE,
        "first_playback_id": "p1",
        "duplicate_playback_id": "p2",
        "first_visit_id": "a#1",
        "duplicate_visit_id": "a#1",
        "gap_ms": 82,
        "source_pair": ["static_asset", "model_audio"],
        "confidence": "recorded",
    }
    assert finding["mechanism"] == "static_plus_model"
    assert finding["at"] == 7
    assert finding["events"] == ["bus:8", "bus:4"]
    assert finding["visits"] == ["a#1"]
    assert (finding["severity"], finding["label"]) == ("error", "recorded")


@pytest.mark.parametrize(("gap", "count"), [(0, 1), (2000, 1), (2001, 0)])
def test_the_gap_is_bounded(found, play, start, gap: int, count: int) -> None:
    assert len(found([*start, *play("p1", 0, 500), *play("p2", 500 + gap, 4000)])) == count


def test_equal_content_and_acknowledged_starts(found, play, start) -> None:
    first = play("p1", 0, 500)
    assert found([*start, *first, *play("p2", 600, 900, content="f2")]) == []
    assert found([*start, *first, *play("p2", 600, 900, ack=False)]) == []
    assert found([*start, *play("p1", 0, 500, ack=False), *play("p2", 600, 900)]) == []
    nothing = [play(name, ms, ms + 100, content=None) for name, ms in (("p1", 0), ("p2", 200))]
    assert found([*start, *nothing[0], *nothing[1]]) == []


@pytest.mark.parametrize("how", ["audio_interrupted", "audio_failed", "audio_stopped"])
def test_beside_each_other_both_must_be_completed(found, play, start, how: str) -> None:
    assert found([*start, *play("p1", 0, 500, how=how), *play("p2", 600, 900)]) == []
    assert found([*start, *play("p1", 0, 500), *play("p2", 600, 900, how=how)]) == []


@pytest.mark.parametrize("how", ["audio_interrupted", "audio_completed"])
def test_over_each_other_the_ends_do_not_matter(found, play, start, how: str) -> None:
    one, two = play("p1", 0, 500, how=how), play("p2", 400, 700, how=how)
    (finding,) = found([*start, *one[:3], *two[:3], one[3], two[3]])
    assert finding["detail"]["gap_ms"] == -100
    touching = play("p2", 500, 700, how="audio_interrupted")
    assert found([*start, *play("p1", 0, 500, how="audio_interrupted"), *touching]) == []


def test_an_end_or_a_time_that_is_not_recorded(found, play, start) -> None:
    one, two = play("p1", 0, None), play("p2", 400, 700)
    assert found([*start, *one, *two]) == []
    assert found([*start, *play("p1", None, 300), *two]) == []
    assert found([*start, *one[:3], *two]) == []
    open_second = play("p2", 400, None)[:3]
    (overlapping,) = found([*start, *one[:3], *open_second, {**one[3], "clock_ms": 500}])
    assert overlapping["detail"]["gap_ms"] == -100


def test_every_pair_counts(found, play, start) -> None:
    plays = [play(f"p{n}", 600 * n, 600 * n + 500) for n in range(4)]
    pairs = [
        (row["detail"]["first_playback_id"], row["detail"]["duplicate_playback_id"])
        for row in found([*start, *(item for records in plays for item in records)])
    ]
    near = [("p0", "p1"), ("p0", "p2"), ("p1", "p2"), ("p0", "p3"), ("p1", "p3"), ("p2", "p3")]
    assert pairs == near


def test_a_clock_that_contradicts_the_order_tells_nothing(found, play, start) -> None:
    assert found([*start, *play("p1", 5000, 5500), *play("p2", 0, 400)]) == []


def test_mechanisms(found, play) -> None:
    one, two = play("p1", 0, 500), play("p2", 600, 900)

    def mechanism(*records) -> str:
        (finding,) = found([*records])
        return finding["mechanism"]

    a, b = entered("a"), entered("b")
    assert mechanism(a, *one, *two) == "unknown"
    assert mechanism(a, *one, *play("p2", 600, 900, request="ask-p1")) == "client_replay"
    assert mechanism(a, *one, *play("p2", 600, 900, request="ask-p1")[2:]) == "client_replay"
    assert mechanism(a, *one, *play("p2", 600, 900, kind="nudge")) == "nudge"
    assert mechanism(a, *one, exited("a"), a, *two) == "re_entry"
    assert mechanism(a, *one, exited("a"), b, *two) == "unknown"
    replayed = [play("p1", 0, 500, kind="model_audio"), play("p2", 600, 900)]
    assert mechanism(a, *replayed[0], *replayed[1]) == "static_plus_model"
    assert mechanism(a, *replayed[0], exited("a"), b, *replayed[1]) == "unknown"


CLOCKS = st.integers(0, 9000)
PLAYS = st.lists(
    st.tuples(
        st.sampled_from(["f1", "f2", None]),
        CLOCKS,
        st.none() | st.integers(0, 3000),
        st.sampled_from(["audio_completed", "audio_completed", "audio_interrupted"]),
        st.sampled_from([True, True, True, False]),
    ),
    max_size=8,
)


def naive(plays, end_of) -> set[tuple[str, str, int]]:
    """Every pair, by the words of the contract."""
    pairs = set[tuple[str, str, int]]()
    for one, first in enumerate(plays):
        for two, second in enumerate(plays):
            started = (first[1], one) < (second[1], two)
            if not started or not (first[4] and second[4]) or first[0] != second[0] or not first[0]:
                continue
            if end_of(first) is None:
                continue
            gap = second[1] - end_of(first)
            completed = first[3] == second[3] == "audio_completed" and end_of(second) is not None
            if (completed and gap <= 2000) or gap < 0:
                pairs.add((f"p{one}", f"p{two}", gap))
    return pairs


@given(PLAYS)
def test_against_all_pairs(plays) -> None:
    def end_of(item):
        return None if item[2] is None else item[1] + item[2]

    events = []
    for number, (content, clock, length, how, ack) in enumerate(plays):
        common = {"playback_id": f"p{number}", "content_fingerprint": content}
        client = {"client_event_id": "c"} if ack else None
        begin = record("audio_started", clock_ms=clock, client_ack=client, **common)
        events.append((clock, number, begin))
        if length is not None:
            events.append((clock + length, number, record(how, clock_ms=clock + length, **common)))
    ordered = [item for _, _, item in sorted(events, key=lambda event: event[:2])]
    detail = [
        row["detail"] for row in rows_of(build_in_order(ordered), "findings") if row["code"] == CODE
    ]
    keys = ("first_playback_id", "duplicate_playback_id", "gap_ms")
    pairs = [tuple(row[key] for key in keys) for row in detail]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == naive(plays, end_of)


def test_one_prompt_many_times(found, play, start) -> None:
    plays = [play(f"p{n}", 3000 * n, 3000 * n + 500) for n in range(2000)]
    calls = [*start, *(item for records in plays for item in records)]
    assert found(calls) == []
