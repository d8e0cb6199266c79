"""`spd findings RECORDING`: what is notable in a call, by rule."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, mapping, rows, text, texts
from engine.faces.cli.asking import (
    Asked,
    Call,
    Reply,
    answer,
    asks,
    counted,
    place_of,
    said,
    seconds,
)

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet

EVENTS_SHOWN_MAX = 6
"""Events of a finding that stand in the text; --json has all."""


@click.command()
@asks
@click.argument("place", required=False)
@click.option("--rule", help="Only this rule: a code, or a short name such as `duplicate`.")
@click.option("--limit", default=100, show_default=True, help="How many findings at most.")
def findings(
    recording: Path, at: str, place: str | None, rule: str | None, limit: int, *, as_json: bool
) -> None:
    """List the findings of a call; with PLACE, that finding or those of the visit there.

    A finding says what is in the recording and claims no cause. Its id may stand wherever a place
    may.
    """

    def reply(call: Call) -> Reply:
        command: JsonObject = {"action": "list_findings", "limit": limit}
        if rule is not None:
            command["rule"] = rule
        named = place_of(call.view, place) if place is not None else {}
        if "finding" in named:
            command |= named
        elif place is not None:
            asked = call.ask({"action": "inspect_state", **call.visit_of(place)})
            command["visit_id"] = mapping(mapping(asked, "result"), "visit")["visit_id"]
        response = call.ask(command)
        found = rows(mapping(response, "result"), "items")
        following = ["why", str(found[0]["finding_id"])] if found else ["visits", "--audible"]
        return Reply(response=response, show=_show, following=following)

    answer("findings", Asked(recording=recording, at=at, as_json=as_json), reply)


def _show(sheet: "Sheet", result: JsonObject) -> None:
    rule = f" of {result['rule']}" if result["rule"] is not None else ""
    total = f" ({result['findings_total']} in the call)"
    sheet.line(f"{counted(result, 'findings')}{rule}{total}", style="bold")
    for row in rows(result, "items"):
        sheet.gap()
        sheet.line(str(row["finding_id"]), style=_style(row))
        visits = ", ".join(texts(row, "visits")) or "no visit"
        pairs = [("says", str(row["text"]))]
        pairs.append(("at", f"#{row['at']} {seconds(row['clock_ms'])} s, {visits}"))
        events = rows(row, "event_rows")[:EVENTS_SHOWN_MAX]
        pairs += [(f"#{event['event_index']}", str(event["what"])) for event in events]
        pairs += [("triggered by", _trigger(trigger)) for trigger in rows(row, "triggers")]
        if row["mechanism"] is not None:
            pairs.append(("mechanism", said(row["mechanism"])))
        given = mapping(row, "first_result_in_input")
        if given:
            known = {True: "yes", False: "no"}.get(given["value"] is True)
            value = (
                known if given["value"] is not None else f"unavailable ({said(given['reason'])})"
            )
            pairs.append(("first result in input", str(value)))
        sheet.pairs(pairs)


def _style(row: JsonObject) -> str:
    colours = {"error": "bold red", "warning": "bold yellow"}
    return colours.get(text(row, "severity") or "", "bold")


def _trigger(trigger: JsonObject) -> str:
    generation = mapping(trigger, "generation")
    if not generation:
        return f"{trigger['playback_id']}: unavailable"
    return f"{generation['generation_id']}, {said(generation['trigger'] or 'unavailable')}"
