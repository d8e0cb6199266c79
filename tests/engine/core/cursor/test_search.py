"""`search`: words, types and ids; bounded, and says when it did not read all."""

import pytest
from support.questions import asked, booking, code_of, segment, view_of

import engine.core.cursor.search as search_module
from engine.core.contract.json_types import JsonValue, rows


def found(text: str) -> list[tuple[JsonValue, JsonValue]]:
    result = asked(booking(), "search", text=text, limit=1000)
    return [(row["event_id"], row["field"]) for row in rows(result, "items")]


def test_words_types_and_ids() -> None:
    assert found("SIX") == [("e0092", "text")]
    assert found("slot_wr") == [(e, "type") for e in ("e0032", "e0100", "e0101", "e0136")]
    assert found("e0136") == [("e0136", "id")]
    assert found("no_table#1") == [("e0108", "id")]
    assert found(str(booking().playback[0]["playback_id"])) == [("e0007", "id")]
    assert found("SPEECH_CUT_BY_CALLER#1") == [("e0056", "id")]
    assert found("zebra") == []


def test_a_bounded_answer_says_where_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "SEGMENTS_MAX", 2)
    view = view_of(*(segment("caller", text=f"six {n}") for n in range(5)))
    places: list[JsonValue] = []
    start: JsonValue = 0
    while start is not None:
        result = asked(view, "search", text="six", from_event=start)
        places += [row["event_index"] for row in rows(result, "items")]
        assert result["complete"] is (result["next_event"] is None)
        start = result["next_event"]
    assert places == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("text", ["", "x" * 201, None, 7])
def test_mistakes(text: JsonValue) -> None:
    assert code_of(booking(), "search", text=text) == "INVALID_COMMAND"
    assert code_of(booking(), "search", text="a", from_event=-1) == "INVALID_COMMAND"
