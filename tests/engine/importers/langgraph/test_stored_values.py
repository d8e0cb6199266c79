"""Stored values as plain JSON: classes are named, never made."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.importers.langgraph.stored_values import (
    DEPTH_MAX,
    is_opaque,
    plain_message,
    stored_value,
)

Ext = msgspec.msgpack.Ext
PACK = msgspec.msgpack.encode


def called(code: int, *parts: object) -> Ext:
    return Ext(code, PACK(list(parts)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        ({"a": [1, 2.5, "x", True]}, {"a": [1, 2.5, "x", True]}),
        ({1: "one"}, {"1": "one"}),
        (b"abc", {"opaque": "bytes", "bytes": 3}),
        (float("nan"), "nan"),
        (called(0, "builtins", "set", [1, 2]), [1, 2]),
        (called(0, "decimal", "Decimal", "1.50"), "1.50"),
        (called(1, "datetime", "date", [2026, 12, 1]), "2026-12-01"),
        (called(1, "langgraph.types", "Send", ["check", {"n": 1}]),
         {"send_to": "check", "arg": {"n": 1}}),
        (called(2, "langgraph.types", "Interrupt", {"value": 1, "id": "i"}),
         {"value": 1, "id": "i"}),
        (called(3, "datetime", "datetime", "2026-12-01T00:00:00", "fromisoformat"),
         "2026-12-01T00:00:00"),
        (called(5, "app", "Order", {"n": 1}, "model_validate_json"), {"n": 1}),
        (Ext(7, PACK([1])), [1]),
    ],
)  # fmt: skip
def test_a_value_is_what_it_holds(value: object, shown: object) -> None:
    assert stored_value("msgpack", PACK(value)) == shown


def test_a_message_is_its_words() -> None:
    fields = {
        "content": [{"type": "text", "text": "Hello"}, {"type": "image_url"}, " there"],
        "type": "ai",
        "id": "m1",
        "tool_calls": [{"name": "look", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
    }
    message = called(5, "langchain_core.messages.ai", "AIMessage", fields, "model_validate_json")
    assert stored_value("msgpack", PACK(message)) == {
        "role": "ai",
        "text": "Hello there",
        "id": "m1",
        "other_parts": 1,
        "tool_calls": [{"id": "c1", "name": "look", "args": {"a": 1}}],
    }
    older = {"lc": 2, "type": "constructor", "id": ["langchain", "HumanMessage"]}
    assert stored_value("json", json.dumps({**older, "kwargs": {"content": "Hi"}}).encode()) == {
        "role": "human",
        "text": "Hi",
        "id": None,
    }
    assert plain_message({"type": "ai"}) is None
    assert plain_message({"type": "car", "content": "x"}) is None


@pytest.mark.parametrize("code", range(6))
def test_no_class_or_function_that_a_value_names_is_called(code: int) -> None:
    """Were it called, the process would end here."""
    value = called(code, "os", "_exit", 3, "_exit")
    assert stored_value("msgpack", PACK([value])) == [3]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("pickle", b"\x80\x04."),
        ("msgpack+aes", b"secret"),
        (None, b"x"),
        ("msgpack", b"\xc1"),
        ("msgpack", b"\x93\x01"),
        ("json", b"{"),
        ("msgpack", PACK(Ext(42, b"x"))),
        ("msgpack", PACK(Ext(6, b"x"))),
        ("msgpack", PACK(Ext(0, PACK(["too", "short"])))),
    ],
)
def test_what_cannot_be_read_says_so(kind: str | None, data: bytes) -> None:
    assert is_opaque(stored_value(kind, data))


def test_an_empty_value_is_none() -> None:
    assert stored_value("null", None) is None
    assert stored_value("empty", b"") is None
    assert stored_value(None, None) is None
    assert stored_value("json", b'{"a": 1}') == {"a": 1}


def test_nesting_is_bounded() -> None:
    """Lists and extensions within each other do not exhaust the interpreter."""
    value: object = 1
    for _ in range(DEPTH_MAX + 40):
        value = called(0, "builtins", "list", [value])
    text = json.dumps(stored_value("msgpack", PACK(value)))
    assert "nested too deep" in text
    deep = b"\x91" * 100_000 + b"\x01"
    assert "opaque" in json.dumps(stored_value("msgpack", deep))


def test_a_timestamp_is_iso_text() -> None:
    moment = datetime(2026, 12, 1, tzinfo=UTC)
    assert stored_value("msgpack", PACK(moment)) == "2026-12-01T00:00:00+00:00"


@given(st.binary(max_size=200), st.sampled_from(["msgpack", "json", "bytes", "pickle"]))
def test_any_bytes_give_json(data: bytes, kind: str) -> None:
    json.dumps(stored_value(kind, data), allow_nan=False)
    json.dumps(stored_value("msgpack", PACK(Ext(data[0] % 9 if data else 0, data))))
