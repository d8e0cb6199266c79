"""Artifact files: written whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path

from engine.core.artifact import artifact_bytes
from engine.core.contract.canonical import sha256_of
from engine.core.contract.errors import OutputRejected
from engine.core.contract.json_types import JsonObject


def write_artifact(artifact: JsonObject, out: Path, *, session_directory: Path) -> str:
    """Write the artifact to `out` and return its `artifact_hash`.

    The file appears complete under its name, or not at all. Nothing is ever written into a session
    directory.

    Raises:
        OutputRejected: `out` is a directory, lies in the session directory, or cannot be written.
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
    data = b"".join(artifact_bytes(artifact))
    try:
        _replace(target, data)
    except OSError as error:
        raise _cannot_write(out, error) from error
    return sha256_of(data)


def _resolved(out: Path) -> Path:
    """Return where `out` leads, links followed."""
    try:
        target = out.resolve()
        target.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise _cannot_write(out, error) from error
    return target


def _cannot_write(out: Path, error: Exception) -> OutputRejected:
    return OutputRejected(f"{out} cannot be written: {error}.", {"path": str(out)})


def _replace(out: Path, data: bytes) -> None:
    """Put `data` under the name `out` in one step."""
    descriptor, name = tempfile.mkstemp(dir=out.parent, prefix=".spd-")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(out)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
