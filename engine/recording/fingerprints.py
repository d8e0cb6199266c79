"""Fingerprints under the key of one session: equal values are seen, the values are not.

HMAC-SHA256 over parts, each behind its length (4 bytes, big endian). The key is random, lives in
memory only, and is overwritten when the recording is closed. Source: design section 8.
"""

import hashlib
import hmac
import os
import weakref
from typing import NoReturn

from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.errors import RecordingFailed, RecordInvalid, SessionInvalid
from engine.core.contract.json_types import JsonValue
from engine.core.contract.numbers import keep_numbers

FINGERPRINT_SCHEME = "session-hmac-sha256/v1"
KEY_BYTES = 32
_JSON_TYPES: dict[type, bytes] = {
    str: b"string",
    bool: b"boolean",
    int: b"number",
    float: b"number",
    list: b"array",
    dict: b"object",
    type(None): b"null",
}


class SessionKey:
    """The key of one session. It is shown, copied and pickled nowhere."""

    __slots__ = ("__weakref__", "_bytes")

    def __init__(self, fixture_key: bytes | None = None) -> None:
        """Make a random key; `fixture_key` is for fixtures whose bytes must repeat, no real call.

        A key that is known to anybody makes short values easy to find by trying.
        """
        given = os.urandom(KEY_BYTES) if fixture_key is None else fixture_key
        assert len(given) == KEY_BYTES, "a session key has 32 bytes"
        self._bytes = bytearray(given)
        _KEYS.add(self)

    @property
    def is_forgotten(self) -> bool:
        """Whether `forget` was called: nothing more can be fingerprinted."""
        return not self._bytes

    def fingerprint(self, *parts: bytes) -> str:
        """Return `hmac-sha256:` and the digest of the parts.

        Raises: RecordingFailed: the key is forgotten.
        """
        if not self._bytes:
            raise RecordingFailed(
                "The recording is closed and its key is gone: nothing more can be fingerprinted.",
                {"kind": "CLOSED"},
            )
        message = b"".join([len(part).to_bytes(4, "big") + part for part in parts])
        return "hmac-sha256:" + hmac.digest(self._bytes, message, "sha256").hex()

    def forget(self) -> None:
        """Overwrite the key."""
        self._bytes[:] = bytes(len(self._bytes))
        self._bytes.clear()

    def __repr__(self) -> str:
        return "SessionKey(...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session's key is neither copied nor pickled")


_KEYS: "weakref.WeakSet[SessionKey]" = weakref.WeakSet()


def _forget_all() -> None:
    """Forget every key: a child process gets none."""
    for key in list(_KEYS):
        key.forget()


os.register_at_fork(after_in_child=_forget_all)


def value_fingerprint(key: SessionKey, slot: str, value: JsonValue) -> str:
    """Return the fingerprint of a slot's value; equal values of two slots differ."""
    return key.fingerprint(b"slot-fp/v1", _utf8(slot), _type_of(value), _canonical(value))


def arguments_fingerprint(key: SessionKey, tool: str, arguments: JsonValue) -> str:
    """Return the fingerprint of a tool's arguments, whatever the order of their keys."""
    return key.fingerprint(b"args-fp/v1", _utf8(tool), _type_of(arguments), _canonical(arguments))


def message_fingerprint(key: SessionKey, said: str) -> str | None:
    """Return the fingerprint of a message's text; None where it is found by trying."""
    return None if has_few_possibilities(said) else key.fingerprint(b"message-fp/v1", _utf8(said))


def audio_fingerprint(key: SessionKey, kind: str, content: bytes) -> str:
    """Return the fingerprint of what a playback plays: `kind` is `text` or `audio`."""
    return key.fingerprint(
        b"audio-fp/v1", kind.encode(), hashlib.sha256(content).hexdigest().encode()
    )


def has_few_possibilities(value: JsonValue) -> bool:
    """Return whether a value can be found by trying: such a redacted value gets no fingerprint.

    Booleans, numbers of up to 4 digits (also as text), texts of up to 2 characters. What a flow
    declares as an enumeration is for the caller to know.
    """
    match value:
        case bool():
            return True
        case int() | float():
            return sum(character.isdigit() for character in str(value)) <= 4
        case str():
            return len(value) <= 2 or (len(value) <= 4 and value.isdecimal())
        case _:
            return False


def _type_of(value: JsonValue) -> bytes:
    name = _JSON_TYPES.get(type(value))
    if name is None:
        raise _no_json()
    return name


def _canonical(value: JsonValue) -> bytes:
    """Return the RFC 8785 bytes of a value. Raises: RecordInvalid; it quotes nothing."""
    try:
        return canonical_bytes(keep_numbers({"value": value}).record["value"])
    except (SessionInvalid, ValueError, TypeError, AttributeError, RecursionError):
        raise _no_json() from None


def _utf8(name: str) -> bytes:
    try:
        return name.encode()
    except UnicodeEncodeError:
        raise _no_json() from None


def _no_json() -> RecordInvalid:
    return RecordInvalid(
        "A value is none that JSON has: NaN, an infinity, half of a surrogate pair, or an object "
        "of the engine. Nothing of it was written.",
        {"kind": "NOT_JSON"},
    )
