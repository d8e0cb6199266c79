"""The arrows between packages point down only (contracts in `pyproject.toml`).

import-linter holds layers and forbidden modules; the rest of this module holds what it cannot say:
faces import the roots of packages, not their insides. Each check is shown to fail on a bad tree.
"""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FACES = ("dap_adapter", "engine/faces")
OPEN_ROOMS = ("engine.core.contract",)
"""Packages without a root of their own to import from: the vocabulary that everyone speaks."""


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the checkout's contracts on the packages that lie in `tree`."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from importlinter.cli import lint_imports;"
        "sys.exit(lint_imports(config_filename=sys.argv[2], no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(tree), str(ROOT / "pyproject.toml")],
        cwd=tree,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def inside_imports(source: str) -> Iterator[tuple[int, str]]:
    """Yield `(line, module)` for each import that reaches past a root of `engine`'s packages."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module)):
                modules = [module]
            case _:
                continue
        for module in modules:
            if not is_root(module):
                yield node.lineno, module


def is_root(module: str) -> bool:
    """Return whether a face may import `module`."""
    parts = module.split(".")
    if parts[0] != "engine" or module.startswith(OPEN_ROOMS):
        return True
    depth = {"core": 3, "faces": len(parts)}.get(parts[1] if len(parts) > 1 else "", 2)
    return len(parts) <= depth


def tree_with(tmp_path: Path, files: dict[str, str]) -> Path:
    """Return a small tree that keeps every contract, with `files` added."""
    modules = [
        *("engine", "engine/core", "engine/core/contract", "engine/core/flow", "dap_adapter"),
        *("engine/core/artifact", "engine/core/cursor", "engine/recording", "engine/faces"),
        *("engine/faces/cli", "engine/core/program", "engine/importers", "engine/runtime"),
    ]
    for module in modules:
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text("")
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()
    return tmp_path


def test_the_contracts_hold() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_empty_tree_keeps_the_contracts(tmp_path: Path) -> None:
    result = lint_imports(tree_with(tmp_path, {}))
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("name", "text", "contract"),
    [
        ("engine/core/contract/bad.py", "import engine.core.cursor", "Inside the core"),
        ("engine/core/new_room/bad.py", "", "Inside the core"),
        ("engine/new_room/bad.py", "", "Every part of the engine"),
        ("engine/core/cursor/bad.py", "import engine.recording", "Faces stand on"),
        ("engine/recording/bad.py", "import dap_adapter", "Faces stand on"),
        ("engine/faces/cli/bad.py", "import dap_adapter", "Faces stand on"),
        ("dap_adapter/bad.py", "import engine.faces.cli", "The faces are independent"),
        ("engine/core/flow/bad.py", "from pathlib import Path", "The core reads no file"),
        ("engine/core/flow/bad.py", "def f():\n    import time", "The core reads no file"),
        ("engine/recording/bad.py", "import click", "Below the faces nobody"),
    ],
)
def test_a_wrong_arrow_is_found(tmp_path: Path, name: str, text: str, contract: str) -> None:
    result = lint_imports(tree_with(tmp_path, {name: text}))
    broken = [line for line in result.stdout.splitlines() if line.endswith("BROKEN")]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(contract in line for line in broken), result.stdout


def test_faces_import_package_roots_only() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {module}"
        for face in FACES
        for path in sorted((ROOT / face).rglob("*.py"))
        for line, module in inside_imports(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("engine.core.cursor", True),
        ("engine.core.contract.errors", True),
        ("engine.recording", True),
        ("engine.faces.cli.main", True),
        ("json", True),
        ("engine.core.cursor.project", False),
        ("engine.recording.reader", False),
    ],
)
def test_what_a_face_may_import(module: str, allowed: bool) -> None:
    for source in (f"from {module} import name", f"import {module}"):
        assert bool(list(inside_imports(source))) is not allowed


def test_every_package_has_its_init_file() -> None:
    """A folder without `__init__.py` is not in the graph that the contracts are checked on."""
    folders = {
        path.parent
        for package in ("engine", "dap_adapter")
        for path in (ROOT / package).rglob("*.py")
    }
    bare = sorted(str(folder) for folder in folders if not (folder / "__init__.py").is_file())
    assert not bare


def test_the_commands_are_entry_points() -> None:
    """`spd` finds its commands by entry points, so the engine needs no face's name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["scripts"]) == {"spd", "spd-dap"}
    assert project["entry-points"]["spd.commands"]
