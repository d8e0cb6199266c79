"""Recordings on disk: session directories written by a recorder, then read and never changed.

The package root is what faces may import. What writes, and what reads audio for a player, is
loaded when it is first asked for, so that opening a recording does not wait for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.recording.artifact_file import (
    write_artifact,
)
from engine.recording.drift import (
    FlowDrift,
    flow_drift,
)
from engine.recording.open import (
    Recording,
    open_recording,
)
from engine.recording.session_directory import (
    build_session,
    read_session,
    refuse_problems,
    stream_session,
)

if TYPE_CHECKING:
    from engine.recording.audio_bytes import (
        PIECE_BYTES_MAX,
        audio_path,
        audio_piece,
        audio_row,
    )
    from engine.recording.call_files import (
        RecordedFlow,
    )
    from engine.recording.fingerprints import (
        SessionKey,
    )
    from engine.recording.identity import (
        Identity,
        stamp_identity,
    )
    from engine.recording.peaks import (
        Peaks,
        waveform_peaks,
    )
    from engine.recording.playback_ledger import (
        PlaybackLedger,
        SourceKind,
        browser_module,
    )
    from engine.recording.process_privacy import (
        keep_memory_private,
    )
    from engine.recording.recorder import (
        Durability,
        Recorder,
    )
    from engine.recording.safe_values import (
        content_fingerprint,
        safe_arguments,
        safe_arguments_fingerprint,
    )
    from engine.recording.session_context import (
        SessionContext,
    )
    from engine.recording.slot_ledger import (
        LEGACY_WRITER,
        PHONE_SOURCES,
        legacy_initial_slots,
        locked_choice_events,
        seed_session_slots,
        slot_write_event,
        snapshot_fingerprint,
    )
    from engine.recording.wav_writer import (
        WavWriter,
        write_wav,
    )
else:
    _LATER = {
        "audio_bytes": (
            "PIECE_BYTES_MAX",
            "audio_path",
            "audio_piece",
            "audio_row",
        ),
        "call_files": ("RecordedFlow",),
        "fingerprints": ("SessionKey",),
        "identity": (
            "Identity",
            "stamp_identity",
        ),
        "peaks": (
            "Peaks",
            "waveform_peaks",
        ),
        "playback_ledger": (
            "PlaybackLedger",
            "SourceKind",
            "browser_module",
        ),
        "process_privacy": ("keep_memory_private",),
        "recorder": (
            "Durability",
            "Recorder",
        ),
        "safe_values": (
            "content_fingerprint",
            "safe_arguments",
            "safe_arguments_fingerprint",
        ),
        "session_context": ("SessionContext",),
        "slot_ledger": (
            "LEGACY_WRITER",
            "PHONE_SOURCES",
            "legacy_initial_slots",
            "locked_choice_events",
            "seed_session_slots",
            "slot_write_event",
            "snapshot_fingerprint",
        ),
        "wav_writer": (
            "WavWriter",
            "write_wav",
        ),
    }
    _HOMES = {name: module for module, names in _LATER.items() for name in names}

    def __getattr__(name: str) -> object:
        """Return a name that is loaded at its first use."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = [
    "LEGACY_WRITER",
    "PHONE_SOURCES",
    "PIECE_BYTES_MAX",
    "Durability",
    "FlowDrift",
    "Identity",
    "Peaks",
    "PlaybackLedger",
    "RecordedFlow",
    "Recorder",
    "Recording",
    "SessionContext",
    "SessionKey",
    "SourceKind",
    "WavWriter",
    "audio_path",
    "audio_piece",
    "audio_row",
    "browser_module",
    "build_session",
    "content_fingerprint",
    "flow_drift",
    "keep_memory_private",
    "legacy_initial_slots",
    "locked_choice_events",
    "open_recording",
    "read_session",
    "refuse_problems",
    "safe_arguments",
    "safe_arguments_fingerprint",
    "seed_session_slots",
    "slot_write_event",
    "snapshot_fingerprint",
    "stamp_identity",
    "stream_session",
    "waveform_peaks",
    "write_artifact",
    "write_wav",
]
