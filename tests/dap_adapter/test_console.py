"""The console's verbs: words, moves that the client is told of, and no other way in."""

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]
FLOW = """\
schema: riff.flow/v1
flow_id: small
entry: a
slots:
  open_slot: {type: string, class: plain}
states:
  a: {prompt: "x"}
"""


def say(driver: Any, expression: str) -> tuple[str, list[dict]]:
    """Type a line; return the words and the events behind the answer."""
    sent = driver.send("evaluate", {"expression": expression, "context": "repl"})
    assert sent[0]["success"], sent
    return sent[0]["body"]["result"], sent[1:]


def refused(driver: Any, expression: str) -> str:
    [sent] = driver.send("evaluate", {"expression": expression, "context": "repl"})
    assert not sent["success"]
    return sent["message"]


@pytest.fixture
def driver(new_driver: Make, racy_recording: Any) -> Any:
    driver = new_driver(racy_recording)
    driver.start(stopAt="confirm#1")
    return driver


@pytest.mark.parametrize(
    ("line", "cursor"),
    [
        ("back", 141),
        ("rin", 141),
        ("rout", 129),
        ("rc", -1),
        ("start", -1),
        ("goto #7", 7),
        ("goto 00:16.6", 111),
        ("goto get_time#1", 38),
        ("goto 50%", 77),
        ("last time", 135),
    ],
)
def test_a_move_is_answered_then_told(driver: Any, line: str, cursor: int) -> None:
    words, events = say(driver, line)
    assert [event["event"] for event in events] == ["continued", "stopped"]
    assert events[0]["body"] == {"threadId": 1, "allThreadsContinued": True}
    assert (driver.cursor, f"#{driver.cursor}" in words) == (driver.cursor, True)
    assert words.startswith("◀")
    if line not in ("rout", "goto 00:16.6", "goto get_time#1", "goto 50%"):
        assert driver.cursor == cursor


def test_a_step_takes_a_unit(driver: Any) -> None:
    for line, cursor in (("back visit", 107), ("ahead visit", 142), ("ahead", 143), ("back", 142)):
        _, events = say(driver, line)
        assert [event["event"] for event in events] == ["continued", "stopped"]
        assert events[1]["body"]["description"].startswith("▶" if "ahead" in line else "◀")
        assert driver.cursor == cursor
    assert "[event|beat|visit]" in refused(driver, "ahead far")


def test_a_call_without_a_duplicate_says_so(driver: Any) -> None:
    words, events = say(driver, "duplicate")
    assert (words, events) == ("No playback of this call repeats another one.", [])


def test_last_walks_the_writes_back(driver: Any) -> None:
    words, _ = say(driver, "last time")
    assert words.endswith("time: 19:00 → 18:00, written by tool:check_availability")
    words, _ = say(driver, "last time")
    assert "null → 19:00" in words
    words, events = say(driver, "last time")
    assert (words, events) == ("time is not written before this event.", [])


def test_rc_stops_at_breakpoints(driver: Any) -> None:
    driver.request("setDataBreakpoints", breakpoints=[{"dataId": "slot:time"}])
    _, events = say(driver, "rc")
    assert events[1]["body"]["reason"] == "data breakpoint"
    assert driver.cursor == 135


def test_why_gives_the_chain_and_what_is_not_known(driver: Any) -> None:
    words, events = say(driver, "why time")
    assert not events
    lines = words.split("\n")
    assert lines[0] == "time = 18:00, written by tool:check_availability"
    assert any("tool check_availability is called" in line for line in lines)
    assert '    caller: "Yes."' in lines
    assert any(line.startswith("  unavailable: ") for line in lines)
    assert any(line.startswith("Unknown: ") for line in lines)
    assert "The value does not stand in the words of that turn, compared literally." in lines


def test_history_findings_and_pending(driver: Any, racy_recording: Any) -> None:
    sent = driver.send("evaluate", {"expression": "history time", "context": "repl"})
    assert sent[0]["body"]["result"].count("\n") == 1
    assert len(driver.children(sent[0]["body"]["variablesReference"])) == 2
    words, _ = say(driver, "findings")
    assert words.count("\n") + 1 == max(1, len(racy_recording.view.findings))
    say(driver, "goto #150")
    words, _ = say(driver, "pending")
    assert "#145" in words
    say(driver, "start")
    assert say(driver, "pending")[0] == "Nothing is pending at this event."


def test_pending_says_since_when_what_for_and_how_it_ended(driver: Any) -> None:
    words, events = say(driver, "pending 00:16.7")
    assert (words.count("\n"), events, driver.cursor) == (0, [], 142)
    assert words.startswith(
        '#110 00:16.5 no_table · audio: playback is asked for: "Seven is full."'
    )
    assert "since 00:16.596" in words
    assert words.endswith("waits for the end of the playback · completed at 00:20.383 (#121)")


