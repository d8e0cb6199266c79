"""A runtime that drives the core's state program and records what happens.

The package root is what faces may import.
"""

from engine.runtime.call_script import CallScript, read_script
from engine.runtime.record_call import record_call
from engine.runtime.voices import VoiceKind, installed_kind

__all__ = ["CallScript", "VoiceKind", "installed_kind", "read_script", "record_call"]
