"""WAV files made by hand: every format that is read, and every lie that a header can tell."""

import struct
from dataclasses import dataclass

FORMATS: dict[str, tuple[int, int, str]] = {
    "pcm_u8": (1, 8, "<"),
    "pcm_s16le": (1, 16, "<"),
    "pcm_s16be": (1, 16, ">"),
    "pcm_s24le": (1, 24, "<"),
    "pcm_s24be": (1, 24, ">"),
    "pcm_s32le": (1, 32, "<"),
    "pcm_s32be": (1, 32, ">"),
    "float32le": (3, 32, "<"),
    "float32be": (3, 32, ">"),
    "mulaw": (7, 8, "<"),
    "alaw": (6, 8, "<"),
}
"""By the format's name: code, bits, byte order."""
OPEN = 0xFFFF_FFFF
_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")[2:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a header says; None: what is true."""

    format_name: str = "pcm_s16le"
    channels: int = 1
    rate: int = 8000
    code: int | None = None
    bits: int | None = None
    frame_bytes: int | None = None
    riff_size: int | None = None
    data_size: int | None = None
    magic: bytes | None = None
    extensible: bool = False
    ds64_size: int | None = None
    before: bytes = b""
    """Chunks between format and data."""
    after: bytes = b""
    """What follows the data."""


def chunk(name: bytes, body: bytes, *, order: str = "<", size: int | None = None) -> bytes:
    """Return a chunk, padded to an even length."""
    length = len(body) if size is None else size
    return name + struct.pack(order + "I", length) + body + b"\0" * (len(body) % 2)


def format_chunk(header: Header) -> bytes:
    """Return the format chunk that a header has."""
    code, bits, order = FORMATS[header.format_name]
    code = code if header.code is None else header.code
    bits = bits if header.bits is None else header.bits
    width = header.channels * bits // 8 if header.frame_bytes is None else header.frame_bytes
    rate = header.rate
    first = 0xFFFE if header.extensible else code
    speed = min(rate * width, OPEN)
    body = struct.pack(order + "HHIIHH", first, header.channels, rate, speed, width, bits)
    if header.extensible:
        body += struct.pack(order + "HHI", 22, bits, 0) + struct.pack(order + "I", code)
        body += _GUID_TAIL
    return chunk(b"fmt ", body, order=order)


def wav(data: bytes, header: Header) -> bytes:
    """Return the file of these sample bytes under this header."""
    order = FORMATS[header.format_name][2]
    magic = header.magic or (b"RIFF" if order == "<" else b"RIFX")
    body = format_chunk(header) + header.before
    body += chunk(b"data", data, order=order, size=header.data_size) + header.after
    if magic == b"RF64":
        size = len(data) if header.ds64_size is None else header.ds64_size
        body = chunk(b"ds64", struct.pack("<QQQI", len(body) + 40, size, 0, 0)) + body
    riff_size = len(body) + 4 if header.riff_size is None else header.riff_size
    return magic + struct.pack(order + "I", riff_size) + b"WAVE" + body
