"""Work asked for and not yet come: transitions, tools, audio; and the restorable checkpoints.

Source: contract "Transitions, verdicts, pending", "Projection" (`pending`, `playback`,
`checkpoint`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.artifact.intervals import Interval
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.session_records import AUDIO_ENDS

PENDING_KINDS = ("transition", "tool", "audio")
CHECKPOINT_KINDS = (
    "visit_entry",
    "before_input_selection",
    "before_tool",
    "before_audio_outcome",
)
_TRANSITION, _TOOL, _AUDIO = range(3)
_VISIT_ENTRY, _BEFORE_INPUT, _BEFORE_TOOL, _BEFORE_AUDIO = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A transition asked for at event `start` and not answered yet; owner -1: nobody's."""

    start: int
    event_id: str
    request_id: str | None
    owner: int


class _OpenRequests:
    """Transitions asked for and still open, found by id, by event and by visit."""

    def __init__(self) -> None:
        self._open: dict[int, _Request] = {}
        self._by_request_id: dict[str, list[_Request]] = {}
        self._by_event_id: dict[str, _Request] = {}
        self._by_visit: dict[int, list[_Request]] = {}

    def add(self, request: _Request) -> None:
        """Take a request."""
        self._open[request.start] = request
        self._by_event_id[request.event_id] = request
        if request.request_id is not None:
            self._by_request_id.setdefault(request.request_id, []).append(request)
        if request.owner >= 0:
            self._by_visit.setdefault(request.owner, []).append(request)

    def end_taken(self, request_id: str | None, cause: str | None) -> list[int]:
        """End the requests that a `transition_taken` answers; return where they began."""
        taken = self._by_request_id.pop(request_id, []) if request_id is not None else []
        if cause in self._by_event_id:
            taken.append(self._by_event_id[cause])
        return self._end(taken)

    def end_visit(self, owner: int) -> list[int]:
        """End the requests of a visit; return where they began."""
        return self._end(self._by_visit.pop(owner, []))

    def never_ended(self) -> list[int]:
        """Return where the requests began that are still open."""
        return list(self._open)

    def _end(self, requests: Sequence[_Request]) -> list[int]:
        ended = [request.start for request in requests if request.start in self._open]
        for request in requests:
            self._open.pop(request.start, None)
        return list(dict.fromkeys(ended))


class OpenWork:
    """Follows, event by event, what was asked for and has not come."""

    def __init__(self) -> None:
        """Start with nothing pending."""
        self._done: list[Interval] = []
        self._requests = _OpenRequests()
        self._tools: dict[str, list[int]] = {}
        self._audio: dict[str, list[int]] = {}
        self._playbacks: dict[str, int] = {}
        self._started: dict[str, int] = {}
        self._ended: dict[str, int] = {}
        self.checkpoints: list[tuple[int, int, int]] = []
        """(cursor, event, kind); sorted, the last one at a cursor is of the latest event."""

    def add(self, index: int, kind: str, record: JsonObject, event_id: str, owner: int) -> None:
        """Take one event of a known type; `owner` is its visit's ordinal or -1."""
        match kind:
            case "state_entered":
                self.checkpoints.append((index, index, _VISIT_ENTRY))
            case "input_selected" | "dtmf_received":
                self.checkpoints.append((index - 1, index, _BEFORE_INPUT))
            case "transition_requested":
                request_id = text(record, "request_id")
                self._requests.add(
                    _Request(start=index, event_id=event_id, request_id=request_id, owner=owner)
                )
            case "transition_taken":
                taken = self._requests.end_taken(
                    text(record, "request_id"), text(record, "caused_by")
                )
                self._end(_TRANSITION, taken + self._requests.end_visit(owner), index)
            case "tool_called":
                self._tools.setdefault(text(record, "tool_call_id") or "", []).append(index)
            case "tool_result":
                called = self._tools.pop(text(record, "tool_call_id") or "", [])
                self.checkpoints += [(start - 1, start, _BEFORE_TOOL) for start in called]
                self._end(_TOOL, called, index)
            case _ if kind.startswith("audio_"):
                self._audio_event(index, kind, text(record, "playback_id") or "")
            case _:
                pass

    def _end(self, kind: int, starts: Sequence[int], end: int) -> None:
        self._done += [Interval(start=start, end=end, key=kind) for start in starts]

    def _audio_event(self, index: int, kind: str, playback_id: str) -> None:
        self._playbacks.setdefault(playback_id, len(self._playbacks))
        if kind == "audio_requested":
            if playback_id not in self._ended:
                self._audio.setdefault(playback_id, []).append(index)
        elif kind == "audio_started":
            self._started.setdefault(playback_id, index)
        elif kind in AUDIO_ENDS:
            if kind != "audio_stopped":
                self.checkpoints.append((index - 1, index, _BEFORE_AUDIO))
            self._ended.setdefault(playback_id, index)
            self._end(_AUDIO, self._audio.pop(playback_id, []), index)

    def visit_closed(self, ordinal: int, index: int) -> None:
        """End the requests of a visit that closes at `index`."""
        self._end(_TRANSITION, self._requests.end_visit(ordinal), index)

    def pending(self) -> list[Interval]:
        """Return every interval of pending work, keyed by place in `PENDING_KINDS`."""
        never = [(_TRANSITION, start) for start in self._requests.never_ended()]
        never += [(_TOOL, start) for starts in self._tools.values() for start in starts]
        never += [(_AUDIO, start) for starts in self._audio.values() for start in starts]
        return self._done + [Interval(start=s, end=None, key=kind) for kind, s in never]

    def playing(self) -> list[Interval]:
        """Return when each playback was audible, keyed by its row in the artifact's `playback`."""
        return [
            Interval(start=s, end=self._ended.get(playback_id), key=self._playbacks[playback_id])
            for playback_id, s in self._started.items()
        ]
