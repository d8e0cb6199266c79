"""`spd command`: one JSON object a command on stdout, words on stderr, exit codes 0, 1, 2."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.small_calls import FIXTURES, ROOT, fixture_artifact, fixture_view

from engine.core.artifact import artifact_bytes
from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows
from engine.core.cursor import apply_command, open_debugger
from engine.faces.cli.command_command import command
from engine.faces.cli.main import main

RACY = ROOT / "fixtures" / "booking_racy"
SPD = Path(sys.executable).with_name("spd")
KEYS = {
    "schema",
    "mode",
    "action",
    "artifact_hash",
    "old_cursor",
    "new_cursor",
    "projection",
    "result",
    "evidence_refs",
    "determinism_hash",
    "error",
}
TOUR: list[JsonObject] = [
    {"action": "list_visits"},
    {"action": "seek", "visit_id": "confirm#1"},
    {"action": "continue_until", "direction": "reverse", "until": [{"slot_write": "time"}]},
    {"action": "inspect_variables"},
    {"action": "slot_history", "slot": "time"},
    {"action": "reverse", "unit": "visit"},
    {"action": "leap"},
    {"action": "step", "unit": "beat"},
    {"action": "seek", "edge": "end"},
    {"action": "step"},
    {"action": "seek", "edge": "start"},
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What one run of the command printed."""

    code: int
    out: bytes
    err: str

    @property
    def objects(self) -> list[JsonObject]:
        """The lines of stdout, each a JSON object in canonical form."""
        assert self.out == b"" or self.out.endswith(b"\n")
        found: list[JsonObject] = []
        for line in self.out.splitlines():
            value: JsonValue = json.loads(line)
            assert isinstance(value, dict)
            assert canonical_bytes(value) == line
            found.append(value)
        return found

    @property
    def response(self) -> JsonObject:
        """The one object printed."""
        [found] = self.objects
        assert set(found) == KEYS
        return found

    @property
    def error(self) -> JsonObject:
        """The error of the one object printed; the exit code is then 1."""
        assert self.code == 1
        return mapping(self.response, "error")


def spd(*arguments: str, stdin: bytes = b"") -> Ran:
    """Run `spd` in this process; an exception that is no exit fails the test."""
    result = CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)
    return Ran(code=result.exit_code, out=result.stdout_bytes, err=result.stderr)


def ask(recording: Path, value: JsonValue) -> Ran:
    return spd("command", str(recording), "--json", json.dumps(value))


def jsonl(recording: Path, *lines: JsonValue) -> Ran:
    text = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return spd("command", str(recording), "--jsonl", stdin=text)


def process(*arguments: str | bytes, environment: dict[str, str] | None = None) -> Ran:
    """Run the installed `spd` in a process of its own."""
    done = subprocess.run(
        [str(SPD), *arguments],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, **(environment or {})},
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr.decode(errors="replace"))


# -- one command -----------------------------------------------------------------------------------


def test_prints_one_response_and_exits_0() -> None:
    ran = ask(RACY, {"action": "seek", "visit_id": "confirm#1"})
    assert (ran.code, ran.err) == (0, "")
    assert mapping(mapping(ran.response, "projection"), "visit")["visit_id"] == "confirm#1"
    assert ran.response["old_cursor"] == -1


