"""The bodies of checkpoints, decoded when they are looked at.

Every checkpoint holds all values again, so a thread's values together grow with the square of its
length. Kept are the stored bytes and the few bodies looked at last.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.importers.langgraph.stored_values import stored_value

KEPT = 4
"""How many decoded bodies are held."""


class StoredBody(Mapping[str, JsonValue]):
    """The values of one checkpoint by channel; `recorded_at` is its time."""

    __slots__ = ("_bodies", "_data", "_kind", "recorded_at")

    def __init__(self, bodies: "StoredBodies", kind: str | None, data: bytes | None) -> None:
        """Take the stored pair; it is decoded once here, for its time."""
        self._bodies, self._kind, self._data = bodies, kind, data
        self.recorded_at = text(self._decoded(), "ts")

    def __getitem__(self, channel: str) -> JsonValue:
        return self._values()[channel]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def _values(self) -> JsonObject:
        return self._bodies.values_of(self)

    def decoded_values(self) -> JsonObject:
        """Return the values, decoded now. Cost: O(size)."""
        return mapping(self._decoded(), "channel_values")

    def _decoded(self) -> JsonObject:
        found = stored_value(self._kind, self._data)
        return found if isinstance(found, dict) else {}


class StoredBodies:
    """The bodies of one database and what of them is decoded at present."""

    def __init__(self) -> None:
        """Start with nothing decoded."""
        self._kept: OrderedDict[int, tuple[StoredBody, JsonObject]] = OrderedDict()

    def add(self, kind: str | None, data: bytes | None) -> StoredBody:
        """Return the body of a stored pair."""
        return StoredBody(self, kind, data)

    def values_of(self, body: StoredBody) -> JsonObject:
        """Return a body's values; the last few looked at are not decoded again."""
        place = id(body)
        held = self._kept.pop(place, None)
        values = body.decoded_values() if held is None else held[1]
        self._kept[place] = (body, values)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return values
