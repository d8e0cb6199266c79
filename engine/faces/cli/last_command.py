"""`spd last RECORDING SLOT`: who gave a slot the value that it has."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, JsonValue, mapping
from engine.faces.cli.asking import Asked, Call, Reply, answer, asks, placed, seconds, valued

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet


@click.command()
@asks
@click.argument("slot")
def last(recording: Path, at: str, slot: str, *, as_json: bool) -> None:
    """Say who set SLOT to the value that it has at a place.

    The write with its time, visit, writer and tool call, and the turn behind it.
    """

    def reply(call: Call) -> Reply:
        response = call.ask({"action": "last", "slot": slot})
        return Reply(response=response, show=_show, following=["why", slot, *_at(at)])

    answer("last", Asked(recording=recording, at=at, as_json=as_json), reply)


def _at(at: str) -> list[str]:
    return [] if at == "end" else ["--at", at]


def _show(sheet: "Sheet", result: JsonObject) -> None:
    write = mapping(result, "write")
    held = valued(result["value"], result["label"], result["reason"])
    sheet.line(f"{result['slot']} is {held}", style="bold")
    if not write:
        sheet.line("Nobody wrote it up to here.")
        return
    pairs = [
        ("write", f"{placed(write)} {write['event_id']} at {seconds(write['clock_ms'])} s"),
        ("change", f"{valued(write['old'])} -> {valued(write['new'], write['label'])}"),
        ("visit", str(write["visit_id"] or "none")),
        ("writer", str(write["writer"] or "unavailable")),
        *tool_pairs(result["tool_call"]),
        *turn_pairs(result["turn"]),
    ]
    sheet.pairs(pairs)
    sheet.line(f"{result['writes_before']} writes before it, {result['writes_after']} after.")


def tool_pairs(called: JsonValue) -> list[tuple[str, str]]:
    """Return the lines on a tool call and its result."""
    if not isinstance(called, dict):
        return []
    line = f"{called['tool']} {valued(called['args_safe'])} ({called['event_id']})"
    result = mapping(called, "result")
    shown = "unavailable"
    if result:
        held = result["error"] if result["error"] is not None else result["result_safe"]
        shown = f"{valued(held)} ({result['event_id']})"
    return [("tool call", line), ("tool result", shown)]


def turn_pairs(turn: JsonValue) -> list[tuple[str, str]]:
    """Return the lines on a turn and its segments."""
    if not isinstance(turn, dict):
        return []
    words = valued(turn["text"], turn["label"], turn["reason"])
    name = turn["turn_id"] or turn["event_id"]
    pairs = [("turn", f"{name} {words}, committed at {seconds(turn['committed_ms'])} s")]
    segments = turn["segments"]
    assert isinstance(segments, list)
    for segment in segments:
        assert isinstance(segment, dict)
        pairs.append(("  segment", segment_words(segment)))
    return pairs


def segment_words(segment: JsonObject) -> str:
    """Return one segment with its times."""
    at = f"{segment['event_id']} at {seconds(segment['clock_ms'])} s"
    said = valued(segment["text"], segment["label"], segment["reason"])
    start, end = segment["start_ms"], segment["end_ms"]
    spoken = f", spoken {seconds(start)} to {seconds(end)} s" if start is not None else ""
    overtaken = segment["before_commit_of"]
    late = f"; stands before the commit of turn {overtaken}, which lacks it" if overtaken else ""
    return f"{said} {at}{spoken}{late}"
