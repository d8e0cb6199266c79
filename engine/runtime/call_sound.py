"""Both sides' sound of a scripted call, sample by sample on the call's clock."""

from typing import TYPE_CHECKING

from engine.runtime.voices import AGENT, CALLER, VoiceKind, speak

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LETTER_MS = 60
"""How long a letter lasts where nothing is spoken."""


class CallSound:
    """What sounds in a call. `kind` null: nothing is spoken, and lengths come from the text."""

    def __init__(self, kind: VoiceKind | None, sample_rate: int) -> None:
        """Start in silence."""
        self.kind = kind
        self.sample_rate = sample_rate
        self._spoken: dict[tuple[str, str], NDArray[np.int16]] = {}
        self._pieces: dict[str, list[tuple[int, NDArray[np.int16]]]] = {"agent": [], "caller": []}
        self._places: dict[int, int] = {}

    def length_ms(self, said: str) -> int:
        """Return how long the agent speaks for it, in whole milliseconds, rounded up."""
        if self.kind is None:
            return max(1, len(said) * LETTER_MS)
        return max(1, -(-len(self._voice("agent", said)) * 1000 // self.sample_rate))

    def agent(self, said: str, at_ms: int, *, key: int) -> None:
        """Let the agent speak from `at_ms` on; `key` is for `cut`."""
        if self.kind is not None:
            self._places[key] = len(self._pieces["agent"])
            self._pieces["agent"].append((self._frame(at_ms), self._voice("agent", said)))

    def caller(self, said: str, at_ms: int) -> int:
        """Let the caller speak from `at_ms` on; return for how many milliseconds."""
        if self.kind is None:
            return len(said) * LETTER_MS
        samples = self._voice("caller", said)
        if all(self._frame(at_ms) != at for at, _ in self._pieces["caller"]):
            self._pieces["caller"].append((self._frame(at_ms), samples))
        return len(samples) * 1000 // self.sample_rate

    def cut(self, key: int, at_ms: int) -> None:
        """End a piece of the agent's at `at_ms`."""
        place = self._places.get(key)
        if place is not None:
            start, samples = self._pieces["agent"][place]
            self._pieces["agent"][place] = (start, samples[: max(0, self._frame(at_ms) - start)])

    def samples(self, side: str, end_ms: int) -> "NDArray[np.int16]":
        """Return all of one side's sound up to `end_ms`, one channel; what overlaps is added."""
        import numpy as np  # noqa: PLC0415  only where sound is made

        pieces = self._pieces[side]
        count = max([self._frame(end_ms), *(at + len(samples) for at, samples in pieces)])
        mixed = np.zeros(count, np.int32)
        for at, samples in pieces:
            mixed[at : at + len(samples)] += samples
        return np.clip(mixed, -32768, 32767).astype(np.int16)

    def _frame(self, at_ms: int) -> int:
        return at_ms * self.sample_rate // 1000

    def _voice(self, side: str, said: str) -> "NDArray[np.int16]":
        key = (side, said)
        if key not in self._spoken:
            voice = AGENT if side == "agent" else CALLER
            self._spoken[key] = speak(
                said, voice=voice, kind=self.kind, sample_rate=self.sample_rate
            )
        return self._spoken[key]
