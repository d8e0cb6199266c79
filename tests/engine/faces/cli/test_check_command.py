"""`spd check`: what it prints, how it exits, and files that cannot be read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from support.small_calls import ROOT

from engine.core.contract.json_types import JsonObject, rows
from engine.core.flow import diagnose
from engine.faces.cli.check_command import FILE_BYTES_MAX, SHOWN_CHARACTERS_MAX, marked_line
from engine.faces.cli.main import main

FLOWS = ROOT / "fixtures" / "flows"


UNDECLARED = (
    "slot 'dya' is not declared. Declare it under `slots`, or write one that is. "
    "Did you mean 'day'?"
)


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)], catch_exceptions=False)


def answer(result: Result) -> JsonObject:
    """Return the one object on stdout."""
    [line] = result.stdout.splitlines()
    value: JsonObject = json.loads(line)
    assert list(value) == ["files", "schema"]
    assert value["schema"] == "riff.flow_check/v1"
    return value


def test_a_fault_is_shown_with_its_line_and_a_mark() -> None:
    path = FLOWS / "undeclared_slot.yaml"
    result = check(path)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{path}:15:54: error FLOW_UNDECLARED_SLOT {UNDECLARED}",
        '        prompt: "So {{slots.party_size}} people, {{slots.dya}}?"',
        "    " + " " * 53 + "^^^",
        "1 file, 1 error, 0 warnings",
    ]


def test_a_flow_without_faults() -> None:
    result = check(FLOWS / "valid.yaml")
    assert (result.exit_code, result.stdout) == (0, "1 file, 0 errors, 0 warnings\n")


@pytest.mark.parametrize("path", sorted(FLOWS.glob("*.[yj]*")), ids=lambda path: path.stem)
def test_each_fault_is_the_same_in_text_and_json(path: Path) -> None:
    result, as_json = check(path), check(path, "--json")
    assert result.exit_code == as_json.exit_code
    [file] = rows(answer(as_json), "files")
    found = diagnose(path.read_bytes(), path=str(path))
    assert rows(file, "diagnostics") == [item.as_json() for item in found]
    for item in found:
        head = f"{path}:{item.span.line}:{item.span.column}: {item.severity} {item.code} "
        assert f"{head}{item.message}\n" in result.stdout


def test_warnings_pass_unless_they_are_strict() -> None:
    path = FLOWS / "unreachable_state.yaml"
    lax, strict = check(path), check(path, "--strict")
    assert (lax.exit_code, strict.exit_code) == (0, 1)
    assert lax.stdout.endswith("1 file, 0 errors, 1 warning\n")
    assert strict.stdout.endswith("1 file, 1 error, 0 warnings\n")
    [file] = rows(answer(check(path, "--strict", "--json")), "files")
    assert [row["severity"] for row in rows(file, "diagnostics")] == ["error"]


def test_many_files_have_one_answer_in_their_order() -> None:
    paths = [FLOWS / name for name in ("valid.yaml", "syntax.yaml", "valid.yaml")]
    result = check("--json", *paths)
    files = rows(answer(result), "files")
    assert [file["path"] for file in files] == [str(path) for path in paths]
    assert [file["state_count"] for file in files] == [2, None, 2]
    assert [file["edge_count"] for file in files] == [2, None, 2]
    assert result.exit_code == 1
    for file in files:
        keys = {"path", "format", "revision", "state_count", "edge_count", "diagnostics"}
        assert set(file) == keys


def test_what_cannot_be_read_is_said_in_the_same_shape(tmp_path: Path) -> None:
    (tmp_path / "large.yaml").write_bytes(b" " * (FILE_BYTES_MAX + 1))
    os.mkfifo(tmp_path / "pipe.yaml")
    names = ("gone.yaml", "large.yaml", "pipe.yaml", ".")
    result = check("--json", *(tmp_path / name for name in names))
    assert result.exit_code == 1
    for file in rows(answer(result), "files"):
        [row] = rows(file, "diagnostics")
        assert (row["code"], row["line"], row["column"]) == ("FLOW_FILE_UNREADABLE", 1, 1)
        assert (file["format"], file["revision"], file["state_count"]) == (None, None, None)
    text = check(tmp_path / "gone.yaml")
    assert "gone.yaml:1:1: error FLOW_FILE_UNREADABLE the file cannot be read (" in text.stdout
    assert text.stdout.endswith("1 file, 1 error, 0 warnings\n")


def test_wrong_usage() -> None:
    assert check().exit_code == 2
    assert check("--nope", "x").exit_code == 2


def test_nothing_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    path.write_bytes((FLOWS / "syntax.yaml").read_bytes())
    check(path)
    assert [item.name for item in tmp_path.iterdir()] == ["flow.yaml"]
    assert path.read_bytes() == (FLOWS / "syntax.yaml").read_bytes()


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(FLOWS / "unknown_target.yaml")
    plain = CliRunner().invoke(main, ["check", path])
    colour = CliRunner().invoke(main, ["check", path], color=True)
    assert "\033[" not in plain.stdout
    assert "\033[31m\033[1merror\033[0m" in colour.stdout
    assert click.unstyle(colour.stdout) == plain.stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert CliRunner().invoke(main, ["check", path], color=True).stdout == plain.stdout


def test_a_file_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "flow\033[31m.json"
    path.write_text('{"states": {"a\\u001b[2J\x7f\u202e": {}}, "entry": "\\u009b", "flow_id": 3}')
    result = check(path)
    assert result.exit_code == 1
    assert all(character.isprintable() or character == "\n" for character in result.stdout)


def test_a_terminal_that_lacks_characters_gets_escapes(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    path.write_text("flow_id: f\nentry: é😀\nstates: {a: }\n", encoding="utf-8")
    program = "from engine.faces.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "check", str(path)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"'\\xe9\\U0001f600'" in done.stdout


# --- the mark -------------------------------------------------------------------------------------


def marked(text: str) -> tuple[str, str]:
    """Return what is shown of the first diagnostic of a flow of one entry and one state."""
    item = diagnose(text.encode(), path="f.yaml")[0]
    return marked_line(text.split("\n")[item.span.line - 1], item)


def test_the_mark_stands_under_wide_and_combined_characters() -> None:
    line, mark = marked("flow_id: f\nstates: {a: }\nentry: xy  # z\n")
    assert (line, mark) == ("entry: xy  # z", "       ^^")
    line, mark = marked('{"flow_id": "日本😀e\u0301", "states": {"a": {}}, "entry": "日本"}')
    assert line.index('"日本"}') == 51
    assert mark == " " * (51 + 3 - 1) + "^" * 6


def test_a_tab_shows_as_one_space() -> None:
    line, mark = marked("flow_id: f\nstates: {a: }\nentry:\t \txy\n")
    assert (line, mark) == ("entry:   xy", "         ^^")


def test_only_a_piece_of_a_long_line_is_shown() -> None:
    padding = "x" * 1_000
    text = f'{{"flow_id": "{padding}", "entry": "here", "y": "{padding}", "states": {{"a": null}}}}'
    line, mark = marked(text)
    assert len(line) == SHOWN_CHARACTERS_MAX + 8
    assert line.startswith("... xxx")
    assert line.endswith("xxx ...")
    assert line[mark.index("^") : len(mark)] == '"here"'


def test_a_mark_over_many_lines_ends_with_the_first() -> None:
    line, mark = marked("flow_id: f\nentry: a\nstates: {a: {prompt: [x,\n y]}}\n")
    assert (line, mark) == ("states: {a: {prompt: [x,", " " * 21 + "^^^")
