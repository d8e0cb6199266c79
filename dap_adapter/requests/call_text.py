"""What the core says of the call, in lines: silence, model runs, clocks, visits, playbacks.

Rules: wording only; what was not recorded is said to be unavailable, with the core's reason.
"""

from dap_adapter.convert import bounded, clock_text, json_text, safe_text, value_text
from dap_adapter.opened import Opened
from dap_adapter.requests.stops import place_text
from dap_adapter.requests.why_text import hop_lines, unknown_lines
from engine.core.contract.json_types import JsonObject, JsonValue, integer, mapping, rows, text

_STAGES = ("requested", "generated", "started", "stopped", "completed", "interrupted", "failed")
_CHANGES = {"unchanged": " ", "changed": "~", "added": "+", "missing": "-"}


def silence_lines(opened: Opened, result: JsonObject) -> list[str]:
    """Return the lines of a `why` about a silence: the gap, what was awaited, what ended it."""
    target = mapping(result, "target")
    gap = mapping(target, "gap")
    at = f"At {_time(target['silence_ms'])}"
    if target["silent"] is None:
        lines = [f"{at}: {_unavailable(target['reason'])}"]
    elif not gap:
        lines = [f"{at} the agent is audible: playback {value_text(target['playback_id'])}"]
    else:
        awaited = [
            f"{value_text(row['kind'])}: {_what(row)}{_ended(row)}"
            for row in rows(result, "awaited")
        ]
        lasts = f"{_time(gap['start_ms'])} to {_time(gap['end_ms'])}"
        lines = [
            f"{at} the agent is silent, from {lasts} ({_seconds(gap['duration_ms'])})",
            f"  awaited: {'; '.join(awaited) or 'nothing'}",
            *(f"  {_event_text(opened, row)}" for row in rows(result, "caller")),
        ]
        if last := mapping(result, "last_event"):
            lines.append(f"  last event: {_event_text(opened, last)}")
    lines.append("Recorded causes of the sound, latest first:")
    lines += [line for hop in rows(result, "items") for line in hop_lines(opened, hop)]
    return _told(lines, result)


def context_lines(opened: Opened, result: JsonObject) -> list[str]:
    """Return the lines of a `model_input`: the run, its cause, its messages and their change."""
    run, since = mapping(result, "generation"), mapping(result, "since")
    trigger = value_text(run["trigger"]) if run["trigger"] is not None else _unavailable(None)
    lines = [
        f"Model run {_run_text(run)}, asked for by {trigger}",
        f"  began {place_text(opened, integer(run, 'event_index') or 0)}",
    ]
    cause = mapping(run, "caused_by")
    lines.append(f"  caused by {_event_text(opened, cause) if cause else _unavailable(None)}")
    if since:
        lines.append(f"  compared with run {_run_text(since)}")
    words = mapping(result, "trigger_in_input")
    if words["text"] is not None:
        lines.append(f"  the turn behind it: {json_text(words['text'])}, {_found_text(words)}")
    if result["label"] == "unavailable":
        lines.append(f"  messages: {_unavailable(result['reason'])}")
    for row in rows(result, "items"):
        mark = _CHANGES.get(text(row, "change") or "", "?")
        said = json_text(row["text"]) if row.get("text") is not None else "(no text)"
        lines.append(f"{mark} {value_text(row['role'])}: {said}")
    return _told(lines, result)


def clock_lines(result: JsonObject) -> list[str]:
    """Return the lines of an `inspect_clocks`: the call's clock, and a line an audio file."""
    clock = mapping(result, "clock")
    parts = [
        f"Call clock: {_time(clock['first_ms'])} to {_time(clock['last_ms'])}",
        _counted(clock["events"], "event"),
        f"{clock['events_without_clock']} without a time",
        _counted(clock["clock_steps"], "clock step"),
    ]
    lines = [", ".join(parts)]
    for row in rows(result, "items"):
        parts = [
            value_text(row["audio_id"]),
            f"offset {_measure(row['offset_ms'], 'ms')}",
            f"measured {_measure(row['measured_offset_ms'], 'ms')}",
            f"drift {_measure(row['drift_ppm'], 'ppm', row['drift_error_ppm'])}",
            f"residual {_measure(row['residual_ms'], 'ms')}",
        ]
        lines.append(" · ".join(parts))
    return _told(lines, result)


def visit_lines(result: JsonObject) -> list[str]:
    """Return the lines of a `rank_visits`: length, turns, what was audible and said, a visit."""
    lines = [_visit_text(row) for row in rows(result, "items")]
    return _told([*lines, *_more(result)], result)


def visit_sides_lines(result: JsonObject) -> list[str]:
    """Return the lines of an `inspect_state`: a visit, and each slot at its entry and exit."""
    lines = [_visit_text(mapping(result, "visit"))]
    for row in rows(result, "items"):
        entry = _labelled(row["entry"], row["entry_label"], None)
        left = _labelled(row["exit"], row["exit_label"], row["exit_reason"])
        lines.append(f"  {value_text(row['slot'])}: {entry} at entry, {left} at exit")
    return _told([*lines, *_more(result)], result)


