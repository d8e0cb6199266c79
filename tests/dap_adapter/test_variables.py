"""Scopes and variables: values, labels, what lies behind them, pages."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from dap_adapter.requests.variables import ROWS_MAX

Make = Callable[..., Any]


@pytest.fixture
def at_overwrite(new_driver: Make, racy_recording: Any) -> Any:
    """A driver at the write that made 18:00 out of 19:00."""
    driver = new_driver(racy_recording)
    driver.start(stopAt="#135")
    return driver


def by_name(rows: list[dict]) -> dict[str, dict]:
    return {row["name"]: row for row in rows}


def test_the_scopes_and_their_order(at_overwrite: Any) -> None:
    frame = at_overwrite.stack()["stackFrames"][0]["id"]
    rows = at_overwrite.request("scopes", frameId=frame)["scopes"]
    assert [row["name"] for row in rows] == [
        "Slots",
        "Entry",
        "Recorded Exit",
        "Exits & Guards",
        "Pending",
        "Findings",
        "Position",
        "Call",
    ]
    assert [row["name"] for row in rows if row["expensive"]] == ["Call"]
    again = at_overwrite.request("scopes", frameId=frame)["scopes"]
    assert rows == again


def test_a_slot_shows_its_value_its_label_and_type(at_overwrite: Any) -> None:
    rows = by_name(at_overwrite.scope("Slots"))
    assert {name: (row["value"], row["type"]) for name, row in rows.items()} == {
        "party_size": ("4", "recorded number"),
        "time": ("18:00", "recorded string, written by this event"),
        "alternatives": ('["18:00","20:30"]', "recorded list"),
    }
    assert rows["time"]["evaluateName"] == 'slots["time"]'
    assert all("readOnly" in row["presentationHint"]["attributes"] for row in rows.values())


def test_behind_a_slot_stand_writer_write_event_old_value_and_history(at_overwrite: Any) -> None:
    slot = by_name(at_overwrite.scope("Slots"))["time"]
    parts = by_name(at_overwrite.children(slot["variablesReference"]))
    assert {name: row["value"] for name, row in parts.items()} == {
        "label": "recorded",
        "writer": "tool:check_availability",
        "write_event": "#135 e0136",
        "old": "19:00",
        "tool_call": "call_08",
        "changed": "true",
        "history": "",
    }
    lazy = parts["history"]
    assert lazy["presentationHint"]["lazy"] is True
    [only] = at_overwrite.children(lazy["variablesReference"])
    assert (only["name"], only["value"], only["indexedVariables"]) == ("", "2 writes", 2)
    writes = at_overwrite.children(only["variablesReference"])
    assert [row["value"] for row in writes] == [
        "#99 00:16.588 · null → 19:00 · tool:check_availability · get_time#1",
        "#135 00:21.863 · 19:00 → 18:00 · tool:check_availability · no_table#1",
    ]
    fields = {r["name"]: r["value"] for r in at_overwrite.children(writes[1]["variablesReference"])}
    assert fields["tool_call_id"] == "call_08"
    assert fields["turn_id"] == "t4"


def test_a_list_opens_into_its_members(at_overwrite: Any) -> None:
    slot = by_name(at_overwrite.scope("Slots"))["alternatives"]
    value = by_name(at_overwrite.children(slot["variablesReference"]))["value"]
    assert (value["value"], value["indexedVariables"]) == ('["18:00","20:30"]', 2)
    members = at_overwrite.children(value["variablesReference"])
    assert [(row["name"], row["value"]) for row in members] == [("[0]", "18:00"), ("[1]", "20:30")]


def test_entry_and_recorded_exit(at_overwrite: Any) -> None:
    assert at_overwrite.values("Entry")["time"] == "19:00"
    assert at_overwrite.values("Recorded Exit")["time"] == "18:00"


def test_exits_and_guards(at_overwrite: Any) -> None:
    at_overwrite.move("next")
    rows = by_name(at_overwrite.scope("Exits & Guards"))
    assert list(rows) == ["no_table:0", "no_table:1", "no_table:2"]
    taken = rows["no_table:0"]
    assert taken["value"] == (
        "→ confirm · when tool:check_availability:available=true · verdict true · taken"
    )
    fields = {r["name"]: r["value"] for r in at_overwrite.children(taken["variablesReference"])}
    assert (fields["verdict"], fields["recorded_verdict"], fields["taken"]) == ("true",) * 3


def test_pending(at_overwrite: Any) -> None:
    rows = at_overwrite.scope("Pending")
    assert [row["value"] for row in rows] == [
        "tool · since 00:21.861 · in no_table#1 · result at 00:21.863 (#138)"
    ]
    fields = {r["name"]: r["value"] for r in at_overwrite.children(rows[0]["variablesReference"])}
    assert (fields["kind"], fields["awaits"]) == ("tool", "a result")


def test_position(at_overwrite: Any) -> None:
    values = at_overwrite.values("Position")
    assert values.pop("hash").startswith("sha256:")
    assert values == {
        "event_index": "135",
        "event_id": "e0136",
        "clock": "00:21.863",
        "direction": "forward",
        "unit": "event",
    }


def test_at_the_start_nothing_is_recorded_yet(at_start: Any) -> None:
    assert set(at_start.values("Slots").values()) == {"unavailable: not_recorded"}
    assert at_start.values("Exits & Guards") == {}
    assert at_start.values("Position")["event_id"] == "null"


def test_a_redacted_slot_says_so(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a", "write hidden_slot secret"]))
    driver.start(stopAt="end")
    row = by_name(driver.scope("Slots"))["hidden_slot"]
    assert (row["value"], row["type"]) == (
        "<str len=6>",
        "redacted string, written by this event",
    )


HOSTILE = "\x1b[31m[click](command:x)\u202e\n\x00"


def test_text_of_a_call_reaches_the_client_as_data(new_driver: Make, tiny_recording: Make) -> None:
    entered = {"type": "state_entered", "seq": 0, "state_id": "a"}
    write = {"type": "slot_write", "kind": HOSTILE, "old": HOSTILE, "availability": "recorded"}
    bus = [
        {**write, "seq": 1, "slot": "open_slot", "writer": HOSTILE, "new": HOSTILE},
        {**write, "seq": 2, "slot": HOSTILE, "writer": "x", "new": {HOSTILE: [HOSTILE]}},
    ]
    driver = new_driver(tiny_recording(trace=[entered], bus=bus))
    driver.start(stopAt="end")
    driver.request("setDataBreakpoints", breakpoints=[{"dataId": "slot:open_slot"}])
    driver.move("reverseContinue")
    driver.shown()
    name = next(row["name"] for row in driver.scope("Slots") if "click" in row["name"])
    info = driver.request("dataBreakpointInfo", name=name)
    assert info["dataId"] == f"slot:{HOSTILE}"
    row = next(row for row in driver.scope("Slots") if "click" in row["name"])
    by_expression = driver.request("evaluate", expression=row["evaluateName"])
    assert by_expression["result"] == row["value"]
    sent = [m for m in driver.log if m["type"] != "request"]
    for message in sent:
        if message.get("command") != "dataBreakpointInfo":
            assert not set("\x1b\u202e\x00\n") & set(json.dumps(message, ensure_ascii=False))


@pytest.fixture
def many(new_driver: Make, script_call: Make) -> Any:
    """A driver at the end of a call that wrote one slot 1,234 times and 600 others once."""
    actions = ["enter a", *["write open_slot x"] * 1234]
    actions += [f"write extra_{n} y" for n in range(600)]
    driver = new_driver(script_call(actions))
    driver.start(stopAt="end")
    return driver


def test_a_history_is_paged(many: Any) -> None:
    slot = by_name(many.scope("Slots"))["open_slot"]
    lazy = by_name(many.children(slot["variablesReference"]))["history"]
    [only] = many.children(lazy["variablesReference"])
    reference, total = only["variablesReference"], only["indexedVariables"]
    assert total == 1234
    pages = [
        many.children(reference, start=s, count=100, filter="indexed") for s in range(0, total, 100)
    ]
    rows = [row for page in pages for row in page]
    assert [row["name"] for row in rows] == [f"[{n}]" for n in range(total)]
    assert many.children(reference, filter="named") == []
    assert many.children(reference, start=total, count=10) == []
    assert many.children(reference, start=total + 50) == []


def test_a_client_that_does_not_page_gets_a_bounded_list_and_the_rest_behind_a_row(
    many: Any,
) -> None:
    rows, total = many.scope("Slots"), 602
    assert len(rows) == ROWS_MAX + 1
    assert rows[-1]["name"] == f"… {total - ROWS_MAX} more"
    rest = many.children(rows[-1]["variablesReference"])
    assert len(rows) - 1 + len(rest) == total
    frame = many.stack(levels=1)["stackFrames"][0]["id"]
    scope = many.request("scopes", frameId=frame)["scopes"][0]["variablesReference"]
    whole = [many.children(scope, start=s, count=100) for s in range(0, total, 100)]
    assert [row for page in whole for row in page] == rows[:-1] + rest
    assert many.children(scope, count=0) == rows
    assert many.children(scope, filter="indexed") == []
