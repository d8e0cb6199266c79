"""The transition function: each rule by example, and its laws on drawn flows and inputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import FlowInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.flow import parse_flow
from engine.core.flow.guards import AudioOutcome
from engine.core.program import (
    Advance,
    Answer,
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
    compile_program,
    input_of,
    snapshot_of,
    to_json,
)

MENU = """
schema: riff.flow/v1
flow_id: menu
entry: greet
slots:
  _route: {type: text, class: routing}
  name: {type: text}
  note: {type: text, class: plain}
states:
  greet:
    entry_line: "Hello {{slots.name}}."
    transitions:
      - {to: menu, when: "audio:completed"}
      - {to: bye, when: "audio:failed"}
  menu:
    prompt: "Rent or repair?"
    locked_choice:
      slot: _route
      choices:
        rent: ["1", "rent", "the rent"]
        repair: {say: ["2", "repair"], sets: {note: urgent, name: x}}
    transitions:
      - {to: look_up, when: "all(slot_equals:_route:rent, slot_set:name)", sets: {note: paid}}
      - {to: bye, when: "slot_in:_route:repair,other", clears: [note, name]}
      - {to: menu, when: "dtmf:9"}
      - {to: bye, when: "retry_at_least:3", reason: three times}
  look_up:
    tool: {name: find, args: [name], result_slots: {note: text}}
    transitions:
      - {to: menu, when: "custom:is_late"}
      - {to: confirm, when: "slot_equals:note:found", nested: true}
      - {to: bye, when: always}
  confirm:
    prompt: "Found. Yes?"
    locked_choice: {slot: _route, choices: [yes, no]}
    transitions:
      - {to: look_up, when: "slot_equals:_route:yes"}
      - {to: bye, when: "slot_equals:_route:no"}
  bye:
    prompt: "Bye."
"""


def program(text: str = MENU) -> Program:
    return compile_program(parse_flow(text.encode(), path="flow.yaml"))


MENU_PROGRAM = program()


class Call:
    """A call being driven: each input's effects, and the snapshot."""

    def __init__(self, slots: JsonObject | None = None, flow: Program = MENU_PROGRAM) -> None:
        self.flow = flow
        first = begin(flow, dict(slots or {}))
        self.now, self.effects = first.snapshot, first.effects

    def give(self, happened: Input) -> tuple[Effect, ...]:
        done = advance(self.flow, self.now, happened)
        assert isinstance(done, Advance), done
        self.now, self.effects = done.snapshot, done.effects
        return done.effects

    def hear(self, outcome: str = "completed") -> tuple[Effect, ...]:
        return self.give(AudioEnded(play=self.now.path[-1].plays[0], outcome=AudioOutcome(outcome)))

    @property
    def visit(self) -> str:
        return self.now.path[-1].visit_id


def kinds(effects: tuple[Effect, ...]) -> list[str]:
    return [type(effect).__name__ for effect in effects]


def at_menu(slots: JsonObject | None = None) -> Call:
    call = Call(slots)
    call.hear()
    assert call.visit == "menu#1"
    call.hear()
    return call


def test_the_entry_says_its_line_with_the_slots_in_it() -> None:
    call = Call({"name": "Ana"})
    enter, say = call.effects
    assert enter == Enter(visit_id="greet#1", state_id="greet", via_edge=None, parent_visit_id=None)
    assert isinstance(say, Say)
    assert (say.text, say.slots_read, say.line) == ("Hello Ana.", ("name",), LineKind.ENTRY_LINE)


@pytest.mark.parametrize(
    ("outcome", "to"), [("completed", "menu#1"), ("failed", "bye#1"), ("interrupted", "greet#1")]
)
def test_the_outcome_of_audio_decides(outcome: str, to: str) -> None:
    call = Call()
    call.hear(outcome)
    assert call.visit == to


def test_a_locked_choice_writes_key_by_key_before_guards() -> None:
    call = at_menu()
    effects = call.give(CallerSaid(text="A repair, please."))
    assert kinds(effects)[:4] == ["WriteSlot", "WriteSlot", "WriteSlot", "GuardVerdict"]
    writes = [effect for effect in effects if isinstance(effect, WriteSlot)]
    assert [(w.slot, w.new, w.kind) for w in writes] == [
        ("_route", "repair", "locked_choice"),
        ("note", "urgent", "locked_choice"),
        ("name", "x", "locked_choice"),
        ("note", None, "edge_clear"),
        ("name", None, "edge_clear"),
    ]
    assert [w.old for w in writes] == [None, None, None, "urgent", "x"]


