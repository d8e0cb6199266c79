"""What the documents name exists: commands, flags, actions, paths, codes, schema ids, tests.

Each check takes a text and gives its faults, and is fed a wrong text at the end. The other way
round, that what exists is documented, is in `test_docs.py`.
"""

import ast
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.documents import (
    DOCS,
    GUIDE,
    HTML,
    ROOT,
    TEXTS,
    blocks,
    code_spans,
    name_of,
    read,
    rendered,
)

from docs import render
from engine.core.contract.errors import InvalidCommand
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.cursor import DebuggerState, apply_command, open_debugger, resolve
from engine.faces.cli.main import main
from engine.recording import open_recording

GATES = DOCS / "design" / "gates.md"
CLAIMS_NEVER_MADE = (
    "time travel",
    "time-travel",
    "timetravel",
    "travels in time",
    "travel in time",
    "reads the model's mind",
    "read the model's mind",
    "mind reading",
    "what the model was thinking",
)
PRODUCT = [*sorted((ROOT / "engine").rglob("*.py")), *sorted((ROOT / "dap_adapter").rglob("*.py"))]


@cache
def words_of_the_product() -> frozenset[str]:
    """Every text constant and every name that is assigned in the product's source."""
    found: set[str] = set()
    for path in PRODUCT:
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return frozenset(found)


@cache
def racy() -> DebuggerState:
    """The recorded call that the examples are about."""
    return open_debugger(open_recording(ROOT / "fixtures" / "booking_racy").view)


# --- codes, schema ids, paths, make targets -------------------------------------------------------


