"""`spd`: finds its commands by the entry-point group `spd.commands`.

A command is a `click.Command`; its module is imported when it (or the list of all) is asked for.
"""

from importlib.metadata import entry_points, version

import click

GROUP = "spd.commands"


class CommandGroup(click.Group):
    """A group whose commands are the entry points of `spd.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return sorted(entry_points(group=GROUP).names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of this name."""
        for entry in entry_points(group=GROUP, name=cmd_name):
            loaded: object = entry.load()
            assert isinstance(loaded, click.Command), f"{entry.value} is no command"
            return loaded
        return None


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 a typed error (printed as JSON), 2 wrong usage.",
)
@click.version_option(version("state-program-debugger"), prog_name="spd")
def main() -> None:
    """Step through recorded calls of state-program agents, forwards and backwards."""
