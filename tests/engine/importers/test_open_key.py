"""The key of a directly opened file's fingerprints does not follow from what the recording says."""

import hashlib
from pathlib import Path

import pytest
from support.import_samples import OURS

from engine.core.contract.json_types import JsonObject, mapping, rows, text
from engine.importers import open_any
from engine.importers.sources import content_key, fingerprint_key
from engine.recording import SessionKey, build_session
from engine.recording.fingerprints import value_fingerprint

SOURCE = OURS / "pipecat" / "booking_racy.whisk.gz"
TIMES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 15, 30, 45)]


def recovered(artifact: JsonObject, key: bytes) -> set[str]:
    """Which times of day the fingerprints of slot writes give away to who has `key`."""
    session_key = SessionKey(fixture_key=key)
    told = {
        (text(record, "slot") or "", text(record, "new_fingerprint"))
        for row in rows(artifact, "events")
        if (record := mapping(row, "record"))["type"] == "slot_write"
    }
    return {
        time
        for slot, print_ in told
        for time in TIMES
        if value_fingerprint(session_key, slot, time) == print_
    }


def test_hashes_that_the_manifest_lists_do_not_make_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPD_CACHE", str(tmp_path))
    directory = open_any(SOURCE).session_directory
    assert directory is not None
    artifact = build_session(directory)
    listed = rows(mapping(mapping(artifact, "session"), "import"), "sources")
    digests = [
        (str(row["file"]).encode(), bytes.fromhex(str(row["sha256"]).partition(":")[2]))
        for row in listed
    ]
    for prefix in (b"spd-import/v1\0", b"spd-import-key/v1\0", b""):
        made = hashlib.sha256(prefix)
        for name, digest in digests:
            made.update(name + b"\0" + digest)
        assert recovered(artifact, made.digest()) == set()
        for _, digest in digests:
            assert recovered(artifact, digest) == set()
    sources = [SOURCE, *(SOURCE.parent / name.decode() for name, _ in digests[1:])]
    assert recovered(artifact, content_key(sources)) == set()
    assert recovered(artifact, fingerprint_key(sources)) == {"18:00", "19:00"}, "the check bites"