def test_the_first_true_guard_in_declaration_order_is_taken_and_reads_are_exact() -> None:
    call = at_menu({"name": "Ana"})
    effects = call.give(CallerSaid(text="the rent"))
    verdicts = [effect for effect in effects if isinstance(effect, GuardVerdict)]
    assert [(v.edge_id, v.verdict, v.slots_read) for v in verdicts] == [
        ("menu:0", True, ("_route", "name"))
    ]
    assert kinds(effects) == [
        "WriteSlot", "GuardVerdict", "Take", "WriteSlot", "Leave", "Enter", "CallTool",
    ]  # fmt: skip


def test_a_part_that_was_not_reached_was_not_read() -> None:
    call = at_menu()
    call.give(CallerSaid(text="nothing of that"))
    verdicts = [effect for effect in call.effects if isinstance(effect, GuardVerdict)]
    assert [(v.verdict, v.slots_read) for v in verdicts] == [
        (False, ("_route",)), (False, ("_route",)), (False, ()), (False, ()),
    ]  # fmt: skip


def test_what_is_said_without_a_choice_writes_nothing() -> None:
    call = at_menu()
    call.give(CallerSaid(text="rent or repair? currently"))
    assert "WriteSlot" not in kinds(call.effects)


def test_a_key_chooses_and_a_guard_sees_it() -> None:
    call = at_menu()
    call.give(KeyPressed(digit="9"))
    assert call.visit == "menu#2"
    call.give(KeyPressed(digit="2"))
    assert call.visit == "bye#1"


def test_the_third_try_is_the_last() -> None:
    call = at_menu()
    call.give(CallerSaid(text="hm"))
    assert [type(effect) for effect in call.give(SilencePassed())][-1] is Say
    assert isinstance(call.effects[-1], Say)
    assert call.effects[-1].line is LineKind.NUDGE
    call.give(CallerSaid(text="hm"))
    assert call.visit == "bye#1"


def test_a_resolver_fills_slots_in_order() -> None:
    call = at_menu()
    call.give(CallerSaid(text="rent for Ana", filled={"name": "Ana"}))
    assert call.visit == "look_up#1"
    assert call.now.slots["name"] == "Ana"


def looking() -> Call:
    call = at_menu({"name": "Ana"})
    call.give(KeyPressed(digit="1"))
    assert isinstance(call.effects[-1], CallTool)
    assert call.effects[-1].args == {"name": "Ana"}
    return call


def test_a_tool_fills_its_slots_and_a_custom_guard_is_asked_by_name() -> None:
    call = looking()
    call.give(ToolAnswered(tool_call_id="call_001", ok=True, result={"text": "found", "more": 1}))
    assert call.now.slots["note"] == "found"
    assert call.effects[-1] == AskGuard(visit_id="look_up#1", name="is_late", edge_id="look_up:0")
    refused = advance(call.flow, call.now, CallerSaid(text="hello?"))
    assert isinstance(refused, Refused)
    assert refused.code == "WAITS_FOR_GUARD"
    call.give(GuardAnswered(name="is_late", answer=Answer(verdict=False)))
    verdicts = [effect for effect in call.effects if isinstance(effect, GuardVerdict)]
    assert [(v.verdict, v.slots_read) for v in verdicts] == [(False, None), (True, ("note",))]
    assert call.visit == "confirm#1"


def test_a_custom_guard_that_fails_has_no_verdict() -> None:
    call = looking()
    call.give(ToolAnswered(tool_call_id="call_001", ok=False))
    answer = Answer(verdict=True, slots_read=["name"], error="no such key")
    call.give(GuardAnswered(name="is_late", answer=answer))
    first = call.effects[0]
    assert isinstance(first, GuardVerdict)
    assert (first.verdict, first.error, first.slots_read) == (None, "no such key", ("name",))
    assert call.visit == "bye#1"


def nested() -> Call:
    call = looking()
    call.give(ToolAnswered(tool_call_id="call_001", ok=True, result={"text": "found"}))
    call.give(GuardAnswered(name="is_late", answer=Answer(verdict=False)))
    return call


def test_a_nested_visit_leaves_its_parent_open_and_comes_back_to_it() -> None:
    call = nested()
    assert [visit.visit_id for visit in call.now.path] == ["look_up#1", "confirm#1"]
    call.give(CallerSaid(text="yes"))
    assert Leave(visit_id="confirm#1", state_id="confirm", edge_id="confirm:0") in call.effects
    assert [visit.visit_id for visit in call.now.path] == ["look_up#1"]
    assert isinstance(call.effects[-1], AskGuard)


def test_a_call_ends_where_no_edge_leads_on() -> None:
    call = at_menu()
    call.give(KeyPressed(digit="2"))
    call.hear()
    assert call.effects == (End(how=Ended.COMPLETED),)
    assert isinstance(advance(call.flow, call.now, HungUp()), Refused)


