"""Lines and columns of the flow: what stops there, and why a line means another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import flow_of
from support.small_calls import artifact_of, fixture_view

from engine.core.artifact import ArtifactView
from engine.core.cursor.breakpoints import Breakpoint, breakpoint_hits
from engine.core.cursor.flow_places import (
    LineBreakpoint,
    breakpoint_at,
    describe,
    flow_places,
)
from engine.core.cursor.hits import Hits, Refusal
from engine.core.cursor.places import (
    EdgeTaken,
    EdgeWrite,
    GuardEvaluated,
    NamedPlace,
    PromptResolved,
    StateEntry,
)

FLOW = """\
flow_id: lines
entry: a
slots:
  note: {type: string, class: plain}
states:
  a:
    prompt: |
      Hello,
      and more.
    transitions:
      - to: b
        when: slot_set:note
        sets: {note: x}
        clears: [note]
      - {to: a, when: always, sets: {note: y}}
  b: {entry_line: Bye., transitions: [{to: a, when: always}]}

# the end
"""


def view_of_flow(text: str) -> ArtifactView:
    artifact = artifact_of([])
    artifact["flow"] = flow_of(text)
    return ArtifactView.of(artifact)


VIEW = view_of_flow(FLOW)
A, B = StateEntry(state_id="a"), StateEntry(state_id="b")


def column_of(line: int, word: str) -> int:
    return FLOW.splitlines()[line - 1].index(word) + 1


@pytest.mark.parametrize(
    ("line", "word", "places", "stands_on"),
    [
        (6, None, [A], 6),
        (7, None, [PromptResolved(state_id="a")], 7),
        (8, None, [PromptResolved(state_id="a")], 7),
        (10, None, [A], 6),
        (11, None, [EdgeTaken(edge_id="a:0")], 11),
        (12, None, [GuardEvaluated(edge_id="a:0")], 12),
        (13, None, [EdgeWrite(edge_id="a:0", slot="note")], 13),
        (14, None, [EdgeWrite(edge_id="a:0", slot="note")], 14),
        (15, None, [EdgeTaken(edge_id="a:1")], 15),
        (15, "to", [EdgeTaken(edge_id="a:1")], 15),
        (15, "always", [GuardEvaluated(edge_id="a:1")], 15),
        (15, "note", [EdgeWrite(edge_id="a:1", slot="note")], 15),
        (16, None, [B], 16),
        (16, "Bye", [PromptResolved(state_id="b")], 16),
        (16, "always", [GuardEvaluated(edge_id="b:0")], 16),
        (16, "b", [B], 16),
        (1, None, [A], 6),
        (4, None, [A], 6),
        (18, None, [B], 16),
    ],
)
def test_what_a_line_stops_at(
    line: int, word: str | None, places: list[NamedPlace], stands_on: int
) -> None:
    column = None if word is None else column_of(line, word)
    found = breakpoint_at(VIEW, line, column)
    assert isinstance(found, LineBreakpoint)
    assert [*found.places] == places
    assert found.line == stands_on
    assert (found.moved is None) == (line == stands_on)
    if found.moved is not None:
        assert f"ine {line} " in found.moved
        assert describe(places[0]) in found.moved


@pytest.mark.parametrize("line", [-1, 0, 20, 10_000])
def test_a_line_beyond_the_flow_is_refused(line: int) -> None:
    assert isinstance(breakpoint_at(VIEW, line), Refusal)


def test_a_flow_without_spans_has_nothing_to_stop_at() -> None:
    assert isinstance(breakpoint_at(ArtifactView.of(artifact_of([])), 1), Refusal)


def test_states_on_one_line_stop_together_and_apart() -> None:
    view = view_of_flow('{"flow_id": "x", "entry": "a", "states": {"a": {}, "b": {}}}')
    whole = breakpoint_at(view, 1)
    assert isinstance(whole, LineBreakpoint)
    assert whole.places == (A, B)
    apart = breakpoint_at(view, 1, 54)
    assert isinstance(apart, LineBreakpoint)
    assert apart.places == (B,)


@given(st.integers(1, 66), st.none() | st.integers(1, 120))
def test_every_line_of_a_real_flow_has_an_answer_that_stops(line: int, column: int | None) -> None:
    view = fixture_view("booking_racy")
    found = breakpoint_at(view, line, column)
    assert isinstance(found, LineBreakpoint)
    assert found.line in {item.span.line for item in flow_places(view)}
    again = breakpoint_at(view, found.line, found.column)
    assert isinstance(again, LineBreakpoint)
    assert again.moved is None
    assert isinstance(breakpoint_hits(view, Breakpoint(places=found.places)), Hits)


def test_places_come_in_order_of_the_text() -> None:
    spans = [item.span for item in flow_places(VIEW)]
    assert spans == sorted(spans)
    assert len(spans) == 13
