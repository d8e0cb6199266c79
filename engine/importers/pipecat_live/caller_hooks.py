"""The caller's side: speech marks, pieces of transcript, and the turns composed of them.

A piece of transcript has its record where it first leaves the input or a recogniser; a turn is
composed of the pieces that the user aggregator took in since the last one, kept only if their
joined text is the turn's.
"""

from typing import TYPE_CHECKING

from engine.importers.pipecat_live.live_call import Hook, LiveCall, Reason, turn_id
from engine.importers.pipecat_live.seen import attribute, number_of, stamp_ms, text_of
from engine.importers.pipecat_live.wiring import Parts, listen

if TYPE_CHECKING:
    from engine.core.contract.json_types import JsonValue

SPEECH = {
    "UserStartedSpeakingFrame": "speech.user_turn_started",
    "UserStoppedSpeakingFrame": "speech.user_turn_stopped",
    "InterruptionFrame": "speech.interruption",
}


class CallerHooks:
    """Writes what the caller said and which turns it became."""

    def __init__(self, call: LiveCall) -> None:
        self._call = call
        self._segments: dict[int, tuple[str | None, str]] = {}
        self._pending: list[tuple[str | None, str]] = []
        self._source = "transport"

    def install(self, parts: Parts) -> None:
        """Listen to the input, the recognisers and the user aggregator."""
        call = self._call
        marks = dict.fromkeys(SPEECH, self._mark)
        for heard_from in (parts.input, *parts.recognisers):
            listen(
                heard_from,
                "on_before_push_frame",
                Hook(call, "caller", {**marks, "TranscriptionFrame": self._transcript}),
            )
        if parts.recognisers:
            self._source = "recognised"
        user = parts.user
        listen(
            user,
            "on_before_process_frame",
            Hook(call, "turn", {"Frame": self._begin, "TranscriptionFrame": self._take_in}),
        )
        listen(user, "on_after_process_frame", Hook(call, "turn", {"Frame": self._end}))
        listen(
            user,
            "on_before_push_frame",
            Hook(
                call,
                "turn",
                {
                    **marks,
                    "LLMContextUserTurnFrame": self._turn,
                    "LLMContextFrame": self._asks_model,
                },
            ),
        )

    def _mark(self, frame: object) -> None:
        names = (kind.__name__ for kind in type(frame).__mro__)
        found = next((SPEECH[name] for name in names if name in SPEECH), None)
        if found is not None:
            self._call.write_once(frame, {"type": found})

    def _transcript(self, frame: object) -> None:
        if not self._call.is_new(frame):
            return
        said = text_of(frame, "text") or ""
        final = attribute(frame, "finalized")
        event_id = self._call.write_once(
            frame,
            {
                "type": "transcript_segment",
                "speaker": "caller",
                "text": said,
                "source": self._source,
                "final": final if isinstance(final, bool) else None,
                "stamp_ms": stamp_ms(frame),
            },
        )
        self._segments[number_of(frame, "id") or -1] = (event_id, said)

    def _begin(self, frame: object) -> None:
        call = self._call
        call.handled.put(call.was_seen(frame))
        call.why.put(call.reasons.get(number_of(frame, "id") or -1))

    def _take_in(self, frame: object) -> None:
        self._begin(frame)
        self._transcript(frame)  # new where it comes from a processor that nobody listens to
        segment = self._segments.get(number_of(frame, "id") or -1)
        if segment is not None:
            self._pending.append(segment)
            self._call.write({"type": "transcript_aggregated", "caused_by": segment[0]})

    def _end(self, _frame: object) -> None:
        self._call.handled.put(None)

    def _turn(self, frame: object) -> None:
        call = self._call
        if not call.is_new(frame):
            return
        call.turn += 1
        content = text_of(frame, "text")
        pieces, self._pending = self._pending, []
        ids: list[JsonValue] = [event_id for event_id, _ in pieces if event_id is not None]
        is_whole = len(ids) == len(pieces) and " ".join(said for _, said in pieces) == content
        cause = call.handled.get()
        event_id = call.write_once(
            frame,
            {
                "type": "input_selected",
                "turn_id": turn_id(call.turn),
                "content": content,
                "stamp_ms": stamp_ms(frame),
                "selected_source": self._source if is_whole else None,
                "segment_event_ids": ids if is_whole else None,
                "caused_by": cause if isinstance(cause, str) else None,
            },
        )
        call.why.put(Reason(trigger="user_turn", turn=call.turn, caused_by=event_id))

    def _asks_model(self, frame: object) -> None:
        call = self._call
        call.reasons[number_of(frame, "id") or -1] = call.reason_now()
        call.why.put(None)
