import pytest

from engine.core.contract.json_types import JsonObject, integer, mapping, rows, text, texts

RECORD: JsonObject = {
    "text": "t",
    "empty": "",
    "int": 3,
    "bool": True,
    "float": 3.0,
    "null": None,
    "list": [{"a": 1}, "x", None, {"b": 2}, ["y"], "z", 1],
    "object": {"k": "v"},
}


@pytest.mark.parametrize(
    ("key", "expected"),
    [("text", "t"), ("empty", ""), ("int", None), ("null", None), ("list", None), ("none", None)],
)
def test_text(key: str, expected: str | None) -> None:
    assert text(RECORD, key) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [("int", 3), ("bool", None), ("float", None), ("text", None), ("null", None), ("none", None)],
)
def test_integer(key: str, expected: int | None) -> None:
    assert integer(RECORD, key) == expected


def test_rows_and_texts_pick_their_own_kind_in_order() -> None:
    assert rows(RECORD, "list") == [{"a": 1}, {"b": 2}]
    assert texts(RECORD, "list") == ["x", "z"]
    for key in ("text", "object", "none", "null"):
        assert rows(RECORD, key) == []
        assert texts(RECORD, key) == []


def test_mapping() -> None:
    assert mapping(RECORD, "object") == {"k": "v"}
    assert mapping(RECORD, "list") == {}
    assert mapping(RECORD, "none") == {}
