"""Records -> artifact -> view: order, framing, slots, playback, bytes, columns.

The package root is what other rooms may import.
"""

from engine.core.artifact.assembled import Assembled
from engine.core.artifact.build import (
    assemble,
    build_artifact,
    build_state_program_artifact,
)
from engine.core.artifact.columns import Columns, Posting
from engine.core.artifact.encode import ARTIFACT_SCHEMA, artifact_bytes, artifact_hash
from engine.core.artifact.load import load_artifact, read_artifact
from engine.core.artifact.slots import SlotClasses, redact, safe_form
from engine.core.artifact.source import FileArtifact, Lines
from engine.core.artifact.streams import Progress, StreamInput, no_progress
from engine.core.artifact.view import ArtifactView, view_of
from engine.core.artifact.visits import Visit

__all__ = [
    "ARTIFACT_SCHEMA",
    "ArtifactView",
    "Assembled",
    "Columns",
    "FileArtifact",
    "Lines",
    "Posting",
    "Progress",
    "SlotClasses",
    "StreamInput",
    "Visit",
    "artifact_bytes",
    "artifact_hash",
    "assemble",
    "build_artifact",
    "build_state_program_artifact",
    "load_artifact",
    "no_progress",
    "read_artifact",
    "redact",
    "safe_form",
    "view_of",
]
