"""MessagePack streams: the same values as the reference decoder, places, and damage told."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.importers.message_pack import (
    DEPTH_MAX,
    NotMessagePack,
    as_json,
    packed_values,
    value_end,
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(1 << 63), max_value=(1 << 64) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@given(st.lists(values, max_size=5))
def test_a_stream_is_its_values_each_in_its_place(written: list[object]) -> None:
    pieces = [msgspec.msgpack.encode(value) for value in written]
    found = list(packed_values(b"".join(pieces)))
    assert [item.value for item in found] == written
    at = 0
    for item, piece in zip(found, pieces, strict=True):
        assert (item.offset, item.length) == (at, len(piece))
        at += len(piece)


@given(values, st.data())
def test_a_cut_is_told_with_the_place_where_the_value_begins(
    value: object, data: st.DataObject
) -> None:
    first, second = msgspec.msgpack.encode("first"), msgspec.msgpack.encode(value)
    at = data.draw(st.integers(min_value=1, max_value=max(1, len(second) - 1)))
    if at >= len(second):
        return
    found = packed_values(first + second[:at])
    assert next(found).value == "first"
    with pytest.raises(NotMessagePack) as caught:
        next(found)
    assert (caught.value.offset, caught.value.kind) == (len(first), "CUT_OFF")


@given(st.binary(max_size=60))
def test_any_bytes_give_values_or_a_told_flaw(data: bytes) -> None:
    kinds = set[str]()
    try:
        list(packed_values(data))
    except NotMessagePack as error:
        kinds.add(error.kind)
    assert kinds <= {"CUT_OFF", "DAMAGED", "TOO_DEEP"}


def test_depth_is_limited() -> None:
    with pytest.raises(NotMessagePack) as caught:
        value_end(b"\x91" * (DEPTH_MAX + 5) + b"\xc0", 0)
    assert caught.value.kind == "TOO_DEEP"


def test_a_count_that_is_a_lie_costs_nothing() -> None:
    with pytest.raises(NotMessagePack) as caught:
        value_end(b"\xdd\xff\xff\xff\xff\xc0", 0)
    assert caught.value.kind == "CUT_OFF"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "nan"),
        (b"abc", "<bytes len=3>"),
        (msgspec.msgpack.Ext(5, b"\x80\x03"), "<extension 5 len=2>"),
        ({1: "a"}, {"1": "a"}),
        ((1, 2), [1, 2]),
    ],
)
def test_what_json_does_not_have_is_a_text(value: object, shown: object) -> None:
    assert as_json(value) == shown


def test_an_extension_is_never_loaded() -> None:
    data = msgspec.msgpack.encode(msgspec.msgpack.Ext(42, b"cos\nsystem\n"))
    assert [item.value for item in packed_values(data)] == ["<extension 42 len=11>"]
