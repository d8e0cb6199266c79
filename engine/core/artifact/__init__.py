"""Records -> artifact -> view: order, framing, slots, playback, bytes, columns.

The package root is what other rooms may import.
"""

from engine.core.artifact.build import (
    Assembled,
    assemble,
    build_artifact,
    build_state_program_artifact,
)
from engine.core.artifact.columns import Posting, Visit
from engine.core.artifact.encode import ARTIFACT_SCHEMA, artifact_bytes, artifact_hash
from engine.core.artifact.load import load_artifact
from engine.core.artifact.slots import SlotClasses, safe_form
from engine.core.artifact.streams import Progress, StreamInput, no_progress
from engine.core.artifact.view import ArtifactView

__all__ = [
    "ARTIFACT_SCHEMA",
    "ArtifactView",
    "Assembled",
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
    "safe_form",
]
