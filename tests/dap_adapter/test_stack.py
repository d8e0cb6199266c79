"""The stack: what is open, what is past, pages of any size."""

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]


def names(driver: Any, **page: int) -> list[str]:
    return [frame["name"] for frame in driver.stack(**page)["stackFrames"]]


def test_before_the_first_entry_there_is_one_frame_on_the_entry_state(at_start: Any) -> None:
    answer = at_start.stack()
    assert answer["totalFrames"] == 1
    [frame] = answer["stackFrames"]
    assert (frame["name"], frame["line"]) == ("start of recording", 3)
    at_start.move("next")
    assert names(at_start) == ["start of recording"]


def test_open_visits_then_a_label_then_past_ones_newest_first(
    new_driver: Make, racy_recording: Any
) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="confirm#1")
    frames = driver.stack()["stackFrames"]
    assert [frame["name"] for frame in frames] == [
        "confirm#1",
        "earlier visits",
        "no_table#1",
        "get_time#1",
        "greet#1",
    ]
    hints = [frame.get("presentationHint") for frame in frames]
    assert hints == [None, "label", "subtle", "subtle", "subtle"]
    assert frames[1]["canRestart"] is False
    assert "source" not in frames[1]


def test_nested_visits_stand_innermost_first(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter b", "enter a", "nest b", "nest a", "noise", "leave"]))
    driver.start(stopAt="end")
    assert names(driver) == ["a#2", "b#2", "a#1", "earlier visits", "b#1"]


def test_a_visit_that_was_left_says_so(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a", "leave", "noise", "enter b"]))
    driver.start(stopAt="#1")
    assert names(driver) == ["a#1"]
    driver.move("next")
    assert names(driver) == ["a#1 (left)"]
    driver.move("next")
    assert names(driver) == ["b#1", "earlier visits", "a#1"]


def test_a_past_frame_shows_its_slots_as_they_were_at_its_close(
    new_driver: Make, racy_recording: Any
) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="confirm#1")
    frames = driver.stack()["stackFrames"]
    shown = {f["name"]: driver.values("Slots", f["id"]) for f in frames if "source" in f}
    assert {name: values["time"] for name, values in shown.items()} == {
        "confirm#1": "18:00",
        "no_table#1": "18:00",
        "get_time#1": "19:00",
        "greet#1": "unavailable: not_recorded",
    }
    position = driver.values("Position", frames[3]["id"])
    assert position["event_index"] == "106"
    exits = driver.values("Exits & Guards", frames[3]["id"])
    assert exits["get_time:1"].endswith("taken")


def test_ids_of_earlier_stops_still_mean_what_they_meant(
    new_driver: Make, racy_recording: Any
) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="#99")
    [old] = [f["id"] for f in driver.stack(levels=1)["stackFrames"]]
    before = driver.scope("Slots", old)
    driver.move("continue")
    assert driver.scope("Slots", old) == before
    assert driver.request("evaluate", expression="time", frameId=old)["result"] == "19:00"
    driver.request("evaluate", expression="time")
    assert driver.request("evaluate", expression="time")["result"] == "18:00"


@pytest.mark.parametrize("visits", [1, 2, 20, 21, 300])
def test_pages_add_up_to_the_whole(new_driver: Make, script_call: Make, visits: int) -> None:
    driver = new_driver(
        script_call(["enter a", "enter b"] * (visits // 2) + ["enter a"] * (visits % 2))
    )
    driver.start(stopAt="end")
    whole = driver.stack()
    total = whole["totalFrames"]
    assert total == len(whole["stackFrames"]) == (1 if visits == 1 else visits + 1)
    paged, start = [], 0
    for levels in (1, 19, *[20] * (total // 20 + 1)):
        page = driver.stack(startFrame=start, levels=levels)
        assert page["totalFrames"] == total
        paged += page["stackFrames"]
        start += levels
    assert paged == whole["stackFrames"]
    assert driver.stack(startFrame=total, levels=5)["stackFrames"] == []
    assert driver.stack(startFrame=total + 99)["stackFrames"] == []
    assert driver.stack(startFrame=1, levels=0)["stackFrames"] == whole["stackFrames"][1:]
