"""What was said: segments, committed turns, playback, and the model's runs."""

from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject, text
from engine.importers.pipecat_whisk.rows import Rows, known
from engine.importers.pipecat_whisk.whisk_file import Frame, WhiskFile

SPEECH_TYPES = {
    "UserStartedSpeakingFrame": "speech.user_turn_started",
    "UserStoppedSpeakingFrame": "speech.user_turn_stopped",
    "BotStartedSpeakingFrame": "speech.bot_speech_started",
    "BotStoppedSpeakingFrame": "speech.bot_speech_stopped",
    "InterruptionFrame": "speech.interruption",
    "EndFrame": "end_requested",
    "CancelFrame": "cancelled",
}


@dataclass(slots=True, kw_only=True)
class Playback:
    """One speech context: what was planned and what the output has let out."""

    request: str
    heard: list[str] = field(default_factory=list[str])
    is_started: bool = False
    is_ended: bool = False


@dataclass(slots=True, kw_only=True)
class Speech:
    """Reads the frames of speech in their order.

    Attributes:
        outputs: the processors that speak: those from which `BotStartedSpeakingFrame` comes.
        models: those from which a reply starts.
        completed: the speech contexts that an output let out to their end.
    """

    rows: Rows
    outputs: frozenset[str]
    models: frozenset[str]
    completed: frozenset[str]
    playbacks: dict[str, Playback] = field(default_factory=dict[str, Playback])
    _segments: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    _turns: int = 0
    _runs: int = 0
    _inputs: dict[str, Frame] = field(default_factory=dict[str, Frame])
    _replies: dict[str, tuple[str, str, list[str]]] = field(
        default_factory=dict[str, tuple[str, str, list[str]]]
    )

    @classmethod
    def of(cls, whisk: WhiskFile, rows: Rows) -> "Speech":
        """Return a reader for a file: who speaks and who answers is seen from its frames."""
        first = [frame for frame in whisk.frames if frame.offset in whisk.distinct]
        outputs = {item.origin for item in first if item.kind == "BotStartedSpeakingFrame"}
        models = {item.origin for item in first if item.kind == "LLMFullResponseStartFrame"}
        completed = {
            text(item.payload, "context_id") or ""
            for item in whisk.frames
            if item.kind == "TTSStoppedFrame" and item.action == "push" and item.origin in outputs
        }
        return cls(
            rows=rows,
            outputs=frozenset(outputs),
            models=frozenset(models),
            completed=frozenset(completed),
        )

    def take_first(self, frame: Frame) -> None:
        """Read the first record of a frame."""
        if frame.kind in SPEECH_TYPES:
            self.rows.add(frame, SPEECH_TYPES[frame.kind], {})
            return
        match frame.kind:
            case "TranscriptionFrame":
                self._segment(frame)
            case "LLMContextUserTurnFrame":
                self._turn(frame)
            case "LLMContextAssistantTurnFrame":
                said = text(frame.payload, "text")
                if said:
                    fields: JsonObject = {"speaker": "agent", "text": said, "source": "context"}
                    self.rows.add(frame, "transcript_segment", fields)
            case "AggregatedTextFrame":
                self._planned(frame)
            case "TTSStoppedFrame":
                self._generated(frame)
            case _:
                pass

    def take_any(self, frame: Frame) -> None:
        """Read a record of a frame at a certain hop: at the model, or leaving the output."""
        if frame.origin in self.models:
            self._at_model(frame)
        if frame.origin in self.outputs:
            self._at_output(frame)

    def _segment(self, frame: Frame) -> None:
        said = text(frame.payload, "text") or ""
        final = frame.payload.get("finalized")
        fields: JsonObject = {"speaker": "caller", "text": said, "source": "transcription"}
        if isinstance(final, bool):
            fields["final"] = final
        event_id = self.rows.add(frame, "transcript_segment", fields)
        self._segments.append((event_id, said.strip()))

    def _turn(self, frame: Frame) -> None:
        """Note a committed turn, with its segments where the next ones together are its text."""
        self._turns += 1
        said = (text(frame.payload, "text") or "").strip()
        turn: JsonObject = {"turn_id": f"t{self._turns}", "content": said}
        joined = ""
        for count, (_, piece) in enumerate(self._segments, start=1):
            joined = f"{joined} {piece}".strip()
            if joined == said:
                ids = [event_id for event_id, _ in self._segments[:count]]
                turn["segment_event_ids"] = [*ids]
                turn["provenance"] = "text_match"
                for event_id in ids:
                    self.rows.amend(event_id, {"turn_id": turn["turn_id"]})
                del self._segments[:count]
                break
        self.rows.add(frame, "input_selected", {**turn, "selected_source": "transcription"})

    def _planned(self, frame: Frame) -> None:
        context, said = text(frame.payload, "context_id"), text(frame.payload, "text")
        if not context or said is None or frame.payload.get("will_be_spoken") is False:
            return
        playback = self.playbacks.get(context)
        if playback is None:
            request = self.rows.add(
                frame, "audio_requested", {"playback_id": context, "planned": said}
            )
            self.playbacks[context] = Playback(request=request)
        else:
            self.rows.add(frame, "playback_planned", {"playback_id": context, "text": said})

    def _generated(self, frame: Frame) -> None:
        context = text(frame.payload, "context_id")
        playback = self.playbacks.get(context or "")
        if playback is not None and not playback.is_ended:
            self._audio(frame, "audio_generated", context, playback)

    def _at_output(self, frame: Frame) -> None:
        if frame.kind == "InterruptionFrame" and frame.action == "process":
            self._cut(frame)
            return
        context = text(frame.payload, "context_id")
        playback = self.playbacks.get(context or "")
        if playback is None or playback.is_ended or frame.action != "push":
            return
        match frame.kind:
            case "TTSStartedFrame" if not playback.is_started:
                playback.is_started = True
                self._audio(frame, "audio_started", context, playback)
            case "TTSTextFrame":
                said = text(frame.payload, "text") or ""
                playback.heard.append(said.strip())
                self.rows.add(frame, "playback_text", {"playback_id": context, "text": said})
            case "TTSStoppedFrame" if playback.is_started:
                playback.is_ended = True
                self._audio(frame, "audio_completed", context, playback)
            case _:
                pass

    def _cut(self, frame: Frame) -> None:
        """End what plays and is never let out to its end: an interruption drops it."""
        for context, playback in self.playbacks.items():
            if playback.is_started and not playback.is_ended and context not in self.completed:
                playback.is_ended = True
                self._audio(frame, "audio_interrupted", context, playback)

    def _audio(self, frame: Frame, kind: str, context: str | None, playback: Playback) -> None:
        fields: JsonObject = {"playback_id": context, "request_event_id": playback.request}
        if kind in {"audio_completed", "audio_interrupted"}:
            fields["heard"] = " ".join(playback.heard)
        if kind == "audio_interrupted":
            fields |= {"stop_reason": "interruption", "provenance": "interrupted_while_playing"}
        self.rows.add(frame, kind, fields)

    def _at_model(self, frame: Frame) -> None:
        match frame.kind, frame.action:
            case "LLMContextFrame", "process":
                self._inputs[frame.origin] = frame
            case "LLMFullResponseStartFrame", "push":
                self._start_run(frame)
            case "LLMTextFrame", "push" if frame.origin in self._replies:
                self._replies[frame.origin][2].append(text(frame.payload, "text") or "")
            case "LLMFullResponseEndFrame", "push" if frame.origin in self._replies:
                generation, request, pieces = self._replies.pop(frame.origin)
                self.rows.add(
                    frame,
                    "llm_responded",
                    {
                        "generation_id": generation,
                        "text": "".join(pieces).strip(),
                        "caused_by": request,
                    },
                )
            case _:
                pass

    def _start_run(self, frame: Frame) -> None:
        self._runs += 1
        generation = f"g{self._runs:02d}"
        shown = self._inputs.pop(frame.origin, None)
        reason = "the file shows the context as it grew later, not as it was at the call"
        fields = known(
            {
                "generation_id": generation,
                "messages_unavailable": reason,
                "input_frame": shown.name if shown is not None else None,
            }
        )
        request = self.rows.add(frame, "llm_requested", fields)
        self._replies[frame.origin] = (generation, request, [])