def test_the_cursor_is_the_callers() -> None:
    ran = ask(RACY, {"action": "reverse", "cursor": 100})
    assert (ran.response["old_cursor"], ran.response["new_cursor"]) == (100, 99)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"action": "leap"}, "UNKNOWN_ACTION"),
        ({"action": "step", "expected_hash": "sha256:0"}, "STALE_HASH"),
        ({"action": "seek", "event_id": "e9999"}, "EVENT_UNAVAILABLE"),
        ({"action": "step", "cursor": 192}, "EVENT_UNAVAILABLE"),
        ({"action": "step", "cursor": 10**20}, "EVENT_UNAVAILABLE"),
        ({"action": "seek", "event_index": 10**20}, "EVENT_UNAVAILABLE"),
        ({"action": "reverse"}, "BOUNDARY_OVERRUN"),
        ({"action": "step", "cursor": 191}, "BOUNDARY_OVERRUN"),
        ({"action": "seek"}, "INVALID_COMMAND"),
        ({"action": "simulate"}, "SIMULATION_NOT_SUPPORTED"),
        ([{"action": "step"}], "INVALID_COMMAND"),
        ("step", "INVALID_COMMAND"),
        (None, "INVALID_COMMAND"),
    ],
    ids=str,
)
def test_a_typed_error_is_printed_and_exits_1(value: JsonValue, code: str) -> None:
    assert ask(RACY, value).error["code"] == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "{",
        "step",
        '{"action":"step"} {}',
        '{"action":"step","action":"step"}',
        '{"action":"step","cursor":NaN}',
        '{"action":"step","cursor":1e400}',
        '{"action":"seek","event_id":"\\ud800"}',
        "\ufeff{}",
        "[" * 100_000,
        '{"a":' * 500,
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_json_is_an_invalid_command_at_the_start(text: str) -> None:
    ran = spd("command", str(RACY), "--json", text)
    assert ran.error["code"] == "INVALID_COMMAND"
    assert ran.response["action"] is None
    assert (ran.response["old_cursor"], ran.response["new_cursor"]) == (-1, -1)


def test_huge_numbers_in_a_page_are_answered() -> None:
    ran = ask(RACY, {"action": "list_visits", "offset": 10**20})
    assert ran.code in {0, 1}
    assert ran.response["old_cursor"] == -1


# -- many commands ---------------------------------------------------------------------------------


def test_jsonl_carries_the_cursor_on() -> None:
    ran = jsonl(RACY, *TOUR)
    responses = ran.objects
    assert len(responses) == len(TOUR)
    assert all(set(response) == KEYS for response in responses)
    olds = [response["old_cursor"] for response in responses]
    news = [response["new_cursor"] for response in responses]
    assert olds == [-1, *news[:-1]]


def test_jsonl_gives_what_the_core_gives() -> None:
    state = open_debugger(fixture_artifact("booking_racy"))
    for value, found in zip(TOUR, jsonl(RACY, *TOUR).objects, strict=True):
        state, response = apply_command(state, value)
        assert canonical_bytes(response) == canonical_bytes(found)


def test_jsonl_goes_on_after_an_error_line_and_exits_1() -> None:
    text = (
        b'{"action":"seek","event_index":5}\nno json\n[1]\n{"action":"leap"}\n{"action":"step"}\n'
    )
    ran = spd("command", str(RACY), "--jsonl", stdin=text)
    assert ran.code == 1
    codes = [mapping(response, "error").get("code") for response in ran.objects]
    assert codes == [None, "INVALID_COMMAND", "INVALID_COMMAND", "UNKNOWN_ACTION", None]
    assert [response["new_cursor"] for response in ran.objects] == [5, 5, 5, 5, 6]


def test_a_bad_cursor_falls_back_to_the_previous_line() -> None:
    ran = jsonl(
        RACY,
        {"action": "step", "cursor": "x"},
        {"action": "seek", "event_index": 7},
        {"action": "step", "cursor": 192},
        {"action": "step"},
    )
    assert [response["new_cursor"] for response in ran.objects] == [-1, 7, 7, 8]


def test_a_lines_own_cursor_wins_over_the_previous_line() -> None:
    ran = jsonl(RACY, {"action": "step", "cursor": 50}, {"action": "reverse", "cursor": 20})
    assert [response["new_cursor"] for response in ran.objects] == [51, 19]
    assert ran.code == 0


def test_jsonl_takes_crlf_and_a_last_line_without_its_end() -> None:
    ran = spd("command", str(RACY), "--jsonl", stdin=b'{"action":"step"}\r\n{"action":"step"}')
    assert [response["new_cursor"] for response in ran.objects] == [0, 1]


def test_jsonl_without_lines_prints_nothing_and_is_well() -> None:
    assert spd("command", str(RACY), "--jsonl") == Ran(code=0, out=b"", err="")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b" ")), max_size=4))
@example([b"\xff", b'{"action":"step"}'])
def test_jsonl_answers_any_bytes_line_by_line(lines: list[bytes]) -> None:
    ran = spd("command", str(RACY), "--jsonl", stdin=b"".join(line + b"\n" for line in lines))
    assert len(ran.objects) == len(lines)
    assert all(set(response) == KEYS for response in ran.objects)
    assert ran.code == (1 if any(r["error"] is not None for r in ran.objects) else 0)


