"""exceptionInfo and the findings report: what is notable in the call, as the core found it.

Rules: a finding's sentence, evidence and severity are the core's; nothing is inferred here.
"""

from dap_adapter.convert import bounded, json_text, safe_text
from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.opened import Opened
from dap_adapter.protocol import (
    ExceptionDetails,
    ExceptionInfoArguments,
    ExceptionInfoResponseBody,
    OutputEventBody,
)
from dap_adapter.requests.stops import place_text
from dap_adapter.session_state import SessionState
from engine.core.contract.json_types import JsonObject, integer, text

EVIDENCE_MAX = 32
"""Most evidence lines of a card."""


def exception_info(
    state: SessionState, arguments: ExceptionInfoArguments
) -> ExceptionInfoResponseBody:
    """Return the card of the finding at the cursor; several: the one stopped at, others inside."""
    state.check_thread(arguments.thread_id)
    opened = state.opened
    rows = opened.findings_at(opened.cursor)
    if not rows:
        raise DapError(ErrorNumber.NO_FINDING, "No finding stands at this event.")
    first, *others = sorted(rows, key=lambda row: row["code"] not in state.met_codes)
    return ExceptionInfoResponseBody(
        exception_id=_shown(first, "code"),
        description=bounded(_shown(first, "text")),
        break_mode="always",
        details=_card(opened, first, inner=[_card(opened, row) for row in others]),
    )


def emit_report(state: SessionState) -> None:
    """Print every finding of the call, each line linked to the flow line of its event."""
    opened = state.opened
    rows = opened.view.findings
    count = "no findings" if not rows else f"{len(rows)} finding{'s' if len(rows) > 1 else ''}"
    _print(state, f"Call {safe_text(opened.session_id)}: {count}", None)
    for row in rows:
        _print(state, finding_text(opened, row), integer(row, "at"))


def finding_text(opened: Opened, row: JsonObject) -> str:
    """Return a finding in one line: id, severity, place, sentence."""
    at = integer(row, "at")
    place = place_text(opened, at) if at is not None else ""
    parts = [_shown(row, "finding_id"), _shown(row, "severity"), place, _shown(row, "text")]
    return bounded(" · ".join(part for part in parts if part))


def _print(state: SessionState, line: str, at: int | None) -> None:
    opened = state.opened
    span = opened.line_at(at) if at is not None else None
    client = state.client
    state.emit(
        "output",
        OutputEventBody(
            category="stdout",
            output=line + "\n",
            source=opened.source.shown(as_uri=client.uses_uris) if span is not None else None,
            line=span.line - 1 + client.lines_start_at if span is not None else None,
            column=span.column - 1 + client.columns_start_at if span is not None else None,
        ),
    )


def _card(
    opened: Opened, row: JsonObject, *, inner: list[ExceptionDetails] | None = None
) -> ExceptionDetails:
    evidence = [_evidence_text(opened, event_id) for event_id in _texts(row, "events")]
    lines = [f"{_shown(row, 'finding_id')} ({_shown(row, 'severity')})", *evidence]
    lines += [f"visit {safe_text(visit)}" for visit in _texts(row, "visits")]
    if row.get("detail"):
        lines.append(f"detail {bounded(json_text(row['detail']))}")
    if row.get("mechanism") is not None:
        lines.append(f"mechanism {bounded(json_text(row['mechanism']))}")
    return ExceptionDetails(
        message=bounded(_shown(row, "text")),
        type_name=_shown(row, "code"),
        full_type_name=_shown(row, "finding_id"),
        stack_trace="\n".join(lines),
        inner_exception=inner or None,
    )


def _evidence_text(opened: Opened, event_id: str) -> str:
    index = opened.view.index_of(event_id)
    if index is None:
        return f"event {safe_text(event_id)}"
    kind = opened.view.event_type(index) or "event"
    return f"at {place_text(opened, index)} · {safe_text(kind)} · {safe_text(event_id)}"


def _texts(row: JsonObject, key: str) -> list[str]:
    value = row.get(key)
    items = value if isinstance(value, list) else []
    return [item for item in items[:EVIDENCE_MAX] if isinstance(item, str)]


def _shown(row: JsonObject, key: str) -> str:
    return safe_text(text(row, key) or "")
