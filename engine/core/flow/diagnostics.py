"""What is wrong in a flow file, all of it in one run: codes, places, advice.

Rules: any bytes give diagnostics, never an exception. What makes a file unreadable comes first, in
the file's order, so that the first of them is what `parse_flow` raises; then what the checks find,
in the file's order. A code is documented in `docs/guide/flow-diagnostics.md` and never reused for
another meaning.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from engine.core.contract.canonical import printable, sha256_of
from engine.core.contract.json_types import JsonObject
from engine.core.flow.checks import remarks
from engine.core.flow.document import FlowFormat
from engine.core.flow.parse import read_flow
from engine.core.flow.remark import Remark
from engine.core.flow.source_text import Span

FLOW_DIAGNOSTIC_CODES: dict[str, str] = {
    "FLOW_ALIAS": "The file uses a YAML alias.",
    "FLOW_DUPLICATE_KEY": "A name stands more than once in its mapping.",
    "FLOW_DUPLICATE_STATE": "A state is declared more than once.",
    "FLOW_DUPLICATE_TRANSITION": "A state leads twice to one target under one guard.",
    "FLOW_FILE_UNREADABLE": "The file cannot be read, or is too large to be a flow.",
    "FLOW_LONE_SURROGATE": "A JSON text holds half of an escaped character pair.",
    "FLOW_MISSING_ENTRY": "The flow does not say where it starts.",
    "FLOW_MISSING_KEY": "A key that the format needs is missing.",
    "FLOW_MULTIPLE_DOCUMENTS": "The file holds more than one YAML document.",
    "FLOW_NOT_UTF8": "The file is not UTF-8 text.",
    "FLOW_SYNTAX": "The file is not valid YAML or JSON.",
    "FLOW_TAG": "The file uses a YAML tag.",
    "FLOW_TOO_DEEP": "The file is nested too deep.",
    "FLOW_TOO_LARGE": "The global functions make too many edges.",
    "FLOW_UNDECLARED_SLOT": "A slot is named that the flow does not declare.",
    "FLOW_UNKNOWN_ENTRY": "The flow starts at a state that it does not have.",
    "FLOW_UNKNOWN_FORMAT": "The file is no flow of a known format.",
    "FLOW_UNKNOWN_GUARD": "A `when` is no guard of the language.",
    "FLOW_UNKNOWN_SLOT_CLASS": "A slot's class is not one of the three.",
    "FLOW_UNKNOWN_TARGET": "A transition leads to a state that the flow does not have.",
    "FLOW_UNREACHABLE_STATE": "No path leads from the entry to a state.",
    "FLOW_VALUE_NOT_DECLARED": "A slot is set to, or compared with, a value it does not declare.",
    "FLOW_WRONG_TYPE": "A value is not of the kind that its place needs.",
}
"""Every code of a diagnostic, with what it means."""


class Severity(StrEnum):
    """Whether a flow file can be used: an error says no."""

    ERROR = "error"
    WARNING = "warning"


WARNINGS = frozenset(
    {"FLOW_DUPLICATE_TRANSITION", "FLOW_UNREACHABLE_STATE", "FLOW_VALUE_NOT_DECLARED"}
)
"""The codes whose severity is a warning; all others are errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing that is wrong in a flow file.

    Attributes:
        file: the `path` that was given.
        span: where; the end equals the start where only a point is known.
        message: what is wrong and what to do.
        nearest: names of the file that resemble a wrong one, best first; mostly empty.
    """

    code: str
    severity: Severity
    file: str
    span: Span
    message: str
    nearest: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a code that is not documented."""
        assert self.code in FLOW_DIAGNOSTIC_CODES, self.code

    def as_json(self) -> JsonObject:
        """Return the row of `riff.flow_check/v1`."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "file": printable(self.file),
            "line": self.span.line,
            "column": self.span.column,
            "end_line": self.span.end_line,
            "end_column": self.span.end_column,
            "message": printable(self.message),
            "nearest": [printable(name) for name in self.nearest],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCheck:
    """A checked file: what it is, as far as it could be read, and what is wrong in it.

    `revision` is null where the file was not read; `format` and the counts where it is too broken.
    """

    path: str
    format: FlowFormat | None
    revision: str | None
    state_count: int | None
    edge_count: int | None
    diagnostics: tuple[Diagnostic, ...]

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics have `severity`."""
        return sum(item.severity is severity for item in self.diagnostics)

    def strict(self) -> "FlowCheck":
        """Return the check with its warnings as errors."""
        return replace(
            self,
            diagnostics=tuple(replace(item, severity=Severity.ERROR) for item in self.diagnostics),
        )

    def as_json(self) -> JsonObject:
        """Return the file's object in `riff.flow_check/v1`."""
        return {
            "path": printable(self.path),
            "format": None if self.format is None else self.format.value,
            "revision": self.revision,
            "state_count": self.state_count,
            "edge_count": self.edge_count,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }


def diagnose(source: bytes, *, path: str) -> tuple[Diagnostic, ...]:
    """Return all that is wrong in a flow file; empty where nothing is.

    Shape: first what makes it unreadable, then the rest, each in the file's order. `path` is used
    as in `parse_flow`. Cost: O(size), with a bounded search for nearest names.
    """
    return check_flow(source, path=path).diagnostics


def check_flow(source: bytes, *, path: str) -> FlowCheck:
    """Return the diagnostics of `diagnose` with what the file is."""
    reading = read_flow(source, path=path)
    content = reading.content
    faults = [
        Remark(
            code=fault.code,
            span=reading.source.span(fault.start, fault.end),
            message=fault.message,
        )
        for fault in reading.faults
    ]
    found = remarks(reading)
    return FlowCheck(
        path=path,
        format=content.format if content is not None else None,
        revision=sha256_of(source),
        state_count=len({state.state_id for state in content.states}) if content else None,
        edge_count=sum(len(state.edges) for state in content.states) if content else None,
        diagnostics=tuple(_diagnostic(item, path) for item in dict.fromkeys((*faults, *found))),
    )


def unreadable_file(path: str, message: str) -> FlowCheck:
    """Return the check of a file that could not be read; `message` says why and what to do."""
    remark = Remark(
        code="FLOW_FILE_UNREADABLE",
        span=Span(line=1, column=1, end_line=1, end_column=1),
        message=message,
    )
    return FlowCheck(
        path=path,
        format=None,
        revision=None,
        state_count=None,
        edge_count=None,
        diagnostics=(_diagnostic(remark, path),),
    )


def _diagnostic(remark: Remark, path: str) -> Diagnostic:
    return Diagnostic(
        code=remark.code,
        severity=Severity.WARNING if remark.code in WARNINGS else Severity.ERROR,
        file=path,
        span=remark.span,
        message=remark.message,
        nearest=remark.nearest,
    )
