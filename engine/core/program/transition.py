"""The transition function: `advance(program, snapshot, input)` to snapshot and effects.

Rules: total (any input in any snapshot gives effects or a refusal), deterministic, no clock. Guards
are evaluated in declaration order and the first true one is taken; the ones behind it are not
evaluated. A round is begun by the caller (every edge), by the end of audio or of a tool (every edge
of a state that does not listen, else those that ask about audio), or by silence (those that ask how
often it was tried; if none is true, the prompt is said again).
"""

from dataclasses import dataclass, field

from msgspec.structs import replace

from engine.core.contract.json_types import JsonValue
from engine.core.flow.interpolation import fill_riff
from engine.core.program.compiled import Program, RunnableEdge, RunnableState, choose
from engine.core.program.guards import Facts, NeedsAnswer, Reading, evaluate, spelt
from engine.core.program.values import (
    Advance,
    AskGuard,
    AudioEnded,
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
    LineKind,
    OpenVisit,
    Refused,
    Round,
    Say,
    SilencePassed,
    Snapshot,
    Take,
    ToolAnswered,
    Trigger,
    WriteSlot,
)

VISITS_AT_ONCE_MAX = 100
"""Visits that one input may lead through; more is a program that does not come to rest."""


@dataclass(slots=True, kw_only=True)
class _Run:
    """One call of `advance`: the snapshot as it grows, and what happened."""

    program: Program
    now: Snapshot
    effects: list[Effect] = field(default_factory=list[Effect])
    entered: int = 0

    @property
    def visit(self) -> OpenVisit:
        return self.now.path[-1]

    @property
    def state(self) -> RunnableState:
        return self.program.states[self.visit.state_id]

    def set_visit(self, visit: OpenVisit) -> None:
        self.now = replace(self.now, path=(*self.now.path[:-1], visit))

    def write(
        self, slot: str, new: JsonValue, *, kind: str, writer: str, call_id: str | None = None
    ) -> None:
        """Change a slot. Nothing else in the program does."""
        old = self.now.slots.get(slot)
        self.effects.append(
            WriteSlot(
                visit_id=self.visit.visit_id,
                slot=slot,
                old=old,
                new=new,
                kind=kind,
                writer=writer,
                tool_call_id=call_id,
            )
        )
        self.now = replace(self.now, slots={**self.now.slots, slot: new})


def begin(program: Program, slots: dict[str, JsonValue]) -> Advance:
    """Return the first visit, with `slots` as they were seeded."""
    run = _Run(program=program, now=Snapshot(slots=dict(slots)))
    _enter(run, program.entry, via_edge=None, is_nested=False)
    return Advance(snapshot=run.now, effects=tuple(run.effects))


def advance(program: Program, snapshot: Snapshot, happened: Input) -> Advance | Refused:
    """Return what an input leads to. Cost: of the guards evaluated."""
    refusal = _refusal(snapshot, happened)
    if refusal is not None:
        return refusal
    run = _Run(program=program, now=snapshot)
    match happened:
        case CallerSaid():
            _caller_said(run, happened)
        case KeyPressed():
            _choose(run, happened.digit)
            _caller_round(run, happened.digit)
        case SilencePassed():
            _silence(run)
        case AudioEnded():
            _audio_ended(run, happened)
        case ToolAnswered():
            _tool_answered(run, happened)
        case GuardAnswered():
            waiting = run.now.round
            assert waiting is not None, "asked, as `_refusal` has seen"
            answers = {**waiting.answers, happened.name: happened.answer}
            _round(run, replace(waiting, answers=answers))
        case HungUp():
            _end(run, Ended.HUNG_UP)
    return Advance(snapshot=run.now, effects=tuple(run.effects))


def _refusal(snapshot: Snapshot, happened: Input) -> Refused | None:
    """Return why an input cannot be taken, None if it can."""
    if snapshot.ended is not None or not snapshot.path:
        return Refused(code="ENDED", reason="The program is not running.")
    match happened:
        case GuardAnswered():
            waiting = snapshot.round
            if waiting is None or waiting.asked != happened.name:
                return Refused(code="NOT_ASKED", reason="No guard of that name was asked.")
            return None
        case HungUp():
            return None
        case AudioEnded():
            known = any(happened.play in visit.plays for visit in snapshot.path)
            wrong = None if known else Refused(code="UNKNOWN_PLAY", reason="Nothing plays there.")
        case ToolAnswered():
            known = any(happened.tool_call_id in visit.tools for visit in snapshot.path)
            reason = "No open visit waits for that call."
            wrong = None if known else Refused(code="UNKNOWN_TOOL_CALL", reason=reason)
        case CallerSaid() | KeyPressed() | SilencePassed():
            wrong = None
    if wrong is None and snapshot.round is not None:
        return Refused(code="WAITS_FOR_GUARD", reason="A custom guard has to answer first.")
    return wrong


