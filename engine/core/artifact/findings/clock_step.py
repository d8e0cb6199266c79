"""`CLOCK_STEP`: the clock goes back, or jumps while a playback is audible.

A clock is compared with that of the last event before it that has one. It jumps where it is more
than `clock_step_max_ms` later and a playback that had started had not ended at the event before.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import elapsed_ms, setting, visits_of
from engine.core.artifact.findings.finding import Finding

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each step; records are read only where there is one."""
    step_max_ms = setting(view, "clock_step_max_ms")
    before: int | None = None
    for index in view.columns.media_indices:
        earlier, clock_ms = None if before is None else view.clock_ms(before), view.clock_ms(index)
        if before is not None and earlier is not None and clock_ms is not None:
            back = clock_ms < earlier
            jumps = clock_ms - earlier > step_max_ms and view.columns.playing.count_at(index - 1)
            if back or jumps:
                yield _finding(view, before, index)
        before = index


def _finding(view: "ArtifactView", before: int, index: int) -> Finding:
    step_ms = elapsed_ms(view.clock_ms(before), view.clock_ms(index))
    if step_ms is None:
        said = "by more than a number can hold"
    else:
        said = f"{abs(step_ms)} ms {'back' if step_ms < 0 else 'ahead, with a playback audible'}"
    return Finding(
        at=index,
        visits=visits_of(view, before, index),
        events=(index, before),
        text=f"From {view.event_id(before)} to {view.event_id(index)} the clock steps {said}.",
        detail={"step_ms": step_ms},
    )
