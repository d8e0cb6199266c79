"""`spd history RECORDING SLOT`: every write of a slot, in call order."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, mapping, rows
from engine.faces.cli.asking import (
    Asked,
    Call,
    Reply,
    answer,
    asks,
    counted,
    placed,
    seconds,
    valued,
)

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet


@click.command()
@asks
@click.argument("slot")
@click.option("--limit", default=100, show_default=True, help="How many writes at most.")
def history(recording: Path, at: str, slot: str, limit: int, *, as_json: bool) -> None:
    """List all writes of SLOT, its seeding included, over the whole call."""

    def reply(call: Call) -> Reply:
        response = call.ask({"action": "slot_history", "slot": slot, "limit": limit})
        found = rows(mapping(response, "result"), "items")
        following = ["why", str(found[-1]["event_id"])] if found else ["visits"]
        return Reply(response=response, show=_show, following=following)

    answer("history", Asked(recording=recording, at=at, as_json=as_json), reply)


def _show(sheet: "Sheet", result: JsonObject) -> None:
    sheet.line(counted(result, "writes"), style="bold")
    table = [
        (
            placed(row),
            seconds(row["clock_ms"]),
            str(row["visit_id"] or "-"),
            str(row["writer"] or "unavailable"),
            f"{valued(row['old'])} -> {valued(row['new'], row['label'], row['reason'])}",
        )
        for row in rows(result, "items")
    ]
    sheet.table(("event", "s", "visit", "writer", "change"), table)
