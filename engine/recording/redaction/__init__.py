"""Redaction of free text and audio, with the extra `redaction`: see `docs/guide/redaction.md`."""

from engine.recording.placeholders import PLACEHOLDER, Kind
from engine.recording.redaction.redactor import (
    RedactedSpan,
    Redaction,
    TextRedactor,
)

__all__ = ["PLACEHOLDER", "Kind", "RedactedSpan", "Redaction", "TextRedactor"]
