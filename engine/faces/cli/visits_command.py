"""`spd visits RECORDING [PLACE]`: the visits of a call, or the slots at one's entry and exit."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, mapping, rows, text, texts
from engine.faces.cli.asking import Asked, Call, Reply, answer, asks, counted, said, seconds, valued

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet


@click.command()
@asks
@click.argument("place", required=False)
@click.option("--audible", is_flag=True, help="Show how long the agent was audible in each.")
@click.option("--long", "longest", is_flag=True, help="Longest first, with what was said.")
@click.option("--limit", default=100, show_default=True, help="How many visits at most.")
def visits(
    recording: Path,
    at: str,
    place: str | None,
    limit: int,
    *,
    as_json: bool,
    audible: bool,
    longest: bool,
) -> None:
    """List the visits of a call; with PLACE (a visit id, a time, ...), show that one.

    Of one visit: what each slot held when it began and when it ended.
    """

    def reply(call: Call) -> Reply:
        if place is not None:
            response = call.ask({"action": "inspect_state", **call.visit_of(place)})
            visit_id = str(mapping(mapping(response, "result"), "visit")["visit_id"])
            return Reply(response=response, show=_show_one, following=["exits", visit_id])
        order = "duration" if longest else "entry"
        response = call.ask({"action": "rank_visits", "order": order, "limit": limit})
        show = _show_long if longest else _show_audible if audible else _show_all
        found = rows(mapping(response, "result"), "items")
        first = [str(found[0]["visit_id"])] if found else []
        return Reply(response=response, show=show, following=["visits", *first])

    answer("visits", Asked(recording=recording, at=at, as_json=as_json), reply)


def _show_all(sheet: "Sheet", result: JsonObject) -> None:
    sheet.line(counted(result, "visits"), style="bold")
    table = [
        (
            str(row["visit_id"]),
            seconds(row["entered_ms"]),
            seconds(row["closed_ms"]),
            str(mapping(row, "facts")["turn_count"]),
            _left(row),
        )
        for row in rows(result, "items")
    ]
    sheet.table(("visit", "entered s", "left s", "turns", "left by"), table)


def _left(row: JsonObject) -> str:
    exit_ = mapping(row, "exit")
    if exit_["label"] == "unavailable":
        return f"unavailable ({said(exit_['reason'])})"
    to = f" for {exit_['to']}" if exit_["to"] else ""
    return f"{exit_['edge_id'] or 'an edge that was not recorded'}{to}"


def _show_audible(sheet: "Sheet", result: JsonObject) -> None:
    sheet.line(counted(result, "visits"), style="bold")
    table: list[tuple[str, ...]] = []
    for row in rows(result, "items"):
        facts = mapping(row, "facts")
        heard = seconds(facts["audible_ms"])
        if facts["audible_ms"] is None:
            heard = f"unavailable ({said(facts['audible_reason'])})"
        playbacks = str(facts["playback_count"])
        table.append(
            (str(row["visit_id"]), seconds(facts["duration_ms"]), heard, playbacks, _left(row))
        )
    sheet.table(("visit", "lasts s", "agent audible s", "playbacks", "left by"), table)


def _show_long(sheet: "Sheet", result: JsonObject) -> None:
    sheet.line(f"{counted(result, 'visits')}, longest first", style="bold")
    table: list[tuple[str, ...]] = []
    for row in rows(result, "items"):
        facts = mapping(row, "facts")
        words = " / ".join(texts(facts, "caller_texts")) or "-"
        lasts = seconds(facts["duration_ms"]) + ("+" if facts["duration_is_open"] else "")
        counts = (str(facts["turn_count"]), str(facts["tool_call_count"]))
        table.append((str(row["visit_id"]), lasts, *counts, words))
    sheet.table(("visit", "lasts s", "turns", "tools", "the caller said"), table)


def _show_one(sheet: "Sheet", result: JsonObject) -> None:
    visit = mapping(result, "visit")
    facts = mapping(visit, "facts")
    sheet.line(str(visit["visit_id"]), style="bold")
    heard = f"{seconds(facts['audible_ms'])} s"
    if facts["audible_ms"] is None:
        heard = f"unavailable ({said(facts['audible_reason'])})"
    left = f"{seconds(visit['closed_ms'])} s, {_left(visit)}"
    if visit["closed_index"] is None:
        left = _left(visit)
    sheet.pairs(
        [
            ("entered", f"{seconds(visit['entered_ms'])} s, #{visit['entered_index']}"),
            ("left", left),
            ("turns", str(facts["turn_count"])),
            ("agent audible", heard),
            ("prompt", text(mapping(result, "state"), "prompt") or "unavailable"),
        ]
    )
    sheet.gap()
    table = [
        (
            str(row["slot"]),
            valued(row["entry"], row["entry_label"], "not recorded"),
            valued(row["exit"], row["exit_label"], row["exit_reason"]),
            str(row["write_count"]),
        )
        for row in rows(result, "items")
    ]
    sheet.table(("slot", "at entry", "at exit", "writes within"), table)
