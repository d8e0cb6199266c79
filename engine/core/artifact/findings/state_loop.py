"""`STATE_LOOP`: one state was entered many times within few visits.

At the entry that makes `loop_entry_count` entries of one state among the last `loop_window_visits`
visits; again only after the count was below.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import setting
from engine.core.artifact.findings.finding import Finding

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield the loops by state, then in call order; no record is read."""
    count, window = setting(view, "loop_entry_count"), setting(view, "loop_window_visits")
    for state_id in sorted(view.columns.runs.get("state_enter", {})):
        entries = view.postings("state_enter", state_id)
        ordinals = [bisect_left(view.columns.entered, index) for index in entries]
        for place in range(count - 1, len(ordinals)):
            first = place - count + 1
            if ordinals[first] <= ordinals[place] - window:
                continue
            if first and ordinals[first - 1] >= ordinals[place] - window:
                continue  # at the visit before this one the count was reached already
            visits = [view.visits[ordinal].visit_id for ordinal in ordinals[first : place + 1]]
            yield Finding(
                at=entries[place],
                visits=tuple(visits),
                events=(entries[place], *entries[first:place]),
                text=f"State {state_id} was entered {count} times within {window} visits.",
                detail={"state_id": state_id, "entry_count": count, "window_visits": window},
            )
