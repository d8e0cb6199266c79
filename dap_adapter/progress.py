"""Progress of a job as events: only for work that lasts, and always ended.

Rules: nothing before `PROGRESS_AFTER_S`, an update at most every `PROGRESS_EVERY_S`; times come
from the caller.
"""

from dap_adapter.jobs import Advance, Body
from dap_adapter.protocol import (
    ProgressEndEventBody,
    ProgressStartEventBody,
    ProgressUpdateEventBody,
)

PROGRESS_AFTER_S = 0.5
"""How long work runs before the user is told."""

PROGRESS_EVERY_S = 0.25
"""The shortest time between two updates."""


class Progress:
    """The progress of one job; `started` and `now` are seconds of one clock."""

    def __init__(self, progress_id: str, *, title: str, request_seq: int, started: float) -> None:
        self.progress_id = progress_id
        self._title = title
        self._request_seq = request_seq
        self._due = started + PROGRESS_AFTER_S
        self._is_shown = False

    def advanced(self, advance: Advance | None, now: float) -> list[tuple[str, Body]]:
        """Return the events that a slice leads to; mostly none."""
        if now < self._due:
            return []
        self._due = now + PROGRESS_EVERY_S
        percentage = _percentage(advance)
        stage = advance.stage if advance is not None else None
        if self._is_shown:
            body = ProgressUpdateEventBody(
                progress_id=self.progress_id, message=stage, percentage=percentage
            )
            return [("progressUpdate", body)]
        self._is_shown = True
        start = ProgressStartEventBody(
            progress_id=self.progress_id,
            title=self._title,
            request_id=self._request_seq if self._request_seq > 0 else None,
            cancellable=True,
            message=stage,
            percentage=percentage,
        )
        return [("progressStart", start)]

    def ended(self) -> list[tuple[str, Body]]:
        """Return the event that ends what was shown, once."""
        if not self._is_shown:
            return []
        self._is_shown = False
        return [("progressEnd", ProgressEndEventBody(progress_id=self.progress_id))]


def _percentage(advance: Advance | None) -> int | None:
    if advance is None or advance.total <= 0:
        return None
    return min(100, max(0, 100 * advance.done // advance.total))
