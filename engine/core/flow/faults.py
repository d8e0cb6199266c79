"""What makes a flow file unreadable, and where.

Rules: a fault is found while a file is read and is kept in the reading's `FaultLog`; reading goes
on wherever the rest still means something. What a file says wrongly but readably (an unknown
target, an undeclared slot, an unknown guard) is no fault: the document keeps it as written, and
`diagnostics` says it.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from engine.core.contract.errors import FlowInvalid
from engine.core.flow.source_text import SourceText


class FaultKind(StrEnum):
    """`detail.kind` of `FLOW_INVALID`; a value is never reused for another meaning."""

    NOT_UTF8 = "NOT_UTF8"
    SYNTAX = "SYNTAX"
    MULTIPLE_DOCUMENTS = "MULTIPLE_DOCUMENTS"
    DUPLICATE_KEY = "DUPLICATE_KEY"
    ALIAS = "ALIAS"
    TAG = "TAG"
    LONE_SURROGATE = "LONE_SURROGATE"
    TOO_DEEP = "TOO_DEEP"
    TOO_LARGE = "TOO_LARGE"
    WRONG_TYPE = "WRONG_TYPE"
    MISSING_KEY = "MISSING_KEY"
    UNKNOWN_FORMAT = "UNKNOWN_FORMAT"


STATE_SECTIONS = frozenset({"states", "nodes"})
"""The top-level names under which a repeated name is a repeated state."""
ENTRY_KEYS = frozenset({"entry", "initial_node"})
"""The names of which a lack is a lack of the entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault; `start` and `end` are offsets, `end` exclusive and equal to `start` at a point.

    `code` is the diagnostic's: `FLOW_` and the kind, or a closer one.
    """

    kind: FaultKind
    code: str
    message: str
    start: int
    end: int


@dataclass(slots=True)
class FaultLog:
    """The faults of one file, in the order they are found; lives only while it is read."""

    faults: list[Fault] = field(default_factory=list[Fault])

    def add(
        self, kind: FaultKind, message: str, *, start: int, end: int | None = None, code: str = ""
    ) -> None:
        """Keep one fault; `message` says what to do. `code` is given where the kind is too wide."""
        self.faults.append(
            Fault(
                kind=kind,
                code=code or f"FLOW_{kind.value}",
                message=message,
                start=start,
                end=start if end is None else end,
            )
        )

    def add_repeat(
        self, name: str, *, is_state: bool, start: int, end: int, first_line: int
    ) -> None:
        """Keep the fault of a name that its mapping has already."""
        what = "state" if is_state else "the name"
        self.add(
            FaultKind.DUPLICATE_KEY,
            f"{what} {name!r} stands here again, first on line {first_line}. Remove or rename one.",
            start=start,
            end=end,
            code="FLOW_DUPLICATE_STATE" if is_state else "",
        )

    def in_order(self) -> tuple[Fault, ...]:
        """Return the faults by place; at one place in the order they were found."""
        return tuple(sorted(self.faults, key=lambda fault: fault.start))


def flow_invalid(fault: Fault, *, source: SourceText) -> FlowInvalid:
    """Return the error for one fault, ready to be raised.

    `detail` is `{file, line, column, kind, code}`.
    """
    line, column = source.position(fault.start)
    return FlowInvalid(
        f"{source.path}:{line}:{column}: {fault.message}",
        {
            "file": source.path,
            "line": line,
            "column": column,
            "kind": fault.kind.value,
            "code": fault.code,
        },
    )
