"""Trackers of every age in one vocabulary."""

from pathlib import Path

import pytest

from engine.core.contract.errors import SessionInvalid
from engine.importers.rasa.events import looks_like_tracker, read_tracker

PATH = Path("tracker.json")


def test_the_old_names_are_the_new_ones() -> None:
    value = {
        "py/object": "rasa_core.conversation.Dialogue",
        "name": "old",
        "events": [
            {"py/object": "rasa_core.events.ActionExecuted", "action_name": "a", "timestamp": 1},
            {"py/object": "rasa_core.events.SlotSet", "key": "a", "value": 2, "timestamp": 2.5},
            {"py/object": "os.system", "text": "never looked up"},
        ],
    }  # fmt: skip
    tracker = read_tracker(value, PATH)
    assert (tracker.sender_id, tracker.is_legacy, tracker.has_stack) == ("old", True, False)
    assert [(event.kind, event.stamp) for event in tracker.events] == [
        ("action", 1.0), ("slot", 2.5), ("unreadable", None),
    ]  # fmt: skip
    assert tracker.events[0].fields["name"] == "a"
    assert tracker.events[1].fields == {"name": "a", "value": 2, "timestamp": 2.5}


@pytest.mark.parametrize("value", [None, [], {}, {"events": []}, {"events": [{"id": 1}]}, 3])
def test_other_json_is_no_tracker(value: object) -> None:
    assert not looks_like_tracker(value)
    with pytest.raises(SessionInvalid) as caught:
        read_tracker(value, PATH)
    assert caught.value.detail == {"file": "tracker.json", "kind": "NOT_A_TRACKER"}


def test_a_conversation_in_which_nothing_happened_is_one() -> None:
    assert read_tracker({"sender_id": "s", "events": []}, PATH).events == []
