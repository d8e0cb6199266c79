"""`spd import [FORMAT] SOURCE... --out FOLDER`: another engine's file becomes a session."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.canonical import printable
from engine.core.contract.errors import EngineError, InvalidCommand
from engine.core.contract.labels import SlotClass
from engine.faces.cli.output import print_error, print_object

if TYPE_CHECKING:
    from engine.core.contract.json_types import JsonObject
    from engine.faces.cli.sheet import Sheet
    from engine.importers import Imported, Importer, ImportOptions, LineageRow, MappingRow

IMPORT_RESULT_SCHEMA = "riff.import_result/v1"


@click.command("import")
@click.argument("words", nargs=-1, required=True, metavar="[FORMAT] SOURCE...")
@click.option("--out", type=click.Path(path_type=Path), help="The session directory to make.")
@click.option("--flow", type=click.Path(path_type=Path), help="The flow file that ran.")
@click.option(
    "--slot-class",
    "classes",
    multiple=True,
    metavar="NAME=CLASS",
    help="Who may read a slot: personal (default), routing or plain. Repeat for more slots.",
)
@click.option("--lineage", metavar="ID", help="Which run of the source; see --list.")
@click.option("--list", "listing", is_flag=True, help="List the runs in the source; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def import_command(
    ctx: click.Context,
    words: tuple[str, ...],
    out: Path | None,
    flow: Path | None,
    classes: tuple[str, ...],
    lineage: str | None,
    *,
    listing: bool,
    as_json: bool,
) -> None:
    """Import a recording of another engine, and say what was mapped from what.

    SOURCE is the recording, then files that belong to it. The format is found from the file; name
    it first to say it yourself. Nothing of the source is executed or changed, and the session
    directory is written whole or not at all.
    """
    if out is None and not listing:
        raise click.UsageError("Missing option '--out': name the session directory to make.")
    try:
        importer, sources = _format_and_sources(words)
        options = _options(flow, classes, lineage)
        if listing or out is None:
            _show_lineages(importer, importer.lineages(sources, options), as_json=as_json)
            return
        _import(importer, sources, options, out, as_json=as_json)
    except EngineError as error:
        print_error(error)
        if as_json:
            print_object({"schema": IMPORT_RESULT_SCHEMA, "error": error.as_json()})
        ctx.exit(1)


def _format_and_sources(words: Sequence[str]) -> "tuple[Importer, list[Path]]":
    """Return whose file it is. Raises: SessionInvalid, InvalidCommand."""
    from engine.importers import (  # noqa: PLC0415  keep --help fast
        format_of,
        format_rows,
        importer_named,
        unknown_format,
    )

    named = importer_named(words[0])
    if named is not None and len(words) == 1 and not Path(words[0]).exists():
        raise InvalidCommand(f"Name the file to import: spd import {words[0]} SOURCE --out FOLDER.")
    if named is not None and len(words) > 1:
        return named, [Path(word) for word in words[1:]]
    sources = [Path(word) for word in words]
    if len(words) > 1 and not sources[0].exists() and sources[0].name == words[0]:
        known = ", ".join(str(row["name"]) for row in format_rows())
        raise InvalidCommand(f"{words[0]} is neither a file nor a format. Formats are: {known}.")
    found = format_of(sources[0])
    if found is None:
        raise unknown_format(sources[0])
    return found, sources


def _options(flow: Path | None, classes: Sequence[str], lineage: str | None) -> "ImportOptions":
    from engine.importers import ImportOptions  # noqa: PLC0415  keep --help fast

    return ImportOptions(flow=flow, slot_classes=_slot_classes(classes), lineage=lineage)


def _slot_classes(given: Sequence[str]) -> dict[str, SlotClass]:
    found: dict[str, SlotClass] = {}
    for word in given:
        name, _, kind = word.rpartition("=")
        try:
            found[name] = SlotClass(kind)
        except ValueError:
            name = ""
        if not name:
            kinds = ", ".join(item.value for item in SlotClass)
            raise InvalidCommand(
                f"--slot-class {word}: write NAME=CLASS; a class is one of {kinds}."
            )
    return found


def _import(
    importer: "Importer",
    sources: Sequence[Path],
    options: "ImportOptions",
    out: Path,
    *,
    as_json: bool,
) -> None:
    from engine.importers import import_sources, write_session  # noqa: PLC0415  keep --help fast

    imported, about = import_sources(importer, sources, options)
    written = write_session(imported, out, about=about)
    if as_json:
        print_object(
            {
                "schema": IMPORT_RESULT_SCHEMA,
                **about,
                "path": printable(str(out)),
                "session_id": imported.session_id,
                "records": written,
                "ended": imported.ended,
                "mapping": [row.as_json() for row in imported.mapping],
                "notes": [*imported.notes],
                "error": None,
            }
        )
        return
    from engine.faces.cli.sheet import Sheet  # noqa: PLC0415  keep --help fast

    sheet = Sheet.on(sys.stdout)
    sheet.line(f"{written:,} records of {sources[0].name} ({importer.title}).")
    _show_mapping(sheet, imported)
    sheet.unbroken(f"Next: spd debug {out}")


def _show_mapping(sheet: "Sheet", imported: "Imported") -> None:
    from engine.importers import Faith  # noqa: PLC0415  keep --help fast

    there = [row for row in imported.mapping if row.faith is not Faith.ABSENT]
    absent = [row for row in imported.mapping if row.faith is Faith.ABSENT]
    sheet.gap()
    if there:
        sheet.table(("Mapped", "Count", "How", "From"), [_cells(row) for row in there])
    derived = [row for row in there if row.reason is not None]
    if derived:
        sheet.gap()
        sheet.line("How far it goes:", style="bold")
        sheet.pairs([(row.concept, row.reason or "") for row in derived])
    if absent:
        sheet.gap()
        sheet.line("Unavailable:", style="bold")
        sheet.pairs([(row.concept, row.reason or "not in the source") for row in absent])
    if imported.notes:
        sheet.gap()
        for note in imported.notes:
            sheet.line(f"Note: {note}")
    sheet.gap()


def _cells(row: "MappingRow") -> tuple[str, str, str, str]:
    count = "" if row.count is None else f"{row.count:,}"
    return row.concept, count, row.faith.value, row.origin or ""


def _show_lineages(importer: "Importer", found: "Sequence[LineageRow]", *, as_json: bool) -> None:
    if as_json:
        listed: list[JsonObject] = [
            {"lineage_id": row.lineage_id, "about": row.about, "is_default": row.is_default}
            for row in found
        ]
        print_object(
            {
                "schema": IMPORT_RESULT_SCHEMA,
                "format": importer.name,
                "lineages": [*listed],
                "error": None,
            }
        )
        return
    from engine.faces.cli.sheet import Sheet  # noqa: PLC0415  keep --help fast

    sheet = Sheet.on(sys.stdout)
    if not found:
        sheet.line(f"A source of this format holds one run ({importer.title}).")
        return
    rows = [(row.lineage_id, "default" if row.is_default else "", row.about) for row in found]
    sheet.table(("Lineage", "", "About"), rows)
