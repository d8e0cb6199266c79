"""`list_findings`: rules by code and short name, and what stands beside a finding."""

from support.questions import asked, booking, bus, code_of, trace, view_of

from engine.core.artifact.findings import RULES
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows
from engine.core.cursor import SHORT_NAMES, rule_code


def test_every_rule_has_a_short_name_in_the_tables_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == [code for code in SHORT_NAMES.values() if code in codes]
    assert len(set(SHORT_NAMES.values())) == len(SHORT_NAMES) == 19
    for name, code in SHORT_NAMES.items():
        assert rule_code(name) == rule_code(name.upper()) == rule_code(code.lower()) == code


def test_rows_are_the_artifacts_with_their_events_in_words() -> None:
    view = booking()
    result = asked(view, "list_findings")
    assert result["total"] == result["findings_total"] == len(view.findings)
    for row, finding in zip(rows(result, "items"), view.findings, strict=True):
        assert {key: row[key] for key in finding} == finding
        assert row["event_id"] == view.event_id(int(str(row["at"])))
        assert [event["event_id"] for event in rows(row, "event_rows")] == row["events"]


def test_the_overwrite_is_found_in_the_racy_call_only() -> None:
    found = {name: asked(booking(name), "list_findings", rule="overwritten") for name in
             ("racy", "clean")}  # fmt: skip
    [row] = rows(found["racy"], "items")
    assert (row["event_id"], row["visits"]) == ("e0136", ["no_table#1"])
    assert found["clean"]["total"] == 0


def test_narrowing_and_mistakes() -> None:
    result = asked(booking(), "list_findings", visit_id="no_table#1")
    assert [row["code"] for row in rows(result, "items")] == ["SLOT_OVERWRITTEN_UNSUPPORTED"]
    one = asked(booking(), "list_findings", finding="SPEECH_CUT_BY_CALLER#1")
    assert [row["finding_id"] for row in rows(one, "items")] == ["SPEECH_CUT_BY_CALLER#1"]
    assert one["unknowns"] == []
    assert code_of(booking(), "list_findings", finding="GONE#1") == "EVENT_UNAVAILABLE"
    assert code_of(booking(), "list_findings", rule="duplicat") == "INVALID_COMMAND"
    assert code_of(booking(), "list_findings", rule=3) == "INVALID_COMMAND"


def test_what_a_rule_lacks_is_named() -> None:
    missing = rows(asked(booking(), "list_findings", rule="duplicate"), "unknowns")
    assert [row["what"] for row in missing] == [
        "the content fingerprint of 6 of 6 playbacks", "the client's word for 6 of 6 playbacks",
    ]  # fmt: skip
    assert asked(booking(), "list_findings", rule="no_edge")["unknowns"] == []
    missing = rows(asked(booking(), "list_findings", rule="tool_repeated"), "unknowns")
    assert [row["reason"] for row in missing] == ["not_snapshotted"]


def repeated(messages: JsonValue) -> JsonObject:
    """The finding of a tool called twice, with what the second run was given."""
    given: JsonObject = {} if messages is None else {"messages": messages}
    view = view_of(
        trace("state_entered", state_id="menu", clock_ms=0),
        bus("tool_called", tool="find", tool_call_id="k1", args_safe={"a": 1}, clock_ms=1),
        bus("tool_result", tool_call_id="k1", ok=True, result_safe={"b": 2}, clock_ms=2),
        bus("llm_requested", generation_id="g1", clock_ms=3, **given),
        bus(
            "tool_called",
            tool="find",
            tool_call_id="k2",
            args_safe={"a": 1},
            clock_ms=4,
            caused_by="e3",
        ),
    )
    [row] = rows(asked(view, "list_findings", rule="tool_repeated"), "items")
    return mapping(row, "first_result_in_input")


def test_whether_the_first_result_was_in_the_input() -> None:
    assert repeated([{"role": "tool", "text": '{"b":2}'}])["value"] is True
    assert repeated([{"role": "user", "text": "again"}])["value"] is False
    unknown = repeated(None)
    assert (unknown["value"], unknown["reason"]) == (None, "not_snapshotted")


def test_what_triggered_both_playbacks_of_a_pair() -> None:
    heard: JsonObject = {"content_fingerprint": "f", "client_ack": {"at": 1}}
    view = view_of(
        trace("state_entered", state_id="menu", clock_ms=0),
        bus("llm_requested", generation_id="g1", trigger="node_entry", clock_ms=1),
        bus("audio_requested", playback_id="p1", clock_ms=1, caused_by="e1", **heard),
        bus("audio_started", playback_id="p1", clock_ms=2, **heard),
        bus("audio_completed", playback_id="p1", clock_ms=9, **heard),
        bus("audio_started", playback_id="p2", clock_ms=11, **heard),
        bus("audio_completed", playback_id="p2", clock_ms=19, **heard),
    )
    result = asked(view, "list_findings", rule="duplicate")
    assert rows(result, "unknowns") == [
        {"what": "what triggered playback p2", "reason": "cause_not_recorded"}
    ]
    [row] = rows(result, "items")
    first, second = rows(row, "triggers")
    assert mapping(first, "generation")["trigger"] == "node_entry"
    assert (second["generation"], second["label"]) == (None, "unavailable")
