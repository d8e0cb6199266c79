"""Visits as values, made from an artifact's rows."""

import pytest
from support.records import build_in_order, entered, exited, rows_of

from engine.core.artifact.visits import Visits, visit_of

ROWS = rows_of(
    build_in_order(
        [
            entered("a", via_edge="c:0"),
            entered("b", parent_visit_id="a#1"),
            exited("b", edge_id="b:0"),
            entered("a"),
        ]
    ),
    "visits",
)
ORDINALS = {"a#1": 0, "b#1": 1, "a#2": 2}


def test_a_row_as_a_value() -> None:
    visit = visit_of(ROWS[1], 0)
    assert (visit.visit_id, visit.state_id, visit.occurrence) == ("b#1", "b", 1)
    assert (visit.parent, visit.via_edge) == (0, None)
    assert (visit.entered_index, visit.closed_index) == (1, 2)
    assert (visit.exit_edge, visit.exit_to) == ("b:0", "c")
    assert (visit.exit_label, visit.exit_reason) == ("recorded", None)
    assert not visit.superseded


def test_superseded_is_read_from_the_exits_reason() -> None:
    assert visit_of(ROWS[0], None).superseded
    assert not visit_of(ROWS[2], None).superseded


def test_open_from_its_entry_up_to_its_closing_record() -> None:
    closed, open_ = visit_of(ROWS[1], 0), visit_of(ROWS[2], None)
    assert [closed.is_open_at(cursor) for cursor in range(4)] == [False, True, True, False]
    assert [open_.is_open_at(cursor) for cursor in (2, 3, 99)] == [False, True, True]


def test_the_sequence() -> None:
    visits = Visits(ROWS, ORDINALS.get)
    assert len(visits) == 3
    assert [visit.visit_id for visit in visits] == list(ORDINALS)
    assert [visit.parent for visit in visits] == [None, 0, None]
    assert visits[1] is visits[1]
    assert [visit.visit_id for visit in visits[1:]] == ["b#1", "a#2"]
    with pytest.raises(IndexError):
        visits[3]


def test_an_empty_row_makes_a_harmless_value() -> None:
    visit = visit_of({}, None)
    assert (visit.visit_id, visit.entered_index, visit.exit_label) == ("", 0, "unavailable")
