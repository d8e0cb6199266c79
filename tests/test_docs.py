"""What exists is documented: codes, kinds, commands, actions, capabilities, launch keys, records.

The other way round, that what is documented exists, is in `test_docs_truth.py`.
"""

import ast
import importlib
import json
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

import click
import msgspec
import pytest
from support.documents import DOCS, GUIDE, ROOT, code_spans, guide, read, sections

import engine
from docs import make_schemas
from engine.core.contract.errors import EngineError
from engine.core.contract.problems import PROBLEM_CODES
from engine.core.contract.session_records import RECORD_TYPES
from engine.core.cursor import apply_command, open_debugger
from engine.core.flow.faults import FaultKind
from engine.recording import open_recording

RACY = ROOT / "fixtures" / "booking_racy"
EVIDENCE_DESIGN = DOCS / "design" / "state-program-debugger-evidence-design.md"


def error_codes() -> dict[str, type[EngineError]]:
    """Every code of the engine, after all its modules are imported."""
    for module in pkgutil.walk_packages(engine.__path__, "engine."):
        importlib.import_module(module.name)

    def below(parent: type[EngineError]) -> Iterator[type[EngineError]]:
        for child in parent.__subclasses__():
            yield child
            yield from below(child)

    classes = list(below(EngineError))
    assert len({error.code for error in classes}) == len(classes), "a code is used twice"
    return {error.code: error for error in classes}


def rows(text: str) -> list[list[str]]:
    """The rows of a page's tables as cells, the heading rows left out."""
    found = re.findall(r"^\| (.*) \|$", text, flags=re.MULTILINE)
    cells = [re.split(r" ?(?<!\\)\| ?", row) for row in found]
    heads = {i - 1 for i, row in enumerate(cells) if set("".join(row)) <= set("-: ")}
    return [row for i, row in enumerate(cells) if i not in heads and i - 1 not in heads]


def first_codes(text: str) -> list[str]:
    """The names in capitals that stand in the first cells of a page's tables."""
    return [
        name
        for row in rows(text)
        for name in code_spans(row[0])
        if re.fullmatch("[A-Z0-9_]+", name)
    ]


def missing(names: list[str], text: str) -> list[str]:
    """The names that stand nowhere in `text` as code."""
    return [name for name in names if f"`{name}`" not in text]


# --- errors and problems --------------------------------------------------------------------------


def test_every_error_has_a_section_and_every_section_an_error() -> None:
    found = sections(read(GUIDE / "errors.md"))
    assert set(found) == set(error_codes())
    for code, text in found.items():
        for part in ("**Meaning.**", "**Reason.**", "**Detail.**", "**Example.**", "**Fix.**"):
            assert part in text, f"{code} lacks {part}"


def example_commands() -> list[tuple[str, str]]:
    """The commands in the examples of the errors' page, each with its section's code."""
    return [
        (code, command)
        for code, text in sections(read(GUIDE / "errors.md")).items()
        for command in re.findall(r'\*\*Example\.\*\* `(\{"action".*?\})`', text)
    ]


@pytest.mark.parametrize(("code", "command"), example_commands())
def test_the_examples_give_their_errors_and_move_nothing(code: str, command: str) -> None:
    state = open_debugger(open_recording(RACY).view)
    asked = json.loads(command)
    cursor = asked.get("cursor", -1)
    _, before = apply_command(state, {"action": "list_visits", "cursor": cursor})
    after_state, response = apply_command(state, asked)
    error = response["error"]
    assert isinstance(error, dict)
    assert error["code"] == code
    assert response["old_cursor"] == response["new_cursor"] == after_state.cursor == cursor
    assert response["determinism_hash"] == before["determinism_hash"]


def test_most_errors_of_commands_have_a_tried_example() -> None:
    assert len({code for code, _ in example_commands()}) >= 6


def test_every_problem_has_a_row_and_every_row_a_problem() -> None:
    text = read(GUIDE / "problems.md")
    found = [row[0].strip("`") for row in rows(text) if len(row) == 4]
    assert sorted(found) == sorted(PROBLEM_CODES)


# --- kinds: collected from the source -------------------------------------------------------------

