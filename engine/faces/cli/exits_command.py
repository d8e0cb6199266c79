"""`spd exits RECORDING [PLACE]`: the declared exits of a visit, and what is known of each."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, mapping, rows, texts
from engine.faces.cli.asking import Asked, Call, Reply, answer, asks, counted, said

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet


@click.command()
@asks
@click.argument("place", required=False)
def exits(recording: Path, at: str, place: str | None, *, as_json: bool) -> None:
    """Show which exits a visit had, and why the others were not taken.

    PLACE is a visit id or any place in a visit; without it, the visit at --at. Verdicts are those
    recorded up to --at.
    """

    def reply(call: Call) -> Reply:
        response = call.ask({"action": "inspect_exits", **call.visit_of(place)})
        visit_id = str(mapping(mapping(response, "result"), "visit")["visit_id"])
        return Reply(response=response, show=_show, following=["why", "exit", visit_id])

    answer("exits", Asked(recording=recording, at=at, as_json=as_json), reply)


def _show(sheet: "Sheet", result: JsonObject) -> None:
    visit = mapping(result, "visit")
    sheet.line(f"{counted(result, 'exits')} of {visit['visit_id']}", style="bold")
    for row in rows(result, "items"):
        taken = ", taken" if row["taken"] else ""
        line = mapping(row, "span").get("line")
        at = f" [flow line {line}]" if line is not None else ""
        sheet.line(f"{row['edge_id']} -> {row['to']}{taken}{at}", style="bold")
        sheet.pairs(
            [
                ("condition", str(row["when"] or "none")),
                ("slots read", ", ".join(texts(row, "slots_read")) or "none recorded"),
                ("verdict", _verdict(row)),
            ]
        )


def _verdict(row: JsonObject) -> str:
    if row["label"] == "unavailable":
        return f"unavailable ({said(row['label_reason'])})"
    evaluation = mapping(row, "evaluation")
    verdict = str(row["verdict"]).lower()
    return f"{verdict}: {evaluation['what']} ({evaluation['event_id']})" if evaluation else verdict
