"""Playback spans by event index: when each agent playback was asked for, began and ended.

A playback counts as audible from its `audio_started` to its first end record.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import elapsed_ms
from engine.core.contract.json_types import JsonObject, integer, text
from engine.core.contract.session_records import AUDIO_ENDS

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One playback: its row in the artifact, and the events of its stages (None: not recorded)."""

    row: JsonObject
    playback_id: str
    requested: int | None
    started: int | None
    ended: int | None

    @property
    def visit_id(self) -> str | None:
        """The visit that owns the playback's first event."""
        return text(self.row, "visit_id")

    @property
    def start_ms(self) -> int | None:
        """The clock of its start."""
        return integer(self.row, "start_ms")

    @property
    def end_ms(self) -> int | None:
        """The clock of its end."""
        return integer(self.row, "end_ms")

    @property
    def audible_ms(self) -> int | None:
        """How long it could be heard; None where start or end is not recorded."""
        if self.started is None or self.ended is None or self.ended < self.started:
            return None
        return elapsed_ms(self.start_ms, self.end_ms)


def spans(view: "ArtifactView") -> Iterator[Span]:
    """Yield the recording's playbacks by their first event; no record is read."""
    for row in view.playback:
        playback_id = text(row, "playback_id") or ""
        stages = dict[str, int]()
        for index in view.postings("playback", playback_id):
            kind = view.effective_type(index)
            stages.setdefault("ended" if kind in AUDIO_ENDS else kind or "", index)
        yield Span(
            row=row,
            playback_id=playback_id,
            requested=stages.get("audio_requested"),
            started=stages.get("audio_started"),
            ended=stages.get("ended"),
        )
