"""The driver: runs a flow with a scripted caller on a virtual clock, and records the call.

The program is the core's transition function; what it wants is done here, at a time of the virtual
clock, and answered. Nothing waits: a call of a minute takes as long as its sounds take to make.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import TypeVar, assert_never

from engine.core.contract.errors import ScriptInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.program import (
    Advance,
    Answer,
    AskGuard,
    CallerSaid,
    CallTool,
    Effect,
    End,
    Ended,
    Enter,
    GuardAnswered,
    GuardVerdict,
    HungUp,
    Input,
    KeyPressed,
    Leave,
    Program,
    Refused,
    Say,
    SilencePassed,
    Snapshot,
    Take,
    ToolAnswered,
    WriteSlot,
    advance,
    begin,
)
from engine.recording import PlaybackLedger, Recorder
from engine.runtime.agent_audio import AgentAudio
from engine.runtime.call_script import CallScript, Step
from engine.runtime.call_sound import CallSound

_T = TypeVar("_T")
EVENTS_MAX = 1_000_000
_NO_ANSWER = Answer(verdict=None, error="no guard of that name is registered")


class CallDriver:
    """One scripted call."""

    def __init__(
        self, program: Program, script: CallScript, recorder: Recorder, sound: CallSound
    ) -> None:
        """Take what runs and where it is recorded."""
        self._program = program
        self._script = script
        self._recorder = recorder
        self._sound = sound
        self._audio = AgentAudio(self, script, PlaybackLedger(recorder), sound)
        self._now = Snapshot()
        self._clock = 0
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0
        self._steps = list(script.steps)
        self._is_armed = False
        self._turn = 0
        self.cause: str | None = None
        self._counts: dict[str, int] = {}
        self.ended: Ended | None = None

    def run(self) -> Ended | None:
        """Run the call to its end and return how it ended; None: the script ran out.

        Raises: ScriptInvalid: a step or reply that the call has no place for.
        """
        if self._script.seeds:
            sources = [(name, dict(slots)) for name, slots in self._script.seeds.items()]
            self.cause = self._recorder.seed(sources, clock_ms=0)
        self._take(begin(self._program, dict(self._recorder.context.slots)))
        handled = 0
        while self.ended is None:
            self._arm()
            if not self._heap:
                break
            self._clock, _, happen = heapq.heappop(self._heap)
            happen()
            handled += 1
            if handled > EVENTS_MAX:
                raise ScriptInvalid("The call does not come to an end.", {"kind": "ENDLESS"})
        self._audio.finish()
        return self.ended

    def waits_for(self, play: int) -> bool:
        """Return whether the program waits for the end of a play."""
        return self.ended is None and any(play in visit.plays for visit in self._now.path)

    @property
    def clock_ms(self) -> int:
        """The virtual clock, milliseconds since the call's start."""
        return self._clock

    def later(self, at_ms: int, happen: Callable[[], None]) -> None:
        """Let something happen at a time of the clock, at once if it is over."""
        self._order += 1
        heapq.heappush(self._heap, (max(at_ms, self._clock), self._order, happen))

    # -- the caller --------------------------------------------------------------------------------

    def _arm(self) -> None:
        """Set the next step's time, once it can be known."""
        if self._is_armed or not self._steps:
            return
        step = self._steps[0]
        last_start = self._audio.last_start_ms
        if step.at_ms is not None:
            at = step.at_ms
        elif step.barge_in_ms is not None:
            if last_start is None:
                return
            at = last_start + step.barge_in_ms
        elif last_start is not None or any(visit.tools for visit in self._now.path):
            return
        else:
            at = self._clock + (step.after_ms if step.silence_ms is None else step.silence_ms)
        if at < self._clock:
            raise ScriptInvalid(
                f"A step is at {at} ms, but the call is at {self._clock} ms already.",
                {"kind": "TOO_LATE", "at_ms": at},
            )
        self._is_armed = True
        self.later(at, lambda: self._step(self._steps.pop(0)))

    def _step(self, step: Step) -> None:
        self._is_armed = False
        if step.hang_up:
            self.give(HungUp())
            return
        if step.silence_ms is not None:
            self.give(SilencePassed())
            return
        self._turn += 1
        if step.say or step.press is not None:
            self._audio.interrupt()
        segments = {source: self._segment(source, said) for source, said in step.say.items()}
        chosen = step.selected or ("dtmf" if step.press is not None else next(iter(step.say), None))
        if step.press is not None:
            self.cause = self.write({"type": "dtmf_received", "digit": step.press})
            self._select("dtmf" if chosen is None else chosen, [self.cause, *segments.values()])
            self.give(KeyPressed(digit=step.press))
            return
        if chosen not in step.say:
            raise ScriptInvalid(
                f"A turn selects {chosen!r}, but only {', '.join(step.say) or 'nothing'} heard it.",
                {"kind": "SOURCE"},
            )
        self.cause = segments[chosen]
        self._select(chosen, [segments[chosen]])
        said = step.say[chosen]
        self._audio.hear_caller(said)
        self.give(CallerSaid(text=said, filled=step.filled))

    def _segment(self, source: str, said: str) -> str:
        start = self._clock
        length = self._sound.caller(said, start) if said else 0
        return self.write(
            {
                "type": "transcript_segment",
                "speaker": "caller",
                "source": source,
                "text": said,
                "start_ms": start,
                "end_ms": start + length,
                "final": True,
            }
        )

    def _select(self, source: str, segments: list[str]) -> None:
        heard: list[JsonValue] = [*segments]
        self.cause = self.write(
            {
                "type": "input_selected",
                "selected_source": source,
                "segment_event_ids": heard,
                "caused_by": segments[0],
            }
        )

    # -- the program -------------------------------------------------------------------------------

    def give(self, happened: Input) -> None:
        """Tell the program what happened, and do what it wants. Raises: ScriptInvalid."""
        done = advance(self._program, self._now, happened)
        if isinstance(done, Refused):
            raise ScriptInvalid(
                f"The program cannot take what happens at {self._clock} ms: {done.reason}",
                {"kind": done.code},
            )
        self._take(done)

    def _take(self, done: Advance) -> None:
        self._now = done.snapshot
        for effect in done.effects:
            self._perform(effect)

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Enter():
                self.cause = self.write(
                    {
                        "type": "state_entered",
                        "state_id": effect.state_id,
                        "visit_id": effect.visit_id,
                        "via_edge": effect.via_edge,
                        "parent_visit_id": effect.parent_visit_id,
                    }
                )
            case Leave():
                self.write(
                    {
                        "type": "state_exited",
                        "state_id": effect.state_id,
                        "visit_id": effect.visit_id,
                        "edge_id": effect.edge_id,
                    }
                )
            case Take():
                self.cause = self.write(
                    {
                        "type": "transition_taken",
                        "edge_id": effect.edge_id,
                        "to": effect.to,
                        "visit_id": effect.visit_id,
                    }
                )
            case WriteSlot():
                self._write_slot(effect)
            case GuardVerdict():
                read: JsonValue = None if effect.slots_read is None else [*effect.slots_read]
                self.write(
                    {
                        "type": "guard_evaluated",
                        "edge_id": effect.edge_id,
                        "visit_id": effect.visit_id,
                        "verdict": effect.verdict,
                        "slots_read": read,
                        "error": effect.error,
                    }
                )
            case Say():
                self._audio.say(effect)
            case CallTool():
                self._call_tool(effect)
            case AskGuard():
                answers = self._script.guards.get(effect.name) or [_NO_ANSWER]
                answer = self._next_of(answers, f"guard {effect.name}")
                self.later(
                    self._clock, lambda: self.give(GuardAnswered(name=effect.name, answer=answer))
                )
            case End():
                self.ended = effect.how
            case _:
                assert_never(effect)

    def _write_slot(self, effect: WriteSlot) -> None:
        self._recorder.write_slot(
            slot=effect.slot,
            new=effect.new,
            kind=effect.kind,
            writer=effect.writer,
            clock_ms=self._clock,
            visit_id=effect.visit_id,
            turn_id=self.turn_id,
            caused_by=self.cause,
            tool_call_id=effect.tool_call_id,
        )

    def _call_tool(self, effect: CallTool) -> None:
        event_id = self.write(
            {
                "type": "tool_called",
                "tool": effect.tool,
                "tool_call_id": effect.tool_call_id,
                "args_safe": effect.args,
                "visit_id": effect.visit_id,
                "caused_by": self.cause,
            }
        )
        replies = self._script.tools.get(effect.tool)
        if not replies:
            return
        reply = self._next_of(replies, f"tool {effect.tool}")

        def answered() -> None:
            self.cause = self.write(
                {
                    "type": "tool_result",
                    "tool_call_id": effect.tool_call_id,
                    "ok": reply.ok,
                    "result_safe": reply.result,
                    "error": reply.error,
                    "visit_id": effect.visit_id,
                    "caused_by": event_id,
                }
            )
            self.give(
                ToolAnswered(
                    tool_call_id=effect.tool_call_id, ok=reply.ok, result=dict(reply.result)
                )
            )

        self.later(self._clock + reply.after_ms, answered)

    def _next_of(self, listed: Sequence[_T], what: str) -> _T:
        """Return the scripted answer to `what` whose turn it is; the last one again and again."""
        return listed[min(self.nth(what), len(listed) - 1)]

    def nth(self, what: str) -> int:
        """Return how often `what` was asked for before."""
        count = self._counts.get(what, 0)
        self._counts[what] = count + 1
        return count

    # -- records -----------------------------------------------------------------------------------

    @property
    def turn_id(self) -> str:
        """The caller's turn that is being answered; `t0` before the first."""
        return f"t{self._turn}"

    def write(self, record: JsonObject) -> str:
        """Append a record at the clock, in the turn."""
        common: JsonObject = {"clock_ms": self._clock, "turn_id": self.turn_id}
        visit = self._now.path[-1].visit_id if self._now.path else None
        if visit is not None and record["type"] in _IN_VISIT:
            common["visit_id"] = visit
        known = {name: value for name, value in record.items() if value is not None}
        needed = {name: record[name] for name in ("edge_id", "verdict") if name in record}
        return self._recorder.append({**common, **known, **needed})


_IN_VISIT = frozenset({"dtmf_received", "input_selected", "transcript_segment"})
