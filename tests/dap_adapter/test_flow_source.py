"""Sources: which file frames name, which client paths are the flow, what is never followed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_adapter.flow_source import source_reference
from engine.core.artifact import artifact_bytes
from engine.recording import build_session

Make = Callable[..., Any]


def top_source(driver: Any) -> dict:
    return driver.stack()["stackFrames"][0]["source"]


def test_the_session_directory_s_own_file(new_driver: Make, racy: Path) -> None:
    driver = new_driver()
    driver.start(racy)
    assert top_source(driver) == {"name": "flow.yaml", "path": str(racy / "flow/flow.yaml")}


def test_the_workspace_file_if_it_is_there(new_driver: Make, racy: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "flow.yaml"
    shutil.copy(racy / "flow/flow.yaml", workspace)
    driver = new_driver()
    driver.start(racy, flowRoot=str(tmp_path))
    assert top_source(driver)["path"] == str(workspace)
    assert not [m for m in driver.log if m.get("event") == "output"]
    recorded = new_driver()
    recorded.start(racy, flowRoot=str(tmp_path), sourcePolicy="recorded")
    assert top_source(recorded)["path"] == str(racy / "flow/flow.yaml")


def test_a_drifted_workspace_file_is_noticed(new_driver: Make, racy: Path, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text("# other\n")
    driver = new_driver()
    driver.start(racy, flowRoot=str(tmp_path))
    [notice] = [m["body"] for m in driver.log if m.get("event") == "output"]
    assert notice["category"] == "console"
    assert "sourcePolicy" in notice["output"]


def test_a_changed_file_in_the_session_directory_is_not_shown(
    new_driver: Make, racy: Path, tmp_path: Path
) -> None:
    artifact = tmp_path / "a.json"
    artifact.write_bytes(b"".join(artifact_bytes(build_session(racy))))
    copy = tmp_path / "session"
    shutil.copytree(racy, copy)
    (copy / "flow/flow.yaml").write_text("# other\n")
    driver = new_driver()
    driver.start(artifact, session=str(copy))
    assert "sourceReference" in top_source(driver)
    assert not [m for m in driver.log if m.get("event") == "output"]


def test_text_by_reference_where_there_is_no_file(
    new_driver: Make, script_call: Make, tiny_recording: Make
) -> None:
    driver = new_driver(script_call(["enter a"]))
    driver.start()
    source = top_source(driver)
    assert "path" not in source
    reference = source["sourceReference"]
    assert 0 < reference < 2**31
    got = driver.request("source", sourceReference=reference, source=source)
    assert got["content"] == tiny_recording().view.flow["text"]
    assert got["mimeType"] == "text/x-yaml"
    assert driver.request("source", sourceReference=0, source=source) == got
    assert (
        driver.request("source", sourceReference=0, source={"path": "/w/flows/tiny.flow.yaml"})
        == got
    )
    again = new_driver(script_call(["enter b"]))
    again.start()
    assert top_source(again)["sourceReference"] == reference
    wanted = {"source": source, "breakpoints": [{"line": 8}]}
    assert driver.request("setBreakpoints", **wanted)["breakpoints"][0]["verified"]


def test_references_are_positive_31_bits() -> None:
    numbers = {source_reference(f"sha256:{n}") for n in range(200)}
    assert len(numbers) == 200
    assert all(0 < number < 2**31 for number in numbers)


def test_a_path_in_a_recording_is_not_followed_out_of_its_folder(
    new_driver: Make, script_call: Make, tmp_path: Path
) -> None:
    (tmp_path / "secret.yaml").write_text("x")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    for source_path in ("../secret.yaml", str(tmp_path / "secret.yaml"), "link.yaml", "\x00", "."):
        driver = new_driver(script_call([], source_path=source_path))
        driver.start(flowRoot=str(root))
        assert "path" not in top_source(driver)


SPELLINGS = [
    "/proj/flows/tiny.flow.yaml",
    "/proj/./flows//tiny.flow.yaml",
    "C:\\work\\flows\\tiny.flow.yaml",
    "c:\\Work\\Flows\\TINY.flow.yaml",
    "file:///proj/flows/tiny.flow.yaml",
    "file:///c%3A/proj/flows/tiny.flow.yaml",
    "vscode-remote://ssh-remote+host/proj/flows/tiny.flow.yaml",
]
FOREIGN = [
    "/proj/flows/other.yaml",
    "/proj/tiny.flow.yaml",
    "/proj/myflows/tiny.flow.yaml",
    "/proj/Flows/tiny.flow.yaml",
    "/proj/\0/tiny.flow.yaml",
    "tiny",
    "",
]


@pytest.mark.parametrize("path", SPELLINGS)
def test_spellings_of_the_flow_s_path_bind_and_are_echoed(
    new_driver: Make, script_call: Make, path: str
) -> None:
    driver = new_driver(script_call(["enter a"]))
    driver.start()
    source = {"path": path, "name": "x", "adapterData": {"keep": [1]}}
    [got] = driver.request("setBreakpoints", source=source, breakpoints=[{"line": 8}])[
        "breakpoints"
    ]
    assert got["verified"]
    assert got["source"] == source


@pytest.mark.parametrize("path", FOREIGN)
def test_other_files_do_not_bind(new_driver: Make, script_call: Make, path: str) -> None:
    driver = new_driver(script_call(["enter a"]))
    driver.start()
    source = {"path": path}
    [got] = driver.request("setBreakpoints", source=source, breakpoints=[{"line": 8}])[
        "breakpoints"
    ]
    assert (got["verified"], got["reason"]) == (False, "failed")
    assert "tiny.flow.yaml" in got["message"]
    assert driver.move("continue")["description"] == "End of recording"


def test_composed_and_decomposed_names_are_one(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a"], source_path="flows/caf\u00e9.yaml"))
    driver.start()
    source = {"path": "/w/flows/cafe\u0301.yaml"}
    [got] = driver.request("setBreakpoints", source=source, breakpoints=[{"line": 8}])[
        "breakpoints"
    ]
    assert got["verified"]


def test_a_symlinked_workspace_binds(new_driver: Make, racy: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(racy / "flow")
    driver = new_driver()
    driver.start(racy)
    source = {"path": str(tmp_path / "link/flow.yaml")}
    [got] = driver.request("setBreakpoints", source=source, breakpoints=[{"line": 3}])[
        "breakpoints"
    ]
    assert got["verified"]


def test_another_casing_of_a_drive_replaces_the_breakpoints(
    new_driver: Make, script_call: Make
) -> None:
    driver = new_driver(script_call(["enter a"]))
    driver.start()
    for path, lines in (
        ("C:\\w\\flows\\tiny.flow.yaml", [8]),
        ("c:\\w\\flows\\tiny.flow.yaml", []),
    ):
        wanted = [{"line": line} for line in lines]
        driver.request("setBreakpoints", source={"path": path}, breakpoints=wanted)
    assert driver.move("continue")["description"] == "End of recording"


def test_paths_as_uris_where_the_client_wants_them(new_driver: Make, racy: Path) -> None:
    driver = new_driver()
    driver.request("initialize", adapterID="x", pathFormat="uri")
    driver.request("launch", recording=str(racy))
    driver.request("configurationDone")
    uri = top_source(driver)["path"]
    assert uri == (racy / "flow/flow.yaml").as_uri()
    [got] = driver.request("setBreakpoints", source={"path": uri}, lines=[3])["breakpoints"]
    assert got["verified"]
