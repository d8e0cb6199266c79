"""Framing is byte-exact, linear, bounded, and says what is wrong with a stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_adapter.framing import (
    BODY_BYTES_MAX,
    HEADER_BYTES_MAX,
    FrameDecoder,
    FramingError,
    framed,
)

BODIES = st.lists(st.binary(max_size=200), max_size=6)


@given(BODIES, st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_any_cut_of_the_stream_gives_the_same_bodies(bodies: list[bytes], cuts: list[int]) -> None:
    stream, decoder, found, at, turn = b"".join(map(framed, bodies)), FrameDecoder(), [], 0, 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        found += decoder.feed(stream[at : at + size])
        at, turn = at + size, turn + 1
    assert found == bodies
    assert decoder.is_between_messages


def test_lengths_count_bytes() -> None:
    body = '{"say":"七時 🙂"}'.encode()
    assert framed(body).startswith(b"Content-Length: %d\r\n\r\n" % len(body))
    assert FrameDecoder().feed(framed(body)) == [body]


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2",
        b"CONTENT-LENGTH:2",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8",
        b"X-Whatever: 1\r\nContent-Length:   2",
        b"Content-Length: 2\r\nContent-Length: 2",
    ],
)
def test_headers_in_any_case_and_unknown_ones(header: bytes) -> None:
    assert FrameDecoder().feed(header + b"\r\n\r\n{}") == [b"{}"]


@pytest.mark.parametrize(
    "stream",
    [
        b"\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: two\r\n\r\n{}",
        b"Content-Length: 2.0\r\n\r\n{}",
        b"Content-Length:\r\n\r\n{}",
        b"Content-Length: %d\r\n\r\n" % (BODY_BYTES_MAX + 1),
        b"Content-Length: %s\r\n\r\n" % (b"9" * 5000),
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"no colon here\r\n\r\n",
        b"x" * (HEADER_BYTES_MAX + 1),
    ],
)
def test_what_is_no_frame_is_a_typed_error(stream: bytes) -> None:
    with pytest.raises(FramingError):
        FrameDecoder().feed(stream)


@given(st.binary(max_size=300))
def test_any_bytes_give_bodies_or_the_typed_error(data: bytes) -> None:
    try:
        bodies = FrameDecoder().feed(data)
    except FramingError:
        return
    assert all(framed(body) for body in bodies)


def test_half_a_message_is_known_to_be_half() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"Content-Length: 10\r\n\r\n{}") == []
    assert not decoder.is_between_messages
