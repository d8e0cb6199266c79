"""`inspect_clocks`: the clocks of a call, how far they can be trusted, and the media cursor.

The call clock counts from `call_start_epoch`. A media cursor is a millisecond of it: an event's is
the greatest clock up to there, so it never runs back; a millisecond's event is the last one at or
before it. What was not measured on an audio file is null with a reason.
"""

from engine.core.artifact import ArtifactView
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, integer, text, texts
from engine.core.contract.labels import Label
from engine.core.cursor.audible import media_ms_at
from engine.core.cursor.facts import event_row
from engine.core.cursor.reading import listing, page_of, unknown
from engine.core.cursor.response import Answer

_MEASURED = ("drift_ppm", "residual_ms")


def inspect_clocks(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `inspect_clocks`: a row an audio file, and the call's clock.

    Items: `{audio_id, role, channels, availability, code, reason, offset_ms, measured_offset_ms,
    drift_ppm, drift_error_ppm, residual_ms, alignment_reason, declared_ms, measured_ms, label}`;
    `offset_ms` is the declared one, by which frames are found. `clock`: the call's. `media`:
    `media_ms` of the cursor; with `clock_ms` in the command also the event that this millisecond
    leads to.
    """
    offset, limit = page_of(command)
    items = [_audio(row) for row in [*view.audio][offset : offset + limit]]
    return listing(
        cursor,
        items=items,
        total=len(view.audio),
        offset=offset,
        evidence=(),
        extra={
            "clock": _clock(view),
            "media": _media(view, cursor, command),
            "unknowns": [*_unknowns(view, items)],
        },
    )


def _audio(row: JsonObject) -> JsonObject:
    recorded = row.get("availability") == Label.RECORDED.value
    return {
        "audio_id": row["audio_id"],
        "role": text(row, "role"),
        "channels": [*texts(row, "channel_map")],
        "availability": row.get("availability"),
        "code": text(row, "code"),
        "reason": text(row, "reason"),
        "offset_ms": integer(row, "media_start_offset_ms"),
        "measured_offset_ms": row.get("offset_ms"),
        "drift_ppm": row.get("drift_ppm"),
        "drift_error_ppm": row.get("drift_error_ppm"),
        "residual_ms": row.get("residual_ms"),
        "alignment_reason": text(row, "alignment_reason"),
        "declared_ms": integer(row, "duration_ms"),
        "measured_ms": integer(row, "measured_duration_ms"),
        "label": (Label.RECORDED if recorded else Label.UNAVAILABLE).value,
    }


def _clock(view: ArtifactView) -> JsonObject:
    clocks = view.columns.media_clocks
    steps = sum(finding.get("code") == "CLOCK_STEP" for finding in view.findings)
    return {
        "call_start_epoch": view.session.get("call_start_epoch"),
        "sequence": text(view.session, "sequence"),
        "first_ms": clocks[0] if clocks else None,
        "last_ms": clocks[-1] if clocks else None,
        "events": view.event_count,
        "events_without_clock": view.event_count - len(clocks),
        "clock_steps": steps,
    }


def _media(view: ArtifactView, cursor: int, command: JsonObject) -> JsonObject:
    asked = command.get("clock_ms")
    if asked is not None and type(asked) is not int:
        raise InvalidCommand("`clock_ms` is whole milliseconds.", {"clock_ms": asked})
    media_ms = media_ms_at(view, cursor) if asked is None else asked
    index = view.index_at_clock(media_ms) if media_ms is not None else -1
    return {
        "cursor": cursor,
        "media_ms": media_ms,
        "event": event_row(view, index) if index >= 0 else None,
    }


def _unknowns(view: ArtifactView, items: list[JsonObject]) -> list[JsonObject]:
    missing: list[JsonObject] = []
    for item in items:
        name = item["audio_id"]
        if item["label"] == Label.UNAVAILABLE.value:
            missing.append(unknown(f"audio {name}", str(item["reason"] or item["availability"])))
            continue
        if item["offset_ms"] is None:
            missing.append(unknown(f"offset of {name}", "not_recorded"))
        lacking = [key for key in _MEASURED if item[key] is None]
        if lacking:
            words = " and ".join(key.partition("_")[0] for key in lacking)
            reason = str(item["alignment_reason"] or "not_measured")
            missing.append(unknown(f"{words} of {name}", reason))
    if not items:
        missing.append(unknown("audio", "none_recorded"))
    clockless = view.event_count - len(view.columns.media_clocks)
    if clockless:
        missing.append(unknown(f"time of {clockless} events", "not_recorded"))
    return missing
