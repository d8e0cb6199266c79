"""Identity of the running engine, read at the call's time: revision and dependency lock.

What cannot be told is null with a reason, never guessed.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

GIT_TIMEOUT_S = 5.0
_REVISION = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which code ran.

    Attributes:
        engine_revision: `git:` and the commit, or null.
        runtime_lock: `sha256:` of the dependency lock file, or null.
        unavailable: why, by the name of each field that is null.
    """

    engine_revision: str | None = None
    runtime_lock: str | None = None
    unavailable: Mapping[str, str] = field(default_factory=dict[str, str])


def stamp_identity(*, engine_root: Path | None, lock_file: Path | None) -> Identity:
    """Return the identity of the engine below `engine_root`. Cost: two runs of git.

    A work tree with changes has no revision: the commit is not what ran.
    """
    reasons: dict[str, str] = {}
    revision = _engine_revision(engine_root, reasons)
    lock = _lock_hash(lock_file, reasons)
    return Identity(engine_revision=revision, runtime_lock=lock, unavailable=reasons)


def _engine_revision(root: Path | None, reasons: dict[str, str]) -> str | None:
    name = "engine_revision"
    if root is None:
        reasons[name] = "no engine root was given"
        return None
    head = _git(root, "rev-parse", "--verify", "HEAD^{commit}")
    status = _git(root, "status", "--porcelain", "--untracked-files=all", "--", ".")
    if head is None or status is None or not _REVISION.fullmatch(head.strip()):
        reasons[name] = "git tells no commit of the engine root"
        return None
    if any(_is_change(line) for line in status.splitlines()):
        reasons[name] = "the work tree has changes that are in no commit"
        return None
    return f"git:{head.strip()}"


def _is_change(line: str) -> bool:
    """Return whether a line of git's status is about code: new files only if they are Python."""
    return not line.startswith("??") or line.rstrip('"').endswith(".py")


def _git(root: Path, *arguments: str) -> str | None:
    """Return what git prints, or None. No hook and no monitor of the repository is run."""
    import subprocess  # noqa: PLC0415  once a call

    safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"]
    try:
        done = subprocess.run(
            ["git", *safe, "-C", str(root), *arguments],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=GIT_TIMEOUT_S,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _lock_hash(lock_file: Path | None, reasons: dict[str, str]) -> str | None:
    name = "runtime_lock"
    if lock_file is None:
        reasons[name] = "no lock file was given"
        return None
    try:
        with lock_file.open("rb") as file:
            return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        reasons[name] = "the lock file cannot be read"
        return None
