"""restartFrame, gotoTargets, goto, loadedSources, noDebug, path mappings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]
FLOW = {"path": "/somewhere/flow.yaml"}


def test_restart_frame_goes_to_the_entry_of_any_visit(at_start: Any) -> None:
    at_start.move("continue")
    frames = {frame["name"]: frame for frame in at_start.stack()["stackFrames"]}
    for name, cursor in (("get_time#1", None), ("greet#1", 3)):
        body = at_start.move("restartFrame", frameId=frames[name]["id"])
        assert body["reason"] == "goto"
        assert body["description"].startswith("◀")
        assert at_start.stack()["stackFrames"][0]["name"] == name
        assert cursor is None or at_start.cursor == cursor
    label = frames["earlier visits"]
    assert label["canRestart"] is False
    assert not at_start.send("restartFrame", {"frameId": label["id"]})[0]["success"]
    at_start.move("reverseContinue")
    [start] = at_start.stack()["stackFrames"]
    assert at_start.move("restartFrame", frameId=start["id"])["description"] == "Start of recording"


def test_targets_of_a_line_the_next_one_first(new_driver: Make, script_call: Make) -> None:
    driver = new_driver(script_call(["enter a", "enter b", "enter a", "noise", "enter a"]))
    driver.start(stopAt="#1")
    source = {"path": "/x/flows/tiny.flow.yaml"}
    targets = driver.request("gotoTargets", source=source, line=8)["targets"]
    assert [target["label"] for target in targets] == [
        "2 of 3 · #2 00:00.2 a · state_entered",
        "1 of 3 · #0 00:00.0 a · state_entered",
        "3 of 3 · #4 00:00.4 a · state_entered",
    ]
    assert {target["line"] for target in targets} == {8}
    for target, cursor in zip(targets, (2, 0, 4), strict=True):
        body = driver.move("goto", targetId=target["id"])
        assert driver.cursor == cursor
        assert body["reason"] == ("pause" if cursor == 4 else "goto")
    again = driver.request("gotoTargets", source=source, line=8)["targets"]
    assert {target["id"] for target in again} == {target["id"] for target in targets}
    assert driver.request("gotoTargets", source={"path": "/y.py"}, line=8) == {"targets": []}
    assert driver.request("gotoTargets", source=source, line=999) == {"targets": []}


def test_loaded_sources(at_start: Any, racy_recording: Any) -> None:
    [flow] = at_start.request("loadedSources")["sources"]
    assert flow["name"] == "flow.yaml"
    assert (
        at_start.request("source", source=flow, sourceReference=0)["content"]
        == (racy_recording.view.flow["text"])
    )


def test_without_debugging_the_findings_are_reported_and_the_session_ends(
    new_driver: Make, racy_recording: Any
) -> None:
    driver = new_driver(racy_recording)
    driver.request("initialize", adapterID="x")
    driver.request("launch", recording="x", noDebug=True)
    sent = driver.send("configurationDone")
    names = [message.get("event") for message in sent[1:]]
    findings = racy_recording.view.findings
    assert names == ["output"] * (1 + len(findings)) + ["exited", "terminated"]
    lines = [message["body"]["output"] for message in sent[1:-2]]
    assert f"{len(findings)} finding" in lines[0] or "no findings" in lines[0]
    for line, finding in zip(lines[1:], findings, strict=True):
        assert finding["finding_id"] in line
    assert all(message["body"]["line"] >= 1 for message in sent[2:-2])
    assert not driver.send("next", {"threadId": 1})[0]["success"]


def test_the_call_scope_is_expensive_lazy_and_whole(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="#150")
    parts = {row["name"]: row["variablesReference"] for row in driver.scope("Call")}
    assert list(parts) == ["beats", "conversation", "playback", "identity", "revisions", "audio"]
    rows = driver.children(parts["conversation"])
    assert len(rows) == 10
    assert rows[1]["value"] == '00:06.0 · caller · "Four of us."'
    assert "not heard: " in rows[2]["value"]
    assert driver.children(parts["conversation"], start=3, count=2) == rows[3:5]
    inside = {row["name"]: row["value"] for row in driver.children(rows[1]["variablesReference"])}
    assert inside["speaker"] == "caller"
    assert len(driver.children(parts["beats"])) == 6
    assert len(driver.children(parts["playback"])) == len(racy_recording.view.playback)
    identity = {row["name"]: row["value"] for row in driver.children(parts["identity"])}
    assert identity["artifact_hash"] == racy_recording.view.artifact_hash
    revisions = {row["name"]: row["value"] for row in driver.children(parts["revisions"])}
    assert revisions["flow_revision"] == racy_recording.view.flow["revision"]
    assert len(driver.children(parts["audio"])) == len(racy_recording.view.audio)
    driver.move("reverseContinue")
    for row in driver.scope("Call"):
        driver.children(row["variablesReference"])


def test_first_finding_is_a_place_to_stop(new_driver: Make, racy_recording: Any) -> None:
    driver = new_driver(racy_recording)
    driver.start(stopAt="firstFinding")
    places = [finding["at"] for finding in racy_recording.view.findings]
    assert driver.cursor == min(places, default=racy_recording.view.event_count - 1)


@pytest.mark.parametrize(
    ("remote", "found"),
    [("flows", True), ("./flows/", True), ("FLOWS", False), ("flow", False), ("", True)],
)
def test_a_path_mapping_names_the_workspace_file(
    new_driver: Make, script_call: Make, tmp_path: Path, remote: str, found: bool
) -> None:
    root = tmp_path / "flows" if not remote else tmp_path
    root.mkdir(exist_ok=True)
    (root / "tiny.flow.yaml").write_text("changed", encoding="utf-8")
    driver = new_driver(script_call(["enter a"]))
    driver.start(pathMappings=[{"localRoot": str(tmp_path), "remoteRoot": remote}])
    source = driver.stack()["stackFrames"][0]["source"]
    assert ("path" in source) == found
    if found:
        assert source["path"] == str(root / "tiny.flow.yaml")
        assert len(driver.request("loadedSources")["sources"]) == 2


@pytest.mark.parametrize(
    "launch",
    [
        {"pathMappings": [{"localRoot": "/nowhere/at/all", "remoteRoot": "x"}]},
        {"pathMappings": [{"localRoot": "/"}]},
        {"pathMappings": "x"},
        {"format": "pipecat"},
        {"slotClasses": {"time": "plain"}},
        {"stopAt": "nothing#7"},
    ],
)
def test_what_is_not_there_is_said(new_driver: Make, racy_recording: Any, launch: dict) -> None:
    driver = new_driver(racy_recording)
    driver.request("initialize", adapterID="x")
    error = driver.send("launch", {"recording": "x", **launch})[0]["body"]["error"]
    assert (error["id"], error["showUser"]) == (2001, True)
    assert next(iter(launch)) in error["format"] + str(error.get("variables"))
    driver.request("launch", recording="x")
