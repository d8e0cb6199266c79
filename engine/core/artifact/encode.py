"""The artifact's bytes: one grammar, one function, for every way an artifact comes about.

`{`, keys joined by `,` and a line feed, `}` and a line feed; each list element on its own line;
everything else RFC 8785. Source: contract "File layout".
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from engine.core.contract.canonical import canonical_bytes
from engine.core.contract.json_types import JsonObject, JsonValue

ARTIFACT_SCHEMA = "riff.state_program_debugger/v1"
ARTIFACT_KEYS = (
    "schema",
    "session",
    "flow",
    "settings",
    "slots",
    "visits",
    "playback",
    "audio",
    "findings",
    "problems",
    "unowned_events",
    "events",
)


ArtifactMembers: TypeAlias = Mapping[str, JsonValue | Sequence[JsonObject]]
"""An artifact: a JSON object, or one whose lists are made when looked at."""
LIST_KEYS = frozenset(ARTIFACT_KEYS[4:])


def artifact_bytes(artifact: ArtifactMembers) -> Iterator[bytes]:
    """Yield the artifact's file in pieces; joined they are the file.

    Cost: O(size), memory of one list element. Raises: KeyError for a missing key.
    """
    opening = b"{"
    for key in ARTIFACT_KEYS:
        value = artifact[key]
        yield opening + canonical_bytes(key) + b":"
        if key in LIST_KEYS and isinstance(value, Sequence) and not isinstance(value, str):
            yield b"["
            separator = b"\n"
            for element in value:
                yield separator + canonical_bytes(element)
                separator = b",\n"
            yield b"\n]" if value else b"]"
        else:
            assert not isinstance(value, Sequence) or isinstance(value, str)
            yield canonical_bytes(value)
        opening = b",\n"
    yield b"}\n"


def artifact_hash(artifact: ArtifactMembers) -> str:
    """Return `sha256:` of `artifact_bytes`; `sha256sum` of the file proves it."""
    digest = hashlib.sha256()
    for piece in artifact_bytes(artifact):
        digest.update(piece)
    return "sha256:" + digest.hexdigest()
