"""Initial values of a domain: the slots' baseline, and what a restart goes back to."""

import json
from pathlib import Path

import pytest

from engine.importers import ImportOptions
from engine.importers.rasa import RASA
from engine.importers.rasa.domain_slots import initial_values

DOMAIN = """\
version: "3.1"
slots:
  guests: {type: float, initial_value: 2}
  tags: {type: list, initial_value: [a, b]}
  time: {type: text}
  nothing: {type: text, initial_value: null}
  odd: 3
"""


@pytest.fixture
def domain(tmp_path: Path) -> Path:
    path = tmp_path / "domain.yml"
    path.write_text(DOMAIN)
    return path


def test_only_what_is_given_is_an_initial_value(domain: Path, tmp_path: Path) -> None:
    assert initial_values(domain) == {"guests": 2, "tags": ["a", "b"]}
    other = tmp_path / "flows.yml"
    other.write_text("slots: 3\nflows: {}\n")
    assert initial_values(other) == {}


def test_a_conversation_starts_with_them_and_restarts_to_them(domain: Path, tmp_path: Path) -> None:
    events = [
        {"event": "slot", "name": "guests", "value": 4, "timestamp": 1},
        {"event": "restart", "timestamp": 2},
    ]
    tracker = tmp_path / "tracker.json"
    tracker.write_text(json.dumps({"sender_id": "s", "events": events}))
    imported = RASA.import_recording([tracker, domain], ImportOptions())
    seed, write, _, back = imported.records
    assert seed["values"] == [{"writer": "domain", "slots": {"guests": 2, "tags": ["a", "b"]}}]
    assert seed["source_record"] == {"file": "domain.yml", "id": "slots"}
    assert write["new"] == 4
    assert (back["slot"], back["new"], back["writer"]) == ("guests", 2, "event:restart")
    assert [row.concept for row in imported.mapping].count("slots at the start") == 1
