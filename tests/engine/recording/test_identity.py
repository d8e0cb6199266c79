import hashlib
import os
import shutil
import subprocess

import pytest

from engine.recording import Identity, stamp_identity

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(root, *arguments):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", str(root), *identity, *arguments], capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path):
    work = tmp_path / "engine"
    work.mkdir()
    git(work, "init", "-q")
    (work / "run.py").write_text("print()\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    return work


def test_a_clean_tree_and_a_lock(root, tmp_path) -> None:
    lock = tmp_path / "x.lock"
    lock.write_bytes(b"pinned")
    assert stamp_identity(engine_root=root, lock_file=lock) == Identity(
        engine_revision="git:" + git(root, "rev-parse", "HEAD"),
        runtime_lock="sha256:" + hashlib.sha256(b"pinned").hexdigest(),
    )
    below = root / "part"
    below.mkdir()
    assert stamp_identity(engine_root=below, lock_file=lock).engine_revision is not None


def test_a_tree_with_changes_is_no_revision(root) -> None:
    (root / "notes.txt").write_text("no code")
    assert stamp_identity(engine_root=root, lock_file=None).engine_revision is not None
    (root / "new.py").write_text("code")
    assert stamp_identity(engine_root=root, lock_file=None).engine_revision is None
    (root / "new.py").unlink()
    (root / "run.py").write_text("print(1)\n")
    found = stamp_identity(engine_root=root, lock_file=None)
    assert found.engine_revision is None
    assert found.unavailable["engine_revision"] == "the work tree has changes that are in no commit"


def test_what_is_not_there_has_a_reason(tmp_path) -> None:
    found = stamp_identity(engine_root=tmp_path / "nowhere", lock_file=tmp_path / "no.lock")
    assert (found.engine_revision, found.runtime_lock) == (None, None)
    assert set(found.unavailable) == {"engine_revision", "runtime_lock"}
    none = stamp_identity(engine_root=None, lock_file=None)
    assert set(none.unavailable) == {"engine_revision", "runtime_lock"}
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    assert stamp_identity(engine_root=empty, lock_file=None).engine_revision is None


def test_without_git(root, monkeypatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    found = stamp_identity(engine_root=root, lock_file=None)
    assert found.unavailable["engine_revision"] == "git tells no commit of the engine root"


def test_no_code_of_the_repository_is_run(root, tmp_path) -> None:
    mark = tmp_path / "ran"
    hook = root / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    git(root, "config", "core.fsmonitor", f"touch {mark}; false")
    git(root, "config", "core.hooksPath", str(hook.parent))
    stamp_identity(engine_root=root, lock_file=None)
    assert not mark.exists()
