"""The artifact's file: its grammar by a checker of our own, its hash, its determinism."""

import hashlib
import json

import pytest
import rfc8785
from hypothesis import given
from support.records import build, build_call, build_in_order, calls, entered, file_of, noise, write

from engine.core.artifact import ArtifactView, artifact_bytes, artifact_hash
from engine.core.artifact.build import assemble
from engine.core.contract.json_types import JsonObject

KEYS = [
    "schema",
    "session",
    "flow",
    "settings",
    "slots",
    "visits",
    "playback",
    "audio",
    "findings",
    "problems",
    "unowned_events",
    "events",
]
"""Design section 6, in this order."""
LISTS = frozenset(KEYS[4:])


def check_grammar(data: bytes) -> None:
    """Read a file by the contract's grammar: nothing but what "File layout" says may stand there.

    `{`, keys joined by `,\\n`, `}\\n`; a list is `[]`, else `[\\n`, its elements separated by
    `,\\n`, `\\n]`; everything else RFC 8785 on the key's line.
    """
    assert data.endswith(b"}\n")
    assert data.startswith(b"{")
    lines = data[1:-2].split(b"\n")
    for key in KEYS:
        last_key = key == KEYS[-1]
        name = b'"' + key.encode() + b'":'
        line = lines.pop(0)
        assert line.startswith(name)
        value = line.removeprefix(name)
        if key in LISTS and value == b"[":
            while True:
                element = lines.pop(0)
                follows = element.endswith(b",")
                check_canonical(element.removesuffix(b","))
                if not follows:
                    break
            value = lines.pop(0)
            assert value == (b"]" if last_key else b"],")
            continue
        value = value if last_key else value.removesuffix(b",")
        if key in LISTS:
            assert value == b"[]"
        else:
            check_canonical(value)
        assert last_key or line.endswith(b",")
    assert lines == []


def check_canonical(text: bytes) -> None:
    assert rfc8785.dumps(json.loads(text)) == text


SMALL = build_in_order(
    [noise(), entered("a"), write("note", {"b": 1, "a": 0.5}), noise(x="\u2028")]
)


def test_the_keys_and_their_order() -> None:
    assert list(SMALL) == KEYS
    assert list(json.loads(file_of(SMALL))) == KEYS


@pytest.mark.parametrize("artifact", [build(), SMALL], ids=["empty", "small"])
def test_the_grammar(artifact: JsonObject) -> None:
    check_grammar(file_of(artifact))


@given(calls())
def test_the_grammar_of_any_call(call: tuple[JsonObject, JsonObject]) -> None:
    check_grammar(file_of(build_call(*call)))


def test_the_checker_itself_is_strict() -> None:
    data = file_of(SMALL)
    for wrong in (
        data[:-1],
        data + b"\n",
        b"{\n" + data[1:],
        data[:-2] + b"\n}\n",
        data.replace(b'"events":[\n', b'"events":['),
        data.replace(b'"audio":[]', b'"audio":[\n]'),
        data.replace(b",\n", b",", 1),
        data.replace(b'"audio":[],\n', b""),
        data.replace(b'{"a":0.5,"b":1}', b'{"b":1,"a":0.5}'),
        data.replace(b'{"a":0.5', b'{ "a":0.5'),
        data.replace(b'"settings"', b'"settingz"'),
    ):
        assert wrong != data
        with pytest.raises((AssertionError, ValueError, IndexError)):
            check_grammar(wrong)


def test_the_hash_is_that_of_the_file() -> None:
    expected = "sha256:" + hashlib.sha256(file_of(SMALL)).hexdigest()
    assert artifact_hash(SMALL) == expected
    assert ArtifactView.of(SMALL).artifact_hash == expected


def test_the_hash_is_not_stored_inside() -> None:
    assert artifact_hash(SMALL).removeprefix("sha256:").encode() not in file_of(SMALL)


def test_a_missing_key_is_our_bug() -> None:
    with pytest.raises(KeyError):
        list(artifact_bytes({key: value for key, value in SMALL.items() if key != "flow"}))


def test_the_order_of_the_dicts_keys_does_not_matter() -> None:
    assert file_of(dict(reversed(SMALL.items()))) == file_of(SMALL)


@given(calls())
def test_events_made_when_looked_at_give_the_same_bytes(
    call: tuple[JsonObject, JsonObject],
) -> None:
    from support.records import FLOW, rows_of

    from engine.core.artifact import StreamInput
    from engine.core.contract.labels import Stream

    manifest, records = call
    assembled = assemble(
        manifest=manifest,
        streams=[StreamInput(stream=s, records=rows_of(records, s.value)) for s in Stream],
        flow_metadata=FLOW,
        audio_refs=[],
        keep=False,
    )
    assert b"".join(artifact_bytes(assembled.members())) == file_of(build_call(manifest, records))
