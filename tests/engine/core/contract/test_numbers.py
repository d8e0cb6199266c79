import copy
import json
import math

import pytest
from hypothesis import example, given
from support.records import ANY_VALUES

from engine.core.contract.canonical import INTEGER_MAX, canonical_bytes
from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.numbers import keep_numbers


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (0, 0),
        (INTEGER_MAX, INTEGER_MAX),
        (-INTEGER_MAX, -INTEGER_MAX),
        (INTEGER_MAX + 1, "9007199254740992"),
        (-INTEGER_MAX - 1, "-9007199254740992"),
        (2**70, "1180591620717411303424"),
        (0.5, 0.5),
        (-0.0, 0),
        (3.0, 3),
        (float(INTEGER_MAX), INTEGER_MAX),
        (2.0**53, "9007199254740992"),
        (1e21, "1e+21"),
        (-1e300, "-1e+300"),
        (True, True),
        (False, False),
    ],
)
def test_one_number(number: int | float, kept: JsonValue) -> None:
    found = keep_numbers({"n": number}).record["n"]
    assert found == kept
    assert type(found) is type(kept)


def test_pointers_name_every_number_kept_as_text() -> None:
    big = 2**60
    raw: JsonObject = {"a": [1, big, {"b/c": big, "d~e": 1e300}], "f": {"": big}, "g": 0.5}
    kept = keep_numbers(raw)
    assert sorted(kept.pointers) == ["/a/1", "/a/2/b~1c", "/a/2/d~0e", "/f/"]
    assert kept.record["g"] == 0.5


def test_an_exact_record_is_returned_itself() -> None:
    raw: JsonObject = {"a": [1, {"b": "2"}], "\u00e9": None}
    kept = keep_numbers(raw)
    assert kept.record is raw
    assert kept.pointers == ()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_json_does_not_have_is_refused_with_its_place(number: float) -> None:
    with pytest.raises(SessionInvalid) as refused:
        keep_numbers({"a": [{"b": number}]})
    assert refused.value.detail == {"kind": "NUMBER_RANGE", "pointer": "/a/0/b"}


@given(ANY_VALUES)
@example([2**53, 2.0**53, -0.0, 1e16, 123456789012345680.0])
def test_what_is_kept_survives_its_own_reload(value: JsonValue) -> None:
    raw: JsonObject = {"v": value}
    before = copy.deepcopy(raw)
    kept = keep_numbers(raw).record
    assert repr(raw) == repr(before)
    assert json.loads(canonical_bytes(kept)) == kept
    again = keep_numbers(kept)
    assert again.record == kept
    assert again.pointers == ()
