"""Findings: one small module a rule; a rule is a function of the view.

`RULES` is in the table's order (design section 11). A rule looks postings up and reads only the
events it needs; its parameters are in the artifact's `settings`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from engine.core.artifact.findings import (
    clock_step,
    duplicate_agent_playback,
    edge_true_not_taken,
    guard_failed,
    heard_not_kept,
    playback_capture_gap,
    silence_while_pending,
    slot_overwritten_unsupported,
    speech_cut_by_caller,
    state_loop,
    tool_called_twice,
    tool_failed,
    tool_without_result,
    transition_dropped,
    transition_without_edge,
    turn_merged_segments,
    two_playbacks_one_turn,
    unowned_events,
    visit_without_audible_speech,
)
from engine.core.artifact.findings.finding import REFERENCES_MAX, Finding, Severity
from engine.core.contract.json_types import JsonObject, JsonValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.core.artifact.view import ArtifactView

_Find: TypeAlias = "Callable[[ArtifactView], Iterable[Finding]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A row of the table: code, severity, and what finds it."""

    code: str
    severity: Severity
    find: _Find


def _rule(code: str, severity: Severity, find: _Find) -> Rule:
    return Rule(code=code, severity=severity, find=find)


RULES: tuple[Rule, ...] = (
    _rule("DUPLICATE_AGENT_PLAYBACK", Severity.ERROR, duplicate_agent_playback.find),
    _rule("PLAYBACK_CAPTURE_GAP", Severity.WARNING, playback_capture_gap.find),
    _rule("VISIT_WITHOUT_AUDIBLE_SPEECH", Severity.WARNING, visit_without_audible_speech.find),
    _rule("HEARD_NOT_KEPT", Severity.WARNING, heard_not_kept.find),
    _rule("SPEECH_CUT_BY_CALLER", Severity.INFO, speech_cut_by_caller.find),
    _rule("TWO_PLAYBACKS_ONE_TURN", Severity.WARNING, two_playbacks_one_turn.find),
    _rule("TURN_MERGED_SEGMENTS", Severity.INFO, turn_merged_segments.find),
    _rule("SLOT_OVERWRITTEN_UNSUPPORTED", Severity.WARNING, slot_overwritten_unsupported.find),
    _rule("TOOL_CALLED_TWICE", Severity.WARNING, tool_called_twice.find),
    _rule("TOOL_WITHOUT_RESULT", Severity.WARNING, tool_without_result.find),
    _rule("TOOL_FAILED", Severity.ERROR, tool_failed.find),
    _rule("TRANSITION_DROPPED", Severity.ERROR, transition_dropped.find),
    _rule("TRANSITION_WITHOUT_EDGE", Severity.WARNING, transition_without_edge.find),
    _rule("EDGE_TRUE_NOT_TAKEN", Severity.WARNING, edge_true_not_taken.find),
    _rule("STATE_LOOP", Severity.WARNING, state_loop.find),
    _rule("SILENCE_WHILE_PENDING", Severity.WARNING, silence_while_pending.find),
    _rule("GUARD_FAILED", Severity.ERROR, guard_failed.find),
    _rule("UNOWNED_EVENTS", Severity.INFO, unowned_events.find),
    _rule("CLOCK_STEP", Severity.INFO, clock_step.find),
)


def find_all(view: "ArtifactView") -> list[JsonValue]:
    """Return the artifact's `findings`: by `at`, then table row, then the event each is about."""
    found = [
        (finding.at, row, finding.events[0] if finding.events else finding.at, finding)
        for row, rule in enumerate(RULES)
        for finding in rule.find(view)
    ]
    found.sort(key=lambda item: item[:3])
    numbers: dict[str, int] = {}
    out: list[JsonValue] = []
    for _, row, _, finding in found:
        rule = RULES[row]
        numbers[rule.code] = numbers.get(rule.code, 0) + 1
        out.append(_as_json(view, rule, numbers[rule.code], finding))
    return out


def _as_json(view: "ArtifactView", rule: Rule, number: int, finding: Finding) -> JsonObject:
    return {
        "finding_id": f"{rule.code}#{number}",
        "code": rule.code,
        "at": finding.at,
        "severity": rule.severity.value,
        "visits": [*finding.visits[:REFERENCES_MAX]],
        "events": [view.event_id(index) for index in finding.events[:REFERENCES_MAX]],
        "events_total": finding.events_total or len(finding.events),
        "label": finding.label.value,
        "text": finding.text,
        "detail": finding.detail,
        "mechanism": finding.mechanism,
    }