# -- inputs ----------------------------------------------------------------------------------------


def _caller_said(run: _Run, turn: CallerSaid) -> None:
    for slot, value in turn.filled.items():
        run.write(slot, value, kind="resolver", writer="resolver")
    _choose(run, turn.text)
    _caller_round(run, None)


def _choose(run: _Run, said: str) -> None:
    """Write what a matched locked choice says, key by key, before any guard is evaluated."""
    locked = run.state.locked_choice
    choice = None if locked is None else choose(locked, said)
    if locked is None or choice is None:
        return
    for slot, value in ((locked.slot, choice.value), *choice.sets):
        run.write(slot, value, kind="locked_choice", writer="locked_choice")


def _caller_round(run: _Run, digit: str | None) -> None:
    run.set_visit(replace(run.visit, tries=run.visit.tries + 1))
    _round(run, Round(trigger=Trigger.USER_TURN, asked="", edges=_all_edges(run), digit=digit))


def _silence(run: _Run) -> None:
    run.set_visit(replace(run.visit, tries=run.visit.tries + 1))
    edges = tuple(at for at, edge in enumerate(run.state.edges) if edge.asks_retries)
    _round(run, Round(trigger=Trigger.NUDGE, asked="", edges=edges))


def _audio_ended(run: _Run, ended: AudioEnded) -> None:
    """Take the end of a playback; of a visit that nested ones cover, it is only remembered."""
    path = tuple(
        replace(
            visit,
            plays=tuple(play for play in visit.plays if play != ended.play),
            heard=ended.outcome,
        )
        if ended.play in visit.plays
        else visit
        for visit in run.now.path
    )
    was_own = ended.play in run.visit.plays
    run.now = replace(run.now, path=path)
    if not was_own:
        return
    edges = tuple(at for at, edge in enumerate(run.state.edges) if edge.asks_audio)
    if not run.state.listens and _is_idle(run.visit):
        edges = _all_edges(run)
    _round(run, Round(trigger=Trigger.AUDIO_END, asked="", edges=edges))


def _tool_answered(run: _Run, answer: ToolAnswered) -> None:
    owner = next(visit for visit in run.now.path if answer.tool_call_id in visit.tools)
    tool = run.program.states[owner.state_id].tool
    if answer.ok and tool is not None:
        for slot, member in tool.result_slots:
            if member in answer.result:
                run.write(
                    slot,
                    answer.result[member],
                    kind="tool_result",
                    writer=f"tool:{tool.name}",
                    call_id=answer.tool_call_id,
                )
    path = tuple(
        replace(visit, tools=tuple(call for call in visit.tools if call != answer.tool_call_id))
        for visit in run.now.path
    )
    was_own = answer.tool_call_id in run.visit.tools
    run.now = replace(run.now, path=path)
    if was_own and not run.state.listens and _is_idle(run.visit):
        _round(run, Round(trigger=Trigger.TOOL_RESULT, asked="", edges=_all_edges(run)))


# -- rounds ----------------------------------------------------------------------------------------


def _all_edges(run: _Run) -> tuple[int, ...]:
    return tuple(range(len(run.state.edges)))


def _is_idle(visit: OpenVisit) -> bool:
    return not visit.plays and not visit.tools


def _round(run: _Run, asked: Round) -> None:
    """Evaluate the guards of a round; a custom guard that has not answered is asked first."""
    facts = Facts(
        slots=run.now.slots,
        digit=asked.digit,
        heard=run.visit.heard,
        tries=run.visit.tries,
        answers=asked.answers,
    )
    verdicts: list[Effect] = []
    for at in asked.edges:
        edge = run.state.edges[at]
        reading = Reading()
        try:
            verdict = evaluate(edge.guard, facts, reading)
        except NeedsAnswer as needed:
            run.now = replace(run.now, round=replace(asked, asked=needed.name))
            run.effects.append(
                AskGuard(visit_id=run.visit.visit_id, name=needed.name, edge_id=edge.edge_id)
            )
            return
        verdicts.append(
            GuardVerdict(
                visit_id=run.visit.visit_id,
                edge_id=edge.edge_id,
                verdict=verdict,
                slots_read=tuple(reading.reads) if reading.is_known else None,
                error=reading.error,
            )
        )
        if verdict:
            run.now = replace(run.now, round=None)
            run.effects += verdicts
            _take(run, edge)
            return
    run.now = replace(run.now, round=None)
    run.effects += verdicts
    if asked.trigger is Trigger.NUDGE and run.state.prompt is not None:
        _say(run, LineKind.NUDGE, run.state.prompt, Trigger.NUDGE)
    elif not run.state.edges and _is_idle(run.visit):
        _end(run, Ended.COMPLETED)


