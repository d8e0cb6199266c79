"""The documents name what exists, and what exists is named in the documents."""

import hashlib
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

import engine
from engine.core.contract.errors import EngineError
from engine.core.contract.problems import PROBLEM_CODES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
GUIDE = DOCS / "guide"
TEXTS = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md")))
CLAIMS_NEVER_MADE = ("time travel", "time-travel", "timetravel", "reads the model's mind")


def read(path: Path) -> str:
    """The text of a document."""
    return path.read_text(encoding="utf-8")


def guide() -> str:
    """All pages of the guide in one text."""
    return "\n".join(read(path) for path in sorted(GUIDE.glob("*.md")))


def renderer() -> ModuleType:
    """The module that renders the documents; it is a script, so no package holds it."""
    spec = importlib.util.spec_from_file_location("render", DOCS / "render.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def sections(text: str) -> dict[str, str]:
    """The second-level sections of a page, by heading."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str) -> list[str]:
    """The codes that start the rows of a page's tables."""
    return re.findall(r"^\| `([A-Z_]+)` \|", text, flags=re.MULTILINE)


def missing(names: list[str], text: str) -> list[str]:
    """The names that stand nowhere in `text` as code."""
    return [name for name in names if f"`{name}`" not in text]


# --- codes ----------------------------------------------------------------------------------------


def test_every_error_has_a_section_and_every_section_an_error() -> None:
    found = sections(read(GUIDE / "errors.md"))
    assert set(found) == set(error_codes())
    for code, text in found.items():
        for part in ("**Meaning.**", "**Reason.**", "**Example.**", "**Fix.**"):
            assert part in text, f"{code} lacks {part}"


def example_commands() -> list[tuple[str, str]]:
    """The commands in the examples of the errors' page, each with its section's code."""
    return [
        (code, command)
        for code, text in sections(read(GUIDE / "errors.md")).items()
        for command in re.findall(r'\*\*Example\.\*\* `(\{"action".*?\})`', text)
    ]


@pytest.mark.parametrize(("code", "command"), example_commands())
def test_the_examples_give_their_errors(code: str, command: str) -> None:
    from engine.core.cursor import apply_command, open_debugger
    from engine.recording import open_recording

    state = open_debugger(open_recording(ROOT / "fixtures" / "booking_racy").view)
    _, response = apply_command(state, json.loads(command))
    error = response["error"]
    assert isinstance(error, dict)
    assert error["code"] == code


def test_most_errors_of_commands_have_a_tried_example() -> None:
    assert len({code for code, _ in example_commands()}) >= 6


def test_every_problem_has_one_row_and_every_row_a_problem() -> None:
    found = rows(read(GUIDE / "problems.md"))
    assert len(found) == len(set(found))
    assert set(found) == set(PROBLEM_CODES)


def test_a_missing_row_or_section_is_found() -> None:
    assert rows("| `A_CODE` | text |\n| other |") == ["A_CODE"]
    assert sections("# Title\n## A\none\n## B\ntwo\n") == {"A": "\none\n", "B": "\ntwo\n"}
    assert missing(["step", "seek"], "`step` only") == ["seek"]


# --- commands, actions, capabilities, launch keys -------------------------------------------------


def test_every_command_is_in_the_guide() -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    commands = project["entry-points"]["spd.commands"]
    found = set(re.findall(r"^## spd (\S+)$", read(GUIDE / "command-line.md"), re.MULTILINE))
    assert found == set(commands)


def test_every_action_is_in_the_guide() -> None:
    from engine.core.cursor import apply_command, open_debugger
    from engine.recording import open_recording

    state = open_debugger(open_recording(ROOT / "fixtures" / "booking_racy").view)
    _, response = apply_command(state, {})
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


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    texts = "\n".join(map(read, TEXTS))
    named = set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", texts, re.MULTILINE))
    assert named
    assert {first or second for first, second in named} <= targets


# --- words and links ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_claim_is_made_that_is_not_kept(path: Path) -> None:
    text = " ".join(read(path).lower().split())
    assert not [words for words in CLAIMS_NEVER_MADE if words in text]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        page = (path.parent / name).resolve() if name else path
        assert page.exists(), target
        if anchor:
            assert anchor in anchors(page), target


def anchors(page: Path) -> list[str]:
    """The anchors of a page's headings, as the rendered page has them."""
    return re.findall(r'<h\d id="([^"]+)"', renderer().page(page.name, read(page)))


# --- the rendered pages ---------------------------------------------------------------------------


def test_the_rendered_pages_are_those_of_the_text() -> None:
    html = DOCS / "html"
    rendered = renderer().pages()
    committed = {
        path.relative_to(html).as_posix(): path.read_bytes()
        for path in sorted(html.rglob("*"))
        if path.is_file()
    }
    assert sorted(committed) == sorted(rendered), "run `make docs`"
    for name, text in rendered.items():
        assert committed[name] == text.encode("utf-8"), f"{name} is old: run `make docs`"


def test_every_page_has_one_entry_in_the_index() -> None:
    rendered = renderer().pages()
    links = re.findall(
        r'<dt><a href="([^"]+)">[^<]+</a></dt><dd>[^<]+</dd>', rendered["index.html"]
    )
    pages = [name for name in rendered if name.endswith(".html") and name != "index.html"]
    assert sorted(links) == sorted(pages)
    assert links[0] == "guide/state-program-debugger.html"


def test_rendering_is_repeatable_and_safe() -> None:
    page = renderer().page("a/b.md", "# A `b`\n\nSee [x](../c.md#d) <script>.\n\n## A b\n")
    assert page == renderer().page("a/b.md", "# A `b`\n\nSee [x](../c.md#d) <script>.\n\n## A b\n")
    assert '<a href="../c.html#d">x</a> &lt;script&gt;' in page
    assert '<h1 id="a-b">' in page
    assert '<h2 id="a-b-1">' in page
    assert 'href="../style.css"' in page


# --- the readme's command lines -------------------------------------------------------------------


def readme_commands() -> list[list[str]]:
    """The `spd` lines of the readme, each as its arguments."""
    shown = re.findall(
        r"^\$ \.venv/bin/spd (.+(?:\n    .+)*)", read(ROOT / "README.md"), re.MULTILINE
    )
    return [shlex.split(line) for line in shown]


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    commands = readme_commands()
    assert [words[0] for words in commands] == ["build", "command", "command"]
    program = "import sys; from engine.faces.cli.main import main; main(sys.argv[1:])"
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    answers = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", program, *words],
                cwd=tmp_path,
                capture_output=True,
                check=True,
            ).stdout
        )
        for words in commands
    ]
    built, visits, last_write = answers
    digest = hashlib.sha256((tmp_path / "booking.json").read_bytes()).hexdigest()
    assert built["artifact_hash"] == visits["artifact_hash"] == "sha256:" + digest
    assert visits["result"]["total"] == 5
    assert last_write["projection"]["event"]["type"] == "slot_write"
    assert last_write["projection"]["visit"]["visit_id"] == "no_table#1"


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
