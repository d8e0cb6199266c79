"""`spd why RECORDING TARGET`: the recorded causes of a value, an event, an exit, a silence."""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.errors import EventUnavailable
from engine.core.contract.json_types import JsonObject, mapping, rows
from engine.faces.cli.asking import (
    Asked,
    Call,
    Reply,
    answer,
    asks,
    milliseconds,
    place_of,
    placed,
    said,
    seconds,
    valued,
)
from engine.faces.cli.last_command import tool_pairs, turn_pairs

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet


@click.command()
@asks
@click.argument("target", nargs=-1, required=True, metavar="TARGET...")
@click.pass_context
def why(
    ctx: click.Context, recording: Path, at: str, target: tuple[str, ...], *, as_json: bool
) -> None:
    r"""Follow the recorded causes of TARGET back, as far as they go.

    \b
    spd why RECORDING SLOT             the value that the slot has (at --at)
    spd why RECORDING exit VISIT       the end of a visit
    spd why RECORDING silence SECONDS  the silence around that moment
    spd why RECORDING PLACE            an event: its id, #INDEX, seconds, a finding id

    Only causes that the records name are followed; nothing is guessed.
    """
    if len(target) > 2 or (len(target) == 2 and target[0] not in {"exit", "silence"}):
        raise click.UsageError("TARGET is SLOT, PLACE, `exit VISIT` or `silence SECONDS`.", ctx)

    def reply(call: Call) -> Reply:
        response = call.ask({"action": "why", **_about(call, target)})
        return Reply(response=response, show=_show, following=_following(response))

    answer("why", Asked(recording=recording, at=at, as_json=as_json), reply)


def _about(call: Call, target: tuple[str, ...]) -> JsonObject:
    if len(target) == 2 and target[0] == "silence":
        return {"silence_ms": milliseconds(target[1])}
    if len(target) == 2:
        return _exit_of(call, target[1])
    if any(slot["slot"] == target[0] for slot in call.view.slots):
        return {"slot": target[0]}
    place = place_of(call.view, target[0])
    if "event_id" in place and call.view.index_of(target[0]) is None:
        raise _unknown_target(call, target[0])
    if "finding" in place or "event_id" in place:
        return place
    cursor = call.cursor_of(target[0])
    return {"event_id": call.view.event_id(cursor) if cursor >= 0 else ""}


def _unknown_target(call: Call, name: str) -> EventUnavailable:
    slots = [str(slot["slot"]) for slot in call.view.slots]
    return EventUnavailable(
        f"{name!r} is no slot, event, visit or finding of this call. "
        f"Slots: {', '.join(slots) or 'none'}.",
        {"target": name, "nearest": [*get_close_matches(name, slots)]},
    )


def _exit_of(call: Call, place: str) -> JsonObject:
    named = call.visit_of(place)
    if "visit_id" in named:
        return {"exit": named["visit_id"]}
    return {
        "exit": mapping(mapping(call.ask({"action": "inspect_state", **named}), "result"), "visit")[
            "visit_id"
        ]
    }


def _following(response: JsonObject) -> list[str]:
    """Return the next command: what else was about the place that the answer leads to."""
    result = mapping(response, "result")
    target = mapping(result, "target")
    findings = result.get("findings")
    if isinstance(findings, list) and findings:
        return ["findings", str(findings[0])]
    if target["kind"] == "exit":
        return ["exits", str(target["visit_id"])]
    if target["kind"] == "silence":
        return ["pending", "--at", seconds(target["silence_ms"])]
    if target["kind"] == "slot":
        return ["history", str(target["slot"])]
    return ["visits", str(target["visit_id"])] if target["visit_id"] else ["visits"]


def _show(sheet: "Sheet", result: JsonObject) -> None:
    target = mapping(result, "target")
    match target["kind"]:
        case "slot":
            _show_slot(sheet, target)
        case "exit":
            _show_exit(sheet, target, result)
        case "silence":
            _show_silence(sheet, target, result)
        case _:
            sheet.line(f"Behind {target['event_id']}, {said(target['type'])}", style="bold")
    sheet.gap()
    sheet.line("Recorded causes, latest first:")
    sheet.table(("event", "s", "what"), [_hop(row) for row in rows(result, "items")])
    _show_behind(sheet, result)


