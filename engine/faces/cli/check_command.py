"""`spd check FLOW...`: all that is wrong in flow files, with places and advice."""

import os
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject
from engine.faces.cli.output import print_object

if TYPE_CHECKING:
    from engine.core.flow import Diagnostic, FlowCheck

CHECK_SCHEMA = "riff.flow_check/v1"
FILE_BYTES_MAX = 16 * 1024 * 1024
"""Larger files are not read: a flow is a text that people write."""
SHOWN_CHARACTERS_MAX = 160
"""Longest piece of a source line that is shown."""
_CONTEXT_CHARACTERS = 60
_COLOURS = {"error": "red", "warning": "yellow"}


@click.command()
@click.argument("flows", nargs=-1, required=True, metavar="FLOW...", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@click.pass_context
def check(
    ctx: click.Context,
    flows: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 - click passes by name
    strict: bool,  # noqa: FBT001
) -> None:
    """Check flow files, and say all that is wrong in them.

    FLOW is a file of riff.flow/v1 or of a Pipecat flow, in YAML or JSON. Each line that is printed
    is `file:line:column: severity CODE message`, with the line of the file and a mark under the
    place. Warnings alone give exit code 0. Nothing is changed.
    """
    from engine.core.flow import Severity  # noqa: PLC0415  keep --help fast

    checked = [_checked(flow) for flow in flows]
    if strict:
        checked = [(result.strict(), text) for result, text in checked]
    results = [result for result, _ in checked]
    if as_json:
        print_object(_answer(results))
    else:
        for result, text in checked:
            _print_check(result, text)
        _print_line(_count_line(results))
    ctx.exit(1 if any(result.count(Severity.ERROR) for result in results) else 0)


def _answer(results: "list[FlowCheck]") -> JsonObject:
    return {"schema": CHECK_SCHEMA, "files": [result.as_json() for result in results]}


def _checked(flow: str) -> "tuple[FlowCheck, str]":
    """Return the check of a file and its text, with what is not UTF-8 replaced."""
    from engine.core.flow import check_flow, unreadable_file  # noqa: PLC0415

    path = Path(flow)
    try:
        if path.is_dir():
            return unreadable_file(flow, "this is a folder. Name a flow file in it."), ""
        if path.exists() and not path.is_file():
            return unreadable_file(flow, "this is no regular file. Name a flow file."), ""
        with path.open("rb") as file:
            source = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"the file cannot be read ({reason}). Check the path and its rights."
        return unreadable_file(flow, message), ""
    if len(source) > FILE_BYTES_MAX:
        message = f"the file has more than {FILE_BYTES_MAX:,} bytes. Name a flow file."
        return unreadable_file(flow, message), ""
    return check_flow(source, path=flow), source.decode("utf-8-sig", "replace")


def _print_check(result: "FlowCheck", text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for item in result.diagnostics:
        place = _clean(f"{item.file}:{item.span.line}:{item.span.column}:")
        severity = click.style(item.severity.value, fg=_COLOURS[item.severity.value], bold=True)
        _print_line(
            f"{click.style(place, bold=True)} {severity} {item.code} {_clean(item.message)}"
        )
        if text:
            line, mark = marked_line(lines[item.span.line - 1], item)
            _print_line(f"    {line}")
            _print_line(f"    {click.style(mark, fg='green', bold=True)}")


def marked_line(line: str, item: "Diagnostic") -> tuple[str, str]:
    """Return what to show of a source line, and the line with the mark under the place.

    Only a piece around the place is shown of a long line. A control character shows as a space, so
    that a file cannot steer the terminal, and wide characters count as two cells.
    """
    first = _index_of(line, item.span.column)
    is_one_line = item.span.end_line == item.span.line
    last = _index_of(line, item.span.end_column) if is_one_line else len(line)
    start = 0
    if len(line) > SHOWN_CHARACTERS_MAX:
        start = max(0, first - _CONTEXT_CHARACTERS)
    shown = _clean(line[start : start + SHOWN_CHARACTERS_MAX])
    lead, tail = "... " if start else "", ""
    if start + SHOWN_CHARACTERS_MAX < len(line):
        tail = " ..."
    before = sum(map(_cells, shown[: first - start])) + len(lead)
    width = sum(map(_cells, shown[first - start : last - start]))
    return f"{lead}{shown}{tail}".rstrip(), f"{' ' * before}{'^' * max(1, width)}"


def _index_of(line: str, column: int) -> int:
    """Return the index of the character at a 1-based UTF-16 column."""
    if line.isascii():
        return column - 1
    units = line.encode("utf-16-le", "surrogatepass")[: 2 * (column - 1)]
    return len(units.decode("utf-16-le", "replace"))


def _clean(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _count_line(results: "list[FlowCheck]") -> str:
    from engine.core.flow import Severity  # noqa: PLC0415

    errors = sum(result.count(Severity.ERROR) for result in results)
    warnings = sum(result.count(Severity.WARNING) for result in results)
    counts = (
        _counted(len(results), "file"),
        _counted(errors, "error"),
        _counted(warnings, "warning"),
    )
    return ", ".join(counts)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _print_line(text: str) -> None:
    """Print one line on stdout, with escapes for what its encoding does not have."""
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(
        text.encode(encoding, "backslashreplace").decode(encoding),
        color=False if os.environ.get("NO_COLOR") else None,
    )
