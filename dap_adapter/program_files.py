"""The files of the program that ran, where a flow says which of them holds a state.

Rules: as for the flow's own file: a path from a recording is followed only below the folder it is
joined to; a frame names a file only if it is there; a client's path with the recorded end is it.
"""

import msgspec

from dap_adapter.flow_lines import FlowRow, Span
from dap_adapter.flow_source import existing_file, is_path_of, recorded_file_name
from dap_adapter.launch_config import LaunchConfig
from dap_adapter.protocol import Source


class ProgramPlace(msgspec.Struct, frozen=True):
    """Where a state's row stands: a source of the client and a place in it."""

    source: Source
    span: Span


class ProgramFiles:
    """The program files that a flow names, and the states in them."""

    def __init__(self, flow: FlowRow, config: LaunchConfig) -> None:
        self._states = {
            state_id: state.source
            for state_id, state in flow.states.items()
            if state.source is not None
        }
        self._files = {
            recorded: existing_file(config, recorded)
            for recorded in sorted({place.path for place in self._states.values()})
        }

    def recorded_path_of(self, source: Source) -> str | None:
        """Return the recorded path that a client's source means; None where it means none."""
        if source.path is None:
            return None
        for recorded, path in self._files.items():
            if is_path_of(source.path, recorded, path):
                return recorded
        return None

    def place_of(self, state_id: str, *, as_uri: bool) -> ProgramPlace | None:
        """Return where a state's row stands; None where no file of the program is there."""
        place = self._states.get(state_id)
        path = self._files.get(place.path) if place is not None else None
        if place is None or path is None:
            return None
        shown = path.as_uri() if as_uri else str(path)
        source = Source(name=recorded_file_name(place.path), path=shown)
        return ProgramPlace(source=source, span=Span(place.line, 1, place.end_line + 1, 1))
