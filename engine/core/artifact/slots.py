"""Slots: their classes, safe forms, and the artifact's slot table.

A personal slot never shows a raw value: the builder replaces one by its safe form and reports
`RAW_PERSONAL_VALUE`. Source: design section 8, contract "Slots".
"""

import re
from dataclasses import dataclass

from engine.core.contract.json_types import JsonObject, JsonValue, mapping, rows, text
from engine.core.contract.labels import SlotClass

_SAFE_FORM = re.compile(r"<(?:bool|int|float|(?:str len|list len|dict keys)=[0-9]+)>")
_VALUE_FIELDS = ("old", "new", "value", "safe_value")


def safe_form(value: JsonValue) -> JsonValue:
    """Return what may be shown of a personal value: its type and size; null stays null.

    A text that already has a safe form's shape is one.
    """
    match value:
        case None | bool() | int() | float():
            return None if value is None else f"<{type(value).__name__}>"
        case str():
            return value if _SAFE_FORM.fullmatch(value) else f"<str len={len(value)}>"
        case list():
            return f"<list len={len(value)}>"
        case dict():
            return f"<dict keys={len(value)}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotClasses:
    """Classes by slot: the flow's declaration if it names one, else the manifest's."""

    declared: dict[str, SlotClass | None]
    by_manifest: dict[str, SlotClass]

    @classmethod
    def of(cls, flow: JsonObject, manifest: JsonObject) -> "SlotClasses":
        """Return the classes that a flow (the artifact's `flow`) and a manifest give."""
        declared: dict[str, SlotClass | None] = {}
        for slot, declaration in mapping(flow, "slots").items():
            name = text(declaration, "class") if isinstance(declaration, dict) else None
            declared[slot] = SlotClass(name) if name is not None else None
        classes = mapping(manifest, "slot_classes")
        return cls(
            declared=declared,
            by_manifest={k: SlotClass(v) for k, v in classes.items() if isinstance(v, str)},
        )

    def of_slot(self, slot: str | None) -> SlotClass:
        """Return a slot's class; `personal` where nothing says otherwise."""
        if slot is None:
            return SlotClass.PERSONAL
        own = self.declared.get(slot)
        return own if own is not None else self.by_manifest.get(slot, SlotClass.PERSONAL)


def redact(record: JsonObject, classes: SlotClasses) -> tuple[JsonObject, list[str]]:
    """Return the record without raw personal values, and the slots that held one.

    The record itself is returned when nothing changes.
    """
    kind = record.get("type")
    if kind in {"slot_write", "slot_filled"}:
        return _redact_row(record, classes)
    if kind == "session_slots_seeded":
        return _redact_seeds(record, classes)
    return record, []


def _redact_row(row: JsonObject, classes: SlotClasses) -> tuple[JsonObject, list[str]]:
    slot = text(row, "slot")
    if classes.of_slot(slot) is not SlotClass.PERSONAL:
        return row, []
    safe = {name: safe_form(row[name]) for name in _VALUE_FIELDS if name in row}
    if all(safe[name] == row[name] for name in safe):
        return row, []
    return {**row, **safe}, [slot or ""]


def _redact_seeds(record: JsonObject, classes: SlotClasses) -> tuple[JsonObject, list[str]]:
    seeds = record.get("slots")
    if not isinstance(seeds, list):
        safe = safe_form(seeds)
        return (record, []) if safe == seeds else ({**record, "slots": safe}, [""])
    shown: list[JsonValue] = []
    raw: list[str] = []
    for seed in seeds:
        if isinstance(seed, dict):
            row, names = _redact_row(seed, classes)
            shown.append(row)
            raw.extend(names)
        else:
            shown.append(safe_form(seed))
            raw += [""] if shown[-1] != seed else []
    if shown == seeds:
        return record, []
    return {**record, "slots": shown}, raw


class SlotTable:
    """Gathers the artifact's `slots`: declared in flow order, then by first seeding or write."""

    def __init__(self, classes: SlotClasses) -> None:
        """Start with the declared slots."""
        self._classes = classes
        self._counts: dict[str, int] = dict.fromkeys(classes.declared, 0)
        self._seeds: dict[str, str] = {}

    def add(self, kind: str, record: JsonObject, event_id: str) -> None:
        """Take one event of a known type, in call order."""
        if kind not in {"slot_write", "session_slots_seeded"}:
            return
        for slot in written_slots(record):
            self._counts[slot] = self._counts.get(slot, 0) + 1
            if kind == "session_slots_seeded":
                self._seeds.setdefault(slot, event_id)

    def rows(self) -> list[JsonValue]:
        """Return the rows gathered so far."""
        return [
            {
                "slot": slot,
                "class": self._classes.of_slot(slot).value,
                "declared": slot in self._classes.declared,
                "seed_event_id": self._seeds.get(slot),
                "write_count": count,
            }
            for slot, count in self._counts.items()
        ]


def written_slots(record: JsonObject) -> list[str]:
    """Return the slots that a `slot_write` or `session_slots_seeded` record writes, once each."""
    if record["type"] == "slot_write":
        slot = text(record, "slot")
        return [slot] if slot is not None else []
    names = (text(row, "slot") for row in rows(record, "slots"))
    return list(dict.fromkeys(name for name in names if name is not None))
