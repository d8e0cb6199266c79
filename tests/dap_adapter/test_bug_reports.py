"""Ten public bug reports of other adapters and their clients, run against this one.

Each test names the report; what it says went wrong there must not go wrong here.
"""

import itertools
import json
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_adapter.framing import BODY_BYTES_MAX, FrameDecoder, FramingError, framed

Make = Callable[..., Any]
RESUMES = ("continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue")
TINY = {"path": "/x/flows/tiny.flow.yaml"}
FLOW = {"path": "/somewhere/flow.yaml"}


def lines(driver: Any, source: dict, *wanted: dict) -> list[dict]:
    return driver.request("setBreakpoints", source=source, breakpoints=list(wanted))["breakpoints"]


def test_1_a_stop_never_overtakes_the_response(new_driver: Make, racy_recording: Any) -> None:
    """vscode-mock-debug 91, vscode 185785."""
    driver = new_driver(racy_recording)
    driver.start()
    lines(driver, FLOW, {"line": 45}, {"line": 20})
    chance = random.Random(1)
    frame = driver.stack()["stackFrames"][0]["id"]
    target = driver.request("gotoTargets", source=FLOW, line=45)["targets"][0]["id"]
    for _ in range(1500):
        command = chance.choice([*RESUMES, "restartFrame", "goto"])
        extra = {"frameId": frame} if command == "restartFrame" else {}
        extra |= {"targetId": target} if command == "goto" else {}
        sent = driver.send(command, {"threadId": 1, **extra})
        assert [m["type"] for m in sent] == ["response", "event"]
        assert sent[1]["event"] == "stopped"


@pytest.mark.parametrize("every", [1, 2])
def test_2_reverse_continue_takes_the_nearest_hit_and_never_the_current_one(
    new_driver: Make, racy_recording: Any, every: int
) -> None:
    """codelldb 607, flightrec 5, icicle-emu 103."""
    driver = new_driver(racy_recording)
    driver.start()
    lines(driver, FLOW, *({"line": line} for line in range(1, 67, every)))
    ahead = []
    while "hitBreakpointIds" in driver.move("continue"):
        ahead.append(driver.cursor)
    back = []
    while "hitBreakpointIds" in driver.move("reverseContinue"):
        back.append(driver.cursor)
    assert ahead == sorted(set(ahead))
    assert back == ahead[::-1]
    assert ahead


def test_3_a_rewind_with_nothing_before_it_answers_and_the_end_ends_nothing(
    new_driver: Make, racy_recording: Any
) -> None:
    """delve 1376, delve 2815."""
    driver = new_driver(racy_recording)
    driver.start()
    for _ in range(50):
        assert driver.move("continue")["description"] == "End of recording"
        assert driver.move("next")["description"] == "End of recording"
        assert driver.move("reverseContinue")["description"] == "Start of recording"
        assert driver.move("stepBack")["description"] == "Start of recording"
    assert not [m for m in driver.log if m.get("event") in ("terminated", "exited")]


def test_4_a_reverse_scan_can_be_interrupted(new_driver: Make, script_call: Make) -> None:
    """rr 1491, debug-adapter-protocol 76, vscode 94022; every order is in test_jobs.py."""
    driver = new_driver(script_call(["enter a", *["noise"] * 20_000]))
    driver.start(stopAt="end")
    from dap_adapter.messages import decoded, encoded

    def receive(seq: int, command: str, **arguments: Any) -> list[dict]:
        body = {"seq": seq, "type": "request", "command": command, "arguments": arguments}
        out = driver.session.receive(decoded(json.dumps(body).encode()))
        return [json.loads(encoded(message)) for message in out]

    condition = {"name": "event:*", "condition": "event.event_index < -1"}
    receive(101, "setFunctionBreakpoints", breakpoints=[condition])
    [answer] = receive(102, "reverseContinue", threadId=1)
    assert answer["success"]
    assert driver.session.busy
    driver.session.run(0)
    answer, stopped = receive(103, "pause", threadId=1)
    assert (answer["success"], stopped["body"]["reason"]) == (True, "pause")


@pytest.mark.parametrize("granularity", [None, "statement", "line", "instruction"])
@pytest.mark.parametrize("at", ["greet#1", "get_time#1", "confirm#1"])
def test_5_step_back_is_the_same_step_whatever_the_client_sends(
    new_driver: Make, racy_recording: Any, granularity: str | None, at: str
) -> None:
    """codelldb 1412, codelldb 865, midas 184."""
    driver = new_driver(racy_recording)
    driver.start(stopAt=at)
    extra = {} if granularity is None else {"granularity": granularity}
    before = driver.cursor
    driver.move("next", **extra)
    assert driver.cursor == before + 1
    driver.move("stepBack", **extra)
    assert driver.cursor == before
    assert all("instructionPointerReference" not in f for f in driver.stack()["stackFrames"])


