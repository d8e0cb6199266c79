"""`spd doctor TARGET`: what in a bot, a recording or this environment cannot be recorded."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.canonical import printable
from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject, mapping, rows, text
from engine.faces.cli.output import print_error, print_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.importers import Limit

DOCTOR_SCHEMA = "riff.doctor/v1"
SETUP_FILES = "PIPECAT_SETUP_FILES"
PIPECAT_FIRST = (1, 14)
"""The first release that the recorder is tried on."""
_FRAMEWORKS = ("pipecat-ai", "langgraph", "langgraph-checkpoint-sqlite", "rasa")


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor(ctx: click.Context, target: Path, *, as_json: bool) -> None:
    """Say what cannot be recorded, and why.

    TARGET is a bot's Python file (it is read, never run), a recording of any known format, or a
    folder without one, such as `.`, for the environment: interpreter, frameworks, variables.
    """
    try:
        kind, found = _examined(target)
    except EngineError as error:
        print_error(error)
        if as_json:
            print_object({"schema": DOCTOR_SCHEMA, "error": error.as_json()})
        ctx.exit(1)
    if as_json:
        print_object(
            {
                "schema": DOCTOR_SCHEMA,
                "target": printable(str(target)),
                "kind": kind,
                "rows": [row.as_json() for row in found],
                "error": None,
            }
        )
        return
    from engine.faces.cli.sheet import Sheet  # noqa: PLC0415  keep --help fast

    sheet = Sheet.on(sys.stdout)
    if not found:
        sheet.line(f"{target} ({kind}): nothing is unavailable.")
        return
    sheet.line(f"{target} ({kind}):")
    sheet.gap()
    sheet.table(
        ("What", "How", "Line", "Why"),
        [
            (row.what, row.verdict.value, "" if row.line is None else str(row.line), row.reason)
            for row in found
        ],
    )


def _examined(target: Path) -> "tuple[str, list[Limit]]":
    from engine.importers import limits_of_bot, open_any  # noqa: PLC0415  keep --help fast

    if target.suffix == ".py":
        return "bot", limits_of_bot(target)
    if target.is_dir() and not (target / "manifest.json").is_file():
        return "environment", [*_environment()]
    view = open_any(target).view
    return "recording", [*_of_recording(view.session, view.problems)]


def _of_recording(session: JsonObject, problems: "Sequence[JsonObject]") -> "Iterator[Limit]":
    """Yield what a recording says itself that it does not hold."""
    from engine.importers import Limit, Verdict  # noqa: PLC0415  keep --help fast

    for name, reason in mapping(session, "unavailable").items():
        yield Limit(what=name, verdict=Verdict.UNAVAILABLE, reason=str(reason))
    for row in rows(mapping(session, "import"), "mapping"):
        faith = text(row, "faith")
        if faith != "faithful":
            is_absent = faith == "absent"
            yield Limit(
                what=text(row, "concept") or "",
                verdict=Verdict.UNAVAILABLE if is_absent else Verdict.LIMITED,
                reason=("" if is_absent else f"{faith}: ") + (text(row, "reason") or ""),
            )
    for row in problems:
        if row.get("code") == "UNKNOWN_TYPE":
            continue  # it is shown as it is
        detail = f"{text(row, 'stream') or ''} line {row.get('line')}" if row.get("line") else ""
        reason = f"problem {row.get('code')} {detail}".strip()
        yield Limit(what="record", verdict=Verdict.LIMITED, reason=reason)


def _environment() -> "Iterator[Limit]":
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  keep it fast

    from engine.importers import Limit, Verdict  # noqa: PLC0415  keep --help fast

    yield Limit(
        what="interpreter",
        verdict=Verdict.RECORDED,
        reason=f"Python {sys.version.split()[0]} at {sys.executable}",
    )
    for name in _FRAMEWORKS:
        try:
            found = version(name)
        except PackageNotFoundError:
            reason = "not installed beside this command: a bot may run in another environment"
            yield Limit(what=name, verdict=Verdict.LIMITED, reason=reason)
            continue
        is_old = name == "pipecat-ai" and _release(found) < PIPECAT_FIRST
        needed = ".".join(map(str, PIPECAT_FIRST))
        yield Limit(
            what=name,
            verdict=Verdict.UNAVAILABLE if is_old else Verdict.RECORDED,
            reason=f"{found} is installed" + (f"; recording needs {needed}" if is_old else ""),
        )
    yield from _setup_files()


def _release(found: str) -> tuple[int, ...]:
    return tuple(int(part) for part in found.split(".")[:2] if part.isdecimal())


def _setup_files() -> "Iterator[Limit]":
    from engine.importers import Limit, Verdict  # noqa: PLC0415  keep --help fast

    named = os.environ.get(SETUP_FILES, "")
    if not named:
        reason = f"{SETUP_FILES} is not set here: a Pipecat bot started from here is not recorded"
        yield Limit(what="attaching", verdict=Verdict.UNAVAILABLE, reason=reason)
        return
    for path in filter(None, named.split(os.pathsep)):
        there = Path(path).is_file()
        yield Limit(
            what="attaching",
            verdict=Verdict.RECORDED if there else Verdict.UNAVAILABLE,
            reason=f"{SETUP_FILES} names {path}" + ("" if there else ", which is not there"),
        )