def test_findings_of_a_rule_say_what_the_recording_does_not_hold(driver: Any) -> None:
    lines = say(driver, "findings duplicate")[0].split("\n")
    assert lines[0] == "No findings of DUPLICATE_AGENT_PLAYBACK in this call."
    assert lines[1] == "Unknown: the content fingerprint of 6 of 6 playbacks (not_recorded)"
    assert say(driver, "findings overwritten")[0].startswith("SLOT_OVERWRITTEN_UNSUPPORTED#1 · ")


def test_silence_around_a_moment(driver: Any) -> None:
    lines = say(driver, "silence 26")[0].split("\n")
    assert lines[0].endswith("is silent, from 00:25.197 to 00:27.357 (2.160 s)")
    assert lines[1] == "  awaited: nothing"
    assert '  #162 00:26.8 confirm · caller says "Yes, please."' in lines
    assert lines[-1].startswith("Unknown: ")
    assert say(driver, "silence 00:26.0")[0].split("\n") == lines
    assert "the agent is audible" in say(driver, "silence 24.9")[0]


def test_what_a_model_run_was_given(driver: Any) -> None:
    lines = say(driver, "context 8")[0].split("\n")
    assert lines[0] == "Model run 8 (g08), 17 messages, asked for by user_turn"
    assert "  compared with run 7 (g07), 15 messages" in lines
    assert "  messages: unavailable (not_snapshotted)" in lines
    assert lines[-1] == "Unknown: the messages of model run 7 (not_snapshotted)"
    assert say(driver, "context g08")[0].split("\n") == lines
    assert say(driver, "context")[0].split("\n") == lines
    assert say(driver, "context no_table#1")[0].startswith("Model run 7 (g07)")
    say(driver, "start")
    assert "No model run has begun" in refused(driver, "context")


def test_clocks_say_what_was_not_measured(driver: Any) -> None:
    lines = say(driver, "clocks")[0].split("\n")
    assert "192 events, 0 without a time, 0 clock steps" in lines[0]
    assert lines[1].endswith("measured unavailable · drift unavailable · residual unavailable")
    agent = "agent_played · offset 352 ms · measured 343 ms · drift 1097 ± 1276 ppm"
    assert lines[2] == f"{agent} · residual 17 ms"
    assert "Unknown: drift and residual of caller (too_few_anchors)" in lines


def test_visits_longest_first_and_the_sides_of_one(driver: Any) -> None:
    lines = say(driver, "visits")[0].split("\n")
    assert lines[0].startswith("get_time#1 · entered 00:06.598 · lasts 9.994 s · 2 turns · ")
    assert "audible 5.537 s" in lines[0]
    assert "lasts 4.082 s and more" in lines[4]
    lines = say(driver, "visits no_table#1")[0].split("\n")
    assert "  time: 19:00 at entry, 18:00 at exit" in lines


def test_playback_keeps_the_three_texts_apart(driver: Any) -> None:
    assert say(driver, "playback")[0].count("  planned: ") == 6
    lines = say(driver, "playback cut")[0].split("\n")
    assert lines[0].endswith("interrupted 00:08.303 · audible 1.692 s")
    assert lines[1].startswith("  cut by #51 00:08.3 get_time")
    assert lines[3:5] == ['  heard: "Four people, great."', '  kept: "Four people, great."']
    assert lines[5].startswith('  not heard: "And for what time')


