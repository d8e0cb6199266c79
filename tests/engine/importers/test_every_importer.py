"""What every importer must hold, on every sample: laws, labels, no invented causes, hostile input.

A new importer adds its sources to `support.import_samples`; nothing here names a format.
"""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from support.import_samples import Sample, every_sample

from engine.core.artifact import ArtifactView
from engine.core.artifact.slots import safe_form
from engine.core.contract.errors import EngineError, OutputRejected
from engine.core.cursor import apply_command, open_debugger
from engine.importers import (
    Faith,
    Imported,
    ImportOptions,
    format_of,
    import_sources,
    importer_named,
    importers,
    open_any,
    write_session,
)
from engine.recording import build_session

each_sample = pytest.mark.parametrize("sample", every_sample())
STREAMS = ("trace_events.jsonl", "bus_events.jsonl", "transcript.jsonl")
CUTS = 12
FLIPS = 16
STEPS = 200


def imported_of(sample: Sample) -> Imported:
    importer = importer_named(sample.format)
    assert importer is not None
    return importer.import_recording(sample.sources, sample.options)


def session_of(sample: Sample, out: Path) -> Path:
    importer = importer_named(sample.format)
    assert importer is not None
    imported, about = import_sources(importer, sample.sources, sample.options)
    write_session(imported, out, about=about)
    return out


def written(session: Path) -> list[dict[str, object]]:
    rows = [
        json.loads(line)
        for stream in STREAMS
        for line in (session / stream).read_text(encoding="utf-8").splitlines()
    ]
    return sorted(rows, key=lambda row: row["seq"])


def test_names_and_titles_are_told_apart() -> None:
    assert len({item.name for item in importers()}) == len(importers())
    assert all(item.name.islower() and item.title for item in importers())


@each_sample
def test_the_format_is_found_from_the_file(sample: Sample) -> None:
    found = format_of(sample.sources[0])
    assert found is not None
    assert found.name == sample.format


@each_sample
def test_it_opens_without_a_problem_that_is_not_listed(sample: Sample, tmp_path: Path) -> None:
    artifact = build_session(session_of(sample, tmp_path / "call"))
    codes = {row["code"] for row in artifact["problems"]}
    assert codes - {"UNKNOWN_TYPE"} == sample.problems


@each_sample
def test_every_record_points_at_its_source(sample: Sample, tmp_path: Path) -> None:
    files = {path.name for path in (*sample.sources, sample.options.flow) if path is not None}
    for row in written(session_of(sample, tmp_path / "call")):
        pointer = row["source_record"]
        assert isinstance(pointer, dict), row
        assert pointer["file"] in files
        assert len(pointer) > 1, "a place in the file"


@each_sample
def test_no_cause_is_invented(sample: Sample, tmp_path: Path) -> None:
    """A cause is an earlier record; what it leads to says where the source has that."""
    seen = set[object]()
    for row in written(session_of(sample, tmp_path / "call")):
        assert row["event_id"] not in seen
        cause = row.get("caused_by")
        assert cause is None or cause in seen, row
        for name in ("request_event_id",):
            assert row.get(name) is None or row[name] in seen
        seen.add(row["event_id"])


@each_sample
def test_values_are_personal_unless_somebody_says_otherwise(sample: Sample, tmp_path: Path) -> None:
    for row in written(session_of(sample, tmp_path / "call")):
        if row["type"] == "slot_write":
            assert row["availability"] == "redacted" or row["new"] is None
            assert row["new"] == safe_form(row["new"])
            assert row["old"] is None or row["old"] == safe_form(row["old"])
        if row["type"] == "tool_called" and isinstance(row.get("args_safe"), dict):
            assert all(value == safe_form(value) for value in row["args_safe"].values())


@each_sample
def test_the_mapping_says_how_far_it_goes(sample: Sample) -> None:
    rows = imported_of(sample).mapping
    assert not [concept for concept, n in Counter(row.concept for row in rows).items() if n > 1]
    for row in rows:
        if row.faith is not Faith.FAITHFUL:
            assert row.reason, f"{row.concept}: why, or by which rule"
        assert (row.origin is None) == (row.faith is Faith.ABSENT)


