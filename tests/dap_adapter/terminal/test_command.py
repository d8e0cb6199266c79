"""`spd debug` as a process: golden sessions, exit statuses, scripts, text of a call as data."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

STORY = """\
# the story: who changed the time, and when?
b 45
c
slots
watch time
rc
rc
rc
rc
c
c
c
c
c
"""
LOOKS = """\
end
bt
frame 2
p time
history time
pending
exits
info
list 45
"""
REFUSED = """\
xyzzy
b nowhere
watch nothing
n 0
frame 77
unwatch
delete 9
list 9999
p
"""


@pytest.mark.parametrize("name", ["story", "looks", "refused"])
def test_a_session_reads_as_it_should(
    debug: Callable, racy: Path, golden_session: Callable[[str, str], None], name: str
) -> None:
    lines = {"story": STORY, "looks": LOOKS, "refused": REFUSED}[name]
    done = debug(racy, lines=lines)
    assert done.returncode == (1 if name == "refused" else 0), done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout
    assert "(spd)" not in done.stdout, "a script sees no prompt"
    golden_session(name, done.stdout + ("" if not done.stderr else f"-- stderr\n{done.stderr}"))


def test_the_same_place_reads_the_same_from_both_sides(debug: Callable, racy: Path) -> None:
    def told(*lines: str) -> str:
        options = [part for line in lines for part in ("--command", line)]
        return debug(racy, "--batch", *options).stdout.split("\n▶ ")[-1].split("\n◀ ")[-1]

    ahead = told("watch time", "c", "slots", "bt")
    back = told("watch time", "end", "rc", "rc", "slots", "bt")
    wanted = ahead[ahead.index("     slot") :]
    assert wanted == back[back.index("     slot") :]


def test_commands_come_before_standard_input(debug: Callable, racy: Path) -> None:
    done = debug(racy, "-c", "end", lines="p time\n")
    assert done.stdout.index("End of recording") < done.stdout.index("time = 18:00")
    alone = debug(racy, "--batch", "-c", "end", lines="p time\n")
    assert "time = " not in alone.stdout
    assert alone.returncode == 0


def test_quit_ends_a_script(debug: Callable, racy: Path) -> None:
    assert debug(racy, lines="quit\nxyzzy\n").returncode == 0
    assert debug(racy, lines="xyzzy\nquit\n").returncode == 1


def test_where_to_begin(debug: Callable, racy: Path) -> None:
    assert "#142 " in debug(racy, "--at", "confirm#1").stdout
    nowhere = debug(racy, "--at", "#9999")
    assert nowhere.returncode == 1
    assert "nowhere in this call" in nowhere.stderr
    assert "#3 " in debug(racy, "--unit", "visit", "-c", "n").stdout


def test_a_wrong_use_and_a_missing_recording(debug: Callable, tmp_path: Path) -> None:
    assert debug().returncode == 2
    assert debug("x", "--unit", "hour").returncode == 2
    missing = debug(tmp_path / "nothing")
    assert missing.returncode == 1
    assert missing.stdout == ""
    assert missing.stderr.startswith("spd: ")
    assert "Traceback" not in missing.stderr


def test_input_may_be_any_bytes(racy: Path) -> None:
    program = "from engine.faces.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "debug", str(racy)],
        input=b"\xff\xfe\nn\nlast line without an end \x00",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"#0 " in done.stdout


def test_text_of_a_call_never_steers_the_terminal(
    debug: Callable, racy: Path, tmp_path: Path
) -> None:
    evil = "18:00\x1b[31m\x07\u202e\r"
    copy = tmp_path / "copy"
    shutil.copytree(racy, copy)
    for path in copy.glob("*.jsonl"):
        text = path.read_text()
        path.write_text(text.replace('"18:00"', json.dumps(evil)).replace("Yes.", "Yes\\u009b."))
    lines = "end\nslots\np time\nbt\nconversation\nhistory time\nscope slots/time\nwhy time\n"
    done = debug(copy, lines=lines)
    shown = done.stdout + done.stderr
    assert "18:00\\u001b[31m" in shown
    assert not [c for c in "\x1b\x07\u202e\r\u009b" if c in shown]


def test_the_values_come_from_the_recording(debug: Callable, racy: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(racy, copy)
    for path in copy.glob("*.jsonl"):
        path.write_text(path.read_text().replace("19:00", "19:15"))
    done = debug(copy, lines="watch time\nend\nrc\n")
    assert "time: 19:15 → 18:00" in done.stdout
    assert "19:00" not in done.stdout


def test_a_poor_terminal(debug: Callable, racy: Path) -> None:
    done = debug(racy, lines="c\nslots\nbt\n", PYTHONIOENCODING="ascii", COLUMNS="20", TERM="dumb")
    assert done.returncode == 0
    assert done.stderr == ""
