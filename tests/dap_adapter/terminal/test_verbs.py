"""Verbs: every line is answered or refused in words, whatever it is."""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.terminal.debugger import Debugger
from dap_adapter.terminal.ide_client import Refusal
from dap_adapter.terminal.screen import Screen
from dap_adapter.terminal.session import opened
from dap_adapter.terminal.verbs import VERBS, Quit, run_line, verb_called


@pytest.fixture(scope="module")
def debugger(racy: Path) -> Iterator[Debugger]:
    with opened({"recording": str(racy)}, Screen(), answer_within_s=30) as (found, stop):
        found.stop = stop
        yield found


def asked(debugger: Debugger, *lines: str) -> tuple[bool, str]:
    """Do lines; return whether the last was answered, and all that was printed for it."""
    is_answered, out = False, io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        mock.patch.dict("os.environ", {"COLUMNS": "80"}),
    ):
        debugger.screen = Screen()
        for line in lines:
            out.seek(0)
            out.truncate()
            try:
                is_answered = run_line(debugger, line)
            except Quit:
                is_answered = True
    return is_answered, out.getvalue()


WORDS = [name for verb in VERBS for name in verb.names if verb.names[0] != "quit"]
PLACES = "0 2 -1 99999999 45 45:3 flow.yaml:45 time confirm all #99 #-1 00:16.5 confirm#1 Slots"
ODD = ("", "time if true", "45 hit 2", "1 x{slots.time}", "a\x1b[31m", "\u202eabc", "\ud800")
ARGUMENTS = st.one_of(st.text(max_size=30), st.sampled_from((*PLACES.split(), *ODD)))
LINES = st.one_of(
    st.text(max_size=40),
    st.builds("{} {}".format, st.sampled_from(WORDS), ARGUMENTS),
    st.sampled_from(WORDS),
)


@given(line=LINES)
def test_any_line_is_answered_or_refused_in_words(debugger: Debugger, line: str) -> None:
    is_answered, shown = asked(debugger, line)
    assert is_answered or shown.strip(), "a refusal says something"
    assert "Traceback" not in shown
    assert "failed inside" not in shown
    assert not [
        character
        for character in shown
        if (ord(character) < 32 and character != "\n") or 0x7F <= ord(character) < 0xA0
    ]


def test_a_line_may_be_empty_or_a_comment(debugger: Debugger) -> None:
    for line in ("", "   ", "# a comment", "#"):
        assert asked(debugger, line) == (True, "")


def test_names_are_their_own_and_abbreviations_are_clear() -> None:
    names = [name for verb in VERBS for name in verb.names]
    assert len(names) == len(set(names))
    for verb in VERBS:
        assert all(verb_called(name) is verb for name in verb.names)
    conversation = verb_called("conv")
    assert conversation is not None
    assert conversation.names[0] == "conversation"
    assert verb_called("zz") is None
    with pytest.raises(Refusal, match="may mean fin, find, findings, finish"):
        verb_called("fi")


def test_the_verbs_of_the_design_are_there() -> None:
    wanted = """n rn s rs fin rfin c rc b tb watch unwatch bt frame slots p why last history
        conversation findings pending exits goto start end find info help quit"""
    assert not [word for word in wanted.split() if verb_called(word) is None]


def test_help_names_every_verb_in_80_columns(debugger: Debugger) -> None:
    _, shown = asked(debugger, "help")
    assert not [word for word in WORDS if word not in shown]
    assert max(map(len, shown.splitlines())) <= 80
    assert "a slot is written" in asked(debugger, "help watch")[1]
    assert asked(debugger, "help nonsense")[0] is False


def test_steps_take_a_count(debugger: Debugger) -> None:
    assert "#4 " in asked(debugger, "start", "n 5")[1]
    assert "#2 " in asked(debugger, "rn 2")[1]
    assert "Start of recording" in asked(debugger, "rn 10000")[1]
    for count in ("0", "x", "10001", "-1"):
        assert asked(debugger, f"n {count}")[0] is False


def test_a_breakpoint_that_cannot_stop_is_not_kept(debugger: Debugger) -> None:
    assert asked(debugger, "delete all", "b 45 hit x")[0] is False
    assert asked(debugger, "b")[0] is False
    assert "No breakpoints." in asked(debugger, "info")[1]


