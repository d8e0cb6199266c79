"""What a line of the program that ran stops at: the states that are written there.

Rules: a state of which the flow says where the program has it (`source`) is its entry, on any line
of its function; the innermost function wins; a line outside all of them means the nearest one of
that file, and the answer says so. Lines count from 1. Which file a path is, the face decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.core.artifact import ArtifactView
from engine.core.contract.json_types import integer, mapping, text
from engine.core.cursor.flow_places import LineBreakpoint, describe
from engine.core.cursor.hits import Refusal
from engine.core.cursor.places import StateEntry


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ProgramLines:
    """Where the program has a state; `end_line` is inclusive."""

    line: int
    end_line: int
    state_id: str


def program_lines(view: ArtifactView, path: str) -> list[ProgramLines]:
    """Return the states that stand in the file recorded as `path`, in its order."""
    return sorted(_lines(view, path))


def breakpoint_in_program(view: ArtifactView, path: str, line: int) -> LineBreakpoint | Refusal:
    """Return what a breakpoint at `line` of the program file recorded as `path` stops at.

    Cost: O(states).
    """
    listed = program_lines(view, path)
    if not listed:
        return Refusal(message="No state of this call is written in this file.")
    holding = [found for found in listed if found.line <= line <= found.end_line]
    if holding:
        start = max(found.line for found in holding)
    else:
        start = min(listed, key=lambda found: (_distance(found, line), -found.line)).line
    chosen = [StateEntry(state_id=found.state_id) for found in listed if found.line == start]
    moved = None
    if line != start:
        what = describe(chosen[0])
        moved = (
            f"Line {line} is a part of {what}, which stands on line {start}."
            if holding
            else f"Nothing on line {line} can stop; the nearest that can is {what}."
        )
    return LineBreakpoint(line=start, column=1, places=tuple(chosen), moved=moved)


def _distance(found: ProgramLines, line: int) -> int:
    return found.line - line if line < found.line else line - found.end_line


def _lines(view: ArtifactView, path: str) -> Iterator[ProgramLines]:
    for state_id, state in mapping(view.flow, "states").items():
        place = state.get("source") if isinstance(state, dict) else None
        if not isinstance(place, dict) or text(place, "path") != path:
            continue
        line, end_line = integer(place, "line"), integer(place, "end_line")
        if line is not None and end_line is not None:
            yield ProgramLines(line=line, end_line=end_line, state_id=state_id)
