"""What makes a flow file unreadable, and where.

Rules: a fault here stops reading. What a file says wrongly but readably (an unknown target, an
undeclared slot, an unknown guard) is no fault: the document keeps it as written.
"""

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


def flow_invalid(kind: FaultKind, message: str, *, source: SourceText, offset: int) -> FlowInvalid:
    """Return the error for one fault at `offset` (UTF-16 units), ready to be raised.

    `message` says what to do; its place goes into `detail {file, line, column, kind}`.
    """
    line, column = source.position(offset)
    return FlowInvalid(
        f"{source.path}:{line}:{column}: {message}",
        {"file": source.path, "line": line, "column": column, "kind": kind.value},
    )
