"""`open_any`: a recording of ours, or a file of another engine, which is imported on the way.

What is imported lies in the cache folder under the hash of its content, so the second opening is
warm. The fingerprints' key is made from the sources' very bytes, of which the result has only
hashes: the same source gives the same bytes, and the key follows from nothing that the result says.

What imports is loaded only where there is something to import.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.artifact import ArtifactView, Progress, no_progress
from engine.core.contract.errors import OutputRejected
from engine.recording import Recording, build_session, open_recording

if TYPE_CHECKING:
    from engine.importers.frame import Importer

_OURS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"riff\.')
IMPORTS_FOLDER = "imports"


def open_any(path: Path, *, progress: Progress = no_progress) -> Recording:
    """Return the recording at `path`: a session directory, an artifact file, or a known format.

    Nothing beside the cache folder is written. Files that belong to a source are looked for beside
    it, as its importer says.

    Raises:
        SessionInvalid, ArtifactInvalid, FlowInvalid: as `open_recording` and the importers.
    """
    if not _is_foreign(path):
        return open_recording(path, progress=progress)
    from engine.importers.formats import format_of, looks_like, unknown_format  # noqa: PLC0415
    from engine.importers.sources import probe  # noqa: PLC0415

    found = format_of(path)
    if found is not None:
        return _open_imported(found, [path, *found.companions(path)], progress)
    if looks_like(probe(path)) is not None:
        raise unknown_format(path)
    return open_recording(path, progress=progress)


def _is_foreign(path: Path) -> bool:
    """Return whether `path` is a file that is no artifact of ours; what cannot be read is not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return _OURS.match(file.read(64)) is None
    except (OSError, ValueError):
        return False


def _open_imported(importer: "Importer", sources: list[Path], progress: Progress) -> Recording:
    import hashlib  # noqa: PLC0415

    from engine.importers.named_sources import import_to  # noqa: PLC0415
    from engine.importers.sources import content_key, fingerprint_key  # noqa: PLC0415
    from engine.recording.cache import builder_key, cache_folder  # noqa: PLC0415

    folder = cache_folder()
    if folder is None:
        import tempfile  # noqa: PLC0415

        with tempfile.TemporaryDirectory(prefix="spd-import-") as temporary:
            directory = Path(temporary) / "session"
            import_to(importer, sources, directory, fingerprint_key(sources))
            return Recording(view=ArtifactView.of(build_session(directory)), session_directory=None)
    name = hashlib.sha256(builder_key() + importer.name.encode() + content_key(sources)).hexdigest()
    directory = folder / IMPORTS_FOLDER / name
    if not directory.is_dir():
        directory.parent.mkdir(parents=True, exist_ok=True)
        try:
            import_to(importer, sources, directory, fingerprint_key(sources))
        except OutputRejected:
            if not directory.is_dir():  # else somebody else has made it meanwhile
                raise
    return open_recording(directory, progress=progress)
