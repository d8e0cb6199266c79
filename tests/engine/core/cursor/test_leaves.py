"""Leaves: segments are as long as they can be and never too long; turns come in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.expressions import calls, naive_context
from support.oracle import Oracle
from support.small_calls import SLOTS

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, mapping
from engine.core.cursor.leaves import (
    EVENT_FIELDS,
    SLOT_ROOTS,
    TURN_FIELDS,
    VISIT_FIELDS,
    Leaf,
    LeafReader,
    Turns,
)

_SLOW = [
    *(Leaf(root=root, name=name) for root in SLOT_ROOTS for name in (*SLOTS, None)),
    *(Leaf(root="visit", name=name) for name in VISIT_FIELDS),
    *(Leaf(root="turn", name=name) for name in TURN_FIELDS),
]


@given(calls(), st.sampled_from(_SLOW))
def test_a_segment_has_the_replayed_value_all_along(artifact: JsonObject, leaf: Leaf) -> None:
    view, oracle = ArtifactView.of(artifact), Oracle(artifact)
    reader = LeafReader(view, [leaf])
    if reader.turns is not None:
        assert reader.turns.extend(view.event_count)
    contexts = [naive_context(oracle, i) for i in range(view.event_count)]
    expected = [
        mapping(context, leaf.root) if leaf.name is None else mapping(context, leaf.root)[leaf.name]
        for context in contexts
    ]
    for index in range(view.event_count):
        segment = reader.segment(index)
        assert segment.low <= index < segment.high
        for inside in range(max(segment.low, 0), min(segment.high, view.event_count)):
            assert segment.values == (expected[inside],)


@given(calls(), st.lists(st.sampled_from(EVENT_FIELDS), min_size=1, max_size=3))
def test_fields_of_an_event_are_as_recorded(artifact: JsonObject, names: list[str]) -> None:
    view, oracle = ArtifactView.of(artifact), Oracle(artifact)
    reader = LeafReader(view, [Leaf(root="event", name=name) for name in names])
    assert reader.event_values(-1) == (None,) * len(names)
    for index in range(view.event_count):
        event = mapping(naive_context(oracle, index), "event")
        assert reader.event_values(index) == tuple(event[name] for name in names)


@given(calls(), st.integers(1, 5))
def test_turns_come_in_pieces(artifact: JsonObject, count: int) -> None:
    view = ArtifactView.of(artifact)
    whole, pieces = Turns(view), Turns(view)
    whole.extend(view.event_count)
    while not pieces.extend(count):
        assert pieces.walked < view.event_count
    assert (pieces.begun, pieces.ids) == (whole.begun, whole.ids)


@pytest.mark.parametrize("root", SLOT_ROOTS)
def test_before_the_start_slots_are_null(root: str) -> None:
    from support.small_calls import fixture_view

    view = fixture_view("booking_racy")
    [value] = LeafReader(view, [Leaf(root=root, name="time")]).segment(-1).values
    assert value == ("unavailable" if root == "labels" else None)
