"""Attaching the recorder to a worker, and letting it go.

Rules: what fails here is logged, and the bot runs without a recording. One worker is one call and
has a directory of its own; whatever hooks of the class find their call by the worker they act for.
"""

import asyncio
import atexit
import functools
import importlib
import secrets
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, TypeAlias, cast

from engine.core.contract.errors import EngineError
from engine.core.contract.json_types import JsonObject
from engine.importers.pipecat_live.caller_hooks import CallerHooks
from engine.importers.pipecat_live.flow_hooks import FlowHooks
from engine.importers.pipecat_live.live_call import LOG, TOOL_CALL, LiveCall
from engine.importers.pipecat_live.model_hooks import ModelHooks
from engine.importers.pipecat_live.program_text import ProgramText
from engine.importers.pipecat_live.redacting import CallRedactor, redactor_of
from engine.importers.pipecat_live.seen import attribute, is_a, text_of
from engine.importers.pipecat_live.settings import Settings, read_settings
from engine.importers.pipecat_live.sound import SoundHooks
from engine.importers.pipecat_live.speech_hooks import SpeechHooks
from engine.importers.pipecat_live.wiring import Parts, listen, parts_of
from engine.recording import Identity, Recorder, stamp_identity

_Method: TypeAlias = Callable[..., object]
_AsyncMethod: TypeAlias = Callable[..., Awaitable[object]]
_HELD = "_spd_recording"
"""The attribute of a worker that holds its recording."""


class LiveRecording:
    """The recording of one call: all its hooks, and its end."""

    def __init__(self, call: LiveCall, settings: Settings, *, call_start_epoch: int) -> None:
        self.call = call
        self.flow = FlowHooks(call, settings)
        self.sound = SoundHooks(call, call_start_epoch=call_start_epoch)
        call.on_branch = self.flow.branched
        self._is_over = False

    def install(self, parts: Parts) -> None:
        """Listen to all parts."""
        for hooks in (CallerHooks(self.call), ModelHooks(self.call), SpeechHooks(self.call)):
            hooks.install(parts)
        self.sound.install(parts)

    def finish(self, ended: Literal["completed", "aborted"] | None) -> None:
        """End the recording; a second call does nothing. It never raises."""
        if self._is_over:
            return
        self._is_over = True
        call = self.call
        atexit.unregister(self.finish)
        call.guarded("slots", call.on_handlers_change)
        call.guarded("flow", self.flow.write_grown)
        call.guarded("sound", self.sound.close)
        if call.lost:
            call.write(call.lost_record())
        call.write({"type": "final", "node": call.node})
        call.is_over = True
        try:
            call.recorder.close(ended=ended)
        except EngineError as error:
            LOG.warning("%s", error.message)


def prepare() -> None:
    """Get ready before the first call: once a process, never raising.

    The identity of the code is read now, which costs two runs of git, and the methods of Pipecat's
    flows that have no events are wrapped. Outside of a bot it does nothing.
    """
    if "pipecat" not in sys.modules:
        return
    try:
        identity_of_bot(read_settings().lock)
        _wrap_classes()
    except Exception as error:  # noqa: BLE001  the bot goes on
        LOG.warning("Flows are not recorded: %s", type(error).__name__)


def attach(worker: object) -> None:
    """Record the call that a worker runs; a second call does nothing. It never raises."""
    if worker is None or attribute(worker, _HELD) is not None:
        return
    try:
        setattr(worker, _HELD, False)
        _attach(worker)
    except Exception as error:  # noqa: BLE001  the bot goes on
        said = error.message if isinstance(error, EngineError) else type(error).__name__
        LOG.warning("This call is not recorded: %s", said)


def _attach(worker: object) -> None:
    parts = parts_of(worker)
    if not (parts.model or parts.voice or parts.input or parts.output):
        return
    settings = read_settings()
    zero, epoch = time.monotonic(), time.time_ns() // 1_000_000
    recorder, redactor = _opened(settings, epoch)
    call = LiveCall(recorder, zero=zero, ids=set() if redactor is None else redactor.ids)
    recording = LiveRecording(call, settings, call_start_epoch=epoch)
    atexit.register(recording.finish, None)
    call.write({"type": "session", "pipecat": _version(), "recorder": "pipecat_live"})
    for what in [*settings.remarks, *parts.missing()]:
        call.write({"type": "not_recorded", "what": what, "availability": "unavailable"})
    setattr(worker, _HELD, recording)
    recording.install(parts)
    _watch_worker(worker, recording)
    LOG.info("Recording into %s", recorder.directory)


@functools.cache
def identity_of_bot(lock: Path | None) -> Identity:
    """Return which code runs in this process: the folder of the started file, and a lock file."""
    root = next(iter(ProgramText().folders_of([])), Path.cwd())
    return stamp_identity(engine_root=root, lock_file=lock)