def playback_lines(opened: Opened, result: JsonObject) -> list[str]:
    """Return the lines of a `playback`: each one's stages, what cut it, and its three texts."""
    lines: list[str] = []
    for row in rows(result, "items"):
        stages = mapping(row, "stages")
        lived = [
            f"{name} {_time(mapping(stages, name)['clock_ms'])}"
            for name in _STAGES
            if mapping(stages, name)
        ]
        place = place_text(opened, integer(row, "event_index") or 0)
        heard = f"audible {_seconds(row['audible_ms'])}"
        lines.append(f"{place} · {', '.join(lived)} · {heard}")
        if row["cut_by"] is not None:
            lines.append(f"  cut by {_cut_text(opened, mapping(row, 'cut_by'))}")
        for name in ("planned", "heard", "kept"):
            said = json_text(row[name])
            if row[f"{name}_label"] == "unavailable":
                said = _unavailable(row[f"{name}_reason"])
            lines.append(f"  {name}: {said}")
        if unheard := text(row, "unheard"):
            lines.append(f"  not heard: {json_text(unheard)}")
    return _told([*lines, *_more(result)] or ["No playbacks in this call."], result)


def pending_lines(opened: Opened, result: JsonObject) -> list[str]:
    """Return the lines of an `inspect_pending`: what is pending, and what the visit dropped."""
    lines = [_pending_text(opened, row) for row in rows(result, "items")]
    lines += _more(result)
    dropped = [f"dropped: {_pending_text(opened, row)}" for row in rows(result, "dropped")]
    return _told([*(lines or ["Nothing is pending at this event."]), *dropped], result)


def ended_text(row: JsonObject) -> str:
    """Return how what was pending ended later: `completed at 00:20.383 (#121)`."""
    ended = mapping(row, "ended")
    if not ended:
        return "never ended"
    return f"{value_text(ended['how'])} at {_time(ended['clock_ms'])} (#{ended['event_index']})"


# -- parts of lines --------------------------------------------------------------------------------


def _told(lines: list[str], result: JsonObject) -> list[str]:
    """Return the lines, bounded, and behind them what the recording does not hold."""
    return [bounded(line) for line in [*lines, *unknown_lines(result)]]


def _more(result: JsonObject) -> list[str]:
    more = (integer(result, "total") or 0) - len(rows(result, "items"))
    return [f"… {more} more"] if more > 0 else []


def _pending_text(opened: Opened, row: JsonObject) -> str:
    waits_for = row["waits_for"] if row["waits_for"] is not None else row["awaits"]
    parts = [
        place_text(opened, integer(row, "event_index") or 0),
        f"{value_text(row['kind'])}: {_what(row)}",
        f"since {_time(row['since_ms'])}, {_seconds(row['waited_ms'])} ago",
        f"waits for {value_text(waits_for)}",
        ended_text(row),
    ]
    return " · ".join(parts)


def _ended(row: JsonObject) -> str:
    return f", {ended_text(row)}" if "ended" in row else ""


def _visit_text(row: JsonObject) -> str:
    facts = mapping(row, "facts")
    lasts = _seconds(facts["duration_ms"])
    if facts["duration_is_open"]:
        lasts += " and more"
    heard = f"audible {_seconds(facts['audible_ms'])}"
    if facts["audible_ms"] is None:
        heard = f"audible: {_unavailable(facts['audible_reason'])}"
    said = facts["caller_texts"]
    words = " / ".join(json_text(item) for item in said) if isinstance(said, list) else ""
    parts = [
        value_text(row["visit_id"]),
        f"entered {_time(row['entered_ms'])}",
        f"lasts {lasts}",
        _counted(facts["turn_count"], "turn"),
        _counted(facts["tool_call_count"], "tool call"),
        heard,
        f"caller: {words or '-'}",
    ]
    return " · ".join(parts)


def _cut_text(opened: Opened, cut: JsonObject) -> str:
    event = mapping(cut, "event")
    return _event_text(opened, event) if event else _unavailable(cut["reason"])


def _event_text(opened: Opened, row: JsonObject) -> str:
    return f"{place_text(opened, integer(row, 'event_index') or 0)} · {_what(row)}"


def _run_text(run: JsonObject) -> str:
    size = run["context_size"]
    known = f"{size} messages" if size is not None else f"size {_unavailable(None)}"
    return f"{run['number']} ({value_text(run['generation_id'])}), {known}"


def _found_text(words: JsonObject) -> str:
    if words["found"] is None:
        return f"in the input: {_unavailable(words['reason'])}"
    return "in the input, literally" if words["found"] else "not in the input, literally"


def _what(row: JsonObject) -> str:
    return safe_text(text(row, "what") or "")


def _labelled(value: JsonValue, label: JsonValue, reason: JsonValue) -> str:
    return _unavailable(reason) if label == "unavailable" else value_text(value)


def _unavailable(reason: JsonValue) -> str:
    return f"unavailable ({value_text(reason if reason is not None else 'not_recorded')})"


def _measure(value: JsonValue, unit: str, error: JsonValue = None) -> str:
    within = "" if error is None else f" ± {value_text(error)}"
    return "unavailable" if value is None else f"{value_text(value)}{within} {unit}"


def _counted(count: JsonValue, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _time(value: JsonValue) -> str:
    return clock_text(value) if isinstance(value, int) else "?"


def _seconds(value: JsonValue) -> str:
    return f"{value / 1000:.3f} s" if isinstance(value, int) else "? s"
