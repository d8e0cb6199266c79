import copy
import gc
import hashlib
import hmac
import os
import pickle
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.contract.errors import RecordingFailed, RecordInvalid
from engine.recording.fingerprints import (
    KEY_BYTES,
    SessionKey,
    arguments_fingerprint,
    audio_fingerprint,
    has_few_possibilities,
    message_fingerprint,
    value_fingerprint,
)
from engine.recording.session_context import SessionContext

KEY = bytes(range(32))


def expected(*parts: bytes) -> str:
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return "hmac-sha256:" + hmac.new(KEY, message, hashlib.sha256).hexdigest()


@pytest.mark.parametrize(
    ("value", "kind", "spelt"),
    [
        ("Riley", b"string", b'"Riley"'),
        (None, b"null", b"null"),
        (12, b"number", b"12"),
        (1.5, b"number", b"1.5"),
        (2.0, b"number", b"2"),
        (True, b"boolean", b"true"),
        ({"b": 1, "a": [2]}, b"object", b'{"a":[2],"b":1}'),
        ([], b"array", b"[]"),
    ],
)
def test_the_bytes_are_those_of_the_design(value, kind, spelt) -> None:
    found = value_fingerprint(SessionKey(KEY), "caller", value)
    assert found == expected(b"slot-fp/v1", b"caller", kind, spelt)


def test_the_bytes_of_audio_arguments_and_messages() -> None:
    key = SessionKey(KEY)
    digest = hashlib.sha256(b"pcm").hexdigest().encode()
    assert audio_fingerprint(key, "audio", b"pcm") == expected(b"audio-fp/v1", b"audio", digest)
    spelt = b'{"a":1,"b":"x"}'
    found = arguments_fingerprint(key, "book", {"b": "x", "a": 1})
    assert found == expected(b"args-fp/v1", b"book", b"object", spelt)
    assert message_fingerprint(key, "hello") == expected(b"message-fp/v1", b"hello")
    assert message_fingerprint(key, "4821") is None


@given(st.lists(st.binary(max_size=6), max_size=4), st.lists(st.binary(max_size=6), max_size=4))
def test_parts_that_differ_have_fingerprints_that_differ(one, other) -> None:
    key = SessionKey(KEY)
    assert (key.fingerprint(*one) == key.fingerprint(*other)) == (one == other)


def test_a_slot_a_type_or_a_value_makes_the_difference() -> None:
    key = SessionKey()
    found = {
        value_fingerprint(key, "a", "1"),
        value_fingerprint(key, "b", "1"),
        value_fingerprint(key, "a", 1),
        value_fingerprint(key, "a", [1]),
    }
    assert len(found) == 4


@pytest.mark.parametrize("value", [True, False, 0, 9999, -12, 1.25, "", "ab", "4821", "٣٤٥"])
def test_few_possibilities(value) -> None:
    assert has_few_possibilities(value)


@pytest.mark.parametrize("value", [12345, 1234.5, "abc", "48215", "4B2C", [], {}, None])
def test_many_possibilities(value) -> None:
    assert not has_few_possibilities(value)


def test_a_key_is_random_and_of_32_bytes() -> None:
    one, other = SessionKey(), SessionKey()
    assert one.fingerprint(b"x") != other.fingerprint(b"x")
    assert KEY_BYTES == 32


def test_the_key_is_overwritten() -> None:
    key = SessionKey(KEY)
    held = next(item for item in gc.get_referents(key) if isinstance(item, bytearray))
    view = bytes(held)
    assert view == KEY
    key.forget()
    assert key.is_forgotten
    assert not held
    with pytest.raises(RecordingFailed):
        key.fingerprint(b"x")


def test_the_key_is_shown_copied_and_pickled_nowhere() -> None:
    context = SessionContext("v3:x", key=SessionKey(KEY))
    for thing in (context.key, context):
        for duplicate in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                duplicate(thing)
        assert KEY.hex() not in repr(thing)
        assert not hasattr(thing, "__dict__")
    try:
        context.key.fingerprint("no bytes")
    except TypeError as error:
        shown = "".join(traceback.format_exception(error)) + repr(error)
        assert all(spelling not in shown for spelling in (KEY.hex(), repr(KEY)))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_process_has_no_key() -> None:
    key = SessionKey(KEY)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"gone" if key.is_forgotten else b"kept")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 4) == b"gone"
    assert not key.is_forgotten
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("value", [float("nan"), "a\ud800", {"k\udfff": 1}, b"raw"])
def test_an_error_quotes_no_value(value) -> None:
    with pytest.raises(RecordInvalid) as refused:
        value_fingerprint(SessionKey(), "slot", value)
    shown = "".join(traceback.format_exception(refused.value))
    assert "raw" not in shown.replace("fingerprints", "")
    assert refused.value.detail == {"kind": "NOT_JSON"}
