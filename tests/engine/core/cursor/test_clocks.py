"""`inspect_clocks`: offset, drift and residual, and the media cursor both ways."""

from support.questions import asked, booking, bus, code_of, view_of

from engine.core.contract.json_types import integer, mapping, rows


def test_the_clocks_of_the_booking_calls() -> None:
    for name, offset, low, high in (("racy", 352, 341, 381), ("clean", 335, 325, 358)):
        result = asked(booking(name), "inspect_clocks")
        items = rows(result, "items")
        assert [(row["channels"], row["offset_ms"]) for row in items] == [
            (["caller"], offset), (["agent"], offset),
        ]  # fmt: skip
        caller, agent = items
        assert low <= integer(agent, "measured_offset_ms") <= high
        assert abs(integer(agent, "drift_ppm")) <= integer(agent, "drift_error_ppm")
        assert 0 < integer(agent, "residual_ms") <= 21
        assert caller["drift_ppm"] is caller["measured_offset_ms"] is None
        assert [row["reason"] for row in rows(result, "unknowns")] == ["too_few_anchors"]
    clock = mapping(asked(booking(), "inspect_clocks"), "clock")
    assert (clock["first_ms"], clock["last_ms"], clock["events_without_clock"]) == (346, 31_428, 0)


def test_a_time_leads_to_an_event_and_back() -> None:
    media = mapping(asked(booking(), "inspect_clocks", clock_ms=16_700), "media")
    event = mapping(media, "event")
    assert (event["event_id"], media["media_ms"]) == ("e0118", 16_700)
    back = mapping(asked(booking(), "inspect_clocks", cursor=event["event_index"]), "media")
    assert back["media_ms"] == 16_635


def test_a_call_without_clock_and_audio() -> None:
    result = asked(view_of(bus("weather")), "inspect_clocks")
    assert mapping(result, "media") == {"cursor": 0, "media_ms": None, "event": None}
    assert [row["what"] for row in rows(result, "unknowns")] == ["audio", "time of 1 events"]
    assert code_of(booking(), "inspect_clocks", clock_ms="5") == "INVALID_COMMAND"
