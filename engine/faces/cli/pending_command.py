"""`spd pending RECORDING`: what was asked for and has not come, or was dropped."""

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
@click.option("--limit", default=100, show_default=True, help="How many items at most.")
def pending(recording: Path, at: str, limit: int, *, as_json: bool) -> None:
    """Show what is pending at a place: since when, what for, and how it ended later.

    Below it stand the transitions that the visit there asked for and dropped.
    """

    def reply(call: Call) -> Reply:
        response = call.ask({"action": "inspect_pending", "limit": limit})
        result = mapping(response, "result")
        found = [*rows(result, "items"), *rows(result, "dropped")]
        following = ["why", str(found[0]["event_id"])] if found else ["findings"]
        return Reply(response=response, show=_show, following=following)

    answer("pending", Asked(recording=recording, at=at, as_json=as_json), reply)


def _show(sheet: "Sheet", result: JsonObject) -> None:
    sheet.line(f"Pending: {counted(result, 'items')}", style="bold")
    for row in rows(result, "items"):
        _show_item(sheet, row)
    dropped = rows(result, "dropped")
    sheet.line(f"Dropped in this visit: {len(dropped)}", style="bold")
    for row in dropped:
        _show_item(sheet, row)


def _show_item(sheet: "Sheet", row: JsonObject) -> None:
    sheet.line(f"{placed(row)} {row['kind']}: {row['what']}")
    ended = mapping(row, "ended")
    how = "never"
    if ended:
        how = f"{ended['how']} at {seconds(ended['clock_ms'])} s ({placed(ended)})"
    waits = valued(row["waits_for"]) if row["waits_for"] is not None else str(row["awaits"])
    sheet.pairs(
        [
            ("since", f"{seconds(row['since_ms'])} s, {seconds(row['waited_ms'])} s ago"),
            ("waits for", waits),
            ("ended", how),
        ]
    )
