"""The worked investigation of the guide: run its commands, compare, or write the page anew.

    python tests/field_questions/investigation.py     writes what the commands print into the page

A block of the page is a `console` block whose first line is `$ spd ...`, run in the checkout; the
rest of the block is what the command prints.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from engine.faces.cli.main import main as spd

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "investigation.md"
_BLOCK = re.compile(r"^```console\n\$ spd (.+)\n((?:.*\n)*?)```$", re.MULTILINE)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a page, without `spd`, with what the page shows of its output."""
    return ((found.group(1), found.group(2)) for found in _BLOCK.finditer(text))


def printed(command: str) -> str:
    """Return what a command prints; the working directory is the checkout."""
    ran = CliRunner().invoke(spd, shlex.split(command), catch_exceptions=False)
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout


def refreshed(text: str) -> str:
    """Return a page with what its commands print now."""
    return _BLOCK.sub(
        lambda found: f"```console\n$ spd {found.group(1)}\n{printed(found.group(1))}```", text
    )


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
