"""source and loadedSources: the flow's text as it ran."""

from dap_adapter.errors import DapError, ErrorNumber
from dap_adapter.protocol import (
    LoadedSourcesResponseBody,
    Source,
    SourceArguments,
    SourceResponseBody,
)
from dap_adapter.session_state import SessionState


def source(state: SessionState, arguments: SourceArguments) -> SourceResponseBody:
    """Return the recorded text behind a source reference, or of the flow's own path."""
    flow = state.opened.source
    asked = arguments.source or Source()
    reference = arguments.source_reference or asked.source_reference or 0
    meant = reference == flow.reference if reference else flow.is_meant_by(asked)
    if not meant:
        raise DapError(
            ErrorNumber.SOURCE_UNAVAILABLE, "This source is not the flow of this recording."
        )
    return SourceResponseBody(content=flow.text, mime_type=_mime_type(flow.name))


def loaded_sources(state: SessionState, _raw: bytes) -> LoadedSourcesResponseBody:
    """Return the flow as frames show it and, where that file differs, as it ran."""
    flow = state.opened.source
    shown = [flow.shown(as_uri=state.client.uses_uris)]
    if flow.drifted:
        shown.append(flow.as_it_ran())
    return LoadedSourcesResponseBody(sources=shown)


def _mime_type(name: str) -> str:
    return "application/json" if name.endswith(".json") else "text/x-yaml"
