"""The extension's manifest: what it contributes exists, and matches what the adapter reads."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "vscode-extension"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
CONTRIBUTED = MANIFEST["contributes"]
SOURCES = "".join(
    path.read_text(encoding="utf-8") for path in sorted((EXTENSION / "src").glob("*.ts"))
)


def texts(value: object) -> list[str]:
    """Return every text in a JSON value."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_every_command_is_registered_and_every_menu_names_one() -> None:
    commands = {row["command"] for row in CONTRIBUTED["commands"]}
    for command in commands:
        short = command.removeprefix("stateProgram.")
        assert f"'{command}'" in SOURCES or f"on('{short}'" in SOURCES, command
    used = {row["command"] for rows in CONTRIBUTED["menus"].values() for row in rows}
    used |= {row["command"] for row in CONTRIBUTED["keybindings"]}
    assert {name for name in used if name.startswith("stateProgram.")} <= commands


def test_the_launch_keys_are_those_that_the_adapter_reads() -> None:
    source = (ROOT / "dap_adapter/launch_config.py").read_text(encoding="utf-8")
    read = set(re.findall(r'(?:keys(?:, |\.get\()|\(keys, )"(\w+)"', source)) - {"noDebug"}
    [debugger] = CONTRIBUTED["debuggers"]
    offered = set(debugger["configurationAttributes"]["launch"]["properties"])
    assert read <= offered
    assert offered - read <= {"format", "slotClasses"}, "keys of importers"
    for snippet in debugger["configurationSnippets"]:
        assert set(snippet["body"]) - {"type", "request", "name"} <= offered


def test_every_picture_of_the_manifest_and_the_readme_is_there() -> None:
    readme = (EXTENSION / "README.md").read_text(encoding="utf-8")
    named = [text for text in texts(MANIFEST) if text.startswith("media/")]
    named += re.findall(r"!\[[^\]]+\]\((media/[^)]+)\)", readme)
    assert len(named) > 6
    for name in named:
        assert (EXTENSION / name).is_file(), name
    assert sum(path.stat().st_size for path in (EXTENSION / "media").iterdir()) < 1_000_000


def test_the_lock_names_versions_and_no_host() -> None:
    text = (EXTENSION / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert "registry" not in text
    wanted = json.loads(text)["packages"][""]
    for kind in ("dependencies", "devDependencies"):
        assert wanted.get(kind, {}) == MANIFEST.get(kind, {})
        assert all(
            re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.get(kind, {}).values()
        )


@pytest.mark.parametrize(
    "path", sorted((EXTENSION / "src").rglob("*.ts")), ids=lambda path: path.name
)
def test_sources_are_of_a_size_that_one_can_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert not re.search(r"\b(?:TODO|FIXME|XXX)\b|: any\b|as any\b|innerHTML", text)
