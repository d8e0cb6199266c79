"""The agent's audio in a scripted call: lines on their way to a client, and its acknowledgements.

A line may be sent more than once, replayed, cut or lost, as the script says that this runtime and
this client do; the playback ledger records what the client says of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.flow.guards import AudioOutcome
from engine.core.program import AudioEnded, Input, LineKind, Say
from engine.recording import PlaybackLedger, SourceKind
from engine.runtime.call_script import CallScript, Sending
from engine.runtime.call_sound import CallSound

_GENERATED_MS = 20
_STARTED_MS = 40
_CLIENT_CLOCK_MS = 1_000
"""Where the client's own clock stood at the call's start: not ours."""
_SOURCE_KINDS = {
    LineKind.ENTRY_LINE: SourceKind.ENTRY_LINE,
    LineKind.PROMPT: SourceKind.MODEL_AUDIO,
    LineKind.NUDGE: SourceKind.NUDGE,
}


class Call(Protocol):
    """What the audio needs of the call that it is part of."""

    cause: str | None

    @property
    def clock_ms(self) -> int:
        """The virtual clock."""
        ...

    @property
    def turn_id(self) -> str:
        """The turn that is being answered."""
        ...

    def later(self, at_ms: int, happen: Callable[[], None]) -> None:
        """Let something happen at a time of the clock."""
        ...

    def give(self, happened: Input) -> None:
        """Tell the program what happened."""
        ...

    def write(self, record: JsonObject) -> str:
        """Append a record."""
        ...

    def nth(self, what: str) -> int:
        """Count `what`."""
        ...

    def waits_for(self, play: int) -> bool:
        """Return whether the program waits for the end of a play."""
        ...


@dataclass(slots=True, kw_only=True)
class _Sounding:
    """A line on its way to the caller, in parts: one for each time that it is to sound."""

    play: int
    text: str
    outcome: AudioOutcome
    parts: list["_Part"] = field(default_factory=list["_Part"])


@dataclass(slots=True, kw_only=True)
class _Part:
    playback_id: str
    start_ms: int
    end_ms: int
    sending: Sending
    nth: int
    key: int
    is_over: bool = False


class AgentAudio:
    """What the agent says in one call."""

    def __init__(
        self, call: Call, script: CallScript, ledger: PlaybackLedger, sound: CallSound
    ) -> None:
        """Start in silence."""
        self._call = call
        self._script = script
        self._ledger = ledger
        self._sound = sound
        self._sounding: dict[int, _Sounding] = {}
        self._context: list[JsonObject] = []

    @property
    def last_start_ms(self) -> int | None:
        """When the last of what sounds, or will, began; None in silence."""
        parts = [part.start_ms for line in self._sounding.values() for part in line.parts]
        return max(parts, default=None)

    def hear_caller(self, said: str) -> None:
        """Add a turn to what the model is asked with."""
        self._context.append({"role": "user", "text": said})

    def finish(self) -> None:
        """Take no further acknowledgement."""
        self._ledger.finish()

    def say(self, effect: Say) -> None:
        """Send a line to the client: once, or as the script says that this runtime does."""
        if effect.slots_read:
            self._call.write(
                {
                    "type": "prompt_resolved",
                    "state_id": effect.state_id,
                    "visit_id": effect.visit_id,
                    "slots_read": [*effect.slots_read],
                }
            )
        listed = self._script.sendings.get(effect.state_id, [])
        sendings = [one for one in listed if one.line is effect.line] or [Sending(line=effect.line)]
        line = _Sounding(play=effect.play, text=effect.text, outcome=sendings[-1].outcome)
        self._sounding[effect.play] = line
        busy = [part.end_ms for other in self._sounding.values() for part in other.parts]
        at = max([self._call.clock_ms, *busy])
        for sending in sendings:
            at = self._send(effect, line, sending, max(self._call.clock_ms, at + sending.gap_ms))

    def _send(self, effect: Say, line: _Sounding, sending: Sending, at: int) -> int:
        """Plan one sending; return when it ends."""
        kind = sending.source_kind or _SOURCE_KINDS[effect.line]
        started = max(self._call.clock_ms + _STARTED_MS, at)
        length = self._sound.length_ms(effect.text)
        starts = [started]
        if sending.replay_gap_ms is not None:
            starts.append(started + length + sending.replay_gap_ms)
        playback_id = self._request(effect, kind)
        self._call.later(self._call.clock_ms + _GENERATED_MS, lambda: self._generated(playback_id))
        for nth, start in enumerate(starts):
            part = _Part(
                playback_id=playback_id,
                start_ms=start,
                end_ms=start + length,
                sending=sending,
                nth=nth,
                key=self._call.nth("part"),
            )
            line.parts.append(part)
            self._call.later(start, lambda part=part: self._start_part(effect, part))
            self._call.later(part.end_ms, lambda part=part: self._over(line, part))
        return starts[-1] + length

    def _request(self, effect: Say, kind: str) -> str:
        """Record that a line is asked for, by a model run where that makes it; return its id."""
        generation, cause = None, self._call.cause
        if kind == SourceKind.MODEL_AUDIO:
            generation, cause = self._generate(effect, cause)
        return self._ledger.request(
            state_id=effect.state_id,
            visit_id=effect.visit_id,
            source_kind=kind,
            content=effect.text,
            planned=effect.text,
            clock_ms=self._call.clock_ms,
            turn_id=self._call.turn_id,
            generation_id=generation,
            caused_by=cause,
        )

    def _generate(self, effect: Say, cause: str | None) -> tuple[str, str]:
        """Record the model run that makes a line; return its id and the event that began it."""
        generation = f"g{self._call.nth('generation') + 1:03d}"
        context: list[JsonValue] = [*self._context]
        asked = self._call.write(
            {
                "type": "llm_requested",
                "generation_id": generation,
                "trigger": effect.trigger.value,
                "context_size": len(context),
                "messages": context,
                "visit_id": effect.visit_id,
                "caused_by": cause,
            }
        )
        self._call.write(
            {
                "type": "llm_responded",
                "generation_id": generation,
                "visit_id": effect.visit_id,
            }
        )
        return generation, asked

    def _generated(self, playback_id: str) -> None:
        self._ledger.generated(playback_id, clock_ms=self._call.clock_ms)

    def _start_part(self, effect: Say, part: _Part) -> None:
        if part.is_over:
            return
        self._sound.agent(effect.text, self._call.clock_ms, key=part.key)
        self._acknowledge(part, "started")

    def _over(self, line: _Sounding, part: _Part) -> None:
        """Take the natural end of a part; of the last one, the program hears."""
        if part.is_over:
            return
        self._end_part(part, part.sending.outcome)
        if all(other.is_over for other in line.parts):
            self._end_line(line, line.outcome)

    def _end_part(self, part: _Part, outcome: AudioOutcome) -> None:
        part.is_over = True
        if outcome is not AudioOutcome.COMPLETED:
            self._sound.cut(part.key, self._call.clock_ms)
        kind = {"completed": "ended"}.get(outcome.value, outcome.value)
        self._acknowledge(part, kind)

    def _end_line(self, line: _Sounding, outcome: AudioOutcome) -> None:
        if outcome is AudioOutcome.COMPLETED:
            self._keep(line)
        for part in line.parts:
            part.is_over = True
        del self._sounding[line.play]
        if self._call.waits_for(line.play):
            self._call.give(AudioEnded(play=line.play, outcome=outcome))

    def _keep(self, line: _Sounding) -> None:
        """Take a line that was heard whole into the transcript and the model's context."""
        self._context.append({"role": "assistant", "text": line.text})
        self._call.write(
            {
                "type": "transcript_segment",
                "speaker": "agent",
                "source": "runtime",
                "text": line.text,
                "start_ms": line.parts[0].start_ms,
                "end_ms": self._call.clock_ms,
                "final": True,
            }
        )

    def _acknowledge(self, part: _Part, kind: str) -> None:
        """Hand over what the client says it really did."""
        if not part.sending.acknowledged:
            return
        message: JsonObject = {
            "playback_id": part.playback_id,
            "client_event_id": f"c{self._call.nth('client') + 1:05d}",
            "kind": kind,
            "client_clock_ms": self._call.clock_ms + _CLIENT_CLOCK_MS,
            "play_id": f"{part.playback_id}/{part.nth + 1}",
        }
        if kind == "failed" and part.sending.reason is not None:
            message["reason"] = part.sending.reason
        self._ledger.acknowledge(message, received_clock_ms=self._call.clock_ms)

    def interrupt(self) -> None:
        """Stop what sounds, as a client does when the caller speaks."""
        for line in [*self._sounding.values()]:
            for part in line.parts:
                if not part.is_over and part.start_ms <= self._call.clock_ms < part.end_ms:
                    self._end_part(part, AudioOutcome.INTERRUPTED)
            self._end_line(line, AudioOutcome.INTERRUPTED)
