"""Breakpoints as a person set them: where they stand and what the adapter answered.

Rules: values only; whether and where one stops is the adapter's answer.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.core.contract.json_types import JsonObject


class Kind(StrEnum):
    """Where a breakpoint stands: on a line of the flow, by name, or on a slot."""

    LINE = "line"
    NAME = "name"
    SLOT = "slot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """A breakpoint as it was asked for, and the adapter's answer to it.

    `number` counts from 1 and is never used again in a session. `key` is a line (`12` or `12:5`), a
    name or a `dataId`; `label` is what a person is shown. `extras` are conditions as sent.
    """

    number: int
    kind: Kind
    key: str
    label: str
    extras: JsonObject
    is_temporary: bool
    answer: JsonObject


def address(item: Breakpoint) -> JsonObject:
    """Return where a breakpoint stands, as the request of its kind has it."""
    match item.kind:
        case Kind.LINE:
            line, _, column = item.key.partition(":")
            return {"line": int(line), **({"column": int(column)} if column else {})}
        case Kind.NAME:
            return {"name": item.key}
        case Kind.SLOT:
            return {"dataId": item.key}
