"""Reading sources: sizes are capped, and what is wrong is one typed error with its place."""

import hashlib
import zlib
from pathlib import Path

from engine.core.contract.errors import SessionInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.core.contract.strict_json import NotJson, decode_strict
from engine.importers.frame import Probe

SOURCE_BYTES_MAX = 1 << 30
"""Largest source that is read, unpacked."""
JSON_BYTES_MAX = 256 << 20
"""Largest JSON source: it is held in memory as values."""
HEAD_BYTES = 64 << 10
_GZIP = b"\x1f\x8b"


def source_error(
    path: Path, what: str, kind: str, *, byte_offset: int | None = None
) -> SessionInvalid:
    """Return the error for a source; `what` goes on from its name and says what to do."""
    detail: JsonObject = {"file": path.name, "kind": kind}
    if byte_offset is not None:
        detail["byte_offset"] = byte_offset
    return SessionInvalid(f"{path.name} {what}", detail)


def probe(path: Path) -> Probe:
    """Return the head of a file. Raises: SessionInvalid: it cannot be read."""
    packed = _read(path, HEAD_BYTES + 1)
    is_gzip = packed.startswith(_GZIP)
    head = packed
    if is_gzip:
        try:
            head = zlib.decompressobj(wbits=31).decompress(packed, HEAD_BYTES + 1)
        except zlib.error:
            head = b""
    whole = len(packed) <= HEAD_BYTES and len(head) <= HEAD_BYTES
    return Probe(path=path, head=head[:HEAD_BYTES], is_whole=whole, is_gzip=is_gzip)


def source_bytes(path: Path, *, limit: int = SOURCE_BYTES_MAX) -> bytes:
    """Return a source's content, unpacked where it is a gzip file.

    A gzip file that ends early gives what it holds up to there, as a recorder leaves it that died.
    Raises: SessionInvalid: not there, too large, or no gzip data.
    """
    data = _read(path, limit + 1)
    if data.startswith(_GZIP):
        data = _unpacked(path, data, limit)
    if len(data) > limit:
        what = f"holds more than {limit:,} bytes. Cut the recording, or ask for a larger limit."
        raise source_error(path, what, "TOO_LARGE")
    return data


def source_json(path: Path, *, limit: int = JSON_BYTES_MAX) -> JsonValue:
    """Return a source's JSON value. Raises: SessionInvalid."""
    try:
        return decode_strict(source_bytes(path, limit=limit))
    except NotJson as error:
        raise source_error(
            path, f"{error.reason}.", error.kind, byte_offset=error.byte_offset
        ) from error


def path_in_session(path: Path) -> str:
    """Return a path as a session may keep it: as given if relative, else the file's name."""
    inside = not path.is_absolute() and ".." not in path.parts
    return path.as_posix() if inside else path.name


def content_key(sources: "list[Path]") -> bytes:
    """Return a hash of names and contents of the sources, of 32 bytes. Raises: SessionInvalid."""
    digest = hashlib.sha256(b"spd-import/v1\0")
    for path in sources:
        content = hashlib.sha256(_read(path, SOURCE_BYTES_MAX + 1)).digest()
        digest.update(path.name.encode("utf-8", "surrogateescape") + b"\0" + content)
    return digest.digest()


def fingerprint_key(sources: "list[Path]") -> bytes:
    """Return a key of 32 bytes made from the sources' names and bytes. Raises: SessionInvalid.

    It does not follow from `content_key`, nor from the hashes that a manifest lists: only from the
    bytes themselves.
    """
    digest = hashlib.sha256(b"spd-import-key/v1\0")
    for path in sources:
        content = _read(path, SOURCE_BYTES_MAX + 1)
        digest.update(path.name.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.digest()


def _read(path: Path, size: int) -> bytes:
    try:
        if not path.is_file():
            what = "is not there. Check the path."
            if path.exists():
                what = "is no regular file. Name the file that the framework wrote."
            raise source_error(path, what, "NOT_FOUND")
        with path.open("rb") as file:
            return file.read(size)
    except (OSError, ValueError) as error:
        raise source_error(path, f"cannot be read: {error}.", "UNREADABLE_FILE") from error


def _unpacked(path: Path, packed: bytes, limit: int) -> bytes:
    """Return the content of all members of a gzip file, up to where it ends."""
    parts: list[bytes] = []
    size, rest = 0, packed
    while rest.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(rest, limit + 1 - size)
        except zlib.error as error:
            if not parts:
                what = f"is damaged gzip data ({error}). Copy it anew."
                raise source_error(path, what, "DAMAGED", byte_offset=0) from error
            break
        parts.append(part)
        size += len(part)
        if size > limit or not member.eof:
            break
        rest = member.unused_data
    return b"".join(parts)
