"""Every event in plain words, whatever its record holds; and its place in the flow."""

from hypothesis import given
from support.questions import booking, bus, trace, view_of
from support.small_calls import small_artifacts

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, mapping
from engine.core.cursor import described, flow_place, what_of
from engine.core.cursor.facts import QUOTED_MAX


def test_the_words_of_the_booking_call() -> None:
    view = booking()
    said = {view.event_id(i): what_of(view, i) for i in range(view.event_count)}
    assert said["e0136"] == 'slot time "19:00" -> "18:00", written by tool:check_availability'
    assert said["e0137"] == "the guard of no_table:0 says true (available is true)"
    assert said["e0133"] == 'tool check_availability is called: {"time":"18:00"}'
    assert said["e0104"] == 'the tool answers: {"available":false}'
    assert said["e0108"] == "no_table is entered by get_time:1"
    assert said["e0128"] == 'caller says "Yes."'
    assert said["e0132"] == (
        "model run g08 begins, asked for by user turn, 17 messages in its context"
    )


def test_places_in_the_flow() -> None:
    view = booking()
    places = {view.event_id(i): flow_place(view, i) for i in range(view.event_count)}
    entered, run = places["e0108"], places["e0109"]
    assert entered is not None
    assert (entered["of"], entered["id"], mapping(entered, "span")["line"]) == (
        "state", "no_table", 23,
    )  # fmt: skip
    assert run is not None
    assert (run["of"], mapping(run, "span")["line"]) == ("prompt", 26)
    assert places["e0136"] is None
    unknown = view_of(trace("transition_taken", to="x", edge_id="ghost:4"))
    assert flow_place(unknown, 0) == {"of": "edge", "id": "ghost:4", "span": None}


def test_long_texts_and_odd_records_are_shown_short() -> None:
    view = view_of(bus("rain_gauge", text="x" * 500), bus("slot_write"), bus("tool_result"))
    assert len(what_of(view, 0)) <= QUOTED_MAX + len('rain gauge: ""')
    assert what_of(view, 1) == "slot write"


@given(small_artifacts())
def test_every_event_has_words(artifact: JsonObject) -> None:
    view = ArtifactView.of(artifact)
    for index in range(view.event_count):
        row = described(view, index)
        assert row["what"]
        assert row["event_id"] == view.event_id(index)
