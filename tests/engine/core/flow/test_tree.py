from engine.core.flow.tree import (
    Entry,
    ListNode,
    MapNode,
    RefusedNode,
    ScalarNode,
    holds_refused,
    is_null,
    json_value,
)


def scalar(value, start=0):
    return ScalarNode(value, str(value), start, start + 1)


def test_the_first_of_a_repeated_name_is_found():
    node = MapNode((Entry(scalar("a"), scalar(1)), Entry(scalar("a", 5), scalar(2))), 0, 9)
    assert node.by_name()["a"].value == scalar(1)


def test_a_refused_part_is_found_at_any_depth():
    refused = RefusedNode(3, 4)
    assert holds_refused(refused)
    assert holds_refused(ListNode((scalar(1), ListNode((refused,), 0, 9)), 0, 9))
    assert holds_refused(MapNode((Entry(scalar("a"), refused),), 0, 9))
    assert not holds_refused(MapNode((Entry(scalar("a"), ListNode((), 0, 0)),), 0, 9))
    assert json_value(ListNode((scalar(1), refused), 0, 9)) == [1, None]


def test_only_a_null_is_null():
    assert is_null(scalar(None))
    assert not any(map(is_null, (scalar(""), scalar(False), RefusedNode(0, 0), ListNode((), 0, 0))))
