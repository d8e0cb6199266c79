"""The agent's voice: what was planned, what was heard, what the model's context keeps.

One speech context of Pipecat is one playback. It starts and ends where the output lets its frames
out, in order with its audio; only a playback that had started and was dropped is a cut.
"""

from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject
from engine.importers.pipecat_live.live_call import Hook, LiveCall, Reason, turn_id
from engine.importers.pipecat_live.seen import attribute, number_of, stamp_ms, text_of
from engine.importers.pipecat_live.wiring import Parts, listen

_BOT = {
    "BotStartedSpeakingFrame": "speech.bot_speech_started",
    "BotStoppedSpeakingFrame": "speech.bot_speech_stopped",
}


@dataclass(slots=True, kw_only=True)
class _Playback:
    playback_id: str
    generation_id: str | None
    turn: int | None
    node: str | None
    state: str = "planned"
    request: str | None = None
    event_id: str | None = None
    heard: list[str] = field(default_factory=list[str])


class SpeechHooks:
    """Writes playbacks and kept replies."""

    def __init__(self, call: LiveCall) -> None:
        self._call = call
        self._playbacks: dict[str, _Playback] = {}
        self._playing: _Playback | None = None
        self._replied: str | None = None

    def install(self, parts: Parts) -> None:
        """Listen to the speech services, the output and the assistant aggregator."""
        call = self._call
        for voice in parts.voice:
            listen(voice, "on_before_process_frame", Hook(call, "speech", {"Frame": self._carry}))
            listen(voice, "on_tts_request", self._planned)
            stops = {"TTSStoppedFrame": self._generated, "TTSStartedFrame": self._opens}
            listen(voice, "on_before_push_frame", Hook(call, "speech", stops))
        out = {
            "TTSStartedFrame": self._starts,
            "TTSTextFrame": self._sounded,
            "TTSStoppedFrame": self._completes,
            **dict.fromkeys(_BOT, self._bot_speech),
        }
        listen(parts.output, "on_before_push_frame", Hook(call, "playback", out))
        cut = {"InterruptionFrame": self._is_cut}
        listen(parts.output, "on_after_process_frame", Hook(call, "playback", cut))
        assistant = parts.assistant
        takes = {
            "LLMFullResponseStartFrame": self._replies,
            "FunctionCallResultFrame": self._takes_result,
            "Frame": self._takes,
        }
        listen(assistant, "on_before_process_frame", Hook(call, "reply", takes))
        asks = {"LLMContextFrame": self._asks_model}
        listen(assistant, "on_before_push_frame", Hook(call, "reply", asks))
        listen(assistant, "on_assistant_turn_stopped", self._kept)

    # -- planned -----------------------------------------------------------------------------------

    def _carry(self, frame: object) -> None:
        call = self._call
        call.generation.put(call.generation_of.get(number_of(frame, "id") or -1))

    async def _planned(self, _voice: object, context_id: str, text: str) -> None:
        self._call.guarded("planned", lambda: self._plan(context_id, text))

    def _plan(self, context_id: str, text: str) -> None:
        run = self._call.generation_now()
        playback = self._playbacks.get(context_id)
        is_first = playback is None
        if playback is None:
            playback = _Playback(
                playback_id=context_id,
                generation_id=run.generation_id if run else None,
                turn=run.turn if run else None,
                node=run.node if run else None,
            )
            self._playbacks[context_id] = playback
            self._call.note_ids(context_id)
        row: JsonObject = {"caused_by": run.event_id if run else None}
        if is_first:
            row |= {"type": "audio_requested", "planned": text} | _spoken(playback)
            playback.request = playback.event_id = self._call.write(row | _common(playback))
        else:
            row |= {"type": "playback_planned", "text": text}
            self._call.write(row | _common(playback))

    def _of(self, frame: object) -> _Playback | None:
        return self._playbacks.get(text_of(frame, "context_id") or "")

    def _opens(self, frame: object) -> None:
        playback = self._of(frame)
        if playback is not None:
            self._call.write({"type": "TTSStartedFrame"} | _common(playback))

    def _generated(self, frame: object) -> None:
        playback = self._of(frame)
        if playback is not None:
            self._call.write({"type": "audio_generated"} | _answer(playback))

    # -- heard -------------------------------------------------------------------------------------

    def _starts(self, frame: object) -> None:
        playback = self._of(frame)
        if playback is None or playback.state != "planned":
            return
        playback.state, self._playing = "started", playback
        row: JsonObject = {"type": "audio_started", "caused_by": playback.event_id}
        playback.event_id = self._call.write(row | _answer(playback))

    def _sounded(self, frame: object) -> None:
        playback, said = self._of(frame), text_of(frame, "text")
        if playback is not None and said is not None:
            playback.heard.append(said)
            self._call.write({"type": "playback_text", "text": said} | _common(playback))

    def _completes(self, frame: object) -> None:
        playback = self._of(frame)
        if playback is not None and playback.state == "started":
            playback.state = "completed"
            self._end(playback, "audio_completed", playback.event_id)

    def _is_cut(self, frame: object) -> None:
        for playback in self._playbacks.values():
            if playback.state == "started":
                playback.state = "interrupted"
                self._end(playback, "audio_interrupted", self._call.was_seen(frame))

    def _end(self, playback: _Playback, kind: str, cause: str | None) -> None:
        heard = " ".join(playback.heard) or None
        row: JsonObject = {"type": kind, "caused_by": cause, "heard": heard}
        self._call.write(row | _answer(playback))

    def _bot_speech(self, frame: object) -> None:
        names = (kind.__name__ for kind in type(frame).__mro__)
        kind = next((_BOT[name] for name in names if name in _BOT), None)
        if kind is not None:
            playing = self._playing
            row: JsonObject = {"type": kind}
            self._call.write_once(frame, row | (_common(playing) if playing else {}))

    # -- kept --------------------------------------------------------------------------------------

    def _takes(self, _frame: object) -> None:
        self._call.generation.put(self._replied)
        self._call.why.put(None)

    def _replies(self, frame: object) -> None:
        self._replied = self._call.generation_of.get(number_of(frame, "id") or -1)
        self._takes(frame)

    def _takes_result(self, frame: object) -> None:
        call = self._call
        self._takes(frame)
        called = call.tool_calls.get(text_of(frame, "tool_call_id") or "")
        if called is not None:
            reason = Reason(
                trigger="tool_result",
                turn=called.turn,
                tool_call_id=called.tool_call_id,
                caused_by=call.was_seen(frame),
            )
            call.why.put(reason)

    def _asks_model(self, frame: object) -> None:
        call = self._call
        call.reasons[number_of(frame, "id") or -1] = call.reason_now()

    async def _kept(self, _aggregator: object, message: object) -> None:
        self._call.guarded("kept", lambda: self._keep(message))

    def _keep(self, message: object) -> None:
        run = self._call.generation_now()
        interrupted = attribute(message, "interrupted")
        self._call.write(
            {
                "type": "assistant_turn",
                "content": text_of(message, "content"),
                "stamp_ms": stamp_ms(message),
                "interrupted": interrupted if isinstance(interrupted, bool) else None,
                "generation_id": run.generation_id if run else None,
            }
        )


def _common(playback: _Playback) -> JsonObject:
    return {
        "playback_id": playback.playback_id,
        "generation_id": playback.generation_id,
        "turn_id": turn_id(playback.turn),
    }


def _spoken(playback: _Playback) -> JsonObject:
    kind = "unknown" if playback.node is None else "model_audio"
    return {"state_id": playback.node, "source_kind": kind}


def _answer(playback: _Playback) -> JsonObject:
    return _spoken(playback) | _common(playback) | {"request_event_id": playback.request}
