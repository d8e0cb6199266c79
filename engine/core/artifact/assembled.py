"""An artifact whose events are made when looked at, as a source like any other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.artifact.event_rows import EventRows
from engine.core.contract.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """An artifact in the making or made: `header` has every key but `events`."""

    header: JsonObject
    events: EventRows

    def members(self) -> Mapping[str, JsonValue | Sequence[JsonObject]]:
        """Return all members, as `artifact_bytes` takes them."""
        return {**self.header, "events": self.events}

    def as_object(self) -> JsonObject:
        """Return the artifact whole, its events made and held."""
        return {**self.header, "events": [*self.events]}

    def member(self, key: str) -> JsonValue:
        """Return a member that is no list."""
        return self.header[key]

    def rows(self, key: str) -> Sequence[JsonObject]:
        """Return a list member."""
        if key == "events":
            return self.events
        listed = self.header[key]
        assert isinstance(listed, list)
        return listed  # pyright: ignore[reportReturnType]

    def event_id(self, index: int) -> str:
        """Return the id of event `index`."""
        return self.events.event_id(index)
