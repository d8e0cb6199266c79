"""Scripts: what is read, and each refusal with its place."""

import pytest

from engine.core.contract.errors import ScriptInvalid
from engine.runtime import read_script

HEAD = "schema: riff.call_script/v1\nsession_id: v3:x\n"


def test_a_script_is_read() -> None:
    script = read_script(f"{HEAD}steps:\n  - say: {{gemini: hi}}\n".encode(), file="c.yaml")
    assert script.steps[0].say == {"gemini": "hi"}
    assert script.sample_rate == 8000


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("schema: [", "SYNTAX", "c.yaml:1"),
        (HEAD + "stepps: []\n", "SHAPE", "stepps"),
        (HEAD + "steps:\n  - {press: 2}\n", "SHAPE", "press"),
        (HEAD + "sample_rate: 11025\n", "SHAPE", "sample_rate"),
        (HEAD + "x: !!python/object:os.system {}\n", "SYNTAX", "c.yaml:3"),
        ("- 1\n", "SHAPE", "c.yaml"),
        ("\x00", "SYNTAX", "c.yaml"),
    ],
)
def test_a_wrong_script_is_a_typed_error(text: str, kind: str, place: str) -> None:
    with pytest.raises(ScriptInvalid) as caught:
        read_script(text.encode(), file="c.yaml")
    assert caught.value.detail["kind"] == kind
    assert place in caught.value.message


def test_a_file_of_any_size_or_encoding_is_refused() -> None:
    for data in (b"\xff\xfe", b" " * (4 << 20) + b" "):
        with pytest.raises(ScriptInvalid):
            read_script(data, file="c.yaml")
