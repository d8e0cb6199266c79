"""Breakpoints: one answer an entry, stable ids, refusals at their place, messages that know."""

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]
FLOW = {"path": "/somewhere/flow.yaml"}


def set_lines(driver: Any, *breakpoints: dict) -> list[dict]:
    got = driver.request("setBreakpoints", source=FLOW, breakpoints=list(breakpoints))
    return got["breakpoints"]


def set_slots(driver: Any, *breakpoints: dict) -> list[dict]:
    return driver.request("setDataBreakpoints", breakpoints=list(breakpoints))["breakpoints"]


def test_answers_are_positional_and_say_what_happens(at_start: Any) -> None:
    got = set_lines(
        at_start,
        {"line": 45},
        {"line": 45, "condition": "slots.time == '18:00'"},
        {"line": 47},
        {"line": 2},
        {"line": 45, "hitCondition": "2"},
        {"line": 45, "logMessage": "x"},
        {"line": 36},
        {"line": 9999},
        {"line": 0},
        {"line": 45},
    )
    assert [b["verified"] for b in got] == [
        True,
        False,
        True,
        False,
        False,
        False,
        True,
        False,
        False,
        True,
    ]
    messages = [b["message"] for b in got]
    assert messages[0] == "hit once in this call"
    assert "condition" in messages[1]
    assert messages[2] == "Moved to line 45, the line of state 'confirm': hit once in this call"
    assert "'greet' on line 3" in messages[3]
    assert "hit count" in messages[4]
    assert "log message" in messages[5]
    assert messages[6] == "never reached in this call"
    assert got[2]["line"] == 45
    assert len({b["id"] for b in got}) == len(got)
    assert all("column" not in b for b in got)


def test_ids_stay_when_sent_again(at_start: Any) -> None:
    first = set_lines(at_start, {"line": 3}, {"line": 45})
    second = set_lines(at_start, {"line": 45}, {"line": 20}, {"line": 3})
    assert [second[2]["id"], second[0]["id"]] == [b["id"] for b in first]
    assert second[1]["id"] not in [b["id"] for b in first]
    data = set_slots(at_start, {"dataId": "slot:time"})
    assert data == set_slots(at_start, {"dataId": "slot:time"})
    assert data[0]["id"] not in [b["id"] for b in second]


def test_a_state_s_line_stops_when_it_is_entered_and_only_continuing_does(at_start: Any) -> None:
    [breakpoint_] = set_lines(at_start, {"line": 45})
    body = at_start.move("continue")
    assert body["reason"] == "breakpoint"
    assert body["hitBreakpointIds"] == [breakpoint_["id"]]
    assert body["description"] == "▶ #142 00:21.8 confirm"
    at_start.move("stepBack")
    assert at_start.move("next")["reason"] == "step"
    assert at_start.move("continue")["description"] == "End of recording"
    body = at_start.move("reverseContinue")
    assert body["description"] == "◀ #142 00:21.8 confirm"
    assert at_start.move("reverseContinue")["description"] == "Start of recording"


def test_lines_as_old_clients_send_them(at_start: Any) -> None:
    got = at_start.request("setBreakpoints", source=FLOW, lines=[45, 3])["breakpoints"]
    assert [b["line"] for b in got] == [45, 3]
    both = at_start.request("setBreakpoints", source=FLOW, lines=[3], breakpoints=[{"line": 45}])
    assert [b["line"] for b in both["breakpoints"]] == [45]
    assert at_start.request("setBreakpoints", source=FLOW)["breakpoints"] == []


