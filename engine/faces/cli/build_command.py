"""`spd build SESSION --out FILE`: a session directory becomes an artifact."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.canonical import printable
from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject, rows
from engine.faces.cli.output import print_error, print_object, progress_on_terminal

if TYPE_CHECKING:
    from engine.core.artifact import Assembled

BUILD_RESULT_SCHEMA = "riff.build_result/v1"


@click.command()
@click.argument("session", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(), help="The artifact file to write.")
@click.option("--strict", is_flag=True, help="Take any problem of the recording as an error.")
@click.pass_context
def build(ctx: click.Context, session: Path, out: str, *, strict: bool) -> None:
    """Build the artifact of the session directory SESSION.

    Prints one JSON object: the artifact's hash (what `sha256sum` of the file gives) and how many
    events, visits, findings and problems it has. The session directory is not changed, and the file
    is written whole or not at all.
    """
    from engine.recording import (  # noqa: PLC0415  keep --help fast
        refuse_problems,
        stream_session,
        write_artifact,
    )

    try:
        with progress_on_terminal() as progress:
            assembled = stream_session(session, progress=progress)
            if strict:
                refuse_problems(rows(assembled.header, "problems"))
            digest = write_artifact(assembled, Path(out), session_directory=session)
    except EngineError as error:
        print_error(error)
        print_object(_failure(out, error))
        ctx.exit(1)
    print_object(_result(assembled, out, digest))


_COUNTS = ("event_count", "visit_count", "findings", "problems")


def _failure(out: str, error: EngineError) -> JsonObject:
    """Return the result's keys without values, and the error."""
    return {
        "schema": BUILD_RESULT_SCHEMA,
        "path": printable(out),
        "artifact_hash": None,
        **dict.fromkeys(_COUNTS),
        "error": error.as_json(),
    }


def _result(assembled: "Assembled", out: str, digest: str) -> JsonObject:
    return {
        "schema": BUILD_RESULT_SCHEMA,
        "path": printable(out),
        "artifact_hash": digest,
        "event_count": len(assembled.events),
        "visit_count": len(rows(assembled.header, "visits")),
        "findings": len(rows(assembled.header, "findings")),
        "problems": len(rows(assembled.header, "problems")),
    }
