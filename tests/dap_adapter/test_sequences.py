"""Random conversations: legal, illegal, out of order. Nothing hangs, dies or goes unanswered."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dap_adapter.messages import decoded, encoded
from dap_adapter.session import Session
from dap_adapter.wires import LIFECYCLE

Make = Callable[..., Any]
CALL = ("enter a", "prompt", "guard", "edge_set", "take", "nest b", "write open_slot x", "leave")
SOURCES = [{"path": "/x/flows/tiny.flow.yaml"}, {"path": "/y.py"}, {"sourceReference": 1}, {}]
TEXTS = [
    "true", "slots.open_slot == \"x\"", "event.event_index > 2", "nope", "1 +", "", "last", "%2",
    "{slots.open_slot}", "{", "rc", "back", "start", "end", "why open_slot", "find true", "goto #2",
    "dir reverse", "unit visit", "help", "open_slot", "a", "guard:*", "slot:open_slot",
    "TOOL_FAILED", "\x00", "🙂",
]  # fmt: skip
small = st.integers(-2, 25)
texts = st.sampled_from(TEXTS)
sources = st.sampled_from(SOURCES)


def one_of(**fields: Any) -> st.SearchStrategy[dict]:
    return st.fixed_dictionaries({}, optional=fields)


def rows(**fields: Any) -> st.SearchStrategy[list]:
    return st.lists(one_of(**fields), max_size=3)


ARGUMENTS: dict[str, st.SearchStrategy] = {
    "initialize": st.just({"adapterID": "x", "supportsProgressReporting": True}),
    "launch": one_of(recording=st.just("x"), stopAt=texts, noDebug=st.booleans()),
    "attach": one_of(recording=st.just("x")),
    "restart": st.sampled_from([{}, {"arguments": {"recording": "x", "stopAt": "end"}}]),
    "cancel": one_of(requestId=small, progressId=st.just("progress-1")),
    "setBreakpoints": one_of(
        source=sources,
        breakpoints=rows(
            line=small, column=small, condition=texts, hitCondition=texts, logMessage=texts
        ),
    ),
    "setFunctionBreakpoints": one_of(
        breakpoints=rows(name=texts, condition=texts, hitCondition=texts)
    ),
    "setDataBreakpoints": one_of(
        breakpoints=rows(
            dataId=texts,
            accessType=st.sampled_from(["read", "write", "readWrite"]),
            condition=texts,
        )
    ),
    "setExceptionBreakpoints": one_of(
        filters=st.lists(texts, max_size=2), filterOptions=rows(filterId=texts, condition=texts)
    ),
    "breakpointLocations": one_of(source=sources, line=small, endLine=small, column=small),
    "gotoTargets": one_of(source=sources, line=small, column=small),
    "evaluate": one_of(
        expression=texts, frameId=small, context=st.sampled_from(["repl", "watch", "clipboard"])
    ),
    "completions": one_of(text=texts, column=small, line=small),
    "variables": one_of(variablesReference=small, start=small, count=small),
    "scopes": one_of(frameId=small),
    "restartFrame": one_of(frameId=small),
    "goto": one_of(threadId=st.just(1), targetId=small),
    "stackTrace": one_of(threadId=st.just(1), startFrame=small, levels=small),
    "dataBreakpointInfo": one_of(name=texts, variablesReference=small),
    "source": one_of(sourceReference=small, source=sources),
}
COMMANDS = [*LIFECYCLE, "nonsense", "setVariable", "disassemble"]


@st.composite
def requests(draw: Callable) -> tuple[str, Any]:
    command = draw(st.sampled_from(COMMANDS))
    plain = st.sampled_from([{"threadId": 1}, {"threadId": 1, "granularity": "line"}, None, [], {}])
    return command, draw(ARGUMENTS.get(command, plain))


USUAL = [("initialize", {"adapterID": "x"}), ("launch", {"recording": "x"})]


@given(
    start=st.sampled_from([[], USUAL[:1], USUAL, [*USUAL, ("configurationDone", {})]]),
    steps=st.lists(st.tuples(requests(), st.integers(0, 3)), max_size=25),
)
@settings(max_examples=150)
def test_every_request_is_answered_once_and_the_session_lives(
    script_call: Make, check_messages: Callable, start: list, steps: list
) -> None:
    recording = script_call(CALL)

    def load(_path: Path) -> Iterator[None]:
        yield
        yield
        return recording

    logged: list[str] = []
    seq = 0
    session = Session(load=load, log=logged.append)
    sent: list[dict] = []
    for seq, ((command, arguments), runs) in enumerate(
        [(request, 3) for request in start] + steps, 1
    ):
        body = {"seq": seq, "type": "request", "command": command, "arguments": arguments}
        out = session.receive(decoded(json.dumps(body).encode()))
        for _ in range(runs):
            out += session.run(0)
        sent += [json.loads(encoded(message)) for message in out]
        if session.is_finished:
            break
    while session.busy:
        sent += [json.loads(encoded(message)) for message in session.run(5)]
    assert not [line for line in logged if "Traceback" in line], logged
    check_messages(sent)
    assert [message["seq"] for message in sent] == list(range(1, len(sent) + 1))
    answered = [message["request_seq"] for message in sent if message["type"] == "response"]
    assert sorted(answered) == list(range(1, seq + 1))
    started = [m["body"]["progressId"] for m in sent if m.get("event") == "progressStart"]
    ended = [m["body"]["progressId"] for m in sent if m.get("event") == "progressEnd"]
    assert started == ended
