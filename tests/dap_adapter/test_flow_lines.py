"""Lines: every rule of the frame line (decision 4), and states by line."""

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]

LINES = {
    "state a": 8,
    "prompt a": 9,
    "edge a:0": 11,
    "set open_slot": 15,
    "clear hidden_slot": 17,
    "edge a:1": 18,
    "state b": 19,
    "entry_line b": 20,
}


def frame_lines(driver: Any) -> list[tuple[str, int]]:
    return [(frame["name"], frame["line"]) for frame in driver.stack()["stackFrames"]]


@pytest.mark.parametrize(
    ("actions", "line"),
    [
        (["enter a"], "state a"),
        (["enter a", "prompt"], "prompt a"),
        (["enter a", "guard"], "edge a:1"),
        (["enter a", "request"], "edge a:0"),
        (["enter a", "take"], "edge a:0"),
        (["enter a", "edge_set"], "set open_slot"),
        (["enter a", "edge_clear"], "clear hidden_slot"),
        (["enter a", "write open_slot one"], "state a"),
        (["enter a", "noise"], "state a"),
        (["enter a", "leave"], "state a"),
        (["enter b"], "state b"),
        ([], "state a"),
        (["noise"], "state a"),
        (["enter unknown"], None),
    ],
)
def test_the_frame_line_of_each_kind_of_event(
    new_driver: Make, script_call: Make, actions: list[str], line: str | None
) -> None:
    driver = new_driver(script_call(actions))
    driver.start(stopAt="end")
    assert frame_lines(driver)[0][1] == (LINES[line] if line else 1)


def test_an_audio_event_stands_on_the_prompt_or_the_entry_line(
    new_driver: Make, tiny_recording: Make
) -> None:
    def record(**fields: object) -> dict:
        return {"seq": 5, "playback_id": "p", "content_fingerprint": None, **fields}

    entered = {"type": "state_entered", "seq": 0, "state_id": "b"}
    audio = record(type="audio_requested", state_id="b", source_kind="entry_line")
    driver = new_driver(tiny_recording(trace=[entered], bus=[audio]))
    driver.start(stopAt="end")
    assert frame_lines(driver) == [("b#1", LINES["entry_line b"])]


def test_a_past_visit_stands_where_its_closing_record_does(
    new_driver: Make, script_call: Make
) -> None:
    driver = new_driver(script_call(["enter a", "take", "enter b", "leave", "noise"]))
    driver.start(stopAt="end")
    assert frame_lines(driver) == [
        ("b#1 (left)", LINES["state b"]),
        ("earlier visits", 0),
        ("a#1", LINES["edge a:0"]),
    ]


def test_an_outer_visit_stands_on_its_state_while_an_inner_one_acts(
    new_driver: Make, script_call: Make
) -> None:
    driver = new_driver(script_call(["enter a", "nest b", "noise"]))
    driver.start(stopAt="end")
    assert frame_lines(driver) == [("b#1", LINES["state b"]), ("a#1", LINES["state a"])]


def test_lines_and_columns_count_from_where_the_client_counts(
    new_driver: Make, script_call: Make
) -> None:
    one, zero = new_driver(script_call(["enter b"])), new_driver(script_call(["enter b"]))
    one.start()
    zero.request("initialize", adapterID="x", linesStartAt1=False, columnsStartAt1=False)
    zero.request("launch", recording="x")
    zero.request("configurationDone")
    [a], [b] = one.stack()["stackFrames"], zero.stack()["stackFrames"]
    assert (a["line"] - 1, a["column"] - 1) == (b["line"], b["column"])
    path = {"path": "/x/flows/tiny.flow.yaml"}
    for driver, line in ((one, 19), (zero, 18)):
        [got] = driver.request("setBreakpoints", source=path, breakpoints=[{"line": line}])[
            "breakpoints"
        ]
        assert (got["verified"], got["line"]) == (True, line)


ONE_LINE = (
    '{"schema":"riff.flow/v1","flow_id":"one","entry":"a","slots":{},"states":'
    '{"a":{"prompt":"x"},"b":{"prompt":"y"}}}'
)


def test_a_flow_on_one_line_tells_states_apart_by_column(
    new_driver: Make, script_call: Make
) -> None:
    driver = new_driver(script_call(["enter a", "enter b", "enter a"], flow=ONE_LINE))
    driver.start()
    path = {"path": "/x/flows/tiny.flow.yaml"}
    column, first = ONE_LINE.index('"b"') + 1, ONE_LINE.index('"a":{') + 1
    wanted = [{"line": 1}, {"line": 1, "column": column}, {"line": 1, "column": first}]
    got = driver.request("setBreakpoints", source=path, breakpoints=wanted)["breakpoints"]
    assert [b["message"] for b in got] == [
        "hit 3 times in this call",
        "hit once in this call",
        "hit 2 times in this call",
    ]
    assert ["column" in b for b in got] == [False, True, True]