def code_faults(text: str) -> list[str]:
    """Codes and constants, `LIKE_THIS` or `LIKE_THIS#1`, that stand nowhere in the product."""
    named = {name.split("#")[0] for name in code_spans(text)}
    codes = {name for name in named if re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", name)}
    return sorted(codes - words_of_the_product())


def schema_faults(text: str) -> list[str]:
    """Schema ids that no part of the product reads or writes; flows that are shown may be wrong."""
    prose = re.sub(r"^```yaml\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return sorted(set(re.findall(r"\briff\.\w+/v\d+", prose)) - words_of_the_product())


FOLDERS = ("engine", "dap_adapter", "docs", "fixtures", "tests", ".ci", ".github")
_PATH = re.compile(rf"(?:{'|'.join(map(re.escape, FOLDERS))})(?:/[\w.-]+)*/?(?:::\w+)?")


def path_faults(text: str) -> list[str]:
    """Paths of the checkout, and `path::test` names, that are not there."""
    return sorted({name for name in code_spans(text) if _PATH.fullmatch(name) and not exists(name)})


def exists(name: str) -> bool:
    """Whether a path is there; behind `::` stands a test function of that file."""
    path, _, test = name.partition("::")
    if not (ROOT / path).exists():
        return False
    return not test or test in functions_of(ROOT / path)


@cache
def functions_of(path: Path) -> frozenset[str]:
    """The names of a module's functions."""
    body = ast.parse(read(path)).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


def make_faults(text: str) -> list[str]:
    """Targets that the Makefile does not have."""
    targets = set(re.findall(r"^([a-z-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    named = re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", text, re.MULTILINE)
    return sorted({first or second for first, second in named} - targets)


def claim_faults(text: str) -> list[str]:
    """Claims that the product does not keep."""
    words = " ".join(text.lower().split())
    return [claim for claim in CLAIMS_NEVER_MADE if claim in words]


# --- command lines and flags ----------------------------------------------------------------------


@cache
def options() -> dict[str, frozenset[str]]:
    """The options of every command of `spd`."""
    found: dict[str, frozenset[str]] = {}
    for entry in entry_points(group="spd.commands"):
        command = entry.load()
        assert isinstance(command, click.Command)
        flags = {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
        found[entry.name] = frozenset(flag for flag in flags if flag.startswith("-")) | {"--help"}
    return found


@cache
def adapter_options() -> frozenset[str]:
    """The options of `spd-dap`."""
    source = read(ROOT / "dap_adapter" / "main.py")
    found = re.findall(r'add_argument\(\s*"(--[a-z-]+)"', source)
    assert found
    return frozenset(found) | {"--help"}


def command_lines(text: str) -> list[str]:
    """The lines of a document that run `spd`: in blocks, continued ones joined, and in the text."""
    found = [span for span in code_spans(text) if span.startswith(("spd ", "spd-dap "))]
    for block in blocks(text):
        lines = re.sub(r"\\\n\s*|\n {2,}(?=\S)", " ", block.text)
        found += [
            line.removeprefix("$ ").removeprefix(".venv/bin/")
            for line in re.split(r"[\n|]", lines)
            if re.match(r"\s*(?:\$ )?(?:\.venv/bin/)?spd(?:-dap)? ", line)
        ]
    return [line.strip().removeprefix("$ ").removeprefix(".venv/bin/") for line in found]


def command_faults(text: str) -> list[str]:
    """The command lines whose command or flag does not exist."""
    return [line for line in command_lines(text) if not is_command(line)]


def is_command(line: str) -> bool:
    """Whether command and flags of a command line exist; `[...]` marks what may be left out."""
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    flags = {
        found[0]
        for word in words
        if (found := re.match(r"--[a-z][a-z-]*", word.lstrip("[("))) is not None
    }
    if words[0] == "spd-dap":
        return flags <= adapter_options()
    known = options()
    if words[1] in {"VERB", "COMMAND", "--help", "--version"}:
        return True
    return words[1] in known and flags <= known[words[1]]


def flag_faults(text: str) -> list[str]:
    """Flags named alone in the text that no command has."""
    every = frozenset[str]().union(*options().values(), adapter_options())
    named = {
        found[1] for span in code_spans(text) if (found := re.match(r"(--[a-z][a-z-]*)", span))
    }
    return sorted(named - every)


# --- commands of the debugger, in JSON ------------------------------------------------------------


def json_objects(text: str) -> list[JsonObject]:
    """The objects of a document that are whole JSON: code spans, and those within shell quotes."""
    candidates = [*code_spans(text)]
    for block in blocks(text):
        candidates += re.findall(r"'(\{.*?\})'", block.text, re.DOTALL)
    found: list[JsonObject] = []
    for candidate in candidates:
        for part in (candidate, *re.findall(r"'(\{.*?\})'", candidate)):
            try:
                value: JsonValue = json.loads(part)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
    return found


def action_faults(text: str) -> list[str]:
    """The commands in a document that the debugger does not understand."""
    faults: list[str] = []
    for command in json_objects(text):
        if "action" not in command:
            continue
        error = apply_command(racy(), command)[1]["error"]
        if isinstance(error, dict) and error["code"] in {"UNKNOWN_ACTION", "INVALID_COMMAND"}:
            faults.append(f"{json.dumps(command)}: {error['message']}")
    return faults


def condition_faults(text: str) -> list[str]:
    """The conditions in a document's tables that `continue_until` does not understand."""
    faults: list[str] = []
    for line in re.findall(r"^\| (`\{.*?\}`.*?) \|", text, re.MULTILINE):
        for condition in json_objects(line):
            try:
                resolve(condition, racy().view)
            except InvalidCommand as error:
                faults.append(f"{json.dumps(condition)}: {error.message}")
    return faults


# --- every document -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check of a document's text: what it finds, and a text in which it must find `wrong`."""

    faults: object
    text: str
    wrong: str


CHECKS = {
    "codes": Check(faults=code_faults, text="see `NO_SUCH_CODE#1`", wrong="NO_SUCH_CODE"),
    "schemas": Check(faults=schema_faults, text="of riff.mood/v7", wrong="riff.mood/v7"),
    "paths": Check(faults=path_faults, text="in `engine/no.py`", wrong="engine/no.py"),
    "targets": Check(faults=make_faults, text="run `make tea`", wrong="tea"),
    "claims": Check(faults=claim_faults, text="It can\ntime Travel.", wrong="time travel"),
    "commands": Check(faults=command_faults, text="`spd fly A`", wrong="spd fly A"),
    "flags": Check(faults=flag_faults, text="with `--no-such`", wrong="--no-such"),
    "conditions": Check(faults=condition_faults, text='| `{"mood": "good"}` | x |', wrong="mood"),
}


def faults_of(check: str, text: str) -> list[str]:
    """What a check finds in a text."""
    found = CHECKS[check].faults
    assert callable(found)
    faults = found(text)
    assert isinstance(faults, list)
    return faults


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
@pytest.mark.parametrize("check", CHECKS)
def test_what_is_named_exists(check: str, path: Path) -> None:
    assert not faults_of(check, without_alternatives(read(path)))


def test_no_message_of_the_product_makes_such_a_claim() -> None:
    assert not {path for path in PRODUCT if claim_faults(read(path))}


def without_alternatives(text: str) -> str:
    """A document without the section of a decision that names what was not chosen."""
    return re.sub(r"^## Alternatives$.*?^(?=## )", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("check", CHECKS)
def test_a_wrong_text_is_found(check: str) -> None:
    faults = faults_of(check, CHECKS[check].text)
    assert len(faults) == 1
    assert CHECKS[check].wrong in faults[0]
    assert not faults_of(check, "Nothing is named here, `not this` and *not that*.")


@pytest.mark.parametrize("path", [p for p in TEXTS if p.name != "errors.md"], ids=name_of)
def test_the_debugger_understands_every_command_shown(path: Path) -> None:
    assert not action_faults(read(path))


def test_the_commands_of_the_errors_page_that_are_fixes_are_understood() -> None:
    fixes = re.findall(r"\*\*Fix\.\*\* .*", read(GUIDE / "errors.md"))
    assert not action_faults("\n".join(fixes))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("`spd build A --out B`", True),
        ("`spd build A --outfile B`", False),
        ("```\nspd check FLOW... [--json] [--strict]\n```", True),
        ("```sh\n$ .venv/bin/spd info A --mood\n```", False),
        ('```\nspd command A --json \'{"action":\n    "step"}\'\n```', True),
        ("```\nprintf x |\n  spd command A --jsonll\n```", False),
        ("`spd-dap --log FILE`", True),
        ("`spd-dap --no-such 5`", False),
        ("```\ncode --install-extension x\n```", True),
    ],
)
def test_wrong_command_lines_are_found(text: str, *, right: bool) -> None:
    assert (not command_faults(text)) is right


def test_wrong_commands_in_json_are_found() -> None:
    for wrong in ('{"action": "stepp"}', '{"action": "step", "units": "beat"}'):
        assert len(action_faults(f"`{wrong}`")) == 1
        assert len(action_faults(f"```\nspd command A --json '{wrong}'\n```")) == 1
    assert not action_faults('`{"action": "step"}` and `{"slot": 1}` and `{no json}`')


def test_a_test_that_is_gone_is_found() -> None:
    here = "tests/test_docs_truth.py"
    assert not path_faults(f"`{here}::test_a_test_that_is_gone_is_found`")
    assert path_faults(f"`{here}::test_no_such`") == [f"{here}::test_no_such"]


# --- the rendered pages ---------------------------------------------------------------------------


def stale(committed: dict[str, bytes], made: dict[str, str]) -> list[str]:
    """The files that are not what the text renders to."""
    return sorted(
        name
        for name in committed.keys() | made.keys()
        if name not in made or committed.get(name) != made[name].encode("utf-8")
    )


def test_the_rendered_pages_are_those_of_the_text() -> None:
    committed = {
        path.relative_to(HTML).as_posix(): path.read_bytes()
        for path in sorted(HTML.rglob("*"))
        if path.is_file()
    }
    assert not stale(committed, rendered()), "run `make docs`"
    assert render.pages() == rendered(), "rendering again gives other bytes"


def test_a_stale_page_is_found() -> None:
    made = {"a.html": "new", "b.html": "same"}
    assert stale({"a.html": b"old", "b.html": b"same", "c.html": b"gone"}, made) == [
        "a.html",
        "c.html",
    ]
    assert stale({"b.html": b"same"}, made) == ["a.html"]


def test_rendering_lets_no_markup_through() -> None:
    page = render.page("a/b.md", "# A `b`\n\nSee [x](../c.md#d) <script>.\n")
    assert '<a href="../c.html#d">x</a> &lt;script&gt;' in page
    assert '<h1 id="a-b">' in page
    assert 'href="../style.css"' in page


def test_a_cell_knows_its_column() -> None:
    page = render.page("a.md", "# A\n\n| x | `y` |\n| - | - |\n| 1 | 2 |\n")
    assert '<td data-label="x">1</td>' in page
    assert '<td data-label="y">2</td>' in page


def test_a_link_to_another_file_leads_there_from_the_page() -> None:
    link = render.html_link
    assert link("design/a.md", "../schemas/b.json") == "../../schemas/b.json"
    assert link("guide/a.md", "../../fixtures/README.md") == "../../../fixtures/README.md"
    assert link("a.md", "b.md#c") == "b.html#c"
    assert link("a.md", "#c") == "#c"
    assert link("a.md", "https://json-schema.org/x.md") == "https://json-schema.org/x.md"


# --- gates ----------------------------------------------------------------------------------------

GATE_IDS = [f"G{n}" for n in range(1, 14)] + [f"A{n}" for n in range(1, 18)]
GATE_IDS += [f"P{n}" for n in range(1, 11)]
STATES = (
    "DESIGN GO",
    "FIXTURE PROVEN",
    "RECORDED READ-ONLY GO",
    "PLAYBACK EVIDENCE GO",
    "CAPSULE GO",
    "SIMULATION GO",
    "HISTORICAL GO",
    "PATTERN GO",
    "OTA TEST GO",
    "PRODUCTION GO",
)
HUMAN = ("OTA TEST GO", "PRODUCTION GO")


def gates(text: str) -> dict[str, str]:
    """The proof of each gate."""
    found = re.findall(r"^\| ([GAP]\d+) \| [^|]+ \| (.+) \|$", text, re.MULTILINE)
    assert len(dict(found)) == len(found)
    return dict(found)


def is_proven(proof: str) -> bool:
    """Whether a gate's row has proofs and names nothing that is missing."""
    return "Not proven yet" not in proof and "::" in proof


def expanded(names: str) -> list[str]:
    """The gates of a state: `G1 to G3, A5` are four."""
    found: list[str] = []
    for part in names.split(", "):
        first, _, last = part.partition(" to ")
        numbers = range(int(first[1:]), int((last or first)[1:]) + 1)
        found += [f"{first[0]}{number}" for number in numbers]
    return found


def gate_faults(text: str) -> list[str]:
    """What is wrong with a page of gates and promotion states."""
    proofs = gates(text)
    faults: list[str] = [] if list(proofs) == GATE_IDS else ["gates"]
    for gate, proof in proofs.items():
        if not is_proven(proof) and not re.search(r"Not proven yet: \w.{10,}", proof):
            faults.append(f"{gate} has neither a proof nor what is missing")
    states = re.findall(r"^\| `([A-Z -]+)`[^|]* \| ([^|]+) \| (GO|NO-GO) \|$", text, re.MULTILINE)
    if tuple(name for name, _, _ in states) != STATES:
        faults.append("states")
    for name, needs, today in states:
        if name in HUMAN:
            allowed = needs == "a human's decision" and today == "NO-GO"
        else:
            open_gates = [gate for gate in expanded(needs) if not is_proven(proofs.get(gate, ""))]
            allowed = today == "NO-GO" or not open_gates
        if not allowed:
            faults.append(f"{name} is {today}")
    return faults


def test_gates_are_complete_and_no_state_claims_more_than_it_can_prove() -> None:
    assert not gate_faults(read(GATES))


def test_every_proof_of_a_gate_is_a_test_that_exists() -> None:
    for gate, proof in gates(read(GATES)).items():
        for name in code_spans(proof):
            if "::" in name:
                assert exists(name), f"{gate}: {name}"


def test_a_state_that_claims_too_much_is_found() -> None:
    text = read(GATES)
    claimed = text.replace("| G1 to G13 | NO-GO |", "| G1 to G13 | GO |")
    assert gate_faults(claimed) == ["DESIGN GO is GO"]
    granted = re.sub(r"(`PRODUCTION GO`.*)NO-GO", r"\1GO", text)
    assert gate_faults(granted) == ["PRODUCTION GO is GO"]
    assert gate_faults(re.sub(r"^\| A9 .*\n", "", text, flags=re.MULTILINE)) == ["gates"]
    empty = re.sub(r"^(\| A14 \| [^|]+ \|).*$", r"\1 soon |", text, flags=re.MULTILINE)
    assert gate_faults(empty) == ["A14 has neither a proof nor what is missing"]


# --- the commands that are shown run --------------------------------------------------------------


def spd(words: list[str], *, stdin: bytes = b"") -> bytes:
    """What `spd` prints."""
    result = CliRunner().invoke(main, words, input=stdin, catch_exceptions=False)
    assert result.exit_code == 0, words
    return result.stdout_bytes


def readme_commands() -> Iterator[list[str]]:
    """The `spd` lines of the readme, each as its arguments."""
    for line in command_lines(
        "\n".join(f"```\n{b.text}```" for b in blocks(read(ROOT / "README.md")))
    ):
        yield shlex.split(line)[1:]


def test_the_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = list(readme_commands())
    verbs = [words[0] for words in commands[:6]]
    assert verbs == ["why", "visits", "findings", "build", "command", "command"]
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    for words in commands[:3]:
        assert b"\nUnknowns: " in spd(words)
    built, visits, last_write = [json.loads(spd(words)) for words in commands[3:6]]
    digest = hashlib.sha256((tmp_path / "booking.json").read_bytes()).hexdigest()
    assert built["artifact_hash"] == visits["artifact_hash"] == "sha256:" + digest
    assert visits["result"]["total"] == 5
    assert last_write["projection"]["event"]["type"] == "slot_write"
    assert last_write["projection"]["visit"]["visit_id"] == "no_table#1"


def test_the_commands_of_the_first_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    text = read(GUIDE / "state-program-debugger.md")
    shown = [block.text for block in blocks(text) if block.language == "sh"]
    lines = [line for block in shown for line in command_lines(f"```\n{block}```")]
    assert len(lines) >= 9
    for line in lines:
        words = shlex.split(line)[1:]
        stdin = b'{"action": "seek", "edge": "end"}\n{"action": "reverse"}\n'
        printed = spd(words, stdin=stdin if "--jsonl" in words else b"")
        if words[0] == "command":
            answers = [json.loads(answer) for answer in printed.splitlines()]
            assert len(answers) == (2 if "--jsonl" in words else 1)
            assert not any(answer["error"] for answer in answers), line


def test_the_transcript_of_the_readme_is_what_the_demo_prints() -> None:
    """Line by line, the hashes aside: they change with the projection."""
    shown = re.findall(r"```text\n(.*?)```", read(ROOT / "README.md"), re.DOTALL)
    assert len(shown) == 1
    printed = subprocess.run(
        [sys.executable, "-m", "dap_adapter.demo", "fixtures/booking_racy"],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8")

    def plain(text: str) -> str:
        return "\n".join(re.sub(r"hash \w+", "hash", line).rstrip() for line in text.splitlines())

    assert plain(shown[0]) in plain(printed)
