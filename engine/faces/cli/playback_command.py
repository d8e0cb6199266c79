"""`spd playback RECORDING`: what the agent's audio really did, playback by playback."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows
from engine.faces.cli.asking import Asked, Call, Reply, answer, asks, counted, said, seconds, valued

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet

_STAGES = ("requested", "generated", "started", "stopped", "completed", "interrupted", "failed")


@click.command()
@asks
@click.argument("place", required=False)
@click.option("--cut", is_flag=True, help="Only playbacks that were cut.")
@click.option("--heard", is_flag=True, help="Show the planned, heard and kept texts only.")
@click.option("--limit", default=100, show_default=True, help="How many playbacks at most.")
def playback(
    recording: Path,
    at: str,
    place: str | None,
    limit: int,
    *,
    as_json: bool,
    cut: bool,
    heard: bool,
) -> None:
    """Show each playback: its stages, whose it was, whether it was said twice or cut.

    PLACE narrows to the visit there. Three texts are kept apart: what was planned, what was heard,
    and what the model's context kept.
    """

    def reply(call: Call) -> Reply:
        narrowed: JsonObject = {"cut": cut, "limit": limit}
        if place is not None:
            narrowed["visit_id"] = _visit_id(call, place)
        response = call.ask({"action": "playback", **narrowed})
        found = rows(mapping(response, "result"), "items")
        following = ["why", _last_stage(found[0])] if found else ["visits", "--audible"]
        show = _show_texts if heard else _show
        return Reply(response=response, show=show, following=following)

    answer("playback", Asked(recording=recording, at=at, as_json=as_json), reply)


def _last_stage(row: JsonObject) -> str:
    """Return the id of the last thing that happened to a playback: its end, where it has one."""
    stages = mapping(row, "stages")
    reached = [stage for name in _STAGES if (stage := mapping(stages, name))]
    return str(reached[-1]["event_id"])


def _visit_id(call: Call, place: str) -> JsonValue:
    response = call.ask({"action": "inspect_state", **call.visit_of(place)})
    return mapping(mapping(response, "result"), "visit")["visit_id"]


def _show(sheet: "Sheet", result: JsonObject) -> None:
    shown = f"{counted(result, 'playbacks')} ({result['playbacks_total']} in the call)"
    sheet.line(shown, style="bold")
    for row in rows(result, "items"):
        sheet.gap()
        sheet.line(_name(row), style="bold")
        sheet.pairs([*_life(row), *_texts(row)])


def _show_texts(sheet: "Sheet", result: JsonObject) -> None:
    sheet.line(counted(result, "playbacks"), style="bold")
    for row in rows(result, "items"):
        sheet.gap()
        sheet.line(_name(row), style="bold")
        sheet.pairs(_texts(row))


def _name(row: JsonObject) -> str:
    visit = row["visit_id"] or "no visit"
    return f"#{row['event_index']} in {visit}, {seconds(row['start_ms'])} s"


def _life(row: JsonObject) -> list[tuple[str, str]]:
    stages = mapping(row, "stages")
    life = [
        f"{name} {seconds(mapping(stages, name)['clock_ms'])}"
        for name in _STAGES
        if mapping(stages, name)
    ]
    pairs = [("playback", str(row["playback_id"])), ("life (s)", ", ".join(life))]
    pairs.append(("audible", f"{seconds(row['audible_ms'])} s"))
    generation = mapping(row, "generation")
    if generation:
        trigger = said(generation["trigger"] or "a trigger that was not recorded")
        pairs.append(("model run", f"{generation['generation_id']}, asked for by {trigger}"))
    pairs += [("cut by", _cut_by(row))] if row["cut_by"] is not None else []
    pairs.append(("said twice", _twice(row)))
    back = mapping(row, "go_back_to")
    pairs.append(("before it", f"#{back['cursor']}; fork: {said(back['fork_reason'])}"))
    return pairs


def _cut_by(row: JsonObject) -> str:
    cut = mapping(row, "cut_by")
    event = mapping(cut, "event")
    if not event:
        return f"unavailable ({said(cut['reason'])})"
    return f"{event['what']} #{event['event_index']} at {seconds(event['clock_ms'])} s"


def _twice(row: JsonObject) -> str:
    twice = mapping(row, "said_twice")
    if not twice:
        return "no finding"
    began = mapping(twice, "first_began")
    mechanism = said(twice["mechanism"] or "unavailable")
    return f"yes, {mechanism}; the repetition began at {seconds(began.get('clock_ms'))} s"


def _texts(row: JsonObject) -> list[tuple[str, str]]:
    names = ("planned", "heard", "kept")
    pairs = [(n, valued(row[n], row[f"{n}_label"], row[f"{n}_reason"])) for n in names]
    if row["unheard"]:
        pairs.append(("not heard", valued(row["unheard"])))
    return pairs
