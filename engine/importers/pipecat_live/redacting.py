"""The redactor of a call: free text without what identifies somebody, ids left as they are.

Records of types that the contract does not know are redacted text by text, so an id must be known
as one; else a playback's id could be taken for a number that somebody said.
"""

from typing import TYPE_CHECKING, cast

from engine.core.contract.errors import EngineError
from engine.importers.pipecat_live.live_call import LOG
from engine.importers.pipecat_live.seen import attribute
from engine.importers.pipecat_live.settings import REDACT, Settings
from engine.recording import Recorder
from engine.recording.safe_values import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.core.contract.json_types import JsonValue


class CallRedactor:
    """Redacts texts, but no ids."""

    def __init__(self, inner: Redactor) -> None:
        self.ids = set[str]()
        """What is an id, and no text."""
        self._inner = inner

    def __call__(self, said: str, /) -> str:
        """Return the text with placeholders."""
        return said if said in self.ids else self._inner(said)

    def watch(self, recorder: Recorder) -> None:
        """Take the values of the recorder's personal slots as what must not be said."""
        watch = attribute(self._inner, "watch")
        if callable(watch):
            told = cast("Callable[[Callable[[], Iterable[JsonValue]]], None]", watch)
            told(recorder.context.personal_values)


def redactor_of(settings: Settings) -> tuple[CallRedactor | None, str]:
    """Return the redactor of one call, and what the manifest says of it."""
    if not settings.redacts:
        return None, f"off: {REDACT}=off"
    try:
        from engine.recording.redaction import TextRedactor  # noqa: PLC0415  an extra
    except EngineError:
        LOG.warning("Texts are recorded as they are: the extra `redaction` is not installed.")
        return None, "off: the extra `redaction` is not installed"
    return CallRedactor(TextRedactor()), "text"