@each_sample
def test_the_manifest_keeps_the_mapping(sample: Sample, tmp_path: Path) -> None:
    manifest = json.loads((session_of(sample, tmp_path / "call") / "manifest.json").read_bytes())
    kept = manifest["import"]
    assert kept["schema"] == "riff.import/v1"
    assert kept["format"] == sample.format
    assert kept["mapping"] == [row.as_json() for row in imported_of(sample).mapping]
    assert {row["file"] for row in kept["sources"]} >= {path.name for path in sample.sources}


@each_sample
def test_steps_both_ways_show_the_same(sample: Sample, tmp_path: Path) -> None:
    artifact = build_session(session_of(sample, tmp_path / "call"))
    state = open_debugger(ArtifactView.of(artifact))
    forward: list[object] = []
    count = min(len(artifact["events"]), STEPS)
    for cursor in range(-1, count - 1):
        _, answer = apply_command(state, {"action": "step", "cursor": cursor, "unit": "event"})
        assert answer.get("error") is None, answer
        assert answer["new_cursor"] == cursor + 1
        forward.append(answer["determinism_hash"])
    for cursor in range(count - 1, 0, -1):
        back = {"action": "reverse", "cursor": cursor, "unit": "event"}
        _, answer = apply_command(state, back)
        assert answer["new_cursor"] == cursor - 1
        assert answer["determinism_hash"] == forward[cursor - 1]


@each_sample
def test_the_same_source_is_opened_as_the_same_artifact(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_any(sample.sources[0]).view.artifact_hash
    assert open_any(sample.sources[0]).view.artifact_hash == first, "warm"
    monkeypatch.setenv("SPD_CACHE", str(tmp_path / "other"))
    assert open_any(sample.sources[0]).view.artifact_hash == first, "cold"
    monkeypatch.setenv("SPD_CACHE", "off")
    assert open_any(sample.sources[0]).view.artifact_hash == first, "without a cache"


@each_sample
def test_nothing_is_overwritten(sample: Sample, tmp_path: Path) -> None:
    out = tmp_path / "call"
    out.mkdir()
    (out / "mine").write_bytes(b"kept")
    with pytest.raises(OutputRejected):
        session_of(sample, out)
    assert [path.name for path in tmp_path.iterdir()] == ["call"]
    assert [path.name for path in out.iterdir()] == ["mine"]


# --- hostile input --------------------------------------------------------------------------------


def damaged(data: bytes) -> list[bytes]:
    """Return a source cut at many places, and with single bits turned."""
    step = max(1, len(data) // CUTS)
    cuts = [data[:at] for at in range(0, len(data), step)]
    flips: list[bytes] = []
    for number in range(FLIPS):
        turned = bytearray(data)
        turned[number * number * len(data) // FLIPS**2] ^= 1 << number % 8
        flips.append(bytes(turned))
    return [*cuts, *flips]


@each_sample
def test_damage_is_one_typed_error_or_a_session_that_opens(sample: Sample, tmp_path: Path) -> None:
    importer = importer_named(sample.format)
    assert importer is not None
    name, data = sample.sources[0].name, sample.sources[0].read_bytes()
    if name.endswith(".gz"):
        name, data = name.removesuffix(".gz"), gzip.decompress(data)
    source = tmp_path / "source" / name
    source.parent.mkdir()
    refused: list[EngineError] = []
    for number, content in enumerate(damaged(data)):
        source.write_bytes(content)
        out = tmp_path / f"call{number}"
        try:
            imported, about = import_sources(
                importer, (source, *sample.sources[1:]), sample.options
            )
            write_session(imported, out, about=about)
        except EngineError as error:
            refused.append(error)
            assert not out.exists()
        else:
            build_session(out)
        assert not list(tmp_path.glob(".call*")), "nothing half-written"
    assert all(error.detail.get("file") for error in refused)


@pytest.mark.parametrize(
    "content", [b"", b"\x00", b"{}", b"[]", b"\x80", b"\x1f\x8b", b"\xff" * 99]
)
@pytest.mark.parametrize("name", [item.name for item in importers()])
def test_what_is_no_source_is_one_typed_error(name: str, content: bytes, tmp_path: Path) -> None:
    importer = importer_named(name)
    assert importer is not None
    source = tmp_path / "source"
    source.write_bytes(content)
    with pytest.raises(EngineError) as caught:
        importer.import_recording([source], ImportOptions())
    assert caught.value.detail.get("file") == "source"
