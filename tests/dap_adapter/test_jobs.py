"""Long work: answered first, interruptible in every way, its progress told and always ended."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_adapter.jobs import Advance
from dap_adapter.messages import decoded, encoded
from dap_adapter.progress import Progress
from dap_adapter.session import Session

Make = Callable[..., Any]
NEVER = {"name": "event:noise", "condition": "event.event_index < 0"}
EVENTS = 30_000


@pytest.fixture(scope="module")
def long_recording(script_call: Make) -> Any:
    return script_call(["enter a", *["noise"] * (EVENTS - 1)])


class Wire:
    """A session driven message by message; nothing runs unless the test says so."""

    def __init__(self, recording: Any, check: Callable, **initialize: Any) -> None:
        def load(_path: Path) -> Iterator[None]:
            yield
            return recording

        self.session = Session(load=load)
        self.check = check
        self.seq = 0
        self.send("initialize", adapterID="x", **initialize)
        self.send("launch", recording="x")
        self.finish()
        self.send("configurationDone")

    def send(self, command: str, **arguments: Any) -> list[dict]:
        self.seq += 1
        request = {"seq": self.seq, "type": "request", "command": command, "arguments": arguments}
        return self._out(self.session.receive(decoded(json.dumps(request).encode())))

    def run(self) -> list[dict]:
        return self._out(self.session.run(0))

    def finish(self) -> list[dict]:
        out = []
        while self.session.busy:
            out += self._out(self.session.run(20))
        return out

    def _out(self, messages: Any) -> list[dict]:
        sent = [json.loads(encoded(message)) for message in messages]
        self.check(sent)
        return sent


@pytest.fixture
def wire(long_recording: Any, check_messages: Callable) -> Wire:
    """A session that counts a condition that is never true, and runs behind that."""
    wire = Wire(long_recording, check_messages)
    [answer, *_] = wire.send("setFunctionBreakpoints", breakpoints=[NEVER])
    [breakpoint_] = answer["body"]["breakpoints"]
    assert breakpoint_["verified"]
    assert breakpoint_["message"] == "Its hits in this call are being counted."
    return wire


def shape(messages: list[dict]) -> list[Any]:
    """Messages as (command or event, success)."""
    return [
        (m["command"], m["success"]) if m["type"] == "response" else m["event"] for m in messages
    ]


def test_hits_are_told_when_they_are_counted(wire: Wire) -> None:
    [event] = wire.finish()
    assert event["event"] == "breakpoint"
    assert event["body"]["reason"] == "changed"
    assert event["body"]["breakpoint"]["message"] == "never reached in this call"
    assert shape(wire.send("continue", threadId=1)) == [("continue", True), "stopped"]


@pytest.mark.parametrize("command", ["continue", "reverseContinue"])
def test_a_run_is_answered_first_and_stops_when_it_is_known_where(wire: Wire, command: str) -> None:
    assert shape(wire.send(command, threadId=1)) == [(command, True)]
    [answer] = wire.send("stackTrace", threadId=1)
    assert (answer["success"], answer["message"]) == (False, "notStopped")
    assert shape(wire.send("threads")) == [("threads", True)]
    assert shape(wire.finish()) == ["breakpoint", "stopped"]


@pytest.mark.parametrize("command", ["continue", "reverseContinue"])
def test_pause_stops_a_run_where_it_began(wire: Wire, command: str) -> None:
    wire.send(command, threadId=1)
    wire.run()
    out = wire.send("pause", threadId=1)
    assert shape(out) == [("pause", True), "stopped"]
    assert out[1]["body"]["reason"] == "pause"
    assert out[1]["body"]["description"] == "Paused: ▶ #-1".replace(
        "▶", "◀" if command == "reverseContinue" else "▶"
    )
    assert shape(wire.send("pause", threadId=1)) == [("pause", True)]
    assert shape(wire.send("stackTrace", threadId=1)) == [("stackTrace", True)]
    assert shape(wire.finish()) == ["breakpoint"]


def test_cancel_by_request(wire: Wire) -> None:
    wire.send("continue", threadId=1)
    seq = wire.seq
    wire.run()
    assert shape(wire.send("cancel", requestId=seq)) == [("cancel", True), "stopped"]
    assert shape(wire.send("cancel", requestId=seq)) == [("cancel", True)]
    assert shape(wire.send("cancel", requestId=99_999)) == [("cancel", True)]
    assert shape(wire.send("cancel", requestId=-5)) == [("cancel", True)]
    assert shape(wire.send("cancel")) == [("cancel", True)]
    assert shape(wire.send("next", threadId=1)) == [("next", True), "stopped"]


def test_cancel_before_the_request_is_read(wire: Wire) -> None:
    assert shape(wire.send("cancel", requestId=wire.seq + 2)) == [("cancel", True)]
    [answer] = wire.send("continue", threadId=1)
    assert (answer["success"], answer["message"]) == (False, "cancelled")
    assert shape(wire.send("stackTrace", threadId=1)) == [("stackTrace", True)]
    wire.send("cancel", requestId=wire.seq + 2)
    assert shape(wire.send("threads")) == [("threads", True)], "nothing to cancel there"


def test_a_search_from_the_console_can_be_cancelled_and_paused(wire: Wire) -> None:
    wire.finish()
    for stop in ("cancel", "pause"):
        find = {"expression": "find event.event_index < 0", "context": "repl"}
        assert wire.send("evaluate", **find) == []
        seq = wire.seq
        wire.run()
        arguments = {"requestId": seq} if stop == "cancel" else {"threadId": 1}
        out = wire.send(stop, **arguments)
        assert shape(out) == [(stop, True), ("evaluate", False)]
        assert (out[1]["message"], out[1]["request_seq"]) == ("cancelled", seq)
        assert shape(wire.send("stackTrace", threadId=1)) == [("stackTrace", True)]


def test_breakpoints_set_during_a_run_are_obeyed(wire: Wire) -> None:
    wire.send("continue", threadId=1)
    wire.run()
    [answer] = wire.send("setFunctionBreakpoints", breakpoints=[{"name": "state:a"}])
    assert answer["body"]["breakpoints"][0]["message"] == "hit once in this call"
    stopped = wire.finish()[-1]
    assert (stopped["event"], stopped["body"]["reason"]) == ("stopped", "function breakpoint")


@pytest.mark.parametrize("ending", ["terminate", "disconnect"])
def test_an_end_stops_everything(wire: Wire, ending: str) -> None:
    wire.send("continue", threadId=1)
    wire.run()
    assert shape(wire.send(ending)) == [(ending, True), "exited", "terminated"]
    assert not wire.session.busy


def test_a_restart_reads_again_and_stands_at_the_start(wire: Wire) -> None:
    wire.finish()
    wire.send("next", threadId=1)
    wire.send("next", threadId=1)
    assert wire.send("restart") == []
    out = wire.finish()
    assert shape(out)[0] == ("restart", True)
    assert "stopped" in shape(out)
    assert next(m for m in out if m.get("event") == "stopped")["body"]["reason"] == "entry"
    assert wire.send("restart", arguments={"recording": "x", "stopAt": "end"}) == []
    stopped = next(m for m in wire.finish() if m.get("event") == "stopped")
    assert stopped["body"]["description"] == "End of recording"


def test_a_restart_during_a_run_ends_the_run(wire: Wire) -> None:
    wire.send("continue", threadId=1)
    wire.run()
    out = wire.send("restart") + wire.finish()
    assert shape(out).count("stopped") >= 1
    assert ("restart", True) in shape(out)
    assert shape(wire.send("stackTrace", threadId=1)) == [("stackTrace", True)]


def test_a_cancelled_launch_can_be_launched_again(
    long_recording: Any, check_messages: Callable
) -> None:
    def load(_path: Path) -> Iterator[None]:
        yield
        yield
        return long_recording

    wire = Wire.__new__(Wire)
    wire.session, wire.check, wire.seq = Session(load=load), check_messages, 0
    wire.send("initialize", adapterID="x")
    assert wire.send("launch", recording="x") == []
    out = wire.send("cancel", requestId=wire.seq)
    assert shape(out) == [("cancel", True), ("launch", False)]
    assert wire.send("launch", recording="x") == []
    assert shape(wire.finish())[0] == ("launch", True)


# -- progress --------------------------------------------------------------------------------------


def test_progress_is_told_late_sparingly_and_ended() -> None:
    progress = Progress("p", title="Looking", request_seq=3, started=10.0)
    assert progress.advanced(Advance(1, 10), 10.4) == []
    [(name, start)] = progress.advanced(Advance(3, 10), 10.5)
    assert (name, start.percentage, start.cancellable, start.request_id) == (
        "progressStart",
        30,
        True,
        3,
    )
    assert progress.advanced(Advance(4, 10), 10.6) == []
    [(name, update)] = progress.advanced(None, 10.75)
    assert (name, update.percentage) == ("progressUpdate", None)
    assert [name for name, _ in progress.ended()] == ["progressEnd"]
    assert progress.ended() == []
    quick = Progress("q", title="x", request_seq=0, started=0.0)
    assert quick.ended() == []


def test_progress_over_the_wire_and_cancelled_by_its_id(
    long_recording: Any, check_messages: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dap_adapter.progress.PROGRESS_AFTER_S", 0.0)
    monkeypatch.setattr("dap_adapter.progress.PROGRESS_EVERY_S", 0.0)
    wire = Wire(long_recording, check_messages, supportsProgressReporting=True)
    wire.finish()
    wire.send("evaluate", expression="find event.event_index < 0", context="repl")
    events = wire.run() + wire.run()
    assert shape(events) == ["progressStart", "progressUpdate"]
    progress_id = events[0]["body"]["progressId"]
    assert events[0]["body"]["requestId"] == wire.seq
    out = wire.send("cancel", progressId=progress_id)
    assert shape(out) == [("cancel", True), "progressEnd", ("evaluate", False)]
    assert shape(wire.send("cancel", progressId=progress_id)) == [("cancel", True)]
    assert shape(wire.send("cancel", progressId="nothing")) == [("cancel", True)]


def test_no_progress_for_a_client_that_does_not_show_it(
    long_recording: Any, check_messages: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dap_adapter.progress.PROGRESS_AFTER_S", 0.0)
    wire = Wire(long_recording, check_messages)
    wire.send("setFunctionBreakpoints", breakpoints=[NEVER])
    assert shape(wire.finish()) == ["breakpoint"]


# -- opening in a thread ---------------------------------------------------------------------------


def test_opening_yields_while_it_works_and_ends_when_given_up() -> None:
    import threading

    from dap_adapter.loading import loaded_in_slices

    go, ended = threading.Event(), threading.Event()

    def open_(_path: Path, report: Callable[[str, int, int], None]) -> Any:
        report("read", 1, 4)
        go.wait(10)
        try:
            report("read", 2, 4)
        finally:
            ended.set()
        return "recording"

    slices = loaded_in_slices(open_, Path("x"))
    assert next(slices) == Advance(1, 4, "read")
    slices.close()
    go.set()
    assert ended.wait(10)
    ended.clear()
    slices = loaded_in_slices(open_, Path("x"))
    results = []

    def taken() -> Iterator[Any]:
        results.append((yield from slices))

    assert all(advance is None or advance.total == 4 for advance in taken())
    assert results == ["recording"]


def test_what_opening_raises_is_raised_to_the_session() -> None:
    from dap_adapter.loading import loaded_in_slices

    def open_(_path: Path, _report: Any) -> Any:
        raise FileNotFoundError("gone")

    with pytest.raises(FileNotFoundError):
        list(loaded_in_slices(open_, Path("x")))


def test_breakpoints_set_while_a_restart_reads_belong_to_the_new_recording(wire: Wire) -> None:
    assert wire.send("restart") == []
    wire.send("setFunctionBreakpoints", breakpoints=[NEVER, {"name": "state:a"}])
    out = wire.finish()
    assert ("restart", True) in shape(out)
    told = {m["body"]["breakpoint"]["id"]: m["body"]["breakpoint"]["message"] for m in out
            if m.get("event") == "breakpoint"}  # fmt: skip
    assert sorted(told.values()) == ["hit once in this call", "never reached in this call"]
    assert shape(wire.send("continue", threadId=1)) == [("continue", True), "stopped"]
