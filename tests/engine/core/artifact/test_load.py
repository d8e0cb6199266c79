"""Loading: an artifact's own bytes, or one typed error."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import (
    build,
    build_call,
    build_in_order,
    calls,
    entered,
    exited,
    file_of,
    noise,
    seed,
    seeded,
    write,
)

from engine.core.artifact import ArtifactView, artifact_hash, load_artifact, read_artifact
from engine.core.contract.canonical import sha256_of
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject, JsonValue

SMALL = build_in_order(
    [
        seeded(seed("name", "Alex")),
        entered("a"),
        write("note", "caf\u00e9"),
        noise(deep={"x": [1, 0.5]}, big=2**60),
        entered("b", parent_visit_id="a#1"),
        exited("b"),
        exited("a"),
    ]
)
FILE = file_of(SMALL)


def kind_of(data: bytes) -> JsonValue:
    """Load what must be refused and return the kind of the refusal."""
    with pytest.raises(ArtifactInvalid) as refused:
        load_artifact(data)
    offset = refused.value.detail.get("byte_offset")
    assert offset is None or (isinstance(offset, int) and 0 <= offset <= len(data))
    assert json.dumps(refused.value.as_json(), allow_nan=False).encode()
    return refused.value.detail["kind"]


def test_what_was_written_is_read() -> None:
    assert load_artifact(FILE) == SMALL
    assert artifact_hash(load_artifact(FILE)) == sha256_of(FILE)


@given(calls())
def test_any_call_survives_its_own_reload(call: tuple[JsonObject, JsonObject]) -> None:
    artifact = build_call(*call)
    data = file_of(artifact)
    loaded = load_artifact(data)
    assert loaded == artifact
    assert file_of(loaded) == data
    ArtifactView.of(loaded)


@pytest.mark.parametrize("depth", [1, 32, 60, 64])
def test_a_record_as_deep_as_a_line_may_be_survives_the_reload(depth: int) -> None:
    value: JsonValue = None
    for _ in range(depth - 1):
        value = [value]
    artifact = build_in_order([noise(deep=value)])
    assert load_artifact(file_of(artifact)) == artifact


@given(calls())
def test_a_file_read_where_it_lies_is_the_same_artifact(
    call: tuple[JsonObject, JsonObject],
) -> None:
    artifact = build_call(*call)
    for buffer in (file_of(artifact), memoryview(file_of(artifact))):
        source = read_artifact(buffer)
        for key, value in artifact.items():
            if isinstance(value, list):
                assert [*source.rows(key)] == value
            else:
                assert source.member(key) == value


NOT_JSON = [
    (b"", "SYNTAX"),
    (b"not json", "SYNTAX"),
    (FILE[:-3], "SYNTAX"),
    (b"\xef\xbb\xbf" + FILE, "BYTE_ORDER_MARK"),
    (FILE.decode().encode("utf-16"), "NOT_UTF8"),
    (FILE.replace(b"caf\xc3\xa9", b"caf\xe9"), "NOT_UTF8"),
    (b'"a text"', "NOT_AN_OBJECT"),
    (b"[1]", "NOT_AN_OBJECT"),
    (b"[" * 100_000, "TOO_DEEP"),
    (b'{"schema":NaN}', "NUMBER_RANGE"),
    (b'{"schema":1e400}', "NUMBER_RANGE"),
    (FILE.replace(b'"seq":1', b'"seq":0,"seq":1', 1), "DUPLICATE_KEY"),
]


@pytest.mark.parametrize(("data", "kind"), NOT_JSON, ids=lambda x: repr(x)[:30])
def test_what_is_no_json_object(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b'{"schema":"riff.session/v1"}',
        b'{"schema":["riff"]}',
        b'{"schema":null}',
        FILE.replace(b"riff.state_program_debugger/v1", b"riff.state_program_debugger/v2"),
    ],
)
def test_another_schema(data: bytes) -> None:
    assert kind_of(data) == "UNKNOWN_SCHEMA"


def changed(**members: JsonValue) -> bytes:
    return file_of({**SMALL, **members})


@pytest.mark.parametrize(
    "data",
    [
        FILE.replace(b'"stream":"bus"', b'"stream":"tape"'),
        FILE.replace(b'"sequence":"session"', b'"sequence":"both"'),
        FILE.replace(b'"unowned":"before_entry"', b'"unowned":"because"'),
        changed(events=[1]),
        changed(events=[{"event_id": "e", "owner": None, "unowned": None, "stream": "bus"}]),
        changed(session={}),
        changed(visits=["a#1"]),
        b'{"schema":"riff.state_program_debugger/v1"}',
        b'{"schema":"riff.state_program_debugger/v1"}\n',
        FILE.replace(b'"audio":[],\n', b""),
        FILE.replace(b'"audio":[]', b'"audio":[],\n"more":[]'),
        FILE.replace(b'"audio":[]', b'"audio":{}'),
    ],
    ids=range(12),
)
def test_what_does_not_fit_the_schema(data: bytes) -> None:
    assert kind_of(data) == "SCHEMA"


@pytest.mark.parametrize(
    "data",
    [
        FILE + b"\n",
        FILE + b" ",
        FILE[:-1],
        b" " + FILE,
        FILE.replace(b",\n", b",\n\n", 1),
        FILE.replace(b'"stream":"bus"', b'"stream": "bus"', 1),
        FILE.replace(b"\n", b"\r\n"),
        FILE.replace(b"caf\xc3\xa9", b"caf\\u00e9"),
        FILE.replace(b'"seq":1', b'"seq":1.0', 1),
        FILE.replace(b"0.5", b"0.50"),
        FILE.replace(b'"audio":[]', b'"audio":[\n]'),
        FILE.replace(b'"audio":[]', b'"audio":[ ]'),
        FILE.replace(b"\n]}\n", b"]}\n"),
        json.dumps(SMALL, indent=2).encode(),
        json.dumps(SMALL, separators=(",", ":"), ensure_ascii=False).encode(),
    ],
    ids=range(15),
)
def test_what_is_not_canonical(data: bytes) -> None:
    assert kind_of(data) == "NOT_CANONICAL"


@pytest.mark.parametrize("number", [b"9007199254740992", b"-9007199254740992", b"9" * 30, b"1e300"])
def test_a_number_that_an_artifact_would_keep_as_text(number: bytes) -> None:
    kind_of(FILE.replace(b'"seq":1', b'"seq":' + number, 1))


@pytest.mark.parametrize("depth", [62, 65, 100, 300, 480, 600, 900, 2_000])
def test_nesting_is_refused_or_read_never_an_accident(depth: int) -> None:
    data = FILE.replace(b'"seq":1', b'"seq":' + b"[" * depth + b"]" * depth, 1)
    if depth > 63:
        assert kind_of(data) == "TOO_DEEP"
    else:
        assert artifact_hash(load_artifact(data)) == sha256_of(data)


def check_any(data: bytes) -> None:
    """Refused with its type, or an artifact whose hash is that of exactly these bytes."""
    try:
        artifact = load_artifact(data)
        view = ArtifactView.of(artifact)
    except ArtifactInvalid:
        return
    assert view.artifact_hash == sha256_of(data)
    for cursor in range(-1, view.event_count):
        view.path_at(cursor)


def test_any_flipped_bit_is_refused_or_gives_another_hash() -> None:
    chance = random.Random(1)
    for _ in range(400):
        at = chance.randrange(len(FILE))
        check_any(FILE[:at] + bytes([FILE[at] ^ 1 << chance.randrange(8)]) + FILE[at + 1 :])


def test_any_cut_tail_is_refused() -> None:
    for length in range(0, len(FILE), 37):
        with pytest.raises(ArtifactInvalid):
            load_artifact(FILE[:length])


@given(st.data())
def test_any_damage_is_refused_or_gives_another_hash(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(FILE)))
    end = data.draw(st.integers(start, min(len(FILE), start + 40)))
    pieces = st.sampled_from([b"", b"[", b"]", b"{", b"}", b",", b'"', b"\n", b"null", b"1e9"])
    middle = data.draw(pieces | st.binary(max_size=6) | st.just(FILE[start:end] * 2))
    check_any(FILE[:start] + middle + FILE[end:])


@given(st.binary(max_size=40) | st.text(max_size=20).map(str.encode))
def test_any_bytes(data: bytes) -> None:
    check_any(data)


# -- a canonical file that contradicts itself ------------------------------------------------------


def visits_changed(ordinal: int, **members: JsonValue) -> bytes:
    visits = SMALL["visits"]
    assert isinstance(visits, list)
    rows: list[JsonValue] = [*visits]
    row = rows[ordinal]
    assert isinstance(row, dict)
    rows[ordinal] = {**row, **members}
    return changed(visits=rows)


@pytest.mark.parametrize(
    "data",
    [
        visits_changed(0, parent_visit_id="a#1"),
        visits_changed(0, parent_visit_id="b#1"),
        visits_changed(1, parent_visit_id="nobody#1"),
        visits_changed(1, entered_index=99),
        visits_changed(1, entered_index=-1),
        visits_changed(1, entered_index=1),
        visits_changed(1, closed_index=99),
        visits_changed(1, closed_index=2),
        visits_changed(1, visit_id="a#1"),
        visits_changed(1, entered_index=None),
        visits_changed(1, visit_id=None),
        visits_changed(1, exit=None),
    ],
    ids=range(12),
)
def test_visits_that_contradict_the_recording(data: bytes) -> None:
    with pytest.raises(ArtifactInvalid):
        ArtifactView.of(load_artifact(data))


def test_an_empty_call() -> None:
    assert load_artifact(file_of(build())) == build()
