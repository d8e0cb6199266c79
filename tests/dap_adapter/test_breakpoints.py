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
    wanted = [
        ({"line": 45}, True, "hit once in this call"),
        ({"line": 45, "condition": "slots.time == '18:00'"}, True, "hit once in this call"),
        ({"line": 45, "condition": "slots.time == '19:00'"}, True, "never reached in this call"),
        ({"line": 45, "condition": "slots.tme == 1"}, False, "Did you mean 'time'?"),
        ({"line": 45, "condition": "1 +"}, False, ""),
        ({"line": 45, "condition": "slots.time + 1 == 2"}, True, "could not be evaluated once"),
        ({"line": 47}, True, "which stands on line 45. Hit once in this call"),
        ({"line": 2}, True, "the nearest that can is state 'greet'. Hit once in this call"),
        ({"line": 45, "hitCondition": "2"}, True, "hit once in this call, stops at 0 of them"),
        ({"line": 45, "hitCondition": "last"}, True, "hit once in this call"),
        ({"line": 45, "hitCondition": "often"}, False, "`%2` or `last`"),
        ({"line": 45, "logMessage": "{slots.tme}"}, False, "Did you mean 'time'?"),
        ({"line": 45, "logMessage": "{"}, False, "'}'"),
        ({"line": 36}, True, "never reached in this call"),
        ({"line": 9999}, False, "lines 1 to"),
        ({"line": 0}, False, "lines 1 to"),
        ({"line": 45}, True, "hit once in this call"),
    ]
    got = set_lines(at_start, *(breakpoint_ for breakpoint_, _, _ in wanted))
    assert [b["verified"] for b in got] == [verified for _, verified, _ in wanted]
    for answer, (_, _, words) in zip(got, wanted, strict=True):
        assert words in answer["message"]
    assert (got[6]["line"], got[7]["line"]) == (45, 3)
    assert len({b["id"] for b in got}) == len(got)
    assert all("column" not in b for b in got)
    [foreign] = at_start.request(
        "setBreakpoints", source={"path": "/x/other.py"}, breakpoints=[{"line": 45}]
    )["breakpoints"]
    assert (foreign["verified"], "not the flow" in foreign["message"]) == (False, True)


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
    assert [e["breakpoint"]["verified"] for e in events] == [True, True, True]
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
        "accessTypes": ["write", "read", "readWrite"],
        "canPersist": True,
    }
    for scope in scopes[:3]:
        reference = scope["variablesReference"]
        got = at_start.request("dataBreakpointInfo", name="time", variablesReference=reference)
        assert got == by_name
    for name, reference in (
        ("event_index", scopes[6]["variablesReference"]),
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
        {"dataId": "slot:time", "hitCondition": "x"},
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


# -- places of the flow ----------------------------------------------------------------------------

TINY = {"path": "/x/flows/tiny.flow.yaml"}
CALL = [
    "enter a", "prompt", "guard", "write open_slot one", "edge_set", "edge_clear", "take",
    "enter b", "guard",
]  # fmt: skip


def column_of(flow: str, line: int, words: str) -> int:
    return flow.splitlines()[line - 1].index(words) + 1


@pytest.fixture
def tiny(new_driver: Make, script_call: Make) -> Any:
    driver = new_driver(script_call(CALL))
    driver.start()
    return driver


@pytest.mark.parametrize(
    ("line", "words", "cursors"),
    [
        (8, None, [0]),
        (9, None, [1]),
        (11, None, [6]),
        (12, "slot_set", []),
        (15, None, [4]),
        (17, None, [5]),
        (18, None, []),
        (18, "always", [2, 8]),
        (20, None, []),
    ],
)
def test_states_edges_guards_sets_and_prompts_stop(
    tiny: Any, line: int, words: str | None, cursors: list[int]
) -> None:
    """A state, its prompt, an edge, a guard, a set, a clear, an edge in one line, a prompt."""
    text = str(tiny.session._state.opened.view.flow["text"])
    column = {} if words is None else {"column": column_of(text, line, words)}
    got = tiny.request("setBreakpoints", source=TINY, breakpoints=[{"line": line, **column}])
    [answer] = got["breakpoints"]
    assert answer["verified"], answer
    assert (answer["line"], answer.get("column")) == (line, column.get("column"))
    found = []
    while tiny.move("continue").get("hitBreakpointIds") == [answer["id"]]:
        found.append(tiny.cursor)
        frame = tiny.stack()["stackFrames"][0]
        assert frame["line"] == line or line in (12, 18)
        if tiny.cursor == 8:
            break
    assert found == cursors
    if 8 in cursors:
        assert tiny.move("continue")["description"] == "End of recording"
    back = []
    while "hitBreakpointIds" in tiny.move("reverseContinue"):
        back.append(tiny.cursor)
    assert back == [cursor for cursor in cursors if cursor != 8][::-1]


def test_locations_are_the_places_that_stop(tiny: Any, new_driver: Make, script_call: Make) -> None:
    everywhere = tiny.request("breakpointLocations", source=TINY, line=1, endLine=99)["breakpoints"]
    assert {8, 9, 11, 12, 15, 17, 18, 19, 20} <= {found["line"] for found in everywhere}
    for found in everywhere:
        [got] = tiny.request("setBreakpoints", source=TINY, breakpoints=[
            {"line": found["line"], "column": found["column"]}])["breakpoints"]  # fmt: skip
        assert (got["verified"], got["line"], got["column"]) == (
            True,
            found["line"],
            found["column"],
        )
    on_line = tiny.request("breakpointLocations", source=TINY, line=18)["breakpoints"]
    assert len(on_line) == 2
    second = on_line[1]
    inner = tiny.request(
        "breakpointLocations", source=TINY, line=18, column=second["column"], endColumn=99
    )["breakpoints"]
    assert inner == [second]
    other = tiny.request("breakpointLocations", source={"path": "/x/y.yaml"}, line=1, endLine=99)
    assert other == {"breakpoints": []}
    early = new_driver(script_call(CALL))
    early.request("initialize", adapterID="x", linesStartAt1=False, columnsStartAt1=False)
    assert early.request("breakpointLocations", source=TINY, line=1) == {"breakpoints": []}
    early.request("launch", recording="x")
    zero = early.request("breakpointLocations", source=TINY, line=17)["breakpoints"]
    assert [(b["line"] + 1, b["column"] + 1) for b in zero] == [
        (b["line"], b["column"]) for b in on_line
    ]


# -- functions, findings, reads --------------------------------------------------------------------


def test_names_stop(at_start: Any) -> None:
    wanted = ["confirm", "tool:check_*", "speaker:caller", "state:*", "guard:*", "nope", "x:y", ""]
    got = at_start.request(
        "setFunctionBreakpoints", breakpoints=[{"name": name} for name in wanted]
    )["breakpoints"]
    assert len(got) == len(wanted)
    assert [b["message"] for b in got[:4]] == [
        "hit once in this call",
        "hit 2 times in this call",
        "hit 6 times in this call",
        "hit 5 times in this call",
    ]
    assert "never reached in this call" in got[5]["message"]
    assert [b["verified"] for b in got[6:]] == [False, False]
    again = at_start.request("setFunctionBreakpoints", breakpoints=[{"name": "tool:check_*"}])
    [tool] = again["breakpoints"]
    assert tool["id"] == got[1]["id"]
    body = at_start.move("continue")
    assert (body["reason"], body["hitBreakpointIds"]) == ("function breakpoint", [tool["id"]])
    with_condition = {
        "name": "tool:check_*",
        "condition": 'slots.time == "19:00"',
        "hitCondition": "1",
    }
    [got_one] = at_start.request("setFunctionBreakpoints", breakpoints=[with_condition])[
        "breakpoints"
    ]
    assert got_one["message"] == "hit once in this call"


def test_findings_stop_as_exceptions_and_show_their_card(
    new_driver: Make, racy_recording: Any
) -> None:
    findings = [*racy_recording.view.findings]
    if not findings:
        pytest.skip("the recording was built before findings")
    driver = new_driver(racy_recording)
    driver.start()
    code = findings[0]["code"]
    got = driver.request("setExceptionBreakpoints", filters=[code, "NOPE"])["breakpoints"]
    assert [b["verified"] for b in got] == [True, False]
    body = driver.move("continue")
    assert (body["reason"], body["hitBreakpointIds"]) == ("exception", [got[0]["id"]])
    assert driver.cursor == findings[0]["at"]
    assert body["text"].startswith(f"{code}: ")
    card = driver.request("exceptionInfo", threadId=1)
    assert (card["exceptionId"], card["breakMode"]) == (code, "always")
    assert card["details"]["fullTypeName"] == findings[0]["finding_id"]
    assert "at #" in card["details"]["stackTrace"]
    rows = driver.scope("Findings")
    assert len(rows) == len(findings)
    assert [row["type"] for row in rows].count("at this event") >= 1


def test_a_filter_with_a_condition(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    driver.start()
    code = "SLOT_OVERWRITTEN_UNSUPPORTED"
    options = [
        {"filterId": code, "condition": "true"},
        {"filterId": code, "condition": "false"},
        {"filterId": code, "condition": "nope"},
    ]
    got = driver.request("setExceptionBreakpoints", filters=[code], filterOptions=options)
    answers = got["breakpoints"]
    assert [b["verified"] for b in answers] == [True, True, True, False]
    assert answers[0]["message"] == answers[1]["message"]
    assert answers[2]["message"] == "never reached in this call"


def test_every_filter_is_a_rule_of_the_core(at_start: Any) -> None:
    from dap_adapter.capabilities import FINDING_CODES
    from engine.core.cursor import SHORT_NAMES

    assert tuple(SHORT_NAMES.values()) == FINDING_CODES
    assert at_start.request("setExceptionBreakpoints", filters=[]) == {"breakpoints": []}


def test_reads_of_a_slot(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(CALL))
    driver.start()
    reads, both = set_slots(
        driver,
        {"dataId": "slot:open_slot", "accessType": "read"},
        {"dataId": "slot:open_slot", "accessType": "readWrite", "condition": "true"},
    )
    assert reads["message"] == "hit once in this call"
    assert both["message"] == "hit 3 times in this call"
    body = driver.move("continue")
    assert body["hitBreakpointIds"] == [reads["id"], both["id"]]
    assert body["text"].split("; ")[0] == "open_slot is read by this prompt_resolved"
    assert driver.cursor == 1


def test_conditions_on_data_breakpoints_see_the_new_value(at_start: Any) -> None:
    first, second = set_slots(
        at_start,
        {"dataId": "slot:time", "condition": 'slots.time == "18:00" && prev.time == "19:00"'},
        {"dataId": "slot:time", "hitCondition": "1"},
    )
    assert (first["message"], second["message"]) == (
        "hit once in this call",
        "hit 2 times in this call, stops at 1 of them",
    )
    assert at_start.move("continue")["hitBreakpointIds"] == [second["id"]]
    assert at_start.move("continue")["hitBreakpointIds"] == [first["id"]]
    assert at_start.move("continue")["description"] == "End of recording"
    assert at_start.move("reverseContinue")["hitBreakpointIds"] == [first["id"]]
    assert at_start.move("reverseContinue")["hitBreakpointIds"] == [second["id"]]


# -- log points ------------------------------------------------------------------------------------


def outputs(sent: list[dict]) -> list[dict]:
    return [message["body"] for message in sent if message.get("event") == "output"]


def test_a_log_point_prints_every_hit_at_once_and_never_stops(at_start: Any) -> None:
    log = {"line": 3, "logMessage": "time is {slots.time}, {{really}}"}
    sent = at_start.send("setBreakpoints", {"source": FLOW, "breakpoints": [log, {"line": 45}]})
    assert [b["verified"] for b in sent[0]["body"]["breakpoints"]] == [True, True]
    [line] = outputs(sent)
    assert line["output"] == "#3 00:00.6 greet · time is <unavailable: not_recorded>, {really}\n"
    assert (line["line"], line["source"]["name"]) == (3, "flow.yaml")
    again = at_start.send("setBreakpoints", {"source": FLOW, "breakpoints": [log, {"line": 45}]})
    assert outputs(again) == []
    other = {**log, "condition": "true"}
    assert len(outputs(at_start.send("setBreakpoints", {"source": FLOW, "breakpoints": [other]})))
    body = at_start.move("continue")
    assert body["description"] == "End of recording"


def test_log_points_before_the_launch_print_when_it_is_open(
    new_driver: Make, racy_recording: Any
) -> None:
    driver = new_driver(racy_recording)
    driver.request("initialize", adapterID="x")
    set_lines(driver, {"line": 45, "logMessage": "here"})
    assert len(outputs(driver.send("launch", {"recording": "x"}))) == 1


def test_past_a_thousand_lines_are_paged(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a"] * 1203))
    driver.start()
    log = {"line": 8, "logMessage": "visit {visit.visit_id}"}
    printed = outputs(driver.send("setBreakpoints", {"source": TINY, "breakpoints": [log]}))
    assert len(printed) == 1001
    assert printed[999]["output"].endswith("visit a#1000\n")
    assert printed[1000]["output"] == "… 203 more\n"
    reference = printed[1000]["variablesReference"]
    rest = driver.children(reference)
    assert len(rest) == 203
    assert rest[0]["value"].endswith("visit a#1001")
    page = driver.children(reference, filter="indexed", start=100, count=50)
    assert page == rest[100:150]
    driver.request("setBreakpoints", source=TINY, breakpoints=[])
    assert driver.children(reference) == []


def test_text_of_a_call_in_a_log_line_is_data(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a", "write open_slot \x1b[31mred"]))
    driver.start()
    log = {"line": 8, "logMessage": "{event.type} \x1b[2J"}
    [line] = outputs(driver.send("setBreakpoints", {"source": TINY, "breakpoints": [log]}))
    assert "\x1b" not in line["output"]
