"""`model_input`: snapshots against each other, and `unavailable` where none was taken."""

from hypothesis import given
from hypothesis import strategies as st
from support.questions import asked, booking, bus, code_of, segment, trace, view_of

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows

ROW = {"position", "change", "role", "text", "content_hash", "was"}


def message(role: str, text: str, **more: JsonValue) -> JsonObject:
    return {"role": role, "text": text, **more}


def runs(*inputs: list[JsonObject] | None) -> tuple[tuple[str, JsonObject], ...]:
    return tuple(
        bus("llm_requested", generation_id=f"g{n}", context_size=9)
        if messages is None
        else bus("llm_requested", generation_id=f"g{n}", messages=[*messages])
        for n, messages in enumerate(inputs, start=1)
    )


def changes(result: JsonObject) -> list[tuple[JsonValue, JsonValue]]:
    return [(row["change"], row["text"]) for row in rows(result, "items")]


def test_the_booking_calls_have_no_snapshots() -> None:
    result = asked(booking(), "model_input", generation=8, since=7)
    assert (result["items"], result["label"], result["reason"]) == (
        [], "unavailable", "not_snapshotted",
    )  # fmt: skip
    run, since = mapping(result, "generation"), mapping(result, "since")
    assert (run["generation_id"], run["context_size"]) == ("g08", 17)
    assert (since["generation_id"], since["context_size"]) == ("g07", 15)
    assert [row["reason"] for row in rows(result, "unknowns")] == ["not_snapshotted"] * 2
    assert mapping(result, "trigger_in_input")["text"] == "Yes."


def test_the_first_run_of_a_visit_is_what_was_handed_over() -> None:
    result = asked(booking(), "model_input", entry="no_table#1")
    assert mapping(result, "generation")["event_id"] == "e0109"
    assert mapping(result, "since")["event_id"] == "e0096"


def test_the_latest_run_at_the_cursor_is_the_default() -> None:
    assert mapping(asked(booking(), "model_input"), "generation")["number"] == 11
    result = asked(booking(), "model_input", cursor=4)
    assert (mapping(result, "generation")["number"], result["since"]) == (1, None)
    assert code_of(booking(), "model_input", cursor=3) == "EVENT_UNAVAILABLE"


def test_a_difference() -> None:
    first = [message("system", "be"), message("user", "hi"), message("user", "gone")]
    second = [message("system", "be"), message("user", "HI"), message("assistant", "new")]
    view = view_of(*runs(first, [*first, message("user", "more")], second))
    grown = asked(view, "model_input", generation=2)
    assert all(set(row) == ROW for row in rows(grown, "items"))
    assert changes(grown) == [
        ("unchanged", "be"), ("unchanged", "hi"), ("unchanged", "gone"), ("added", "more"),
    ]  # fmt: skip
    lost = asked(view, "model_input", generation="g3", since="g2")
    assert changes(lost) == [
        ("unchanged", "be"), ("changed", "HI"), ("changed", "new"), ("missing", "more"),
    ]  # fmt: skip
    assert rows(lost, "items")[1]["was"] == "hi"
    assert lost["counts"] == {"unchanged": 1, "changed": 2, "added": 0, "missing": 1}


def test_a_snapshot_without_one_before_it_has_no_changes() -> None:
    result = asked(view_of(*runs(None, [message("user", "hi")])), "model_input")
    assert (changes(result), result["compared"]) == ([(None, "hi")], False)
    assert rows(result, "unknowns") == [
        {"what": "the messages of model run 1", "reason": "not_snapshotted"}
    ]


def test_a_content_hash_decides_where_there_is_one() -> None:
    first = [message("user", "<str len=2>", content_hash="h1")]
    second = [message("user", "<str len=2>", content_hash="h2")]
    assert changes(asked(view_of(*runs(first, second)), "model_input"))[0][0] == "changed"


def test_whether_the_words_of_the_turn_were_in_the_input() -> None:
    for given_text, found in (("hello, SIX  please", True), ("seven", False)):
        view = view_of(
            segment("caller", text="six please"),
            bus("input_selected", segment_event_ids=["e0"], turn_id="t1"),
            bus(
                "llm_requested",
                generation_id="g",
                caused_by="e1",
                messages=[message("user", given_text)],
            ),
        )
        assert mapping(asked(view, "model_input"), "trigger_in_input")["found"] is found


def test_mistakes() -> None:
    view = view_of(trace("state_entered", state_id="menu"), *runs(None))
    for keys, code in (
        ({"generation": 0}, "EVENT_UNAVAILABLE"),
        ({"generation": 2}, "EVENT_UNAVAILABLE"),
        ({"generation": "gone"}, "EVENT_UNAVAILABLE"),
        ({"generation": True}, "INVALID_COMMAND"),
        ({"generation": 1, "entry": "menu#1"}, "INVALID_COMMAND"),
        ({"entry": "gone#1"}, "EVENT_UNAVAILABLE"),
        ({"generation": 1, "since": 7}, "EVENT_UNAVAILABLE"),
    ):
        assert code_of(view, "model_input", **keys) == code
    empty = view_of(trace("state_entered", state_id="menu"), bus("weather"))
    assert code_of(empty, "model_input", entry="menu#1") == "EVENT_UNAVAILABLE"


MESSAGES = st.lists(st.sampled_from("abc").map(lambda said: message("user", said)), max_size=6)


@given(MESSAGES, MESSAGES)
def test_a_difference_holds_both_lists(first: list[JsonObject], second: list[JsonObject]) -> None:
    items = rows(asked(view_of(*runs(first, second)), "model_input"), "items")
    here = [row["text"] for row in items if row["change"] != "missing"]
    assert here == [m["text"] for m in second]
    before = [
        row["was"] if row["change"] == "changed" else row["text"]
        for row in items
        if row["change"] != "added"
    ]
    assert before == [m["text"] for m in first]
