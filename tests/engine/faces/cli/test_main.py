"""`spd`: finds its commands by entry points, and says what it is."""

from importlib.metadata import entry_points, version

import click
import pytest
from click.testing import CliRunner, Result

from engine.faces.cli.main import GROUP, main


def spd(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_commands_are_the_entry_points() -> None:
    names = sorted(entry_points(group=GROUP).names)
    assert GROUP == "spd.commands"
    assert {"build", "command"} <= set(names)
    context = click.Context(main)
    assert main.list_commands(context) == names
    for name in names:
        found = main.get_command(context, name)
        assert found is not None
        assert found.name == name


def test_an_unknown_command_is_wrong_usage() -> None:
    assert main.get_command(click.Context(main), "leap") is None
    result = spd("leap")
    assert (result.exit_code, result.stdout_bytes) == (2, b"")
    assert "leap" in result.stderr


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command_and_the_exit_codes(flag: str) -> None:
    result = spd(flag)
    assert result.exit_code == 0
    assert "Exit codes: 0" in result.stdout
    for name in entry_points(group=GROUP).names:
        assert name in result.stdout
        assert spd(name, flag).exit_code == 0


def test_version() -> None:
    result = spd("--version")
    assert (result.exit_code, result.stdout) == (
        0,
        f"spd, version {version('state-program-debugger')}\n",
    )
