import pytest
from support.records import record


def result(**members):
    return record("tool_result", tool_call_id="k1", **members)


def test_ok_is_false(found, start) -> None:
    (finding,) = found([*start, result(ok=False)])
    assert finding["at"] == 1
    assert finding["events"] == ["bus:2"]
    assert finding["visits"] == ["a#1"]
    assert finding["severity"] == "error"
    assert finding["detail"] == {"tool_call_id": "k1"}


@pytest.mark.parametrize("other", [{"ok": True}, {}, {"error": "boom"}, {"ok": 0}], ids=str)
def test_anything_else(found, start, other) -> None:
    assert found([*start, result(**other)]) == []
