"""Records of ours from frames: ids, clock and pointer, the same for every part."""

from dataclasses import dataclass, field

from engine.core.contract.json_types import JsonObject
from engine.importers.pipecat_whisk.whisk_file import Frame


@dataclass(slots=True, kw_only=True)
class Rows:
    """The records so far.

    Attributes:
        file: the source's name.
        zero: unix seconds at the call clock's zero.
    """

    file: str
    zero: float
    records: list[JsonObject] = field(default_factory=list[JsonObject])
    _used: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, frame: Frame, kind: str, fields: JsonObject) -> str:
        """Add a record that `frame` shows; return its event id."""
        base = f"w{frame.offset if frame.record_id is None else frame.record_id}"
        number = self._used[base] = self._used.get(base, -1) + 1
        event_id = base if number == 0 else f"{base}.{number}"
        source: JsonObject = {"file": self.file, "offset": frame.offset, "frame": frame.name}
        if frame.record_id is not None:
            source["id"] = frame.record_id
        self.records.append(
            {
                "type": kind,
                "event_id": event_id,
                "clock_ms": int((frame.at - self.zero) * 1000),
                **fields,
                "source_record": source,
            }
        )
        return event_id

    def amend(self, event_id: str, fields: JsonObject) -> None:
        """Add fields to a record that is there already, which a later frame tells."""
        for record in reversed(self.records):
            if record["event_id"] == event_id:
                record.update(fields)
                return

    def count(self, kind: str) -> int:
        """Return how many records of a type there are."""
        return sum(record["type"] == kind for record in self.records)


def known(fields: JsonObject) -> JsonObject:
    """Return the fields that are not null."""
    return {name: value for name, value in fields.items() if value is not None}
