"""The guide's investigation shows what its commands print."""

from pathlib import Path

import pytest
from field_questions.investigation import PAGE, blocks, printed, refreshed

TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = [*blocks(TEXT)]


@pytest.fixture(autouse=True)
def _in_the_checkout(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_a_command_prints_what_the_page_shows(command: str, shown: str) -> None:
    assert shown == printed(command), "run tests/field_questions/investigation.py"


def test_every_command_of_the_page_is_run() -> None:
    assert len(BLOCKS) == TEXT.count("```console") == TEXT.count("\n$ ")
    assert len(BLOCKS) >= 10
    assert {"last", "why", "exits", "visits", "findings", "playback", "pending", "context"} == {
        command.split()[0] for command, _ in BLOCKS
    }


def test_an_old_page_is_seen_and_made_new() -> None:
    page = "a\n```console\n$ spd history fixtures/booking_racy time\nold\n```\nb\n"
    [(command, shown)] = blocks(page)
    assert shown == "old\n"
    new = refreshed(page)
    assert [*blocks(new)] == [(command, printed(command))]
    assert refreshed(new) == new
