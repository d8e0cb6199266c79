"""Findings: one small module a rule; a rule is a function of the view.

`RULES` is in the table's order (design section 11). A rule looks postings up and reads only the
events it needs; its parameters are in the artifact's `settings`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

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


RULES: tuple[Rule, ...] = ()


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
        "events_total": len(finding.events),
        "label": finding.label.value,
        "text": finding.text,
        "detail": finding.detail,
        "mechanism": finding.mechanism,
    }