def test_a_call_without_voices_says_so(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a", "noise"], flow=FLOW))
    driver.start(stopAt="end")
    assert say(driver, "playback")[0].startswith("No playbacks in this call.")
    assert say(driver, "visits")[0].startswith("a#1 · ")
    assert refused(driver, "context")


def test_marks(driver: Any) -> None:
    assert say(driver, "mark")[0] == "No marks yet: write mark NAME."
    assert say(driver, "mark agent misheard")[0] == "agent misheard = #142 00:21.8 confirm"
    say(driver, "start")
    say(driver, "goto agent misheard")
    assert driver.cursor == 142
    assert say(driver, "mark")[0] == "agent misheard = #142 00:21.8 confirm"


def test_a_sticky_direction_turns_every_plain_move(driver: Any) -> None:
    assert say(driver, "dir") == ("direction forward", [])
    assert say(driver, "dir reverse") == ("direction reverse", [])
    assert driver.values("Position")["direction"] == "reverse"
    assert driver.move("next")["description"].startswith("◀ #141")
    assert driver.move("stepIn")["description"].startswith("◀ #140")
    driver.request("setDataBreakpoints", breakpoints=[{"dataId": "slot:time"}])
    assert driver.move("continue")["reason"] == "data breakpoint"
    assert driver.cursor == 135
    driver.move("stepOut")
    assert driver.cursor < 135
    say(driver, "dir forward")
    assert driver.move("continue")["description"].startswith("▶")


def test_the_unit_of_steps(driver: Any) -> None:
    assert say(driver, "unit visit") == ("unit visit", [])
    assert driver.values("Position")["unit"] == "visit"
    driver.move("stepBack")
    assert driver.cursor < 141
    assert driver.move("next", granularity="instruction")


def test_find_goes_to_the_next_place_where_it_is_true(driver: Any) -> None:
    say(driver, "start")
    words, events = say(driver, 'find event.type == "slot_write" && event.slot == "time"')
    assert [event["event"] for event in events] == ["continued", "stopped"]
    assert (driver.cursor, "#99" in words) == (99, True)
    say(driver, 'find slots.time == "18:00"')
    assert driver.cursor == 135
    assert say(driver, 'find slots.time == "23:00"') == ("Nowhere behind here.", [])
    say(driver, "dir reverse")
    say(driver, 'find slots.time == "19:00"')
    assert driver.cursor == 134
    assert "'type'" in refused(driver, 'find event.tpe == "x"')
    assert driver.cursor == 134


def test_help_lists_every_verb(driver: Any) -> None:
    from dap_adapter.requests.console import VERBS

    words, _ = say(driver, "help")
    assert all(f"\n{verb}" in f"\n{words}" for verb in VERBS)
    named = (
        "back ahead rin rout rc goto start end why last duplicate history find findings pending"
        " silence context clocks visits playback mark dir unit help"
    )
    assert set(named.split(" ")) == set(VERBS)


@pytest.mark.parametrize(
    "line",
    ["goto", "goto nowhere", "goto #99999", "goto 101%", "goto x%", "last", "last tme", "why",
     "why x", "silence", "silence soon", "silence 1.2345", "clocks 1", "context 0", "context 99",
     "context nothing", "visits nothing#1", "playback all", "pending nowhere", "findings nothing",
     "history", "find", "find 1 +", "dir sideways", "unit page", "back 2"],
)  # fmt: skip
def test_a_wrong_use_says_what_to_write_and_moves_nothing(driver: Any, line: str) -> None:
    assert refused(driver, line)
    assert driver.cursor == 142
    assert driver.move("next")


@pytest.mark.parametrize("context", ["watch", "hover", "variables", "clipboard", None])
def test_nothing_but_the_console_reads_verbs(driver: Any, context: str | None) -> None:
    extra = {} if context is None else {"context": context}
    [sent] = driver.send("evaluate", {"expression": "start", **extra})
    assert not sent["success"]
    assert driver.cursor == 142


def test_a_slot_called_like_a_verb_wins(new_driver: Make, script_call: Make) -> None:
    flow = FLOW.replace("open_slot", "start")
    driver = new_driver(script_call(["enter a", "write start one", "noise"], flow=flow))
    driver.start(stopAt="end")
    words, events = say(driver, "start")
    assert (words, events) == ("one", [])


# -- completions -----------------------------------------------------------------------------------


def labels(driver: Any, text: str, column: int | None = None, **extra: Any) -> list[str]:
    column = len(text) + 1 if column is None else column
    got = driver.request("completions", text=text, column=column, **extra)["targets"]
    return [item["label"] for item in got]


def test_completions_by_what_stands_before(driver: Any) -> None:
    assert {"back", "why", "time", "slots"} <= set(labels(driver, ""))
    assert labels(driver, "wh") == ["why"]
    assert labels(driver, "why t") == ["time"]
    assert labels(driver, "why time", column=6) == ["time"]
    assert labels(driver, "goto conf") == ["confirm#1"]
    assert labels(driver, "visits conf") == labels(driver, "context conf") == ["confirm#1"]
    assert labels(driver, "pending conf") == ["confirm#1"]
    assert labels(driver, "findings dup") == ["duplicate"]
    assert labels(driver, "playback ") == ["cut"]
    assert labels(driver, "silence ") == labels(driver, "clocks ") == []
    assert labels(driver, "dir ") == ["forward", "reverse"]
    assert labels(driver, "unit b") == ["beat"]
    assert labels(driver, "slots.t") == ["slots.time"]
    assert labels(driver, 'x == "y" && ti') == ["time"]
    assert labels(driver, "zzz") == []
    assert labels(driver, "", column=-5)


def test_an_item_replaces_the_word_in_utf_16_units(driver: Any) -> None:
    text = '"🙂" == ti'
    got = driver.request("completions", text=text, column=11)["targets"]
    assert got == [{"label": "time", "type": "variable", "start": 9, "length": 2}]
