"""`TWO_PLAYBACKS_ONE_TURN`: one caller turn was answered by playbacks of more than one model run.

The turn of a playback is the first `turn_id` on its own events, else that of its generation's
`llm_requested`. It is a caller's turn where an `input_selected`, a `dtmf_received` or a caller's
segment has the same `turn_id`. Nudges answer no turn: playbacks of source kind `nudge` and of
generations triggered by `nudge` do not count.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.core.artifact.findings.evidence import caller_segments, of_type, visit_ids
from engine.core.artifact.findings.finding import Finding
from engine.core.artifact.findings.spans import Span, spans
from engine.core.contract.json_types import text

if TYPE_CHECKING:
    from engine.core.artifact.view import ArtifactView


def find(view: "ArtifactView") -> Iterator[Finding]:
    """Yield one finding for each further generation of a turn, at its first `audio_started`."""
    started = [span for span in spans(view) if span.started is not None and _generation(span)]
    if not started:
        return
    runs = _model_runs(view)
    first_of: dict[str, Span] = {}
    generations: dict[str, set[str]] = {}
    found: list[tuple[str, Span, Span]] = []
    for span in sorted(started, key=lambda span: span.started or 0):
        generation = _generation(span)
        assert generation is not None
        run_turn, trigger = runs.get(generation, (None, None))
        if trigger == "nudge" or span.row["source_kind"] == "nudge":
            continue
        turn = _turn(view, span) or run_turn
        if turn is None:
            continue
        first = first_of.setdefault(turn, span)
        known = generations.setdefault(turn, {generation})
        if generation not in known:
            known.add(generation)
            found.append((turn, first, span))
    turns = _caller_turns(view) if found else frozenset[str]()
    yield from (_finding(view, *item) for item in found if item[0] in turns)


def _finding(view: "ArtifactView", turn: str, first: Span, second: Span) -> Finding:
    assert first.started is not None
    assert second.started is not None
    return Finding(
        at=second.started,
        visits=visit_ids(view, (first.visit_id, second.visit_id)),
        events=(second.started, first.started),
        text=f"Turn {turn} has playback {first.playback_id} of generation {_generation(first)} and "
        f"playback {second.playback_id} of generation {_generation(second)}.",
        detail={
            "turn_id": turn,
            "first_playback_id": first.playback_id,
            "second_playback_id": second.playback_id,
            "first_generation_id": _generation(first),
            "second_generation_id": _generation(second),
        },
    )


def _generation(span: Span) -> str | None:
    return text(span.row, "generation_id")


def _turn(view: "ArtifactView", span: Span) -> str | None:
    """Return the first turn id on a playback's own events."""
    events = view.postings("playback", span.playback_id)
    turns = (text(view.record(index), "turn_id") for index in events)
    return next((turn for turn in turns if turn is not None), None)


def _model_runs(view: "ArtifactView") -> dict[str, tuple[str | None, str | None]]:
    """Return turn and trigger of every generation's first `llm_requested`."""
    runs: dict[str, tuple[str | None, str | None]] = {}
    for index in of_type(view, "llm_requested"):
        record = view.record(index)
        run = text(record, "turn_id"), text(record, "trigger")
        runs.setdefault(text(record, "generation_id") or "", run)
    return runs


def _caller_turns(view: "ArtifactView") -> frozenset[str]:
    """Return the turns in which something of the caller is recorded."""
    chosen = (
        view.record(index)
        for kind in ("input_selected", "dtmf_received")
        for index in of_type(view, kind)
    )
    said = (record for _, record in caller_segments(view))
    records = (record for group in (chosen, said) for record in group)
    return frozenset(turn for record in records if (turn := text(record, "turn_id")) is not None)