def test_6_framing_is_exact_linear_and_bounded(new_driver: Make, script_call: Make) -> None:
    """debug-adapter-protocol 119, PTVS 2402, pyls 53, mcp-debugger 402 and 480."""
    text = "七時 🙂"
    driver = new_driver(script_call(["enter a", f"write open_slot {text.replace(' ', '_')}"]))
    driver.start(stopAt="end")
    assert driver.request("evaluate", expression="open_slot")["result"] == text.replace(" ", "_")
    bodies = [json.dumps({"text": text}, ensure_ascii=False).encode(), b"{}"]
    stream = b"".join(framed(body) for body in bodies)
    decoder = FrameDecoder()
    one_by_one = [found for byte in stream for found in decoder.feed(bytes([byte]))]
    assert one_by_one == bodies == FrameDecoder().feed(stream)
    odd = stream.replace(b"Content-Length", b"X-More: yes\r\ncontent-length")
    assert FrameDecoder().feed(odd) == bodies
    for head in (b"-1", b"99999999999999", b"", b"1.5", str(BODY_BYTES_MAX + 1).encode()):
        with pytest.raises(FramingError):
            FrameDecoder().feed(b"Content-Length: " + head + b"\r\n\r\n")
    with pytest.raises(FramingError):
        FrameDecoder().feed(b"Content-Length 2\r\r\n\r\r\n{}" + b" " * 10_000)
    big = FrameDecoder()
    body = b"x" * (BODY_BYTES_MAX - 1)
    stream = framed(body)
    found = [
        b for at in range(0, len(stream), 1 << 16) for b in big.feed(stream[at : at + (1 << 16)])
    ]
    assert found == [body]


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["launch", "lines", "filters", "done"])), ids="-".join
)
def test_7_any_order_of_launch_and_configuration(
    new_driver: Make, script_call: Make, order: tuple[str, ...]
) -> None:
    """debug-adapter-protocol 452, vscode 4902, code-debug 313, mock-debug 20: event 0 is hit."""
    driver = new_driver(script_call(["enter a", "enter b"]))
    requests: dict[str, tuple] = {
        "launch": ("launch", {"recording": "x"}),
        "lines": ("setBreakpoints", {"source": TINY, "breakpoints": [{"line": 8}]}),
        "filters": ("setExceptionBreakpoints", {"filters": []}),
        "done": ("configurationDone", None),
    }
    driver.request("initialize", adapterID="x")
    sent = [message for step in order for message in driver.send(*requests[step])]
    assert sum(m.get("event") == "stopped" for m in sent) == 1
    assert driver.move("continue")["reason"] == "breakpoint"
    assert driver.cursor == 0


def test_8_one_bad_entry_leaves_the_others_in_their_places(at_start: Any) -> None:
    """js-debug 300, vscode 117554, vscode 24164."""
    wanted = [
        {"line": 45, "hitCondition": "x"},
        {"line": 45, "condition": "("},
        {"line": 45},
        {"line": 45},
        {"line": 67},
        {"line": 10_000},
        {"line": 45, "condition": "slots.time < 3"},
    ]
    got = lines(at_start, FLOW, *wanted)
    assert [b["verified"] for b in got] == [False, False, True, True, False, False, True]
    assert all(b["message"] for b in got)
    assert all(b["source"] == FLOW for b in got)
    assert [b["id"] for b in lines(at_start, FLOW, *wanted)] == [b["id"] for b in got]
    assert "could not be evaluated" in got[6]["message"]
    assert at_start.move("continue")["hitBreakpointIds"] == [got[2]["id"], got[3]["id"]]
    [unknown] = lines(at_start, {"path": "/x/other.yaml"}, {"line": 45})
    assert not unknown["verified"]


@pytest.mark.parametrize("count", [1, 20, 21, 5_000])
def test_9_pages_of_frames_and_variables_join_to_the_whole(
    new_driver: Make, script_call: Make, count: int
) -> None:
    """vscode 46099, 164957, 87718, 73090, 40189; debugpy 1179."""
    driver = new_driver(script_call(["enter a"] * count))
    driver.start()
    [first] = driver.stack()["stackFrames"]
    assert first["source"]
    driver.move("continue")
    whole = driver.stack(levels=0)
    assert whole["totalFrames"] == len(whole["stackFrames"]) == count + (1 if count > 1 else 0)
    pages = driver.stack(startFrame=0, levels=1)["stackFrames"]
    pages += driver.stack(startFrame=1, levels=19)["stackFrames"]
    at = 20
    while page := driver.stack(startFrame=at, levels=20)["stackFrames"]:
        pages += page
        at += 20
    assert pages == whole["stackFrames"]
    assert driver.stack(startFrame=count + 99)["stackFrames"] == []
    assert driver.request("scopes", frameId=first["id"])["scopes"]
    reference = driver.request("scopes", frameId=first["id"])["scopes"][0]["variablesReference"]
    assert driver.children(reference, start=99, count=5) == []
    assert driver.children(reference, count=0) == driver.children(reference)


def spellings(flow: Path) -> dict[str, str]:
    text = str(flow)
    return {
        "plain": text,
        "file URI": flow.as_uri(),
        "remote URI": f"vscode-remote://ssh-remote+host{text}",
        "Windows": "C:\\calls\\" + text.replace("/", "\\").lstrip("\\"),
        "Windows, other case": "c:/CALLS" + text.upper(),
        "another machine": "/home/else/flow/flow.yaml",
        "decomposed": unicodedata.normalize("NFD", text),
    }


@pytest.mark.parametrize("name", list(spellings(Path("/x"))))
def test_10_a_file_is_the_flow_however_it_is_spelled(
    new_driver: Make, racy: Path, tmp_path: Path, name: str
) -> None:
    """vscode 43959, 67523, 6268; buildx 3704; delve 2526; debugpy 1495."""
    root = tmp_path / "müller"
    root.mkdir()
    (root / "call").symlink_to(racy)
    driver = new_driver()
    driver.start(root / "call")
    source = {"path": spellings(root / "call/flow/flow.yaml")[name]}
    [got] = lines(driver, source, {"line": 45})
    assert got["verified"], got
    assert got["source"] == source
    assert driver.move("continue")["hitBreakpointIds"] == [got["id"]]
    assert lines(driver, source) == []
    assert "hitBreakpointIds" not in driver.move("reverseContinue")
