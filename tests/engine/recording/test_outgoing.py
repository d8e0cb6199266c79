import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import RecordInvalid
from engine.core.contract.numbers import keep_numbers
from engine.core.contract.strict_json import decode_strict
from engine.recording import outgoing
from engine.recording.outgoing import check_record, spelt

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_a_line_is_what_a_reader_shows_of_the_record(record) -> None:
    line = spelt(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    read = decode_strict(line)
    assert keep_numbers(read).record == keep_numbers(record).record
    assert keep_numbers(read).pointers == ()


ODD = st.sampled_from([float("nan"), float("inf"), "\ud800", b"x", (1,), {1}, object(), {1: 2}])


@given(ODD, st.integers(0, 3))
def test_what_json_does_not_have_is_refused(odd, depth) -> None:
    value = odd
    for _ in range(depth):
        value = [value]
    with pytest.raises(RecordInvalid):
        spelt({"type": "x", "value": value})


def test_a_line_too_long_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(outgoing, "LINE_BYTES_MAX", 100)
    with pytest.raises(RecordInvalid) as refused:
        spelt({"type": "x", "text": "a" * 200})
    assert refused.value.detail["kind"] == "TOO_LARGE"
    with pytest.raises(RecordInvalid):
        spelt({"type": "x", "text": "a" * 200, "n": 2**70})


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list = []
    value.append(value)
    with pytest.raises(RecordInvalid):
        spelt({"type": "x", "value": value})


def test_the_error_names_the_field_and_quotes_nothing() -> None:
    with pytest.raises(RecordInvalid) as refused:
        check_record({"type": "slot_write", "slot": "s", "availability": "Alex Doe"})
    assert refused.value.detail == {
        "type": "slot_write",
        "kind": "FIELD_INVALID",
        "field": "$.availability",
    }
    assert "Alex" not in json.dumps(refused.value.as_json())
