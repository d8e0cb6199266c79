"""The bytes of a recording's audio files, for a face that plays them: read only, piece by piece."""

from pathlib import Path

from engine.core.contract.errors import AudioRangeUnavailable, EventUnavailable
from engine.core.contract.json_types import JsonObject, text
from engine.recording.mapped import lies_within

PIECE_BYTES_MAX = 1 << 20


def audio_row(rows: list[JsonObject], audio_id: str) -> JsonObject:
    """Return the row of the artifact's `audio` with this id. Raises: EventUnavailable."""
    for row in rows:
        if row.get("audio_id") == audio_id:
            return row
    known = ", ".join(str(row.get("audio_id")) for row in rows) or "none"
    raise EventUnavailable(
        f"The call has no audio {audio_id!r}. It has: {known}.", {"audio_id": audio_id}
    )


def audio_path(row: JsonObject, session_directory: Path | None) -> Path:
    """Return the audio file of a row of the artifact's `audio`.

    Raises:
        AudioRangeUnavailable: no audio was recorded, or the session directory is not known, or the
            path leads out of it, or nothing is there; the message says which.
    """
    name = str(row.get("audio_id"))
    path = text(row, "path")
    if row.get("availability") != "recorded" or path is None:
        reason = text(row, "reason") or f"it is {text(row, 'availability') or 'unavailable'}"
        raise _unavailable(name, f"The audio {name!r} was not recorded: {reason}")
    if session_directory is None:
        raise _unavailable(
            name, f"The audio {name!r} lies in the session directory: name it as `session`."
        )
    if not lies_within(session_directory, path) or not (session_directory / path).is_file():
        raise _unavailable(
            name, f"The audio {name!r} is not at {path} in the session directory any more."
        )
    return (session_directory / path).resolve()


def audio_piece(path: Path, *, offset: int, length: int) -> bytes:
    """Return `length` bytes of a file from byte `offset` on, fewer at its end.

    Raises: AudioRangeUnavailable where it cannot be read.
    """
    assert offset >= 0
    assert 0 <= length <= PIECE_BYTES_MAX
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(length)
    except OSError as error:
        raise _unavailable(path.name, f"{path.name} cannot be read: {error}.") from error


def _unavailable(name: str, sentence: str) -> AudioRangeUnavailable:
    return AudioRangeUnavailable(sentence, {"audio_id": name})
