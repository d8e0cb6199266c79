"""The timeline page's requests: query, seek, peaks, audio."""

import base64
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]
RACY = Path(__file__).parents[2] / "fixtures/booking_racy"


def query(driver: Any, command: dict[str, Any]) -> Any:
    [answer] = driver.send("stateProgram/query", {"command": command})
    assert answer["success"], answer
    return answer["body"]


@pytest.fixture
def at_racy(new_driver: Make) -> Any:
    driver = new_driver()
    driver.start(RACY)
    return driver


def test_a_query_is_the_core_s_and_moves_nothing(at_racy: Any) -> None:
    body = query(at_racy, {"action": "timeline", "limit": 50})
    assert (body["cursor"], body["direction"]) == (-1, "forward")
    lanes = {lane["lane"]: lane for lane in body["result"]["lanes"]}
    assert lanes["visits"]["items"][0]["title"] == "greet#1"
    table = query(at_racy, {"action": "clock_table", "limit": 10})
    assert len(table["result"]["clocks"]) == 10
    at = query(at_racy, {"action": "timeline", "cursor": 8})
    assert at["result"]["place"]["event"]["type"] == "audio_started"
    assert at_racy.cursor == -1


@pytest.mark.parametrize(
    "command",
    [{"action": "step"}, {"action": "seek", "event_index": 3}, {}, {"action": ["timeline"]},
     {"action": "timeline", "cursor": 9_999}, {"action": "timeline", "cursor": True},
     {"action": "timeline", "limit": 0}],
)  # fmt: skip
def test_what_moves_or_is_wrong_is_refused(at_racy: Any, command: dict[str, Any]) -> None:
    [answer] = at_racy.send("stateProgram/query", {"command": command})
    assert not answer["success"]
    assert "adapter failed" not in answer["body"]["error"]["format"]


def test_a_seek_moves_and_tells_the_client(at_racy: Any) -> None:
    answer, *events = at_racy.send("stateProgram/seek", {"clock_ms": 16_700})
    assert [event["event"] for event in events] == ["continued", "stopped"]
    assert events[1]["body"]["reason"] == "goto"
    assert events[1]["body"]["description"].startswith("▶")
    assert at_racy.cursor == answer["body"]["cursor"] > 0
    assert len(at_racy.send("stateProgram/seek", {"event_index": at_racy.cursor})) == 1
    _, _, stopped = at_racy.send("stateProgram/seek", {"event_index": 8})
    assert stopped["body"]["description"].startswith("◀")
    for wrong in ({}, {"event_index": 9_999}, {"event_index": 1, "clock_ms": 1}, {"nowhere": 1}):
        [refused] = at_racy.send("stateProgram/seek", wrong)
        assert not refused["success"]
    assert at_racy.cursor == 8


def test_peaks_are_the_audio_s(at_racy: Any) -> None:
    body = at_racy.request("stateProgram/peaks", audioId="caller")
    [channel] = body["channels"]
    assert (channel["name"], body["binMs"], body["offsetMs"]) == ("caller", 50, 352)
    lows, highs = (array("h", base64.b64decode(channel[key])) for key in ("lows", "highs"))
    assert len(lows) == len(highs) > 500
    assert all(low <= high for low, high in zip(lows, highs, strict=True))


def test_audio_comes_in_pieces(at_racy: Any) -> None:
    whole = (RACY / "audio_caller.wav").read_bytes()
    where = at_racy.request("stateProgram/audio", audioId="caller")
    assert (Path(where["path"]), where["size"]) == (RACY / "audio_caller.wav", len(whole))
    assert where["data"] == ""
    piece = at_racy.request("stateProgram/audio", audioId="caller", offset=40, length=8)
    assert base64.b64decode(piece["data"]) == whole[40:48]
    for wrong in ({"audioId": "none"}, {"audioId": "caller", "offset": -1}, {}):
        [refused] = at_racy.send("stateProgram/audio", wrong)
        assert not refused["success"]


def test_without_audio_the_reason_is_told(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a", "enter b"]))
    driver.start()
    for command in ("peaks", "audio"):
        [refused] = driver.send(f"stateProgram/{command}", {"audioId": "caller"})
        assert "has no audio" in refused["body"]["error"]["format"]
    body = query(driver, {"action": "timeline"})
    assert [item["id"] for item in body["result"]["lanes"][0]["items"]] == ["a#1", "b#1"]


def test_before_a_recording_is_open_nothing_is_served(new_driver: Make) -> None:
    driver = new_driver()
    for name in ("query", "seek", "peaks", "audio"):
        [refused] = driver.send(f"stateProgram/{name}", {"command": {}, "audioId": ""})
        assert not refused["success"]