def test_pending_breakpoints_are_verified_by_event(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    driver.request("initialize", adapterID="x")
    pending = set_lines(driver, {"line": 45}, {"line": 1}) + set_slots(
        driver, {"dataId": "slot:time"}
    )
    assert [(b["verified"], b["reason"]) for b in pending] == [(False, "pending")] * 3
    sent = driver.send("launch", {"recording": "x"})
    events = [m["body"] for m in sent if m.get("event") == "breakpoint"]
    assert [e["breakpoint"]["id"] for e in events] == [b["id"] for b in pending]
    assert [e["breakpoint"]["verified"] for e in events] == [True, False, True]
    assert {e["reason"] for e in events} == {"changed"}


# -- data breakpoints ------------------------------------------------------------------------------


def test_a_slot_by_name_and_as_a_row(at_start: Any) -> None:
    frame = at_start.stack()["stackFrames"][0]["id"]
    scopes = at_start.request("scopes", frameId=frame)["scopes"]
    by_name = at_start.request("dataBreakpointInfo", name="time")
    assert by_name == {
        "dataId": "slot:time",
        "description": "Writes of time: hit 2 times in this call, last by"
        " tool:check_availability at #135",
        "accessTypes": ["write"],
        "canPersist": True,
    }
    for scope in scopes[:3]:
        reference = scope["variablesReference"]
        got = at_start.request("dataBreakpointInfo", name="time", variablesReference=reference)
        assert got == by_name
    for name, reference in (
        ("event_index", scopes[5]["variablesReference"]),
        ("nothing", scopes[0]["variablesReference"]),
        ("nothing", 0),
        ("time", 12345),
        ('slots["nothing"]', 0),
    ):
        got = at_start.request("dataBreakpointInfo", name=name, variablesReference=reference)
        assert got["dataId"] is None
        assert got["description"]
    assert at_start.request("dataBreakpointInfo", name='slots["time"]')["dataId"] == "slot:time"


def test_what_cannot_be_a_data_breakpoint_is_refused_at_its_place(at_start: Any) -> None:
    got = set_slots(
        at_start,
        {"dataId": "slot:nothing"},
        {"dataId": "time"},
        {"dataId": "slot:time", "accessType": "read"},
        {"dataId": "slot:time", "condition": "x"},
        {"dataId": "slot:time", "accessType": "write"},
    )
    assert [b["verified"] for b in got] == [False] * 4 + [True]
    assert all(b["message"] for b in got)


def test_reverse_continue_answers_who_wrote_last(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="end")
    [data] = set_slots(driver, {"dataId": "slot:time"})
    body = driver.move("reverseContinue")
    assert body["reason"] == "data breakpoint"
    assert body["hitBreakpointIds"] == [data["id"]]
    assert body["description"] == "◀ #135 00:21.8 no_table"
    assert body["text"] == "time: 19:00 → 18:00, written by tool:check_availability"
    assert driver.move("reverseContinue")["text"] == (
        "time: null → 19:00, written by tool:check_availability"
    )
    assert driver.move("reverseContinue")["reason"] == "entry"


def test_a_line_and_a_slot_at_one_place(new_driver: Make, tiny_recording: Make) -> None:
    seeded = {
        "type": "session_slots_seeded",
        "seq": 1,
        "session_id": "x",
        "slots": [
            {"slot": "open_slot", "safe_value": "a", "availability": "recorded", "writer": "w"}
        ],
        "snapshot_fingerprint": None,
        "fingerprint_scheme": None,
    }
    driver = new_driver(tiny_recording(bus=[{**seeded, "seq": n} for n in range(2)]))
    driver.start()
    set_slots(driver, {"dataId": "slot:open_slot"}, {"dataId": "slot:open_slot"})
    first = driver.move("continue")
    assert len(first["hitBreakpointIds"]) == 2
    assert "null → a" in first["text"]
    at_end = driver.move("continue")
    assert at_end["reason"] == "data breakpoint"
    assert "End of recording" in at_end["text"]


@pytest.mark.parametrize("filters", [[], ["x"], ["x", "y"]])
def test_exception_filters_are_answered_and_refused(at_start: Any, filters: list[str]) -> None:
    got = at_start.request("setExceptionBreakpoints", filters=filters)["breakpoints"]
    assert [b["verified"] for b in got] == [False] * len(filters)
