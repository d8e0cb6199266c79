"""`why` in lines: the core's chain of causes as a person reads it in a console.

Rules: wording only; what was not recorded is said to be unavailable, with the core's reason.
"""

from dap_adapter.convert import bounded, json_text, safe_text, value_text
from dap_adapter.opened import Opened
from dap_adapter.requests.stops import place_text
from engine.core.contract.json_types import JsonObject, integer, mapping, rows, text


def why_lines(opened: Opened, result: JsonObject) -> list[str]:
    """Return the lines of a `why` about a slot: the value, its causes, the words, the unknowns."""
    target = mapping(result, "target")
    write = mapping(target, "write")
    slot = safe_text(text(target, "slot") or "")
    if write:
        head = f"{slot} = {value_text(write['new'])}, written by {value_text(write['writer'])}"
    else:
        head = f"{slot} is not written up to here"
    lines = [head, *(line for hop in rows(result, "items") for line in hop_lines(opened, hop))]
    words = mapping(result, "value_in_words")
    if words.get("found") is False:
        lines.append("The value does not stand in the words of that turn, compared literally.")
    elif words.get("found") is True:
        lines.append("The value stands in the words of that turn.")
    lines += unknown_lines(result)
    return [bounded(line) for line in lines]


def hop_lines(opened: Opened, hop: JsonObject) -> list[str]:
    """Return the lines of a hop of a chain: where, what, its flow line, the words of its turn."""
    index = integer(hop, "event_index")
    what = safe_text(text(hop, "what") or "")
    if index is None:
        return [f"  unavailable: {what} ({value_text(hop.get('reason'))})"]
    span = mapping(mapping(hop, "flow"), "span")
    place = f" ({opened.source.name}:{span['line']})" if span else ""
    lines = [f"  {place_text(opened, index)} · {what}{place}"]
    for segment in rows(mapping(hop, "turn"), "segments"):
        said = json_text(segment["text"]) if segment["text"] is not None else "(no text)"
        lines.append(f"    {value_text(segment['speaker'])}: {said}")
    return lines


def unknown_lines(result: JsonObject) -> list[str]:
    """Return what the recording does not hold for the question, a line each."""
    return [
        f"Unknown: {safe_text(text(row, 'what') or '')} ({value_text(row.get('reason'))})"
        for row in rows(result, "unknowns")
    ]
