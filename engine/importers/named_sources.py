"""`import_sources`: sources to a run and what the manifest says of where it came from."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from engine.core.contract.json_types import JsonObject
from engine.importers.frame import Imported, Importer, ImportOptions
from engine.importers.write import write_session
from engine.recording import SessionKey


def import_sources(
    importer: Importer, sources: Sequence[Path], options: ImportOptions
) -> tuple[Imported, JsonObject]:
    """Return the run and what the manifest says of its sources. Raises: as the importer."""
    imported = importer.import_recording(sources, options)
    named = [*sources, *([options.flow] if options.flow is not None else [])]
    about: JsonObject = {
        "format": importer.name,
        "sources": [_source_row(path) for path in named],
    }
    return imported, about


def import_to(importer: Importer, sources: Sequence[Path], directory: Path, key: bytes) -> None:
    """Make a session directory with fingerprints under a key of 32 bytes.

    Raises: as the importer and `write_session`.
    """
    imported, about = import_sources(importer, sources, ImportOptions())
    write_session(imported, directory, about=about, key=SessionKey(fixture_key=key))


def _source_row(path: Path) -> JsonObject:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"file": path.name, "sha256": f"sha256:{digest}"}
