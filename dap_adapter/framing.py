"""Content-Length framing: bytes to message bodies and back, nothing else.

Rules: pure; byte-exact (a length counts bytes); linear in the input however it is cut; bounded by
`BODY_BYTES_MAX` and `HEADER_BYTES_MAX`. Header names are read in any case; unknown headers are
skipped, or refused by a strict decoder, to which an HTTP request is no message. A stream that is
not framed like this cannot be read on: that is a `FramingError`.
"""

BODY_BYTES_MAX = 16 * 1024 * 1024
"""Longest message body that is taken."""

HEADER_BYTES_MAX = 8 * 1024
"""Longest header block that is taken, its closing blank line included."""

_DIGITS_MAX = 12
_HEADERS = (b"content-length", b"content-type")
_HEADER_NAME_LENGTH_MAX = max(map(len, _HEADERS))
_BLANK_LINE = b"\r\n\r\n"


class FramingError(Exception):
    """The byte stream is not a stream of framed messages; nothing after it can be trusted."""


class FrameDecoder:
    """Turns chunks of a byte stream into message bodies; a strict one takes no other headers."""

    def __init__(self, *, is_strict: bool = False) -> None:
        self._is_strict = is_strict
        self._buffer = bytearray()
        self._searched = 0
        self._body_length: int | None = None

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the bodies that `chunk` completes, in order; may be empty.

        Cost: O(len(chunk)) amortised. Raises: FramingError for a bad header or length.
        """
        self._buffer += chunk
        bodies: list[bytes] = []
        while (body := self._next_body()) is not None:
            bodies.append(body)
        return bodies

    @property
    def is_between_messages(self) -> bool:
        """Whether every byte fed so far belongs to a complete message."""
        return not self._buffer and self._body_length is None

    def _next_body(self) -> bytes | None:
        if self._body_length is None:
            self._body_length = self._take_header()
        if self._body_length is None or len(self._buffer) < self._body_length:
            return None
        body = bytes(self._buffer[: self._body_length])
        del self._buffer[: self._body_length]
        self._body_length = None
        return body

    def _take_header(self) -> int | None:
        """Return the length that the next header block announces; None while it is incomplete."""
        if self._is_strict:
            _check_start(self._buffer)
        end = self._buffer.find(_BLANK_LINE, self._searched)
        if max(end, len(self._buffer) if end < 0 else 0) > HEADER_BYTES_MAX:
            raise FramingError(f"a header is longer than {HEADER_BYTES_MAX} bytes")
        if end < 0:
            self._searched = max(0, len(self._buffer) - len(_BLANK_LINE) + 1)
            return None
        header = bytes(self._buffer[:end])
        del self._buffer[: end + len(_BLANK_LINE)]
        self._searched = 0
        return content_length(header, is_strict=self._is_strict)


def content_length(header: bytes, *, is_strict: bool = False) -> int:
    """Return the body length that a header block (without its blank line) announces.

    Raises: FramingError when it announces none, two different ones, or one out of bounds; a strict
    reading also where there is any other header than the protocol's two.
    """
    name, _, value = header.partition(b": ")
    if name == b"Content-Length" and value.isdigit() and len(value) <= _DIGITS_MAX:
        return _bounded(int(value))  # the one header that clients send
    lengths: set[int] = set()
    for line in header.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise FramingError("a header line has no colon")
        if is_strict and name.lower() not in _HEADERS:
            raise FramingError("a header is none of the protocol's")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            if not (digits.isdigit() and len(digits) <= _DIGITS_MAX):
                raise FramingError("Content-Length is not a length in bytes")
            lengths.add(int(digits))
    if len(lengths) != 1:
        raise FramingError("a header needs exactly one Content-Length")
    return _bounded(lengths.pop())


def _check_start(buffer: bytearray) -> None:
    """Refuse a stream as soon as its first bytes are no header of the protocol.

    Raises: FramingError.
    """
    head = bytes(buffer[:_HEADER_NAME_LENGTH_MAX]).lower()
    if not any(name.startswith(head[: len(name)]) for name in _HEADERS):
        raise FramingError("a message does not start with a header of the protocol")


def _bounded(length: int) -> int:
    if length > BODY_BYTES_MAX:
        raise FramingError(f"a message is longer than {BODY_BYTES_MAX} bytes")
    return length


def framed(body: bytes) -> bytes:
    """Return `body` with the header that announces it."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