ENGINE_TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(read(path))
    for path in sorted((ROOT / "engine").rglob("*.py"))
}
KIND = re.compile("[A-Z][A-Z0-9_]+")
KIND_ARGUMENTS = {
    "NotJson": 0,
    "_Refused": 0,
    "NotWav": 0,
    "_invalid": 1,
    "_refused": 1,
    "not_recordable": 1,
    "_not_taken": 0,
    "_wrong_script": 1,
}
"""Functions and exceptions by the place of the argument that is a kind."""


def name_of_call(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def kind_text(node: ast.expr) -> str | None:
    """The kind that an expression spells out."""
    is_kind = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_kind and KIND.fullmatch(node.value) else None  # type: ignore[union-attr]


def kinds_of_calls(name: str, tree: ast.AST) -> set[str]:
    """The kinds that calls of `name` give, by argument, or as the key `kind` of one."""
    found: set[str] = set()
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if name_of_call(call) != name:
            continue
        place = KIND_ARGUMENTS.get(name, len(call.args))
        found |= {kind for node in call.args[place : place + 1] if (kind := kind_text(node))}
        found |= {
            kind
            for keyword in call.keywords
            if keyword.arg == "kind" and (kind := kind_text(keyword.value))
        }
        for node in (node for part in call.args for node in ast.walk(part)):
            if isinstance(node, ast.Dict):
                found |= {
                    kind
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant)
                    and key.value == "kind"
                    and (kind := kind_text(value))
                }
    return found


@cache
def engine_kinds(name: str) -> set[str]:
    """The kinds of calls of `name` in the whole engine."""
    return set[str]().union(*(kinds_of_calls(name, tree) for tree in ENGINE_TREES.values()))


def wav_kinds() -> set[str]:
    """The kinds of files that are no WAV; two stand in a constructor of its own."""
    source = read(ROOT / "engine" / "recording" / "wav.py")
    return engine_kinds("NotWav") | set(re.findall(r'super\(\).__init__\(\s*"([A-Z_]+)"', source))


def test_the_kinds_of_strict_json_have_a_row() -> None:
    intro = read(GUIDE / "errors.md").split("\n## ")[0]
    given = engine_kinds("NotJson") | engine_kinds("_Refused")
    assert set(first_codes(intro)) == given - {"TOO_LARGE"}


def test_the_kinds_of_session_invalid_have_a_row() -> None:
    json_kinds = engine_kinds("NotJson") | engine_kinds("_Refused")
    text = sections(read(GUIDE / "errors.md"))["SESSION_INVALID"]
    given = engine_kinds("SessionInvalid") | engine_kinds("_invalid") | engine_kinds("_refused")
    assert set(first_codes(text)) == (given - json_kinds) | {"TOO_LARGE"}


def test_the_kinds_of_artifact_invalid_have_a_row() -> None:
    text = sections(read(GUIDE / "errors.md"))["ARTIFACT_INVALID"]
    assert set(first_codes(text)) == engine_kinds("ArtifactInvalid")


def test_the_kinds_of_flow_invalid_have_a_row() -> None:
    text = sections(read(GUIDE / "errors.md"))["FLOW_INVALID"]
    assert set(first_codes(text)) == {kind.value for kind in FaultKind}


def test_the_kinds_of_records_that_are_refused_have_a_row() -> None:
    found = sections(read(GUIDE / "errors.md"))
    given = engine_kinds("RecordInvalid") | engine_kinds("not_recordable") | {"FIELD_MISSING"}
    given |= engine_kinds("_not_taken")
    assert set(first_codes(found["RECORD_INVALID"])) == given
    assert set(first_codes(found["RECORDING_FAILED"])) == engine_kinds("RecordingFailed")


def test_the_kinds_of_script_invalid_have_a_row() -> None:
    text = sections(read(GUIDE / "errors.md"))["SCRIPT_INVALID"]
    given = engine_kinds("ScriptInvalid") | engine_kinds("_wrong_script")
    assert set(first_codes(text)) == given


