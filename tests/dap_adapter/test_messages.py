"""Envelopes: what is decoded, what is answered although it cannot be decoded, what is sent."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.messages import Event, Request, Response, Unreadable, decoded, encoded
from dap_adapter.protocol import DataBreakpointInfoResponseBody, ErrorMessage


def test_a_request_keeps_its_arguments_raw() -> None:
    request = decoded(b'{"seq":0,"type":"request","command":"launch","arguments":{"a":[1]}}')
    assert isinstance(request, Request)
    assert (request.seq, request.command, bytes(request.arguments)) == (0, "launch", b'{"a":[1]}')


@pytest.mark.parametrize(
    ("body", "seq"),
    [
        (b"", None),
        (b"nonsense", None),
        (b"[1]", None),
        (b"\xff\xfe", None),
        (b'{"seq":"one","type":"request","command":"next"}', None),
        (b'{"seq":7,"type":"request"}', 7),
        (b'{"seq":7,"type":"request","command":5}', 7),
        (b'{"seq":7,"type":"quest","command":"next"}', 7),
        (b'{"seq":7,"type":"response","command":"runInTerminal","success":true}', None),
        (b'{"seq":7,"type":"event","event":"x"}', None),
        (b"[" * 100_000, None),
    ],
)
def test_what_is_no_request_names_whom_to_answer(body: bytes, seq: int | None) -> None:
    message = decoded(body)
    assert isinstance(message, Unreadable)
    assert message.seq == seq


@given(st.binary(max_size=100))
def test_any_body_is_a_request_or_unreadable(body: bytes) -> None:
    assert isinstance(decoded(body), Request | Unreadable)


def test_absent_fields_are_not_sent_and_required_nulls_are() -> None:
    body = DataBreakpointInfoResponseBody(data_id=None, description="no")
    response = Response(seq=1, request_seq=2, success=True, command="x", body=body)
    assert json.loads(encoded(response)) == {
        "type": "response",
        "seq": 1,
        "request_seq": 2,
        "success": True,
        "command": "x",
        "body": {"dataId": None, "description": "no"},
    }
    assert json.loads(encoded(Event(seq=1, event="initialized"))) == {
        "type": "event",
        "seq": 1,
        "event": "initialized",
    }


def test_null_in_an_optional_field_reads_as_absent() -> None:
    text = b'{"id":1,"format":"x","url":null,"variables":null}'
    assert msgspec.json.decode(text, type=ErrorMessage) == ErrorMessage(id=1, format="x")
