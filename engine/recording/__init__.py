"""Recordings on disk: session directories and artifacts, read strictly, never changed.

The package root is what faces may import.
"""

from engine.recording.artifact_file import write_artifact
from engine.recording.drift import FlowDrift, flow_drift
from engine.recording.open import Recording, open_recording
from engine.recording.session_directory import (
    build_session,
    read_session,
    refuse_problems,
    stream_session,
)

__all__ = [
    "FlowDrift",
    "Recording",
    "build_session",
    "flow_drift",
    "open_recording",
    "read_session",
    "refuse_problems",
    "stream_session",
    "write_artifact",
]
