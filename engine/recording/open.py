"""`open_recording`: whatever a user points at, as a recording or as one typed error."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engine.core.artifact import ArtifactView, load_artifact
from engine.core.contract.errors import ArtifactInvalid, SessionInvalid
from engine.core.contract.json_types import JsonObject
from engine.recording.session_directory import build_session


@dataclass(frozen=True, kw_only=True)
class Recording:
    """An opened recording; `session_directory` is where flow file and audio lie, if known."""

    artifact: JsonObject
    session_directory: Path | None

    @cached_property
    def view(self) -> ArtifactView:
        """The recording as stepping reads it; derived once."""
        return ArtifactView.of(self.artifact)


def open_recording(path: Path) -> Recording:
    """Return the recording at `path`: a session directory or an artifact file.

    Raises:
        SessionInvalid: nothing there, or a directory that is no session directory.
        ArtifactInvalid: a file that is no artifact.
        FlowInvalid: a session directory whose flow cannot be read.
    """
    try:
        if path.is_dir():
            return Recording(artifact=build_session(path), session_directory=path)
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise SessionInvalid(
            f"There is no recording at {path}. Name a session directory or an artifact file.",
            {"path": str(path), "kind": "NOT_FOUND"},
        ) from error
    except (OSError, ValueError) as error:
        raise ArtifactInvalid(
            f"{path} cannot be read: {error}.",
            {"path": str(path), "kind": "UNREADABLE_FILE"},
        ) from error
    try:
        return Recording(artifact=load_artifact(data), session_directory=None)
    except ArtifactInvalid as error:
        raise ArtifactInvalid(
            f"{path}: {error.message}", {"path": str(path), **error.detail}
        ) from error
