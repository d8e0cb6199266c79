"""The cache of artifacts and indexes in the user's cache folder.

A session directory's file list names the hash of its artifact, and under that hash lie the artifact
and its index. What is read is checked against the hash; all is made anew when missing or damaged,
and nothing is lost when the folder is deleted. `SPD_CACHE` names another folder; `SPD_CACHE=off`
means none.
"""

import contextlib
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

import engine
from engine.core.artifact import (
    ArtifactView,
    Assembled,
    FileArtifact,
    artifact_bytes,
    read_artifact,
    view_of,
)
from engine.core.contract.errors import ArtifactInvalid
from engine.recording.artifact_file import write_whole
from engine.recording.index_file import IndexDamaged, index_bytes, read_index
from engine.recording.mapped import map_file

_OFF = "off"


def cache_folder() -> Path | None:
    """Return the folder for what can be made again, made if needed; None where there is none."""
    named = os.environ.get("SPD_CACHE")
    if named == _OFF:
        return None
    try:
        folder = Path(named) if named else _user_folder()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder


def _user_folder() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415  not needed where SPD_CACHE is set

    return user_cache_path("state-program-debugger", appauthor=False)


def session_key(directory: Path) -> str:
    """Return the hash that names a session directory's artifact: of its sorted file list.

    Cost: one read of every file. Raises: OSError.
    """
    digest = hashlib.sha256(builder_key())
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        name = path.relative_to(directory).as_posix()
        row = f"{name}\0{path.stat().st_size}\0{content}\n"
        digest.update(row.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def builder_key() -> bytes:
    """Return what changes whenever the code that builds artifacts does."""
    root = Path(engine.__file__).parent
    stats = [(path.relative_to(root), path.stat()) for path in sorted(root.rglob("*.py"))]
    return "".join(f"{name} {stat.st_size} {stat.st_mtime_ns}\n" for name, stat in stats).encode()


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache folder: which artifact a session directory gives, artifacts, and their indexes."""

    folder: Path

    def view_of_session(self, key: str) -> ArtifactView | None:
        """Return the view of a session's artifact, or None where it is missing or damaged."""
        try:
            noted = (self.folder / f"{key}.session").read_text(encoding="ascii")
            view = view_file(self.artifact(noted))
        except (OSError, ValueError, ArtifactInvalid):
            return None
        return view if view.artifact_hash == noted else None

    def store_session(self, key: str, assembled: Assembled) -> bool:
        """Write a session's artifact; return whether that could be done."""
        try:
            part = self.folder / f"{key}.part"
            digest = write_whole(part, artifact_bytes(assembled.members()))
            part.replace(self.artifact(digest))
            write_whole(self.folder / f"{key}.session", [digest.encode("ascii")])
        except OSError:
            return False
        return True

    def artifact(self, digest: str) -> Path:
        """Return where the artifact of this hash lies."""
        return self.folder / f"{_hex(digest)}.artifact.json"

    def index(self, digest: str) -> Path:
        """Return where the index of the artifact of this hash lies."""
        return self.folder / f"{_hex(digest)}.index"


def _hex(digest: str) -> str:
    """Return the hexadecimal part of a hash. Raises: ValueError for anything else."""
    found = re.fullmatch(r"sha256:([0-9a-f]{64})", digest)
    if found is None:
        raise ValueError(digest)
    return found[1]


def view_file(path: Path) -> ArtifactView:
    """Return the view of an artifact file, by its index where the cache has a sound one.

    The file's content is hashed at every opening, so an index never belongs to other bytes.

    Raises: OSError; ArtifactInvalid where the file is no artifact.
    """
    data = map_file(path)
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    folder = cache_folder()
    index = Cache(folder).index(digest) if folder is not None else None
    if index is not None:
        try:
            found = map_file(index)
            columns, lines = read_index(found, artifact_hash=digest, artifact_size=len(data))
            return ArtifactView(FileArtifact(data, lines), columns, digest=digest)
        except (OSError, IndexDamaged):
            pass  # not there yet, or damaged
    source = read_artifact(data)
    view = view_of(source, digest=digest)
    if index is not None:
        with contextlib.suppress(OSError):
            write_whole(index, index_bytes(view.columns, source.lines, artifact_hash=digest))
    return view