def test_no_other_error_has_a_kind() -> None:
    with_rows = {"SessionInvalid", "ArtifactInvalid", "FlowInvalid"}
    with_rows |= {"RecordInvalid", "RecordingFailed", "ScriptInvalid"}
    others = {error.__name__ for error in error_codes().values()} - with_rows
    assert {name: kinds for name in others if (kinds := engine_kinds(name))} == {}


def test_the_kinds_of_files_that_are_no_wav_have_a_row() -> None:
    text = sections(read(GUIDE / "problems.md"))["Files that are no WAV"]
    given = wav_kinds() | engine_kinds("_NoFile")
    assert set(first_codes(text)) == given - {"PATH_REJECTED"}


def problem_details() -> dict[str, set[str]]:
    """The keys of each problem's `detail`, where the call spells them out."""
    found: dict[str, set[str]] = {}
    for tree in ENGINE_TREES.values():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            named = {keyword.arg: keyword.value for keyword in call.keywords}
            code = named.get("code")
            detail = named.get("detail")
            if name_of_call(call) == "_problem" and len(call.args) == 3:
                code, detail = call.args[0], call.args[2]
            if isinstance(code, ast.Constant) and isinstance(detail, ast.Dict):
                keys = {key.value for key in detail.keys if isinstance(key, ast.Constant)}
                found.setdefault(str(code.value), set()).update(map(str, keys))
    return {code: keys for code, keys in found.items() if code in PROBLEM_CODES}


def test_the_details_of_problems_are_in_their_rows() -> None:
    text = read(GUIDE / "problems.md")
    details = problem_details()
    assert len(details) >= 8
    told = {row[0].strip("`"): row[3] for row in rows(text) if len(row) == 4}
    for code, keys in details.items():
        assert not missing(sorted(keys), told[code]), code


# --- commands, actions, capabilities, launch keys, records ----------------------------------------


def test_every_command_is_in_the_guide() -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    commands = project["entry-points"]["spd.commands"]
    found = set(re.findall(r"^## spd (\S+)$", read(GUIDE / "command-line.md"), re.MULTILINE))
    assert found == set(commands)


def options() -> dict[str, list[str]]:
    """The long options of every command of `spd`."""
    found: dict[str, list[str]] = {}
    for entry in entry_points(group="spd.commands"):
        command = entry.load()
        assert isinstance(command, click.Command)
        names = [name for param in command.params for name in param.opts if name.startswith("--")]
        found[entry.name] = names
    return found


def test_every_option_is_in_the_guide() -> None:
    text = guide()
    adapter = re.findall(r'add_argument\(\s*"(--[a-z-]+)"', read(ROOT / "dap_adapter" / "main.py"))
    adapter.remove("--version")
    assert not [flag for flag in adapter if not re.search(rf"{flag}\b", text)]
    lacking = {
        f"spd {name} {flag}"
        for name, flags in options().items()
        for flag in flags
        if not re.search(rf"{flag}\b", text)
    }
    assert not lacking


def test_every_action_is_in_the_guide() -> None:
    _, response = apply_command(open_debugger(open_recording(RACY).view), {})
    error = response["error"]
    assert isinstance(error, dict)
    detail = error["detail"]
    assert isinstance(detail, dict)
    actions = detail["actions"]
    assert isinstance(actions, list)
    table = sections(read(GUIDE / "command-line.md"))["spd command"]
    found = re.findall(r"^\| `([a-z_]+)` \|", table, re.MULTILINE)
    assert sorted(found) == sorted(map(str, actions))


def test_every_capability_is_in_the_guide() -> None:
    from dap_adapter.capabilities import CAPABILITIES

    claimed = [name for name, value in msgspec.to_builtins(CAPABILITIES).items() if value]
    assert claimed
    assert not missing(claimed, guide())
    named = set(re.findall(r"`(supports?[A-Z]\w+)`", guide()))
    assert named <= set(claimed), "the guide names a capability that is not claimed"


def test_every_launch_key_is_in_the_guide() -> None:
    source = read(ROOT / "dap_adapter" / "launch_config.py")
    keys = re.findall(r'\(keys, "(\w+)"', source)
    assert keys
    assert not missing(keys, read(GUIDE / "ide.md"))


