"""How far something can be recorded, as rows; see `recordable` for a bot's text."""

from dataclasses import dataclass
from enum import StrEnum

from engine.core.contract.json_types import JsonObject


class Verdict(StrEnum):
    """How far something can be recorded."""

    RECORDED = "recorded"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One thing that `spd doctor` has to say; `line` is 1-based, null where it has none."""

    what: str
    verdict: Verdict
    reason: str
    line: int | None = None

    def as_json(self) -> JsonObject:
        """Return the row as `--json` has it."""
        return {
            "what": self.what,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "line": self.line,
        }
