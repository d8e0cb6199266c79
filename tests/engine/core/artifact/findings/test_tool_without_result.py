from support.records import noise, record

CALLED = record("tool_called", tool="book", tool_call_id="k1")
RESULT = record("tool_result", tool_call_id="k1", ok=True)


def test_a_call_without_a_result(found, start) -> None:
    (finding,) = found([*start, CALLED, noise()])
    assert finding["at"] == 2
    assert finding["events"] == ["bus:2"]
    assert finding["visits"] == ["a#1"]
    assert finding["detail"] == {"tool": "book", "tool_call_id": "k1"}


def test_a_later_result_answers(found, start) -> None:
    assert found([*start, CALLED, RESULT]) == []
    assert found([*start, CALLED, {**RESULT, "ok": False}]) == []
    assert len(found([*start, RESULT, CALLED])) == 1
    assert len(found([*start, CALLED, {**RESULT, "tool_call_id": "k2"}])) == 1
    assert found([]) == []
