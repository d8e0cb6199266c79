"""Scripted services for the bots of these tests: no network, no keys, no model, no voice.

Nothing here knows of a recorder.
"""

import asyncio
import time

import numpy as np
from pipecat.frames.frames import (
    FunctionCallFromLLM,
    InputAudioRawFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings, TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies

RATE = 16_000


def tone(text, pitch):
    """Speech as far as these tests need it: a tone, 80 ms a word."""
    count = int(RATE * 0.08 * len(text.split()))
    wave = np.sin(np.arange(count) * (2 * np.pi * pitch / RATE)) * 8000
    return wave.astype("<i2").tobytes()


class ScriptedModel(LLMService):
    """Gives the replies of a script, one for each run."""

    def __init__(self, script):
        super().__init__(
            settings=LLMSettings(
                model="scripted",
                system_instruction=None,
                temperature=None,
                max_tokens=None,
                top_p=None,
                top_k=None,
                frequency_penalty=None,
                presence_penalty=None,
                seed=None,
                filter_incomplete_user_turns=False,
                user_turn_completion_config=None,
            )
        )
        self.script = list(script)
        self.runs = 0

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        step = self.script[self.runs] if self.runs < len(self.script) else {"text": "(over)"}
        self.runs += 1
        await self.push_frame(LLMFullResponseStartFrame())
        for word in step.get("text", "").split():
            await self.push_frame(LLMTextFrame(word + " "))
        await self.push_frame(LLMFullResponseEndFrame())
        if "call" in step:
            name, arguments = step["call"]
            call = FunctionCallFromLLM(
                function_name=name,
                tool_call_id=f"call_{self.runs:02d}",
                arguments=arguments,
                context=frame.context,
            )
            await self.run_function_calls([call])


class ToneVoice(TTSService):
    def __init__(self):
        super().__init__(
            settings=TTSSettings(model="tone", voice="tone", language=None),
            sample_rate=RATE,
            push_start_frame=True,
            push_stop_frames=True,
        )

    async def run_tts(self, text, context_id):
        pcm = tone(text, 440)
        for at in range(0, len(pcm), 3200):
            yield TTSAudioRawFrame(
                audio=pcm[at : at + 3200], sample_rate=RATE, num_channels=1, context_id=context_id
            )


class MemoryInput(BaseInputTransport):
    def __init__(self, params):
        super().__init__(params)
        self.waiting = b""
        self.pumping = None

    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.pumping = self.create_task(self.pump())

    async def _end(self):
        if self.pumping:
            await self.cancel_task(self.pumping)
            self.pumping = None

    async def stop(self, frame):
        await self._end()
        await super().stop(frame)

    async def cancel(self, frame):
        await self._end()
        await super().cancel(frame)

    async def pump(self):
        due = time.monotonic()
        while True:
            piece, self.waiting = self.waiting[:640], self.waiting[640:]
            await self.push_audio_frame(
                InputAudioRawFrame(audio=piece.ljust(640, b"\0"), sample_rate=RATE, num_channels=1)
            )
            due += 0.02
            await asyncio.sleep(max(0, due - time.monotonic()))


class MemoryOutput(BaseOutputTransport):
    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.due = 0.0

    async def write_audio_frame(self, frame):
        now = time.monotonic()
        self.due = max(self.due, now) + len(frame.audio) / 2 / frame.sample_rate
        await asyncio.sleep(max(0, self.due - now))
        return True


class MemoryTransport(BaseTransport):
    def __init__(self, params):
        super().__init__()
        self.into, self.out = MemoryInput(params), MemoryOutput(params)

    def input(self):
        return self.into

    def output(self):
        return self.out


class Line:
    """One call's pipeline and a caller who speaks by script."""

    def __init__(self, script):
        params = TransportParams(
            audio_in_enabled=True,
            audio_out_enabled=True,
            audio_in_sample_rate=RATE,
            audio_out_sample_rate=RATE,
        )
        self.transport = MemoryTransport(params)
        self.model = ScriptedModel(script)
        self.context = LLMContext()
        strategies = ExternalUserTurnStrategies()
        self.pair = LLMContextAggregatorPair(
            self.context, user_params=LLMUserAggregatorParams(user_turn_strategies=strategies)
        )
        pipeline = Pipeline(
            [
                self.transport.input(),
                self.pair.user(),
                self.model,
                ToneVoice(),
                self.transport.output(),
                self.pair.assistant(),
            ]
        )
        self.worker = PipelineWorker(
            pipeline,
            params=PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE),
        )
        self.ready = asyncio.Event()
        self.heard = {name: asyncio.Event() for name in ("start", "sentence", "end")}

        @self.worker.event_handler("on_pipeline_started")
        async def _(_worker, _frame):
            self.ready.set()

        @self.transport.output().event_handler("on_before_push_frame")
        def _(_output, frame):
            kinds = {TTSStartedFrame: "start", TTSTextFrame: "sentence", TTSStoppedFrame: "end"}
            if type(frame) in kinds:
                self.heard[kinds[type(frame)]].set()

    async def listen(self, what):
        """Wait until the agent has begun, has said a sentence, or has ended."""
        await asyncio.wait_for(self.heard[what].wait(), 20)

    async def say(self, text, *, after="end"):
        """Speak when the agent has said as much, or at once."""
        if after is not None:
            await self.listen(after)
            await asyncio.sleep(0.15)
        for event in self.heard.values():
            event.clear()
        pcm = tone(text, 220)
        source = self.transport.input()
        source.waiting = pcm
        await source.broadcast_frame(UserStartedSpeakingFrame)
        await source.broadcast_interruption()
        await asyncio.sleep(len(pcm) / 2 / RATE)
        stamp = time.strftime("%FT%TZ", time.gmtime())
        for event in self.heard.values():
            event.clear()
        await source.push_frame(
            TranscriptionFrame(text=text, user_id="caller", timestamp=stamp, finalized=True)
        )
        await source.broadcast_frame(UserStoppedSpeakingFrame)
