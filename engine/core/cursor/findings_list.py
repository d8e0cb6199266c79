"""`list_findings`: the artifact's findings, each with its events in words.

A rule is named by its code or by its short name. Beside what the artifact holds stand the triggers
of the model runs behind a repeated playback, and whether a repeated tool's first result was in the
model's input, where that input was snapshotted.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType

from engine.core.artifact import ArtifactView
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, integer, mapping, rows, text, texts
from engine.core.contract.labels import Label
from engine.core.cursor.causes import causes_of, tool_call_row
from engine.core.cursor.facts import known_row
from engine.core.cursor.playbacks import duplicate_unknowns, generation_row
from engine.core.cursor.reading import finding_named, listing, page_of, text_of, unknown
from engine.core.cursor.response import Answer

FINDINGS_KEYS = frozenset({"rule", "visit_id", "finding"})
SHORT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "duplicate": "DUPLICATE_AGENT_PLAYBACK",
        "capture_gap": "PLAYBACK_CAPTURE_GAP",
        "left_unheard": "VISIT_WITHOUT_AUDIBLE_SPEECH",
        "not_kept": "HEARD_NOT_KEPT",
        "cut": "SPEECH_CUT_BY_CALLER",
        "two_playbacks": "TWO_PLAYBACKS_ONE_TURN",
        "merged": "TURN_MERGED_SEGMENTS",
        "overwritten": "SLOT_OVERWRITTEN_UNSUPPORTED",
        "tool_repeated": "TOOL_CALLED_TWICE",
        "no_result": "TOOL_WITHOUT_RESULT",
        "tool_failed": "TOOL_FAILED",
        "dropped": "TRANSITION_DROPPED",
        "no_edge": "TRANSITION_WITHOUT_EDGE",
        "true_not_taken": "EDGE_TRUE_NOT_TAKEN",
        "loop": "STATE_LOOP",
        "silence": "SILENCE_WHILE_PENDING",
        "guard_failed": "GUARD_FAILED",
        "unowned": "UNOWNED_EVENTS",
        "clock_step": "CLOCK_STEP",
    }
)
"""Short names of the rules, in the table's order (design section 11)."""


def list_findings(view: ArtifactView, cursor: int, command: JsonObject) -> Answer:
    """Answer `list_findings`: in the artifact's order, narrowed by `rule`, `visit_id`, `finding`.

    Items: the artifact's rows with `event_id`, `clock_ms` (of `at`), `event_rows` (its events,
    described), `triggers`, `first_result_in_input`. Cost: O(findings), and the events shown.
    """
    offset, limit = page_of(command)
    code, visit_id = rule_code(text_of(command, "rule")), text_of(command, "visit_id")
    named = text_of(command, "finding")
    one = finding_named(view, named) if named is not None else None
    found = [
        finding
        for finding in view.findings
        if (one is None or finding["finding_id"] == named)
        and (code is None or finding["code"] == code)
        and (visit_id is None or visit_id in texts(finding, "visits"))
    ]
    items = [_row(view, finding) for finding in found[offset : offset + limit]]
    evidence = [event_id for item in items for event_id in texts(item, "events")]
    return listing(
        cursor,
        items=items,
        total=len(found),
        offset=offset,
        evidence=evidence,
        extra={
            "rule": code,
            "findings_total": len(view.findings),
            "unknowns": [
                *_unknowns(view, code if one is None else text(one, "code")),
                *_untriggered(items),
            ],
        },
    )


def rule_code(name: str | None) -> str | None:
    """Return the code of a rule named by code or short name; None for None."""
    if name is None:
        return None
    if name.lower() in SHORT_NAMES:
        return SHORT_NAMES[name.lower()]
    if name.upper() in SHORT_NAMES.values():
        return name.upper()
    names = [*SHORT_NAMES, *SHORT_NAMES.values()]
    raise InvalidCommand(
        f"There is no rule {name!r}. Known: {', '.join(SHORT_NAMES)}.",
        {"rule": name, "nearest": [*get_close_matches(name, names)]},
    )


def _row(view: ArtifactView, finding: JsonObject) -> JsonObject:
    at = integer(finding, "at")
    assert at is not None
    events = (known_row(view, event_id) for event_id in texts(finding, "events"))
    row: JsonObject = {
        **finding,
        "event_id": view.event_id(at) if at >= 0 else None,
        "clock_ms": view.clock_ms(at) if at >= 0 else None,
        "event_rows": [event for event in events if event is not None],
        "triggers": [],
        "first_result_in_input": None,
    }
    if finding["code"] == SHORT_NAMES["duplicate"]:
        row["triggers"] = [*_triggers(view, mapping(finding, "detail"))]
    if finding["code"] == SHORT_NAMES["tool_repeated"]:
        row["first_result_in_input"] = _first_result_in_input(view, row)
    return row


def _triggers(view: ArtifactView, detail: JsonObject) -> list[JsonObject]:
    """Return of both playbacks of a pair the model run that they belong to, as recorded."""
    found: list[JsonObject] = []
    for key in ("first_playback_id", "duplicate_playback_id"):
        playback_id = text(detail, key) or ""
        events = view.postings("playback", playback_id)
        run = _run_behind(view, events[0]) if events else None
        generation = generation_row(view, run) if run is not None else None
        label = Label.UNAVAILABLE if generation is None else Label.RECORDED
        found.append({"playback_id": playback_id, "generation": generation, "label": label.value})
    return found


def _run_behind(view: ArtifactView, index: int) -> int | None:
    chain = causes_of(view, index).indices
    return next((i for i in chain if view.effective_type(i) == "llm_requested"), None)


def _first_result_in_input(view: ArtifactView, row: JsonObject) -> JsonObject:
    """Return whether the first call's result stands literally in the second call's model input."""
    calls = [event for event in rows(row, "event_rows") if event["type"] == "tool_called"]
    indices = sorted(index for call in calls if (index := integer(call, "event_index")) is not None)
    reason, found = "calls_not_recorded", None
    if len(indices) >= 2:
        run = _run_behind(view, indices[-1])
        result = tool_call_row(view, indices[0])["result"]
        reason = "cause_not_recorded" if run is None else "not_snapshotted"
        messages = view.record(run).get("messages") if run is not None else None
        if isinstance(messages, list) and not isinstance(result, dict):
            reason = "no_first_result"
        elif isinstance(messages, list) and isinstance(result, dict):
            said = canonical_bytes(result["result_safe"]).decode()
            given = canonical_bytes([*messages]).decode()
            reason, found = None, said in given or canonical_bytes(said).decode()[1:-1] in given
    label = Label.RECORDED if reason is None else Label.UNAVAILABLE
    return {"value": found, "compared": "literal", "label": label.value, "reason": reason}


def _untriggered(items: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the playbacks of the findings shown whose model run no chain of causes leads to."""
    return [
        unknown(f"what triggered playback {trigger['playback_id']}", "cause_not_recorded")
        for item in items
        for trigger in rows(item, "triggers")
        if trigger["label"] == Label.UNAVAILABLE.value
    ]


def _unknowns(view: ArtifactView, code: str | None) -> list[JsonObject]:
    """Return what the recording lacks for the rules asked for."""
    missing: list[JsonObject] = []
    if code in {None, SHORT_NAMES["duplicate"]}:
        missing += duplicate_unknowns(view)
    runs = view.postings("type", "llm_requested")
    needs_input = {None, SHORT_NAMES["not_kept"], SHORT_NAMES["tool_repeated"]}
    if code in needs_input and runs and "messages" not in view.record(runs[0]):
        missing.append(unknown("the messages of the model runs", "not_snapshotted"))
    return missing