def test_stops_mirror_each_other_over_the_command_line() -> None:
    until: JsonValue = [{"slot_write": "time"}, {"event_type": "state_entered"}]

    def places(direction: str, start: int) -> list[JsonValue]:
        go: JsonObject = {"action": "continue_until", "direction": direction, "until": until}
        ran = jsonl(RACY, {"action": "seek", "event_index": start}, *[go] * 12)
        answers = ran.objects[1:]
        return [r["new_cursor"] for r in answers if mapping(r, "result")["matched"] is not None]

    forward, backward = places("forward", -1), places("reverse", 191)
    assert len(forward) == 7
    assert forward == backward[::-1]


# -- what the recording is -------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIXTURES)
def test_artifact_file_and_session_directory_answer_alike(name: str, tmp_path: Path) -> None:
    file = tmp_path / "call.json"
    file.write_bytes(b"".join(artifact_bytes(fixture_artifact(name))))
    commands: list[JsonObject] = [
        {"action": "list_visits"},
        {"action": "seek", "event_index": 100},
        {"action": "reverse", "unit": "beat"},
        {"action": "inspect_variables"},
        {"action": "seek", "edge": "end"},
    ]
    from_file = jsonl(file, *commands)
    assert from_file == jsonl(ROOT / "fixtures" / name, *commands)
    assert from_file.objects[0]["artifact_hash"] == fixture_view(name).artifact_hash


def unreadable(tmp_path: Path) -> dict[str, tuple[Path, str]]:
    """Return recordings that cannot be read, with the code of each."""
    artifact = b"".join(artifact_bytes(fixture_artifact("booking_clean")))
    files = {
        "empty": b"",
        "garbage": b"\xff\xfe\x00",
        "no artifact": b"{}\n",
        "another schema": b'{"schema":"riff.session/v1"}\n',
        "torn": artifact[: len(artifact) // 2],
        "edited": artifact.replace(b"greet", b"great", 1).replace(b":", b": ", 1),
        "more": artifact + b"\n",
    }
    found: dict[str, tuple[Path, str]] = {
        "missing": (tmp_path / "gone", "SESSION_INVALID"),
        "empty directory": (tmp_path, "SESSION_INVALID"),
        "long name": (tmp_path / ("n" * 300), "ARTIFACT_INVALID"),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        found[name] = (tmp_path / name, "ARTIFACT_INVALID")
    return found


def test_an_unreadable_recording_is_one_typed_error_with_nulls(tmp_path: Path) -> None:
    for path, code in unreadable(tmp_path).values():
        ran = ask(path, {"action": "step", "cursor": 3})
        assert ran.error["code"] == code
        assert ran.response["action"] == "step"
        for key in ("artifact_hash", "old_cursor", "new_cursor", "projection", "determinism_hash"):
            assert ran.response[key] is None
        assert ran.response["evidence_refs"] == []
        assert code in ran.err
        assert "Traceback" not in ran.err


def test_an_unreadable_recording_answers_every_line(tmp_path: Path) -> None:
    ran = jsonl(tmp_path / "gone", {"action": "step"}, 3, {"action": "leap"})
    assert ran.code == 1
    assert [response["action"] for response in ran.objects] == ["step", None, "leap"]
    codes = [mapping(response, "error")["code"] for response in ran.objects]
    assert codes == ["SESSION_INVALID"] * 3


# -- usage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("command",),
        ("command", str(RACY)),
        ("command", str(RACY), "--json"),
        ("command", str(RACY), "--json", "{}", "--jsonl"),
        ("command", str(RACY), "--jsonl", "more"),
        ("command", str(RACY), "--yaml", "{}"),
    ],
    ids=lambda arguments: " ".join(arguments[2:]) or "nothing",
)
def test_wrong_usage_exits_2_and_prints_nothing(arguments: tuple[str, ...]) -> None:
    ran = spd(*arguments)
    assert (ran.code, ran.out) == (2, b"")
    assert "Error: " in ran.err


def test_help_shows_an_example_that_works() -> None:
    ran = spd("command", "--help")
    assert ran.code == 0
    assert b"--jsonl" in ran.out
    assert command.name == "command"