def _hop(row: JsonObject) -> tuple[str, str, str]:
    if row["label"] == "unavailable":
        return ("-", "-", f"unavailable: {row['what']} ({said(row['reason'])})")
    place = mapping(row, "flow")
    span = mapping(place, "span")
    at = f" [flow line {span['line']}]" if span else ""
    return (placed(row), seconds(row["clock_ms"]), f"{row['what']}{at}")


def _show_slot(sheet: "Sheet", target: JsonObject) -> None:
    write = mapping(target, "write")
    if not write:
        sheet.line(f"{target['slot']} was not written up to here.", style="bold")
        return
    change = f"{valued(write['old'])} -> {valued(write['new'], write['label'])}"
    sheet.line(f"{target['slot']}: {change} in {write['visit_id'] or 'no visit'}", style="bold")


def _show_exit(sheet: "Sheet", target: JsonObject, result: JsonObject) -> None:
    left = mapping(target, "exit")
    if left["label"] == "unavailable":
        why_not = said(left["reason"])
        sheet.line(f"{target['visit_id']} has no recorded exit: {why_not}.", style="bold")
        return
    edge = left["edge_id"] or "an edge that the record does not name"
    to = f" for {left['to']}" if left["to"] else ""
    sheet.line(f"{target['visit_id']} was left{to} by {edge}", style="bold")
    pairs = [("condition", str(left["when"]))] if left["when"] else []
    evaluation = mapping(result, "evaluation")
    if evaluation:
        pairs.append(("verdict", f"{evaluation['what']} ({evaluation['event_id']})"))
    sheet.pairs(pairs)


def _show_silence(sheet: "Sheet", target: JsonObject, result: JsonObject) -> None:
    at = f"At {seconds(target['silence_ms'])} s"
    gap = mapping(target, "gap")
    if target["silent"] is None:
        sheet.line(f"{at}: unavailable ({said(target['reason'])})", style="bold")
    elif not gap:
        sheet.line(f"{at} it is not silent: the agent is audible.", style="bold")
        sheet.pairs([("playback", str(target["playback_id"]))])
    else:
        sheet.line(f"{at} the agent is silent.", style="bold")
        awaited = [f"{row['kind']}: {row['what']}" for row in rows(result, "awaited")]
        last = mapping(result, "last_event")
        sheet.pairs(
            [
                ("gap", f"{seconds(gap['start_ms'])} to {seconds(gap['end_ms'])} s"),
                ("lasts", f"{seconds(gap['duration_ms'])} s"),
                ("awaited", "; ".join(awaited) or "nothing"),
                ("caller", "; ".join(str(row["what"]) for row in rows(result, "caller")) or "-"),
                ("last event", f"{placed(last)} {last['what']}" if last else "-"),
            ]
        )


def _show_behind(sheet: "Sheet", result: JsonObject) -> None:
    """Print the tool call and the turn behind the target, and behind the write before."""
    pairs = [*tool_pairs(result.get("tool_call")), *turn_pairs(result.get("turn"))]
    pairs += _words_pair(result)
    if pairs:
        sheet.gap()
        sheet.line("Behind it:")
        sheet.pairs(pairs)
    previous = mapping(result, "previous")
    if previous:
        write = mapping(previous, "write")
        sheet.gap()
        sheet.line(f"The write before, {placed(write)} at {seconds(write['clock_ms'])} s:")
        change = f"{valued(write['old'])} -> {valued(write['new'], write['label'])}"
        calls, turns = tool_pairs(previous["tool_call"]), turn_pairs(previous["turn"])
        sheet.pairs([("change", change), *calls, *turns, *_words_pair(previous)])
    findings = result.get("findings")
    if isinstance(findings, list) and findings:
        sheet.gap()
        sheet.line(f"Findings here: {', '.join(map(str, findings))}")


def _words_pair(behind: JsonObject) -> list[tuple[str, str]]:
    compared = mapping(behind, "value_in_words")
    if not compared:
        return []
    if compared["found"] is None:
        return [("words", f"unavailable ({said(compared['reason'])})")]
    verb = "in" if compared["found"] else "not in"
    return [("words", f"the value {valued(compared['value'])} is {verb} the words (literally)")]
