"""What a rule yields: one notable thing in the call, with its evidence.

A finding records what is there and infers no cause. `at` is the event where it becomes decidable,
with hindsight over the whole recording. Source: design section 11, contract "Findings".
"""

from dataclasses import dataclass, field
from enum import StrEnum

from engine.core.contract.json_types import JsonObject
from engine.core.contract.labels import Label

REFERENCES_MAX = 32


class Severity(StrEnum):
    """How much a finding matters to who reads it."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding before it has its id.

    `events` are event indices, the one it is about first; `visits` are visit ids in call order.
    `events_total` where more events belong to it than `events` lists.
    """

    at: int
    visits: tuple[str, ...]
    events: tuple[int, ...]
    text: str
    detail: JsonObject = field(default_factory=dict)
    mechanism: str | None = None
    label: Label = Label.RECORDED
    events_total: int | None = None
