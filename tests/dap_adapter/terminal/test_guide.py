"""The guide's page shows a true session, and every verb."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from dap_adapter.terminal.verbs import VERBS

ROOT = Path(__file__).resolve().parent.parent.parent.parent


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs/guide/terminal.md").read_text(encoding="utf-8")


def test_the_session_is_what_the_command_prints(page: str, debug: Callable) -> None:
    [command] = re.findall(r"^spd debug (fixtures.+)$", page, re.MULTILINE)
    [shown] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    recording, *options = shlex.split(command)
    assert debug(ROOT / recording, *options).stdout == shown


def test_every_verb_has_its_row(page: str) -> None:
    rows = re.findall(r"^\| (`[^|]+`) \| (?:`((?:[^|]|\\\|)*)`)? *\| (.+) \|$", page, re.MULTILINE)
    found = {(names, takes.replace("\\|", "|"), does) for names, takes, does in rows}
    for verb in VERBS:
        names = ", ".join(f"`{name}`" for name in verb.names)
        assert (names, verb.takes, verb.does) in found, f"{verb.names[0]} is not in the guide"
