"""`spd clocks RECORDING`: which clocks a call has, and how far they can be trusted."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, texts
from engine.faces.cli.asking import Asked, Call, Reply, answer, asks, counted, seconds

if TYPE_CHECKING:
    from engine.faces.cli.sheet import Sheet


@click.command()
@asks
def clocks(recording: Path, at: str, *, as_json: bool) -> None:
    """Show the call's clock, and offset, drift and residual of each audio file."""

    def reply(call: Call) -> Reply:
        response = call.ask({"action": "inspect_clocks"})
        following = ["findings", "--rule", "clock_step"]
        return Reply(response=response, show=_show, following=following)

    answer("clocks", Asked(recording=recording, at=at, as_json=as_json), reply)


def _show(sheet: "Sheet", result: JsonObject) -> None:
    clock, media = mapping(result, "clock"), mapping(result, "media")
    sheet.line("Call clock", style="bold")
    event = mapping(media, "event")
    sheet.pairs(
        [
            ("events", f"{clock['events']}, {clock['events_without_clock']} without a time"),
            ("from, to", f"{seconds(clock['first_ms'])} s, {seconds(clock['last_ms'])} s"),
            ("order", str(clock["sequence"]).replace("_", " ")),
            ("clock steps", str(clock["clock_steps"])),
            ("media cursor", f"{seconds(media['media_ms'])} s at #{media['cursor']}"),
            ("its event", f"#{event['event_index']}" if event else "none"),
        ]
    )
    sheet.gap()
    sheet.line(counted(result, "audio files"), style="bold")
    table = [
        (
            str(row["audio_id"]),
            ", ".join(texts(row, "channels")) or "-",
            seconds(row["offset_ms"]),
            seconds(row["measured_offset_ms"]),
            _known(row["drift_ppm"], row["drift_error_ppm"]),
            _known(row["residual_ms"]),
            seconds(row["measured_ms"]),
        )
        for row in rows(result, "items")
    ]
    columns = ("audio", "channels", "offset s", "measured s", "drift ppm", "residual ms", "lasts s")
    sheet.table(columns, table)


def _known(value: JsonValue, error: JsonValue = None) -> str:
    within = "" if error is None else f" ± {error}"
    return "unavailable" if value is None else f"{value}{within}"