def _opened(settings: Settings, epoch: int) -> tuple[Recorder, CallRedactor | None]:
    """Return a recorder in a new directory below the folder of recordings, and its redactor."""
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(epoch / 1000))}-{secrets.token_hex(4)}"
    settings.recordings.mkdir(parents=True, exist_ok=True)
    redactor, how = redactor_of(settings)
    recorder = Recorder.open(
        settings.recordings / name,
        session_id=f"pipecat:{name}",
        flow=None,
        identity=identity_of_bot(settings.lock),
        call_start_epoch=epoch,
        slot_classes=settings.slot_classes,
        redactor=redactor,
        about={"recorder": "pipecat_live", "redaction": how},
    )
    if redactor is not None:
        redactor.watch(recorder)
    return recorder, redactor


def _version() -> str | None:
    try:
        return version("pipecat-ai")
    except PackageNotFoundError:
        return None


def _watch_worker(worker: object, recording: LiveRecording) -> None:
    """Listen for the call's end, and see which frames are queued and why."""

    async def finished(_worker: object, frame: object) -> None:
        ended = "aborted" if is_a(frame, "CancelFrame") else "completed"
        await asyncio.to_thread(recording.finish, ended)

    async def failed(_worker: object, frame: object) -> None:
        fatal = attribute(frame, "fatal")
        row: JsonObject = {"type": "pipeline_error", "error": text_of(frame, "error")}
        recording.call.guarded("error", lambda: _write(recording, row | {"fatal": fatal is True}))

    listen(worker, "on_pipeline_finished", finished)
    listen(worker, "on_pipeline_error", failed)
    original = attribute(worker, "queue_frame")
    if not callable(original):
        return
    queue = cast("_AsyncMethod", original)

    async def queue_frame(frame: object, *rest: object) -> None:
        recording.call.guarded("queue", lambda: recording.flow.queued(frame))
        await queue(frame, *rest)

    setattr(worker, "queue_frame", queue_frame)  # noqa: B010  Pipecat's type is not known here


def _write(recording: LiveRecording, row: JsonObject) -> None:
    recording.call.write(row)


def _recording_of(manager: object) -> LiveRecording | None:
    """Return the recording of a flow manager's call; a flow may run before its worker is set up."""
    worker = attribute(manager, "_worker")
    attach(worker)
    held = attribute(worker, _HELD)
    return held if isinstance(held, LiveRecording) else None


def _wrap_classes() -> None:
    manager = cast("object", importlib.import_module("pipecat.flows.manager").FlowManager)
    flow = cast("object", importlib.import_module("pipecat.flows.flow").Flow)
    if attribute(manager, "_spd_wrapped") is True:
        return
    setattr(manager, "_spd_wrapped", True)  # noqa: B010  Pipecat's type is not known here
    _wrap(manager, "__setattr__", _setting)
    _wrap(manager, "_set_node", _setting_node)
    _wrap(manager, "_execute_transition", _executing)
    _wrap(flow, "_destination", _choosing)


def _wrap(owner: object, name: str, make: Callable[[_Method], object]) -> None:
    original = attribute(owner, name)
    if callable(original):
        setattr(owner, name, make(original))
    else:
        LOG.warning("Pipecat has no %s: not recorded.", name)


def _setting(original: _Method) -> object:
    def set_attribute(manager: object, name: str, value: object) -> None:
        if value is None or name not in {"_pending_transition", "_current_node"}:
            original(manager, name, value)
            return
        old = attribute(manager, name)
        original(manager, name, value)
        recording = _recording_of(manager)
        if recording is not None:
            flow = recording.flow
            tell = flow.moved if name == "_current_node" else flow.pending
            recording.call.guarded("flow", lambda: flow.adopt(manager))
            recording.call.guarded("flow", lambda: tell(old, value))

    return set_attribute


def _setting_node(original: _Method) -> object:
    async def set_node(manager: object, node: str, config: object) -> None:
        recording = _recording_of(manager)
        if recording is not None:
            flow = recording.flow
            recording.call.guarded("flow", lambda: flow.before_node(manager, config))
        try:
            await cast("_AsyncMethod", original)(manager, node, config)
        finally:
            if recording is not None:
                recording.call.why.put(None)

    return set_node


def _executing(original: _Method) -> object:
    async def execute_transition(manager: object, info: object) -> None:
        recording = _recording_of(manager)
        run = cast("_AsyncMethod", original)
        if recording is None:
            await run(manager, info)
            return
        recording.call.guarded("flow", lambda: recording.flow.taking(info))
        try:
            await run(manager, info)
        except Exception as error:
            fault = error
            recording.call.guarded("flow", lambda: recording.flow.failed(info, fault))
            raise
        finally:
            recording.call.taken.put(None)

    return execute_transition


def _choosing(original: _Method) -> object:
    def destination(flow: object, function: object, result: object, where: str) -> object:
        chosen = original(flow, function, result, where)
        held = TOOL_CALL.get()
        call = cast("object", held[0]) if isinstance(held, tuple) and held else None
        if isinstance(call, LiveCall) and (tell := call.on_branch) is not None:
            call.guarded("branch", lambda: tell(function, result, chosen))
        return chosen

    return destination
