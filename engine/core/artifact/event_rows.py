"""The artifact's `events`, made from a record and a few columns when looked at."""

from array import array
from collections.abc import Container, Iterator, Sequence

from engine.core.artifact.framing import FramedVisit
from engine.core.artifact.streams import OrderedRecords
from engine.core.artifact.used_ids import UsedIds
from engine.core.contract.json_types import JsonObject, text
from engine.core.contract.labels import Stream, Unowned
from engine.core.contract.problems import Problem

_UNOWNED: tuple[Unowned | None, ...] = (None, *Unowned)
_UNOWNED_CODES = {reason: code for code, reason in enumerate(_UNOWNED)}


class EventRows(Sequence[JsonObject]):
    """The artifact's `events`: made from a record and a few columns when looked at."""

    def __init__(self, records: OrderedRecords, visits: Sequence[FramedVisit]) -> None:
        """Take ordered records; `name` and `place` are then called once for each, in order."""
        self._records = records
        self._visits = visits
        self._owners = array("i")
        self._reasons = array("B")
        self._given_ids: dict[int, str] = {}
        self._named = 0
        self._used = UsedIds(self._named_so_far)

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, index: int) -> JsonObject:  # pyright: ignore[reportIncompatibleMethodOverride]
        record = self._records[index]
        reason = _UNOWNED[self._reasons[index]]
        return {
            "event_id": self._given_ids.get(index) or text(record, "event_id"),
            "owner": self.owner_id(index),
            "unowned": None if reason is None else reason.value,
            "stream": self._records.stream_of(index).value,
            "record": record,
        }

    def event_id(self, index: int) -> str:
        """Return the id of event `index`."""
        own = self._given_ids.get(index) or text(self._records[index], "event_id")
        assert own is not None
        return own

    def ids_on(self, places: Container[tuple[Stream, int]]) -> dict[tuple[Stream, int], str]:
        """Return the ids of the events that stand on the given (stream, line) places."""
        found: dict[tuple[Stream, int], str] = {}
        for index in range(len(self)):
            place = self._records.stream_of(index), self._records.line_of(index)
            if place in places:
                found[place] = self.event_id(index)
        return found

    def owner_id(self, index: int) -> str | None:
        """Return the visit id of the owner of event `index`."""
        owner = self._owners[index]
        return None if owner < 0 else self._visits[owner].visit_id

    def name(self, index: int, record: JsonObject, problems: list[Problem]) -> str:
        """Return the event's id: the record's own if no earlier event has it, else a default."""
        own = text(record, "event_id")
        if own and self._used.take(own):
            self._named += 1
            return own
        stream, line = self._records.stream_of(index), self._records.line_of(index)
        default = event_id = f"{stream.value}:{line}"
        while not self._used.take(event_id):
            event_id += "~"
        if own or event_id != default:
            detail: JsonObject = {"event_id": own or default}
            problems.append(
                Problem(code="EVENT_ID_REPEATED", stream=stream, line=line, detail=detail)
            )
        self._given_ids[index] = event_id
        self._named += 1
        return event_id

    def _named_so_far(self) -> Iterator[str]:
        return (self.event_id(index) for index in range(self._named))

    def place(self, owner: int | None, reason: Unowned | None) -> None:
        """Note the owner of the next event, or why it has none."""
        self._owners.append(-1 if owner is None else owner)
        self._reasons.append(_UNOWNED_CODES[reason])
