"""The three envelopes of the protocol and their JSON: requests in, responses and events out.

Rules: one typed decode for a request, one encode for a message. What cannot be read as a request
but names its `seq` is still answered, so nothing that a client waits for stays open.
"""

from typing import Literal, TypeAlias

import msgspec

from dap_adapter.errors import DapError, malformed_request


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it came; `arguments` are decoded by the handler's type."""

    seq: int
    command: str
    type: Literal["request"] = "request"
    arguments: msgspec.Raw = msgspec.Raw(b"")


class Response(msgspec.Struct, tag_field="type", tag="response", omit_defaults=True, kw_only=True):
    """The one answer to a request."""

    seq: int
    request_seq: int
    success: bool
    command: str
    message: str | None = None
    body: msgspec.Struct | None = None


class Event(msgspec.Struct, tag_field="type", tag="event", omit_defaults=True, kw_only=True):
    """Something that the client did not ask for."""

    seq: int
    event: str
    body: msgspec.Struct | None = None


Message: TypeAlias = Response | Event


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A message that is no request; `seq` is None when there is nobody to answer."""

    seq: int | None
    command: str
    error: DapError


class _Envelope(msgspec.Struct, frozen=True):
    """What can be saved of a message whose shape is wrong."""

    seq: object = None
    type: object = None
    command: object = None


_decode_request = msgspec.json.Decoder(Request).decode
_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_encode = msgspec.json.Encoder().encode


def decoded(body: bytes) -> Request | Unreadable:
    """Return the request in a message body, or what is wrong with it."""
    try:
        return _decode_request(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _unreadable(body, malformed_request(str(error)))


def _unreadable(body: bytes, error: DapError) -> Unreadable:
    try:
        envelope = _decode_envelope(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Unreadable(seq=None, command="", error=error)
    is_answer = envelope.type in ("response", "event")
    seq = envelope.seq if type(envelope.seq) is int and not is_answer else None
    command = envelope.command if isinstance(envelope.command, str) else ""
    return Unreadable(seq=seq, command=command, error=error)


def encoded(message: Message) -> bytes:
    """Return the JSON of a message, without framing."""
    return _encode(message)
