"""Where an artifact's members come from: a JSON object in memory, or its file, line by line.

The file's grammar puts every list element on a line of its own, so a file of any size is read
through the offsets of its lines and nothing is decoded before it is looked at.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec

from engine.core.artifact.encode import ARTIFACT_KEYS, LIST_KEYS
from engine.core.contract.errors import ArtifactInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, text

Buffer: TypeAlias = "bytes | memoryview"
"""An artifact file's bytes, in memory or mapped."""

_decode = msgspec.json.Decoder().decode
_decode_text = msgspec.json.Decoder(str).decode


class ArtifactSource(Protocol):
    """An artifact whose lists are looked at row by row."""

    def member(self, key: str) -> JsonValue:
        """Return a member that is no list."""
        ...

    def rows(self, key: str) -> Sequence[JsonObject]:
        """Return a list member."""
        ...

    def event_id(self, index: int) -> str:
        """Return the id of event `index`."""
        ...


class MemoryArtifact:
    """An artifact held as a JSON object."""

    def __init__(self, artifact: JsonObject) -> None:
        """Take the artifact; its lists hold objects."""
        self._artifact = artifact
        self._events = self.rows("events")

    def member(self, key: str) -> JsonValue:
        """Return a member that is no list."""
        return self._artifact[key]

    def rows(self, key: str) -> Sequence[JsonObject]:
        """Return a list member."""
        listed = self._artifact[key]
        assert isinstance(listed, list)
        return listed  # pyright: ignore[reportReturnType]

    def event_id(self, index: int) -> str:
        """Return the id of event `index`."""
        event_id = text(self._events[index], "event_id")
        assert event_id is not None
        return event_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Where an artifact file's lines begin, and which of them each key has.

    `offsets` has one more entry than there are lines: the file's length. `keys`: by key, the line
    that it begins on and, for a list, how many element lines follow.
    """

    offsets: Sequence[int]
    keys: dict[str, tuple[int, int]]


class FileArtifact:
    """An artifact as its file: decoded when looked at."""

    def __init__(self, buffer: Buffer, lines: Lines) -> None:
        """Take a file's bytes and its lines (see `find_lines`)."""
        self.buffer = buffer
        self.lines = lines
        self._first_event = lines.keys["events"][0] + 1

    def member(self, key: str) -> JsonValue:
        """Return a member that is no list. Cost: O(its size)."""
        line, _ = self.lines.keys[key]
        raw = self.line(line)
        value = raw[raw.index(b":") + 1 :].removesuffix(b"\n").removesuffix(b",")
        return _decode(value)

    def rows(self, key: str) -> "FileRows":
        """Return a list member."""
        line, count = self.lines.keys[key]
        return FileRows(self, line + 1, count)

    def row(self, line: int) -> JsonObject:
        """Return the list element on a line."""
        return _decode(self.line(line).removesuffix(b"\n").removesuffix(b","))

    def event_id(self, index: int) -> str:
        """Return the id of event `index`: its line begins with it. Cost: O(id)."""
        start = self.lines.offsets[self._first_event + index]
        head = bytes(self.buffer[start + len(_EVENT_HEAD) - 1 : start + 256])
        stop = head.find(b'","owner"', 1)
        if stop < 0:
            return str(self.row(self._first_event + index)["event_id"])
        return _decode_text(head[: stop + 1])

    def line(self, line: int) -> bytes:
        """Return a whole line, its line feed included."""
        offsets = self.lines.offsets
        return bytes(self.buffer[offsets[line] : offsets[line + 1]])


_EVENT_HEAD = b'{"event_id":"'


class FileRows(Sequence[JsonObject]):
    """A list member of an artifact file."""

    def __init__(self, artifact: FileArtifact, first_line: int, count: int) -> None:
        """Take the artifact and the lines of the list's elements."""
        self._artifact = artifact
        self._first_line = first_line
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> JsonObject:  # pyright: ignore[reportIncompatibleMethodOverride]
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self._artifact.row(self._first_line + index)


def find_lines(buffer: Buffer) -> Lines:
    """Return the lines of an artifact file.

    Cost: O(size). Raises: ArtifactInvalid (`NOT_CANONICAL`) where the layout is another.
    """
    offsets = array("Q", [0])
    data = memoryview(buffer)
    offsets.extend(_line_ends(buffer))
    if offsets[-1] != len(data):
        raise not_canonical(offsets[-1])
    line, keys = 0, dict[str, tuple[int, int]]()
    for key in ARTIFACT_KEYS:
        if line + 1 >= len(offsets):
            raise not_canonical(offsets[-1])
        opening = (b"{" if not keys else b"") + f'"{key}":'.encode()
        start = offsets[line]
        if bytes(data[start : start + len(opening)]) != opening:
            raise not_canonical(start)
        count = _element_count(data, offsets, line, opening) if key in LIST_KEYS else None
        keys[key] = (line, count or 0)
        line += 1 if not count else count + 2
    if line != len(offsets) - 1:
        raise not_canonical(offsets[line])
    return Lines(offsets=offsets, keys=keys)


_CHUNK = 1 << 20


def _line_ends(buffer: Buffer) -> "array[int]":
    """Return the offset behind each line feed."""
    ends = array("Q")
    for base in range(0, len(buffer), _CHUNK):
        piece = bytes(buffer[base : base + _CHUNK])
        at = piece.find(b"\n")
        while at >= 0:
            ends.append(base + at + 1)
            at = piece.find(b"\n", at + 1)
    return ends


def _element_count(data: memoryview, offsets: Sequence[int], line: int, opening: bytes) -> int:
    """Return how many element lines follow the line on which a list begins."""
    rest = bytes(data[offsets[line] + len(opening) : offsets[line + 1]])
    if rest in {b"[],\n", b"[]}\n"}:
        return 0
    if rest != b"[\n":
        raise not_canonical(offsets[line])
    count = 0
    while line + count + 2 < len(offsets):
        start = offsets[line + count + 1]
        if bytes(data[start : start + 1]) == b"]":
            return count
        count += 1
    raise not_canonical(offsets[-1])


def not_canonical(byte_offset: int) -> ArtifactInvalid:
    """Return the error for a file that `artifact_bytes` would write differently from there on."""
    return ArtifactInvalid(
        "The artifact was edited or reformatted after it was built, so its hash proves nothing. "
        "Build it again with `spd build SESSION --out FILE`.",
        {"kind": "NOT_CANONICAL", "byte_offset": byte_offset},
    )
