"""What an assistant's domain says of slots: the values that they have before the first event."""

from pathlib import Path

from engine.core.contract.json_types import JsonObject
from engine.core.flow.tree import MapNode, json_value
from engine.importers.rasa.flow_files import read_yaml_file


def initial_values(path: Path) -> JsonObject:
    """Return the initial values that a domain file gives, by slot; empty where it gives none.

    Raises:
        SessionInvalid: as `read_flow_file`.
    """
    root = read_yaml_file(path)[0]
    slots = root.by_name().get("slots")
    if slots is None or not isinstance(slots.value, MapNode):
        return {}
    found: JsonObject = {}
    for name, entry in slots.value.by_name().items():
        fields = entry.value.by_name() if isinstance(entry.value, MapNode) else {}
        given = fields.get("initial_value")
        value = json_value(given.value) if given is not None else None
        if value is not None:
            found[name] = value
    return found
