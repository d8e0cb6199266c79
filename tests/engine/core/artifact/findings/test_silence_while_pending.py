import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import build_in_order, noise, record, rows_of


def tool(clock: int, end: int | None, call: str = "k1"):
    asked = record("tool_called", tool="t", tool_call_id=call, clock_ms=clock, event_id=call)
    came = record("tool_result", tool_call_id=call, ok=True, clock_ms=end)
    return [asked, *([] if end is None else [came])]


def said(clock: int, **members):
    return record("transcript_segment", speaker="caller", text="hm", clock_ms=clock, **members)


HEARD = record("audio_generated", playback_id="any")


def test_nothing_audible_while_a_tool_works(found, start) -> None:
    calls = [HEARD, *start, *tool(1000, None), noise(clock_ms=4999), noise(clock_ms=5001)]
    (finding,) = found([*calls, noise(clock_ms=9000)])
    assert finding["at"] == 4
    assert finding["events"] == ["k1"]
    assert finding["events_total"] == 1
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {"start_ms": 1000, "end_ms": 9000}


@pytest.mark.parametrize(("end", "count"), [(4999, 0), (5000, 1)])
def test_the_limit(found, start, end: int, count: int) -> None:
    findings = found([HEARD, *start, *tool(1000, end), noise(clock_ms=9999)])
    assert len(findings) == count
    assert [row["at"] for row in findings] == [3] * count


def test_nothing_is_pending(found, start) -> None:
    assert found([HEARD, *start, *tool(0, 10), noise(clock_ms=99_000)]) == []


def test_a_playback_is_audible(found, play, start) -> None:
    tools = tool(0, 9000)
    assert found([*start, tools[0], *play("p", 3000, 6000), tools[1]]) == []
    (before,) = found([*start, tools[0], *play("p", 4000, 6000), tools[1]])
    assert before["detail"] == {"start_ms": 0, "end_ms": 4000}
    (behind,) = found([*start, tools[0], *play("p", 1000, 5000), tools[1]])
    assert behind["detail"] == {"start_ms": 5000, "end_ms": 9000}
    assert found([*start, tools[0], *play("p", 1000, 0)[:3], tools[1]]) == []


def test_two_playbacks_at_once(found, play, start) -> None:
    one, two, tools = play("p", 100, 3000), play("q", 200, 6000), tool(0, 9000)
    assert found([*start, tools[0], *one[:3], *two[:3], one[3], two[3], tools[1]]) == []


def test_a_playback_that_ended_before_it_started_lasts_no_time(found, play, start) -> None:
    tools, odd = tool(0, 9000), play("q", 100, 100)
    turned = [odd[3], odd[2]]
    assert len(found([*start, tools[0], *turned, tools[1]])) == 1
    assert found([*start, tools[0], *turned, *play("p", 200, 8000), tools[1]]) == []


def test_an_audio_request_is_pending(found, play, start) -> None:
    asked = play("p", 0, 1)[:1]
    (finding,) = found([*start, *asked, noise(clock_ms=4000)])
    assert finding["events"] == ["ask-p"]


def test_pending_work_that_follows_without_a_pause_is_one_silence(found, start) -> None:
    two = [*tool(0, 2000, "k1"), *tool(2000, 4000, "k2")]
    (finding,) = found([HEARD, *start, *two])
    assert finding["events"] == ["k2"]
    apart = [*tool(0, 2000, "k1"), *tool(2001, 4001, "k2")]
    assert found([HEARD, *start, *apart]) == []


def test_speech_is_audible(found, start) -> None:
    tools = tool(0, 7000)
    assert len(found([HEARD, *start, *tools])) == 1
    assert found([HEARD, *start, tools[0], said(3500), tools[1]]) == []
    timed = said(6900, start_ms=3000.5, end_ms=3600.5)
    assert found([HEARD, *start, tools[0], timed, tools[1]]) == []
    assert len(found([HEARD, *start, tools[0], said(6900), tools[1]])) == 1
    agent = {**timed, "speaker": "agent"}
    assert found([HEARD, *start, tools[0], agent, tools[1]]) == []


def test_each_silent_stretch(found, play, start) -> None:
    tools = tool(0, 99_000)
    calls = [*start, tools[0], *play("p", 10_000, 20_000), said(50_000), tools[1]]
    spans = [(row["detail"]["start_ms"], row["detail"]["end_ms"]) for row in found(calls)]
    assert spans == [(0, 10_000), (20_000, 50_000), (50_000, 99_000)]


def test_a_recording_without_playback_events_tells_nothing(found, start) -> None:
    assert found([*start, *tool(0, 9000)]) == []


def test_without_clocks(found) -> None:
    bare = [{k: v for k, v in item.items() if k != "clock_ms"} for item in tool(0, 9)]
    assert found([HEARD, *bare]) == []


def test_many_pending_at_once(found, start) -> None:
    tools = [record("tool_called", tool="t", tool_call_id=f"k{n}", clock_ms=0) for n in range(40)]
    (finding,) = found([HEARD, *start, *tools, noise(clock_ms=5000)])
    assert (len(finding["events"]), finding["events_total"]) == (32, 40)


CLOCKS = st.integers(0, 30).map(lambda n: 500 * n)
SPANS = st.lists(st.tuples(CLOCKS, CLOCKS).map(sorted), max_size=4)


@given(SPANS, SPANS, st.lists(CLOCKS, max_size=3))
def test_against_looking_at_every_moment(tools, plays, words) -> None:
    """Half seconds as a grid: everything begins and ends on it."""
    events = [(clock, said(clock)) for clock in words]
    for number, (start, end) in enumerate(tools):
        asked, came = tool(start, end, f"k{number}")
        events += [(start, asked), (end, came)]
    for number, (start, end) in enumerate(plays):
        begun = record("audio_started", playback_id=f"p{number}", clock_ms=start)
        over = record("audio_completed", playback_id=f"p{number}", clock_ms=end)
        events += [(start, begun), (end, over)]
    calls = [HEARD, *(item for _, item in sorted(events, key=lambda event: event[0]))]
    shown = [
        (row["detail"]["start_ms"], row["detail"]["end_ms"])
        for row in rows_of(build_in_order(calls), "findings")
        if row["code"] == "SILENCE_WHILE_PENDING"
    ]
    silent = [
        any(start <= ms < end for start, end in tools)
        and not any(start <= ms < end for start, end in plays)
        for ms in range(0, 15_500, 500)
    ]
    expected, begun = [], None
    for place, quiet in enumerate([*silent, False]):
        ms = 500 * place
        if begun is not None and (not quiet or ms in words):
            expected += [(begun, ms)] if ms - begun >= 4000 else []
            begun = None
        if quiet and begun is None:
            begun = ms
    assert shown == expected
