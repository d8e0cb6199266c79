"""What a recording is and holds, and what it does not: the answer of `spd info`."""

from collections.abc import Iterator

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.core.contract.labels import Label

INFO_SCHEMA = "riff.recording_info/v1"
VISITED_MAX = 100


def recording_info(view: ArtifactView) -> JsonObject:
    """Return what the recording is, its counts, its problems by code, and what is unavailable.

    Cost: O(visits + playbacks + problems).
    """
    clocks = view.columns.media_clocks
    return {
        "schema": INFO_SCHEMA,
        "artifact_hash": view.artifact_hash,
        "session_id": text(view.session, "session_id"),
        "call_start_epoch": view.session.get("call_start_epoch"),
        "sequence": text(view.session, "sequence"),
        "ended": text(view.session, "ended"),
        "first_clock_ms": clocks[0] if clocks else None,
        "last_clock_ms": clocks[-1] if clocks else None,
        "engine_revision": text(view.session, "engine_revision"),
        "runtime_lock": text(view.session, "runtime_lock"),
        "flow": {
            "flow_id": text(view.flow, "flow_id"),
            "source_path": text(view.flow, "source_path"),
            "revision": text(view.flow, "revision"),
            "entry": text(view.flow, "entry"),
            "state_count": len(mapping(view.flow, "states")),
        },
        "counts": {
            "events": view.event_count,
            "visits": len(view.visits),
            "slots": len(view.slots),
            "playbacks": len(view.playback),
            "findings": len(view.findings),
            "problems": len(view.problems),
            "unowned_events": view.unowned_count,
        },
        "event_types": {kind: len(view.postings("type", kind)) for kind in view.event_types},
        "visited": [visit.visit_id for visit in view.visits[:VISITED_MAX]],
        "problems": _by_code(view),
        "audio": [_audio(row) for row in view.audio],
        "unavailable": [*_unavailable(view)],
    }


def _by_code(view: ArtifactView) -> JsonObject:
    counts: dict[str, int] = {}
    for problem in view.problems:
        code = str(problem["code"])
        counts[code] = counts.get(code, 0) + 1
    return {code: counts[code] for code in sorted(counts)}


def _audio(row: JsonObject) -> JsonObject:
    names = ("audio_id", "role", "path", "availability", "code", "reason", "duration_ms")
    return {name: row.get(name) for name in names}


def _unavailable(view: ArtifactView) -> Iterator[JsonValue]:
    """Yield `{what, reason}` of each thing that a debugger would want and this recording lacks."""
    for name, reason in sorted(mapping(view.session, "unavailable").items()):
        yield {"what": name, "reason": reason}
    for row in view.audio:
        if row.get("availability") != Label.RECORDED.value:
            reason = row.get("reason") or row.get("availability")
            yield {"what": f"audio {row.get('audio_id')}", "reason": reason}
    exits = [v.exit_reason for v in view.visits if v.exit_label == Label.UNAVAILABLE.value]
    if exits:
        reasons = sorted({reason for reason in exits if reason is not None})
        yield {"what": f"exit of {len(exits)} visits", "reason": ", ".join(reasons)}
    silent = sum(not row.get("acknowledged") for row in view.playback)
    if silent:
        what = f"client acknowledgement of {silent} of {len(view.playback)} playbacks"
        yield {"what": what, "reason": "not_recorded"}
    requests = view.postings("type", "llm_requested")
    if requests and not any("messages" in view.record(index) for index in requests):
        yield {"what": f"input of {len(requests)} model runs", "reason": "not_recorded"}
    clockless = view.event_count - len(view.columns.media_clocks)
    if clockless:
        yield {"what": f"time of {clockless} events", "reason": "not_recorded"}
