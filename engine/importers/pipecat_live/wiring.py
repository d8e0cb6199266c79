"""The parts of a pipeline that are listened to, and how."""

from dataclasses import dataclass
from typing import Protocol, cast

from engine.importers.pipecat_live.seen import attribute, is_a, processors_of


class _AddHandler(Protocol):
    def __call__(self, event_name: str, handler: object) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a pipeline is made of; a part that it does not have is None."""

    input: object
    recognisers: tuple[object, ...]
    user: object
    model: tuple[object, ...]
    voice: tuple[object, ...]
    output: object
    assistant: object

    def missing(self) -> list[str]:
        """Return what cannot be recorded because the part for it is not there, in words."""
        said: dict[str, object] = {
            "the caller's audio and speech marks: no input transport": self.input,
            "turns: no user aggregator": self.user,
            "model runs and tool calls: no model service": self.model,
            "planned speech: no speech service": self.voice,
            "what was heard, and the agent's audio: no output transport": self.output,
            "what the model's context keeps: no assistant aggregator": self.assistant,
        }
        return [what for what, part in said.items() if not part]


def parts_of(worker: object) -> Parts:
    """Return the parts of a worker's pipeline."""
    found = list(processors_of(attribute(worker, "pipeline") or attribute(worker, "_pipeline")))

    def all_of(class_name: str) -> tuple[object, ...]:
        return tuple(part for part in found if is_a(part, class_name))

    def first(class_name: str) -> object:
        return next(iter(all_of(class_name)), None)

    return Parts(
        input=first("BaseInputTransport"),
        recognisers=all_of("STTService"),
        user=first("LLMUserAggregator"),
        model=all_of("LLMService"),
        voice=all_of("TTSService"),
        output=first("BaseOutputTransport"),
        assistant=first("LLMAssistantAggregator"),
    )


def listen(part: object, event: str, handler: object) -> None:
    """Add a handler to one of a part's events; nothing where there is no such part."""
    add = attribute(part, "add_event_handler")
    if part is not None and callable(add):
        cast("_AddHandler", add)(event, handler)
