"""Sources: an artifact in memory and the same artifact as a file answer alike."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.records import TEXTS, build, build_in_order, entered, file_of, noise, rows_of

from engine.core.artifact.encode import ARTIFACT_KEYS, LIST_KEYS
from engine.core.artifact.source import FileArtifact, MemoryArtifact, find_lines
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject

SMALL = build_in_order([noise(x="\n\u2028"), entered("a"), noise(event_id='odd","owner":"x')])


def file_source(artifact: JsonObject) -> FileArtifact:
    data = file_of(artifact)
    return FileArtifact(data, find_lines(data))


@pytest.mark.parametrize("artifact", [SMALL, build()], ids=["small", "empty"])
def test_both_sources_answer_alike(artifact: JsonObject) -> None:
    for source in (MemoryArtifact(artifact), file_source(artifact)):
        for key in ARTIFACT_KEYS:
            if key in LIST_KEYS:
                assert [*source.rows(key)] == artifact[key]
            else:
                assert source.member(key) == artifact[key]
        for index, event in enumerate(rows_of(artifact, "events")):
            assert source.event_id(index) == event["event_id"]


@given(st.lists(TEXTS | st.text(min_size=200, max_size=400), min_size=1, max_size=4))
@example(['","owner"', "\\", '\\","owner":', "\u00e9" * 121, "x" * 241, "x" * 242, "x" * 243])
def test_any_event_id_is_found_on_its_line(names: list[str]) -> None:
    artifact = build_in_order([noise(event_id=name) for name in names])
    source = file_source(artifact)
    ids = [event["event_id"] for event in rows_of(artifact, "events")]
    assert [source.event_id(index) for index in range(len(names))] == ids


def test_rows_end_where_the_list_ends() -> None:
    rows = file_source(SMALL).rows("events")
    assert len(rows) == 3
    for index in (3, -1, 99):
        with pytest.raises(IndexError):
            rows[index]


def test_lines_tile_the_file() -> None:
    data = file_of(SMALL)
    lines = find_lines(data)
    assert lines.offsets[0] == 0
    assert lines.offsets[-1] == len(data)
    source = FileArtifact(data, lines)
    assert b"".join(source.line(line) for line in range(len(lines.offsets) - 1)) == data
    assert list(lines.keys) == list(ARTIFACT_KEYS)
    assert lines.keys["events"][1] == 3


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\n",
        file_of(SMALL)[:-1],
        file_of(SMALL) + b"x",
        file_of(SMALL) + b"\n",
        file_of(SMALL).replace(b'"slots":[\n', b'"slots":[ \n'),
        file_of(SMALL).replace(b'"slots":[\n', b'"slotz":[\n'),
        file_of(SMALL)[: -len(b"]}\n")],
    ],
    ids=range(9),
)
def test_another_layout_is_refused(data: bytes) -> None:
    with pytest.raises(ArtifactInvalid) as refused:
        find_lines(data)
    assert refused.value.detail["kind"] == "NOT_CANONICAL"
