"""`spd info RECORDING`: what a recording is, what it holds, and what it does not."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, rows, text
from engine.faces.cli.output import print_error, print_object, progress_on_terminal

_SHOWN = 12


@click.command()
@click.argument("recording", type=click.Path(path_type=Path))
@click.option(
    "--flow-root",
    type=click.Path(path_type=Path),
    help="The workspace folder whose flow file to compare with the one that ran.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def info(ctx: click.Context, recording: Path, flow_root: Path | None, *, as_json: bool) -> None:
    """Say what RECORDING (a session directory or an artifact file) is and holds.

    What was not recorded is listed with its reason. With --flow-root it also says whether the flow
    in your workspace is still the one that ran.
    """
    from engine.core.cursor import recording_info  # noqa: PLC0415  keep --help fast
    from engine.importers import open_any  # noqa: PLC0415

    try:
        with progress_on_terminal() as progress:
            view = open_any(recording, progress=progress).view
    except EngineError as error:
        print_error(error)
        if as_json:
            print_object({"error": error.as_json()})
        ctx.exit(1)
    found = recording_info(view)
    if flow_root is not None:
        from engine.recording import flow_drift  # noqa: PLC0415

        drift = flow_drift(view, flow_root)
        found["drift"] = {
            "status": drift.status,
            "path": str(drift.path) if drift.path is not None else None,
            "changed_lines": [*drift.changed_lines],
        }
    if as_json:
        print_object(found)
        return
    for line in _lines(recording, found):
        click.echo(line)


def _lines(recording: Path, found: JsonObject) -> Iterator[str]:
    """Yield the readable form."""
    flow, counts = mapping(found, "flow"), mapping(found, "counts")
    held = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    yield f"{found['session_id']}  ({recording})"
    yield ""
    yield from _table(
        ("call", _call(found)),
        ("ended", found["ended"] or "unavailable"),
        ("flow", f"{flow['flow_id']} ({flow['state_count']} states, from {flow['source_path']})"),
        ("flow revision", flow["revision"]),
        ("artifact hash", found["artifact_hash"]),
        ("holds", held),
        ("visits", _visited(found)),
    )
    problems = mapping(found, "problems")
    if problems:
        yield from ("", "Problems (flaws of the recording; it opens all the same):")
        yield from _table(*problems.items())
    drift = mapping(found, "drift")
    if drift:
        yield from ("", f"Flow in the workspace: {_drift(drift)}")
    yield from ("", "Unavailable:")
    missing = [(text(row, "what") or "", row["reason"]) for row in rows(found, "unavailable")]
    yield from _table(*missing or [("nothing", "all that a recording can hold is here")])
    yield from ("", f'Next: spd command {recording} --json \'{{"action": "list_visits"}}\'')


def _table(*pairs: tuple[str, JsonValue]) -> Iterator[str]:
    width = max(len(name) for name, _ in pairs)
    return (f"  {name:<{width}}  {value}" for name, value in pairs)


def _call(found: JsonObject) -> str:
    epoch = integer(found, "call_start_epoch")
    first, last = integer(found, "first_clock_ms"), integer(found, "last_clock_ms")
    began = "began at an unavailable time"
    if epoch is not None:
        began = f"began {datetime.fromtimestamp(epoch / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if first is None or last is None:
        return f"{began}, no event has a time"
    return f"{began}, events from {first / 1000:.3f} s to {last / 1000:.3f} s"


def _visited(found: JsonObject) -> str:
    visited = found["visited"]
    assert isinstance(visited, list)
    names = [str(name) for name in visited[:_SHOWN]]
    total = integer(mapping(found, "counts"), "visits") or 0
    more = f" ... and {total - len(names)} more" if total > len(names) else ""
    return (" ".join(names) or "none") + more


def _drift(drift: JsonObject) -> str:
    path = drift["path"]
    match drift["status"]:
        case "same":
            return f"{path} is the one that ran."
        case "differs":
            changed = drift["changed_lines"]
            assert isinstance(changed, list)
            shown = ", ".join(str(line) for line in changed[:_SHOWN])
            return f"{path} differs from the one that ran (lines {shown or 'none'})."
        case "missing":
            return f"{path} is not there."
        case _:
            return "unavailable: the recording does not say where its flow came from."