FRAGMENTS = st.sampled_from(
    [
        "command",
        "build",
        "--json",
        "--jsonl",
        "--out",
        "--help",
        "--version",
        "{}",
        '{"action":"step"}',
        "",
        "-",
        "--",
        "\udcff",
        "n" * 300,
        "gone/gone",
        str(RACY),
        str(RACY / "manifest.json"),
        ".",
        "here/x.json",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.lists(FRAGMENTS | st.text(st.characters(exclude_characters="\0/")), max_size=5))
@example(arguments=["command", str(RACY), "--json", "\udcff"])
@example(arguments=["command", "\udcff", "--json", "{}"])
@example(arguments=["build", str(RACY), "--out", "gone/\udcff"])
@example(arguments=["build", "\udcff", "--out", "gone/x"])
@example(arguments=["build", str(RACY), "--out", "n" * 300])
@example(arguments=["command", "n" * 300, "--json", "{}"])
def test_no_arguments_whatever_give_a_traceback(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = spd(*arguments)
    assert ran.code in {0, 1, 2}
    assert "Traceback" not in ran.err
    if ran.code == 1:
        assert ran.objects


# -- a process of its own --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
    ids=str,
)
def test_stdout_is_utf_8_whatever_the_locale(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "call.json"
    artifact = {**fixture_artifact("booking_racy")}
    artifact["session"] = {**mapping(artifact, "session"), "note": "Žluťoučký 🐎"}
    [first, *others] = rows(artifact, "slots")
    artifact["slots"] = [{**first, "slot": "počet 🐎"}, *others]
    file.write_bytes(b"".join(artifact_bytes(artifact)))
    ran = process("command", str(file), "--json", '{"action":"step"}', environment=environment)
    assert ran.code == 0
    variables = rows(mapping(ran.response, "projection"), "variables")
    assert variables[0]["slot"] == "počet 🐎"


def test_an_error_with_letters_beyond_ascii_is_said_in_any_locale() -> None:
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = process("command", "počet".encode(), "--json", "{}", environment=environment)
    assert ran.error["code"] == "SESSION_INVALID"
    assert "Traceback" not in ran.err


def test_arguments_that_are_no_utf_8_are_answered() -> None:
    for arguments in (
        ("command", str(RACY), "--json", b"\xff"),
        ("command", b"/gone/\xff", "--json", b"{}"),
    ):
        ran = process(*arguments)
        assert ran.error["code"] in {"INVALID_COMMAND", "SESSION_INVALID"}
        assert "Traceback" not in ran.err


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    arguments = [str(SPD), "command", str(RACY), "--jsonl"]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(b'{"action":"step"}\n' * 3)
        running.stdin.flush()
        running.stdout.readline()
        running.stdout.close()
        running.stdin.write(b'{"action":"list_visits"}\n' * 200)
        running.stdin.close()
        assert b"Traceback" not in running.stderr.read()


def test_the_state_of_a_run_is_all_on_its_command_line() -> None:
    values = [json.dumps({"action": "step", "cursor": 99}) for _ in range(2)]
    first, second = (process("command", str(RACY), "--json", value) for value in values)
    assert first == second
    assert first.response["new_cursor"] == 100


def test_every_process_says_the_same_whatever_its_hash_seed() -> None:
    value = json.dumps({"action": "continue_until", "until": [{"not": {"slot_write": "time"}}]})
    first, *others = (
        process("command", str(RACY), "--json", value, environment={"PYTHONHASHSEED": seed})
        for seed in ("0", "1", "2")
    )
    assert others == [first, first]
    assert first.code == 0


def test_a_damaged_cache_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPD_CACHE", str(tmp_path))
    value: JsonObject = {"action": "slot_history", "slot": "time"}
    sound = ask(RACY, value)
    assert sound.code == 0
    kept = [path for path in sorted(tmp_path.iterdir()) if path.is_file()]
    assert kept
    for path in kept:
        before = path.read_bytes()
        damaged = [before.replace(b"19:00", b"19:15"), before[:-1], b"", before + b"\n"]
        for place in range(0, len(before), max(1, len(before) // 15)):
            flipped = bytearray(before)
            flipped[place] ^= 1
            damaged.append(bytes(flipped))
        for data in damaged:
            path.write_bytes(data)
            assert ask(RACY, value) == sound
