"""The IDE's side: breakpoints as sent and answered, the selected frame, interrupts."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.client import RequestFailed
from dap_adapter.terminal.breakpoints import Kind
from dap_adapter.terminal.ide_client import IdeClient, Refusal
from dap_adapter.terminal.screen import Screen, name_of
from dap_adapter.terminal.session import opened


@pytest.fixture(scope="module")
def module_ide(racy: Path) -> Iterator[IdeClient]:
    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (debugger, _stop):
        yield debugger.ide


@pytest.fixture
def ide(module_ide: IdeClient) -> IdeClient:
    """A client at the start of the recording, with nothing set."""
    module_ide.delete(lambda _item: True)
    module_ide.evaluate("goto start", "repl")
    return module_ide


def test_a_breakpoint_has_a_number_of_its_own_for_ever(ide: IdeClient) -> None:
    first = ide.break_on_line("45", {}, is_temporary=False)
    again = ide.break_on_line("45", {}, is_temporary=False)
    assert again.number == first.number + 1
    assert [item.number for item in ide.breakpoints] == [again.number]
    assert again.answer["verified"] is True


def test_a_stop_names_its_breakpoint(ide: IdeClient) -> None:
    ide.break_on_line("14", {}, is_temporary=False)
    wanted = ide.break_on_line("45", {}, is_temporary=False)
    assert ide.hit_by(ide.move("continue")) != [wanted]
    assert ide.hit_by(ide.move("continue")) == [wanted]


def test_a_temporary_breakpoint_goes_with_its_hit(ide: IdeClient) -> None:
    ide.break_on_line("45", {}, is_temporary=True)
    stop = ide.move("continue")
    assert [item.is_temporary for item in ide.hit_by(stop)] == [True]
    ide.drop_temporary(stop)
    assert not ide.breakpoints
    assert "End" in str(ide.move("continue")["description"])


def test_a_watched_slot(ide: IdeClient) -> None:
    found, described = ide.watch("time", {})
    assert (found.kind, found.key) == (Kind.SLOT, "slot:time")
    assert "2 times" in described
    assert ide.move("continue")["reason"] == "data breakpoint"
    with pytest.raises(Refusal, match="no slot"):
        ide.watch("nothing", {})


def test_an_expression_may_move(ide: IdeClient) -> None:
    ide.break_on_line("45", {}, is_temporary=False)
    moved = ide.evaluate("goto end", "repl")
    assert moved.stop is not None
    assert "End" in str(moved.stop["description"])
    assert ide.evaluate("time", "repl").stop is None
    assert ide.move("reverseContinue")["reason"] == "breakpoint"


def test_rows_come_page_by_page(ide: IdeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    [slots, *_] = ide.scopes()
    monkeypatch.setattr("dap_adapter.terminal.ide_client.PAGE", 2)
    assert ide.all_children(slots) == ide.children(slots)
    assert len(ide.children(slots)) == 3


def test_a_refused_request_changes_nothing(ide: IdeClient) -> None:
    kept = ide.break_on_line("45", {}, is_temporary=False)
    with pytest.raises((RequestFailed, Refusal)):
        ide.break_on_line("14", {"condition": 5}, is_temporary=False)
    assert [item.number for item in ide.breakpoints] == [kept.number]


def test_frames_are_selected_by_place(ide: IdeClient) -> None:
    ide.move("continue")
    frames, total = ide.frames()
    assert total == len(frames)
    assert ide.select(2) == frames[2]
    assert ide.frame() == frames[2]
    for place in (-1, 1, 10_000):
        with pytest.raises(Refusal):
            ide.select(place)
    ide.move("stepBack")
    assert name_of(ide.frame()).startswith("end#1")


def test_what_is_said_later_of_a_breakpoint_is_kept(ide: IdeClient) -> None:
    found = ide.break_on_line("45", {}, is_temporary=False)
    client = ide._client
    changed = {"reason": "changed", "breakpoint": {"id": found.answer["id"], "message": "counted"}}
    client.messages.append({"type": "event", "event": "breakpoint", "body": changed})
    ide.output()
    [kept] = ide.breakpoints
    assert (kept.answer["message"], kept.answer["verified"]) == ("counted", True)


class Rows(IdeClient):
    """A client of which only a list of rows is asked."""

    def __init__(self, count: int) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self.count = count

    def children(self, container: Any, *, start: int = 0, count: int = 0) -> list[Any]:
        assert start >= 0
        return [{}] * max(0, min(count, self.count - start))


@given(count=st.integers(0, 5_000), near=st.integers(0, 5_000))
def test_rows_are_counted_from_anywhere(count: int, near: int) -> None:
    assert Rows(count).count_of({}, near=near) == count
    assert Rows(0).count_of({"indexedVariables": count}, near=near) == count


class Interrupted:
    """An adapter's client that is interrupted while it waits for the stop."""

    def __init__(self, at: str) -> None:
        self.messages: list[dict[str, Any]] = []
        self.sent: list[str] = []
        self._interrupts: deque[str] = deque([at])

    def send(self, command: str, _arguments: object = None) -> int:
        self.sent.append(command)
        return len(self.sent)

    def _wait(self, what: str) -> None:
        if self._interrupts and self._interrupts[0] == what:
            self._interrupts.popleft()
            raise KeyboardInterrupt

    def response(self, _seq: int) -> dict[str, Any]:
        self._wait("response")
        return {"success": True}

    def event(self, name: str) -> dict[str, Any]:
        self._wait(name)
        return {"reason": "pause", "description": "#3"}


@pytest.mark.parametrize("at", ["response", "stopped"])
def test_an_interrupt_becomes_a_pause(at: str) -> None:
    client = Interrupted(at)
    ide = IdeClient(client)  # type: ignore[arg-type]
    assert ide.move("continue")["reason"] == "pause"
    assert client.sent == ["continue", "pause"]
    assert not ide.is_asking


def test_output_is_told_once(racy: Path, tmp_path: Path, make_drifted: Callable[..., Path]) -> None:
    launch = {"recording": str(racy), "flowRoot": str(make_drifted(tmp_path))}
    with opened(launch, Screen(), answer_within_s=30) as (debugger, _stop):
        assert [line for line in debugger.ide.output() if "differs from the flow that ran" in line]
        assert debugger.ide.output() == []


@pytest.fixture
def make_drifted(racy: Path) -> Callable[..., Path]:
    """Make a workspace whose flow is another one than the one that ran."""

    def make(folder: Path) -> Path:
        path = folder / json.loads((racy / "manifest.json").read_text())["flow"]["source_path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((racy / "flow/flow.yaml").read_text() + "# more\n")
        return folder

    return make