def test_states_that_never_rest_end_the_call() -> None:
    flow = program(
        "schema: riff.flow/v1\nflow_id: f\nentry: a\nstates:\n"
        "  a: {transitions: [{to: b, when: always}]}\n  b: {transitions: [{to: a}]}\n"
    )
    call = Call(flow=flow)
    assert call.effects[-1] == End(how=Ended.ENDLESS)
    assert sum(isinstance(effect, Take) for effect in call.effects) == 100


@pytest.mark.parametrize(
    ("happened", "code"),
    [
        (AudioEnded(play=77, outcome=AudioOutcome.COMPLETED), "UNKNOWN_PLAY"),
        (ToolAnswered(tool_call_id="call_9", ok=True), "UNKNOWN_TOOL_CALL"),
        (GuardAnswered(name="is_late", answer=Answer(verdict=True)), "NOT_ASKED"),
    ],
)
def test_what_was_not_asked_for_is_refused(happened: Input, code: str) -> None:
    call = at_menu()
    refused = advance(call.flow, call.now, happened)
    assert isinstance(refused, Refused)
    assert refused.code == code


@pytest.mark.parametrize(
    "text",
    [
        "schema: riff.flow/v1\nflow_id: f\nentry: b\nstates:\n  a: {}\n",
        """schema: riff.flow/v1
flow_id: f
entry: a
states:
  a: {transitions: [{to: a, when: 'slot_like:x'}]}
""",
    ],
)
def test_what_cannot_run_is_a_typed_error(text: str) -> None:
    with pytest.raises(FlowInvalid) as caught:
        program(text)
    assert caught.value.detail["kind"] == "NOT_RUNNABLE"


def test_a_recorded_pipecat_flow_does_not_run_here() -> None:
    with pytest.raises(FlowInvalid, match="only riff"):
        program("initial_node: a\nnodes:\n  a:\n    task_messages: []\n    functions: []\n")


# -- laws ------------------------------------------------------------------------------------------

_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["found", "rent", "yes", ""])
)
_ANSWERS = st.builds(
    Answer,
    verdict=st.sampled_from([True, False, None]),
    slots_read=st.sampled_from([None, [], ["name"]]),
    error=st.sampled_from([None, "broke"]),
)
_INPUTS: st.SearchStrategy[Input] = st.one_of(
    st.builds(
        CallerSaid,
        text=st.sampled_from(["rent", "2", "yes", "no", "", "the rent or repair"]),
        filled=st.dictionaries(st.sampled_from(["name", "note"]), _VALUES, max_size=2),
    ),
    st.builds(KeyPressed, digit=st.sampled_from(["1", "2", "9", "#"])),
    st.just(SilencePassed()),
    st.builds(AudioEnded, play=st.integers(1, 12), outcome=st.sampled_from([*AudioOutcome])),
    st.builds(
        ToolAnswered,
        tool_call_id=st.sampled_from(["call_001", "call_002"]),
        ok=st.booleans(),
        result=st.dictionaries(st.just("text"), _VALUES, max_size=1),
    ),
    st.builds(GuardAnswered, name=st.sampled_from(["is_late", "x"]), answer=_ANSWERS),
    st.just(HungUp()),
)
_SEEDS = st.dictionaries(st.sampled_from(["name", "note", "_route"]), _VALUES, max_size=3)


@given(_SEEDS, st.lists(_INPUTS, max_size=20))
def test_any_input_anywhere_gives_effects_or_a_refusal_and_the_same_each_time(
    seeds: dict[str, JsonValue], inputs: list[Input]
) -> None:
    now = begin(MENU_PROGRAM, seeds).snapshot
    for happened in inputs:
        kept = to_json(now)
        done = advance(MENU_PROGRAM, now, happened)
        assert to_json(now) == kept
        again = advance(MENU_PROGRAM, snapshot_of(kept), input_of(to_json(happened)))
        assert again == done
        now = done.snapshot if isinstance(done, Advance) else now


@given(_SEEDS, st.lists(_INPUTS, max_size=20))
def test_slots_and_visits_are_what_the_effects_say(
    seeds: dict[str, JsonValue], inputs: list[Input]
) -> None:
    first = begin(MENU_PROGRAM, seeds)
    slots, path = dict(seeds), list[str]()
    now: Snapshot = first.snapshot
    effects = [*first.effects]
    for happened in inputs:
        done = advance(MENU_PROGRAM, now, happened)
        if isinstance(done, Advance):
            now = done.snapshot
            effects += done.effects
    for effect in effects:
        match effect:
            case WriteSlot():
                assert slots.get(effect.slot) == effect.old
                slots[effect.slot] = effect.new
            case Enter():
                assert effect.parent_visit_id == (path[-1] if path else None)
                path.append(effect.visit_id)
            case Leave():
                assert path.pop() == effect.visit_id
            case _:
                pass
    assert slots == now.slots
    assert path == [visit.visit_id for visit in now.path]