def _take(run: _Run, edge: RunnableEdge) -> None:
    left = run.visit
    run.effects.append(Take(visit_id=left.visit_id, edge_id=edge.edge_id, to=edge.to))
    for slot, value in edge.sets:
        run.write(slot, value, kind="edge_set", writer=f"edge:{edge.edge_id}")
    for slot in edge.clears:
        run.write(slot, None, kind="edge_clear", writer=f"edge:{edge.edge_id}")
    if edge.is_nested:
        _enter(run, edge.to, via_edge=edge.edge_id, is_nested=True)
        return
    run.effects.append(Leave(visit_id=left.visit_id, state_id=left.state_id, edge_id=edge.edge_id))
    run.now = replace(run.now, path=run.now.path[:-1])
    if run.now.path and run.visit.state_id == edge.to:
        _back(run)
        return
    _enter(run, edge.to, via_edge=edge.edge_id, is_nested=bool(run.now.path))


def _back(run: _Run) -> None:
    """Go on in the visit that a nested one has come back to."""
    if not run.state.listens and _is_idle(run.visit):
        _round(run, Round(trigger=Trigger.NODE_ENTRY, asked="", edges=_all_edges(run)))


def _enter(run: _Run, state_id: str, *, via_edge: str | None, is_nested: bool) -> None:
    """Begin a visit, say and call what its state says; a state that does neither goes on."""
    run.entered += 1
    if state_id not in run.program.states:
        _end(run, Ended.COMPLETED)
        return
    if run.entered > VISITS_AT_ONCE_MAX:
        _end(run, Ended.ENDLESS)
        return
    count = run.now.entries.get(state_id, 0) + 1
    parent = run.visit.visit_id if is_nested else None
    visit = OpenVisit(visit_id=f"{state_id}#{count}", state_id=state_id)
    run.now = replace(
        run.now,
        path=(*run.now.path, visit),
        entries={**run.now.entries, state_id: count},
    )
    run.effects.append(
        Enter(visit_id=visit.visit_id, state_id=state_id, via_edge=via_edge, parent_visit_id=parent)
    )
    state = run.state
    if state.entry_line is not None:
        _say(run, LineKind.ENTRY_LINE, state.entry_line, Trigger.NODE_ENTRY)
    if state.prompt is not None:
        _say(run, LineKind.PROMPT, state.prompt, Trigger.NODE_ENTRY)
    if state.tool is not None:
        _call(run)
    if not state.listens and _is_idle(run.visit):
        _round(run, Round(trigger=Trigger.NODE_ENTRY, asked="", edges=_all_edges(run)))


def _say(run: _Run, line: LineKind, said: str, trigger: Trigger) -> None:
    play = run.now.play_count + 1
    filled, read = fill_riff(said, lambda slot: spelt(run.now.slots.get(slot)))
    run.effects.append(
        Say(
            visit_id=run.visit.visit_id,
            state_id=run.visit.state_id,
            play=play,
            line=line,
            trigger=trigger,
            text=filled,
            slots_read=read,
        )
    )
    run.now = replace(run.now, play_count=play)
    run.set_visit(replace(run.visit, plays=(*run.visit.plays, play)))


def _call(run: _Run) -> None:
    tool = run.state.tool
    assert tool is not None, "its state has one"
    count = run.now.tool_count + 1
    call_id = f"call_{count:03d}"
    args = {name: _argument(value, run.now.slots) for name, value in tool.args}
    run.effects.append(
        CallTool(visit_id=run.visit.visit_id, tool=tool.name, tool_call_id=call_id, args=args)
    )
    run.now = replace(run.now, tool_count=count)
    run.set_visit(replace(run.visit, tools=(*run.visit.tools, call_id)))


def _argument(value: JsonValue, slots: dict[str, JsonValue]) -> JsonValue:
    """Return an argument: a text that is nothing but one slot is that slot's value as it is."""
    if not isinstance(value, str):
        return value
    filled, read = fill_riff(value, lambda slot: spelt(slots.get(slot)))
    if len(read) == 1 and value.strip() == f"{{{{slots.{read[0]}}}}}":
        return slots.get(read[0])
    return filled


def _end(run: _Run, how: Ended) -> None:
    """End the call; the open visits stay open, as nothing left them."""
    run.effects.append(End(how=how))
    run.now = replace(run.now, ended=how, round=None)
