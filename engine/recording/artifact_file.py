"""Files written whole or not at all: artifacts, and what is cached of them."""

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from engine.core.artifact import Assembled, artifact_bytes
from engine.core.contract.errors import OutputRejected


def write_artifact(assembled: Assembled, out: Path, *, session_directory: Path) -> str:
    """Write an artifact to `out` and return its `artifact_hash`.

    The file appears complete under its name, or not at all. Nothing is ever written into a session
    directory.

    Raises:
        OutputRejected: `out` lies in the session directory, is there and no regular file, or
            cannot be written.
    """
    target = _resolved(out)
    if target.is_relative_to(session_directory.resolve()):
        raise OutputRejected(
            f"{out} lies in the session directory, which is evidence and stays as recorded. "
            "Choose a file elsewhere.",
            {"path": str(out)},
        )
    if target.exists() and not target.is_file():
        raise OutputRejected(
            f"{out} is there already and is no regular file: name a file.", {"path": str(out)}
        )
    try:
        return write_whole(target, artifact_bytes(assembled.members()))
    except OSError as error:
        raise _cannot_write(out, error) from error


def _resolved(out: Path) -> Path:
    """Return where `out` leads, links followed."""
    try:
        target = out.resolve()
        if target.is_symlink():
            raise OSError(errno.ELOOP, "the link leads to itself", str(out))
        target.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise _cannot_write(out, error) from error
    return target


def _cannot_write(out: Path, error: Exception) -> OutputRejected:
    return OutputRejected(f"{out} cannot be written: {error}.", {"path": str(out)})


def write_whole(target: Path, pieces: Iterable[bytes]) -> str:
    """Put `pieces` under the name `target` in one step; return their `sha256:` hash.

    Raises: OSError; then nothing has changed.
    """
    digest = hashlib.sha256()
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".spd-")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb", buffering=1 << 18) as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
        raise
    return "sha256:" + digest.hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
