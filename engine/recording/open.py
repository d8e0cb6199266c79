"""`open_recording`: whatever a user points at, as a recording or as one typed error."""

from dataclasses import dataclass
from pathlib import Path

from engine.core.artifact import ArtifactView, Progress, no_progress
from engine.core.contract.errors import ArtifactInvalid, SessionInvalid
from engine.recording.cache import Cache, cache_folder, session_key, view_file
from engine.recording.session_directory import MANIFEST_FILE, build_session, stream_session


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """An opened recording; `session_directory` is where flow file and audio lie, if known."""

    view: ArtifactView
    session_directory: Path | None


def open_recording(path: Path, *, progress: Progress = no_progress) -> Recording:
    """Return the recording at `path`: a session directory or an artifact file.

    A session directory is built once and then opened from the cache; an artifact's columns, too.

    Raises:
        SessionInvalid: nothing there, or a directory that is no session directory.
        ArtifactInvalid: a file that is no artifact.
        FlowInvalid: a session directory whose flow cannot be read.
    """
    try:
        is_directory = path.is_dir()
        if not is_directory and not path.exists():
            raise SessionInvalid(
                f"There is no recording at {path}. Name a session directory or an artifact file.",
                {"path": str(path), "kind": "NOT_FOUND"},
            )
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        if is_directory:
            return Recording(view=_open_session(path, progress), session_directory=path)
        return Recording(view=view_file(path), session_directory=None)
    except OSError as error:
        raise _unreadable(path, error) from error
    except ArtifactInvalid as error:
        raise ArtifactInvalid(
            f"{path}: {error.message}", {"path": str(path), **error.detail}
        ) from error


def _unreadable(path: Path, error: Exception) -> ArtifactInvalid:
    return ArtifactInvalid(
        f"{path} cannot be read: {error}.", {"path": str(path), "kind": "UNREADABLE_FILE"}
    )


def _open_session(directory: Path, progress: Progress) -> ArtifactView:
    folder = cache_folder()
    if folder is None or not (directory / MANIFEST_FILE).is_file():
        return ArtifactView.of(build_session(directory))
    cache, key = Cache(folder), session_key(directory)
    view = cache.view_of_session(key)
    if view is None and cache.store_session(key, stream_session(directory, progress=progress)):
        view = cache.view_of_session(key)
    return view if view is not None else ArtifactView.of(build_session(directory))
