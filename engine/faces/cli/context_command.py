"""`spd context RECORDING [RUN]`: what a model run was given, against another run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows
from engine.faces.cli.asking import Asked, Call, Reply, answer, asks, said, seconds, valued

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet

_MARKS = {"unchanged": " ", "changed": "~", "added": "+", "missing": "-"}


@click.command()
@asks
@click.argument("run", required=False)
@click.option("--since", help="The run to compare with; without it, the one before.")
@click.option("--entry", is_flag=True, help="RUN is a visit: its first model run.")
def context(
    recording: Path, at: str, run: str | None, since: str | None, *, as_json: bool, entry: bool
) -> None:
    """Show what a model run was given, and what changed since another run.

    RUN is a number from 1, a generation id, or a place (the latest run begun there); with --entry
    it is a visit, or a place in one. Only messages that were snapshotted at the call are shown.
    """

    def reply(call: Call) -> Reply:
        command: JsonObject = {"action": "model_input", **_asked(call, run, entry=entry)}
        if since is not None:
            command["since"] = _number_or_id(since)
        response = call.ask(command)
        generation = mapping(mapping(response, "result"), "generation")
        return Reply(response=response, show=_show, following=["why", str(generation["event_id"])])

    answer("context", Asked(recording=recording, at=at, as_json=as_json), reply)


def _asked(call: Call, run: str | None, *, entry: bool) -> JsonObject:
    if run is None and not entry:
        return {}
    if entry:
        response = call.ask({"action": "inspect_state", **call.visit_of(run)})
        return {"entry": mapping(mapping(response, "result"), "visit")["visit_id"]}
    assert run is not None
    if _is_place(call, run):
        return {"cursor": call.cursor_of(run)}
    return {"generation": _number_or_id(run)}


def _is_place(call: Call, run: str) -> bool:
    """Return whether RUN is a place; whole numbers and other words name a run."""
    in_time = not run.isdigit() and run.replace(":", "").replace(".", "").isdigit()
    return "#" in run or in_time or call.view.index_of(run) is not None


def _number_or_id(name: str) -> JsonValue:
    return int(name) if name.isascii() and name.isdigit() and len(name) < 16 else name


def _show(sheet: "Sheet", result: JsonObject) -> None:
    run, since = mapping(result, "generation"), mapping(result, "since")
    sheet.line(f"Model run {run['number']}: {run['generation_id']}", style="bold")
    pairs = _run_pairs(run)
    if since:
        name = f"{since['number']}: {since['generation_id']}"
        pairs.append(("compared with", f"run {name}, {_size(since)}"))
    trigger = mapping(result, "trigger_in_input")
    pairs.append(("turn behind it", valued(trigger["text"], _known(trigger["text"]))))
    pairs.append(("turn in input", _found(trigger)))
    sheet.pairs(pairs)
    sheet.gap()
    if result["label"] == "unavailable":
        sheet.line(f"messages: unavailable ({said(result['reason'])})")
        return
    counts = ", ".join(f"{n} {name}" for name, n in mapping(result, "counts").items())
    sheet.line(f"{len(rows(result, 'items'))} of {result['total']} messages: {counts}")
    for row in rows(result, "items"):
        mark = _MARKS.get(str(row["change"]), "?")
        sheet.line(f"{mark} {row['role']}: {valued(row['text'])}")


def _known(value: JsonValue) -> str:
    return "unavailable" if value is None else "recorded"


def _run_pairs(run: JsonObject) -> list[tuple[str, str]]:
    cause = mapping(run, "caused_by")
    return [
        ("began", f"#{run['event_index']} at {seconds(run['clock_ms'])} s"),
        ("visit", str(run["visit_id"] or "none")),
        ("trigger", said(run["trigger"] or "unavailable")),
        ("context", _size(run)),
        ("caused by", str(cause["what"]) if cause else "unavailable (not recorded)"),
    ]


def _size(run: JsonObject) -> str:
    if run["context_size"] is None:
        return "size unavailable (not recorded)"
    return f"{run['context_size']} messages"


def _found(trigger: JsonObject) -> str:
    if trigger["found"] is None:
        return f"unavailable ({said(trigger['reason'])})"
    return "yes (literally)" if trigger["found"] else "no (literally)"
