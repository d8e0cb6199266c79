"""`record_call`: a flow and a script to a session directory."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.core.flow import parse_flow
from engine.core.program import Ended, compile_program
from engine.recording import Identity, RecordedFlow, Recorder, SessionKey, WavWriter
from engine.runtime.call_driver import CallDriver
from engine.runtime.call_script import CallScript, Capture
from engine.runtime.call_sound import CallSound
from engine.runtime.voices import VoiceKind

if TYPE_CHECKING:
    from engine.core.contract.json_types import JsonObject
    from engine.recording.redaction import TextRedactor

_SIDES: tuple[tuple[Literal["agent_played", "caller"], str], ...] = (
    ("agent_played", "agent"),
    ("caller", "caller"),
)


def record_call(
    flow: RecordedFlow,
    script: CallScript,
    out: Path,
    *,
    identity: Identity,
    voices: VoiceKind | None,
    redacts: bool = False,
    key: SessionKey | None = None,
) -> Ended | None:
    """Record the scripted call into `out`, which must not be there or be empty.

    With tones and a fixture's `key`, the same flow and script give the same bytes. A call that
    fails on its way is closed as `aborted` and can be opened.

    Raises:
        FlowInvalid, ExtraMissing: the flow or the redactor cannot run; nothing was made.
        ScriptInvalid, VoiceUnavailable, RecordInvalid, RecordingFailed, OutputRejected.
    """
    program = compile_program(parse_flow(flow.data, path=flow.file_name))
    about: JsonObject = {"voices": None if voices is None else voices.value}
    redactor = _redactor() if redacts else None
    recorder = Recorder.open(
        out,
        session_id=script.session_id,
        flow=flow,
        identity=identity,
        call_start_epoch=script.call_start_epoch,
        slot_classes=script.slot_classes,
        redactor=redactor,
        about=about,
        key=key,
    )
    if redactor is not None:
        redactor.watch(recorder.context.personal_values)
    sound = CallSound(voices, script.sample_rate)
    with recorder:
        driver = CallDriver(program, script, recorder, sound)
        ended = driver.run()
        for audio_id, side in _SIDES:
            capture = script.capture.get(audio_id, Capture())
            _keep(recorder, sound, script, audio_id, side, capture, driver.clock_ms)
    return ended


def _redactor() -> "TextRedactor":
    """Return a redactor. Raises: ExtraMissing."""
    from engine.recording.redaction import TextRedactor  # noqa: PLC0415  an extra

    return TextRedactor()


def _keep(
    recorder: Recorder,
    sound: CallSound,
    script: CallScript,
    audio_id: str,
    side: str,
    capture: Capture,
    end_ms: int,
) -> None:
    """Write one side's WAV and its reference, as far as the script lets it be kept."""
    row: JsonObject = {"audio_id": audio_id, "role": audio_id}
    is_silent = sound.kind is None
    if capture.kept == "missing" or is_silent:
        reason = "the call was recorded without voices" if is_silent else capture.reason
        recorder.add_audio({**row, "availability": "unavailable", "reason": reason})
        return
    name = f"audio_{audio_id}.wav"
    with WavWriter(recorder.directory / name, sample_rate=script.sample_rate, channels=1) as writer:
        if capture.kept == "recorded":
            writer.append(sound.samples(side, end_ms))
    recorder.add_audio(
        {
            **row,
            "path": name,
            "availability": "recorded" if capture.kept == "recorded" else "empty_capture",
            "call_start_epoch": script.call_start_epoch,
            "media_start_offset_ms": 0,
            "sample_rate": script.sample_rate,
            "channel_map": [side],
        }
    )