def record_table(text: str) -> dict[str, tuple[set[str], set[str]]]:
    """By record type what the evidence design says: (required fields, other fields)."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for row in rows(text):
        if len(row) != 4 or row[1] not in {"trace", "bus", "transcript"}:
            continue
        own = row[3].split("; a row of ")[0]
        required = set(re.findall(r"\*\*`(\w+)`\*\*", own))
        for name in code_spans(row[0]):
            found[name] = required, set(code_spans(own)) - required
    return found


def test_the_record_types_are_those_of_the_evidence_design() -> None:
    structs = {
        name: (
            {field.name for field in msgspec.structs.fields(row.schema) if field.required},
            {field.name for field in msgspec.structs.fields(row.schema) if not field.required},
        )
        for name, row in RECORD_TYPES.items()
        if name != "unreadable_record"
    }
    assert record_table(read(EVIDENCE_DESIGN)) == structs


def shapes_of_schemas() -> dict[str, tuple[str, ...]]:
    """The keys of every closed object of the schemas, by its name."""
    made = make_schemas.schemas()
    definitions = {
        name: schema
        for whole in ("artifact.json", "response.json")
        for name, schema in made[whole]["$defs"].items()
    }
    return {
        name: tuple(schema["properties"])
        for name, schema in definitions.items()
        if schema.get("additionalProperties") is False
    }


def shapes_of_text(text: str) -> set[tuple[str, ...]]:
    """The objects that a text spells as `{key, key}`."""
    found = re.findall(r"`\{(\w+(?:, \w+)*)\}`", text)
    return {tuple(keys.split(", ")) for keys in found}


NO_SCHEMA = {
    ("schema", "mode", "artifact_hash", "new_cursor", "projection"),
    ("items", "total", "offset"),
    ("matched", "edge"),
}
"""What the evidence design spells beside the objects of the schemas: the hash's, and results."""


def test_the_shapes_of_the_evidence_design_are_those_of_the_schemas() -> None:
    shapes = shapes_of_schemas()
    in_tables = {"Projection"}
    spelled = shapes_of_text(read(EVIDENCE_DESIGN))
    assert spelled >= NO_SCHEMA
    assert spelled - NO_SCHEMA == {keys for name, keys in shapes.items() if name not in in_tables}


def test_the_members_of_artifact_and_projection_are_in_their_tables() -> None:
    found = sections(read(EVIDENCE_DESIGN))
    made = make_schemas.schemas()
    members = [row[0].strip("`") for row in rows(found["Artifact"])]
    assert members == list(made["artifact.json"]["properties"])
    shown = [row for row in rows(found["Projection"]) if row[0].strip("`") in PROJECTION]
    named = {name for row in shown for name in code_spans(row[0]) + code_spans(row[1])}
    assert named >= PROJECTION
    answer = found["Answers"].split("\n\n")[1]
    assert set(code_spans(answer)) >= set(made["response.json"]["properties"])


PROJECTION = set(shapes_of_schemas()["Projection"])


# --- the checks can fail --------------------------------------------------------------------------


def test_a_missing_row_section_or_name_is_found() -> None:
    page = "# Title\n\n| code | a |\n| --- | --- |\n| `A_CODE`, `B` | `text` |\n| other | |\n"
    assert first_codes(page) == ["A_CODE", "B"]
    assert sections("# Title\n## A\none\n## B\ntwo\n") == {"A": "\none\n", "B": "\ntwo\n"}
    assert missing(["step", "seek"], "`step` only") == ["seek"]
    assert shapes_of_text('`{a, b}` and `{"a": 1}` and {c, d}') == {("a", "b")}
    assert record_table("| `a`, `b` | bus | work | **`x`**, `y` |") == {
        "a": ({"x"}, {"y"}),
        "b": ({"x"}, {"y"}),
    }


def test_a_kind_in_the_source_is_found() -> None:
    source = 'raise E("m", {"kind": "A_KIND"})\nraise NotWav("B_KIND", "x")\nE(kind="C_KIND")'
    assert kinds_of_calls("E", ast.parse(source)) == {"A_KIND", "C_KIND"}
    assert kinds_of_calls("NotWav", ast.parse(source)) == {"B_KIND"}
