"""What the readable commands share: places, times, words, and what they print where."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.questions import answered, booking

from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor import SHORT_NAMES
from engine.faces.cli.asking import milliseconds, place_of, said, seconds, unknowns_of, valued
from engine.faces.cli.main import main

RACY = Path("fixtures/booking_racy")
VERBS: dict[str, list[list[str]]] = {
    "last": [["time"], ["time", "--at", "16.7"], ["party_size", "--at", "start"]],
    "why": [
        ["time"],
        ["exit", "get_time#1"],
        ["exit", "SLOT_OVERWRITTEN_UNSUPPORTED#1"],
        ["exit", "end#1"],
        ["silence", "24.9"],
        ["silence", "0:26"],
        ["e0056"],
        ["#55"],
        ["8.303"],
        ["SPEECH_CUT_BY_CALLER#1"],
        ["no_table#1"],
    ],
    "visits": [[], ["--audible"], ["--long"], ["no_table#1"], ["16.7"], ["--limit", "2"]],
    "exits": [[], ["get_time#1"], ["SPEECH_CUT_BY_CALLER#1"], ["get_time#1", "--at", "#50"]],
    "playback": [[], ["--cut"], ["--heard"], ["get_time#1"], ["#45", "--heard"]],
    "pending": [[], ["--at", "16.7"], ["--at", "#30"], ["--at", "SPEECH_CUT_BY_CALLER#1"]],
    "findings": [[], ["--rule", "duplicate"], ["SLOT_OVERWRITTEN_UNSUPPORTED#1"]],
    "context": [
        [],
        ["8", "--since", "7"],
        ["g08", "--since", "g07"],
        ["no_table#1", "--entry"],
        ["SLOT_OVERWRITTEN_UNSUPPORTED#1"],
        ["16.7"],
        ["--at", "#100"],
    ],
    "clocks": [[], ["--at", "16.7"]],
    "history": [["time"], ["alternatives"]],
}
ASKED = [(verb, arguments) for verb, asked in VERBS.items() for arguments in asked]


@pytest.fixture(autouse=True)
def _in_the_checkout(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def spd(verb: str, *arguments: str, recording: Path = RACY) -> Result:
    return CliRunner().invoke(main, [verb, str(recording), *arguments], catch_exceptions=False)


def name_of(case: tuple[str, list[str]]) -> str:
    verb, arguments = case
    return " ".join([verb, *arguments])


@pytest.mark.parametrize("case", ASKED, ids=name_of)
def test_an_answer_is_text_of_80_columns_without_colour(case: tuple[str, list[str]]) -> None:
    verb, arguments = case
    result = spd(verb, *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert "\x1b" not in result.stdout
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[-1].startswith("Next: spd ")
    assert re.search(r"^Unknowns: \S", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("case", ASKED, ids=name_of)
def test_the_next_command_runs(case: tuple[str, list[str]]) -> None:
    verb, arguments = case
    following = spd(verb, *arguments).stdout.splitlines()[-1].removeprefix("Next: ")
    program, *words = shlex.split(following)
    assert program == "spd"
    assert CliRunner().invoke(main, words).exit_code == 0, following
    assert not re.search(r"\s#", following), "a shell takes that for a comment"


@pytest.mark.parametrize("case", ASKED, ids=name_of)
def test_json_is_one_object_with_what_the_core_said(case: tuple[str, list[str]]) -> None:
    verb, arguments = case
    result = spd(verb, *arguments, "--json")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    found = json.loads(result.stdout)
    assert set(found) == {
        "schema", "verb", "artifact_hash", "cursor", "determinism_hash", "result",
        "evidence_refs", "next", "error",
    }  # fmt: skip
    assert (found["schema"], found["verb"], found["error"]) == ("riff.answer/v1", verb, None)
    assert found["artifact_hash"] == booking().artifact_hash
    assert found["next"] == spd(verb, *arguments).stdout.splitlines()[-1].removeprefix("Next: ")


@pytest.mark.parametrize(
    ("verb", "arguments", "command"),
    [
        ("last", ["time"], {"action": "last", "slot": "time"}),
        ("why", ["time"], {"action": "why", "slot": "time"}),
        ("why", ["exit", "get_time#1"], {"action": "why", "exit": "get_time#1"}),
        ("why", ["silence", "24.9"], {"action": "why", "silence_ms": 24_900}),
        ("pending", ["--at", "#116"], {"action": "inspect_pending", "cursor": 116}),
        ("playback", ["--cut"], {"action": "playback", "cut": True}),
        ("visits", ["--long"], {"action": "rank_visits", "order": "duration"}),
        ("exits", ["get_time#1"], {"action": "inspect_exits", "visit_id": "get_time#1"}),
        ("clocks", [], {"action": "inspect_clocks"}),
        ("history", ["time"], {"action": "slot_history", "slot": "time"}),
    ],
)
def test_the_result_is_the_cores(verb: str, arguments: list[str], command: JsonObject) -> None:
    found = json.loads(spd(verb, *arguments, "--json").stdout)
    response = answered(booking(), command)
    for key in ("result", "evidence_refs", "determinism_hash"):
        assert found[key] == response[key]


@pytest.mark.parametrize(
    ("verb", "arguments", "code"),
    [
        ("last", ["tim"], "INVALID_COMMAND"),
        ("last", ["time", "--at", "gone#1"], "EVENT_UNAVAILABLE"),
        ("last", ["time", "--at", "GONE#1"], "EVENT_UNAVAILABLE"),
        ("last", ["time", "--at", "#900"], "EVENT_UNAVAILABLE"),
        ("last", ["time", "--at", ""], "INVALID_COMMAND"),
        ("why", ["tim"], "EVENT_UNAVAILABLE"),
        ("why", ["exit", "gone#1"], "EVENT_UNAVAILABLE"),
        ("why", ["silence", "soon"], "INVALID_COMMAND"),
        ("why", ["start"], "EVENT_UNAVAILABLE"),
        ("visits", ["gone#1"], "EVENT_UNAVAILABLE"),
        ("visits", ["--limit", "0"], "INVALID_COMMAND"),
        ("exits", ["--at", "start"], "EVENT_UNAVAILABLE"),
        ("findings", ["--rule", "odd"], "INVALID_COMMAND"),
        ("context", ["99"], "EVENT_UNAVAILABLE"),
        ("context", ["--since", "99"], "EVENT_UNAVAILABLE"),
    ],
)
def test_a_mistake_is_a_typed_error(verb: str, arguments: list[str], code: str) -> None:
    words = spd(verb, *arguments)
    assert (words.exit_code, words.stdout) == (1, "")
    assert words.stderr.startswith(f"spd: {code}: ")
    printed = spd(verb, *arguments, "--json")
    assert printed.exit_code == 1
    found = json.loads(printed.stdout)
    assert (found["error"]["code"], found["result"]) == (code, None)


def test_a_target_that_is_nothing_names_the_slots() -> None:
    error = json.loads(spd("why", "tim", "--json").stdout)["error"]
    assert "Slots: party_size, time, alternatives." in error["message"]
    assert error["detail"] == {"nearest": ["time"], "target": "tim"}


def test_the_guide_names_every_rule(root: Path) -> None:
    guide = (root / "docs" / "guide" / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in SHORT_NAMES if f"`{name}`" not in guide] == []


def test_the_help_of_these_commands_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from importlib.metadata import entry_points\n"
        "entries = entry_points(group='spd.commands')\n"
        "loaded = [e.load() for e in entries if e.value.startswith('engine.')]\n"
        "assert len(loaded) >= 14\n"
        "heavy = ('rich', 'numpy', 'yaml', 'engine.core.cursor', 'engine.recording')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("verb", VERBS)
def test_no_recording_is_a_typed_error(verb: str, tmp_path: Path) -> None:
    argument = ["time"] if verb in {"last", "why", "history"} else []
    result = spd(verb, *argument, "--json", recording=tmp_path / "none")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["code"] == "SESSION_INVALID"


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [("last", []), ("why", []), ("why", ["a", "b"]), ("why", ["exit", "a", "b"]),
     ("visits", ["--lim"]), ("history", []), ("visits", ["--limit", "x"])],
)  # fmt: skip
def test_wrong_usage(verb: str, arguments: list[str]) -> None:
    result = spd(verb, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_an_artifact_answers_like_its_session_directory(tmp_path: Path) -> None:
    artifact = tmp_path / "a call.json"
    assert spd("build", "--out", str(artifact)).exit_code == 0
    first, second = (
        json.loads(spd("why", "time", "--json", recording=path).stdout) for path in (RACY, artifact)
    )
    assert second["next"] == first["next"].replace(str(RACY), f"'{artifact}'")
    assert {**first, "next": None} == {**second, "next": None}


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("start", {"edge": "start"}),
        ("end", {"edge": "end"}),
        ("#12", {"event_index": 12}),
        ("#-1", {"event_index": -1}),
        ("16.7", {"clock_ms": 16_700}),
        ("01:42.3", {"clock_ms": 102_300}),
        ("1:02:03", {"clock_ms": 3_723_000}),
        ("16", {"clock_ms": 16_000}),
        ("no_table#1", {"visit_id": "no_table#1"}),
        ("CLOCK_STEP#1", {"finding": "CLOCK_STEP#1"}),
        ("gone#1", {"visit_id": "gone#1"}),
        ("e0007", {"event_id": "e0007"}),
        ("1e5", {"event_id": "1e5"}),
    ],
)
def test_places(place: str, key: JsonObject) -> None:
    assert place_of(booking(), place) == key


@pytest.mark.parametrize("text", ["", "-4", "4.5555", "a", "1:2:3:4", "9" * 30])
def test_no_times(text: str) -> None:
    with pytest.raises(InvalidCommand):
        milliseconds(text)


@pytest.mark.parametrize(
    ("value", "shown"), [(1234, "1.234"), (0, "0.000"), (None, "-"), (True, "-"), (1.5, "0.002")]
)
def test_seconds(value: JsonValue, shown: str) -> None:
    assert seconds(value) == shown


def test_words() -> None:
    assert said("not_recorded") == "not recorded"
    assert valued("six") == '"six"'
    assert valued("<str len=3>", "redacted") == '"<str len=3>" (redacted)'
    assert valued(None, "unavailable", "not_recorded") == "unavailable (not recorded)"
    assert unknowns_of({"unknowns": []}) == "none"
    rows: JsonObject = {"unknowns": [{"what": "a", "reason": "b_c"}, {"what": "d", "reason": "e"}]}
    assert unknowns_of(rows) == "a (b c); d (e)"