def test_breakpoints_are_listed_and_deleted(debugger: Debugger) -> None:
    asked(debugger, "delete all", "b 45", "tb flow.yaml:14", "watch time")
    shown = asked(debugger, "info")[1]
    assert "hit 2 times in this call" in shown
    assert asked(debugger, "unwatch time")[1] == "time is no longer watched.\n"
    assert asked(debugger, "unwatch time")[0] is False
    assert asked(debugger, "delete all")[1].count("(line") == 2
    assert asked(debugger, "delete 1")[0] is False


def test_slots_mark_what_this_event_wrote(debugger: Debugger) -> None:
    asked(debugger, "delete all", "watch time", "end", "rc")
    lines = asked(debugger, "slots")[1].splitlines()
    assert [line.split()[1] for line in lines if line.lstrip().startswith("*")] == ["time"]
    shown = asked(debugger, "rc")[1]
    assert "*  time          19:00" in shown
    assert "~  alternatives" in shown


def test_a_past_frame_shows_its_slots(debugger: Debugger) -> None:
    stack = asked(debugger, "delete all", "end", "bt")[1]
    assert "-- earlier visits" in stack
    place = next(line.split()[0] for line in stack.splitlines() if "no_table#1" in line)
    assert "no_table#1" in asked(debugger, f"frame {place}")[1]
    assert "* " in next(line for line in asked(debugger, "bt")[1].splitlines() if "no_tab" in line)


def test_scopes_are_reached_by_name(debugger: Debugger) -> None:
    assert "Slots" in asked(debugger, "scope")[1]
    assert "18:00" in asked(debugger, "end", "scope slots")[1]
    assert "writer" in asked(debugger, "scope slots/time")[1]
    assert "none of" in asked(debugger, "scope slots/nothing")[1]


def test_the_flow_is_listed(debugger: Debugger) -> None:
    assert "▶   45    confirm:" in asked(debugger, "list 45")[1]
    assert asked(debugger, "list 0")[0] is False
    assert asked(debugger, "list 4500")[0] is False


def test_a_breakpoint_for_one_hit_is_named_and_gone(debugger: Debugger) -> None:
    shown = asked(debugger, "delete all", "start", "tb confirm", "c")[1]
    assert ": confirm" in shown
    assert "No breakpoints." in asked(debugger, "info")[1]


def test_a_log_point_prints_at_once(debugger: Debugger) -> None:
    _, shown = asked(debugger, "delete all", "log 45 time is {slots.time}")
    assert "· time is 18:00" in shown
    assert asked(debugger, "log 45")[0] is False
    assert asked(debugger, "log nowhere text")[0] is False
    asked(debugger, "delete all")


def test_findings_are_stopped_at(debugger: Debugger) -> None:
    assert "SLOT_OVERWRITTEN_UNSUPPORTED" in asked(debugger, "catch")[1]
    shown = asked(debugger, "start", "catch SLOT_OVERWRITTEN_UNSUPPORTED", "c")[1]
    assert "#135 " in shown
    assert asked(debugger, "uncatch SLOT_OVERWRITTEN_UNSUPPORTED")[0]
    assert asked(debugger, "uncatch SLOT_OVERWRITTEN_UNSUPPORTED")[0] is False
    assert asked(debugger, "catch NOTHING")[0] is False


def test_a_condition_goes_with_a_breakpoint(debugger: Debugger) -> None:
    assert asked(debugger, "delete all", "end", 'b confirm if slots.time == "19:00"', "rc")[0]
    assert "Start of recording" in asked(debugger, "end", "rc")[1]
    asked(debugger, "delete all")


def test_the_last_words_are_those_up_to_the_cursor(debugger: Debugger) -> None:
    shown = asked(debugger, "delete all", "end", "conversation 2")[1]
    assert shown.splitlines()[0] == "10 before: conversation 4"
    assert "Thank you, goodbye." in shown
    assert "goodbye" not in asked(debugger, "goto confirm#1", "conversation")[1]
    assert asked(debugger, "start", "conversation")[1] == "Nothing has been said up to here.\n"
    assert asked(debugger, "conversation x")[0] is False
