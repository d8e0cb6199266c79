"""The state of one session's slots: values, classes, and the key of their fingerprints.

`SessionContext.slots` is a read-only mapping. Only the slot ledger changes it, so that whatever
changes is on record.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import NoReturn

from engine.core.artifact import SlotClasses
from engine.core.contract.errors import RecordInvalid
from engine.core.contract.json_types import JsonObject, JsonValue, mapping, text
from engine.core.contract.labels import SlotClass
from engine.recording.fingerprints import SessionKey

_FEW_TYPES = frozenset({"enum", "bool", "boolean"})


class SlotValues(Mapping[str, JsonValue]):
    """The current value of every slot that has been seeded or written; never changed through it."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, JsonValue]) -> None:
        """Show `values` as they are at each look."""
        self._values = values

    def __getitem__(self, slot: str) -> JsonValue:
        value = self._values[slot]
        return copy.deepcopy(value) if isinstance(value, (dict, list)) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"SlotValues({len(self)} slots)"


class SessionContext:
    """What one session knows of its slots. Nothing of it is shown, copied or pickled."""

    __slots__ = (
        "classes",
        "few_valued",
        "held",
        "key",
        "prints",
        "session_id",
        "shown_slots",
        "slots",
    )

    def __init__(
        self,
        session_id: str,
        *,
        slot_classes: Mapping[str, SlotClass] | None = None,
        flow: JsonObject | None = None,
        key: SessionKey | None = None,
    ) -> None:
        """Start without a value.

        Args:
            session_id: as in the manifest.
            slot_classes: classes of slots of which the flow does not say one.
            flow: the flow as the artifact has it (`flow_metadata`): its classes and enumerations.
            key: for fixtures; else a random key is made.
        """
        self.session_id = session_id
        self.key = SessionKey() if key is None else key
        self.classes = classes_of(flow or {}, slot_classes or {})
        self.few_valued = few_valued_slots(flow or {})
        self.held: dict[str, JsonValue] = {}
        self.prints: dict[str, str | None] = {}
        """The fingerprint of each current value."""
        self.shown_slots = set[str]()
        """Slots of which a value stands in the recording as it is."""
        self.slots = SlotValues(self.held)

    def personal_values(self) -> list[JsonValue]:
        """Return the current values of the personal slots: what no free text should show."""
        return [
            value
            for slot, value in self.slots.items()
            if self.classes.of_slot(slot) is SlotClass.PERSONAL
        ]

    def take_flow(self, flow: JsonObject, slot_classes: Mapping[str, SlotClass]) -> None:
        """Take the classes and enumerations of a flow that has grown (see `check_flow`)."""
        self.classes = classes_of(flow, slot_classes)
        self.few_valued = few_valued_slots(flow)

    def check_flow(self, flow: JsonObject, slot_classes: Mapping[str, SlotClass]) -> None:
        """Refuse a flow that calls a slot personal whose value was recorded already.

        Raises: RecordInvalid.
        """
        classes = classes_of(flow, slot_classes)
        late = [s for s in sorted(self.shown_slots) if classes.of_slot(s) is SlotClass.PERSONAL]
        if late:
            raise RecordInvalid(
                f"The flow calls slot {late[0]} personal, but its value is recorded already. "
                "Give such a class when the recording is opened.",
                {"kind": "CLASS_TOO_LATE", "slot": late[0]},
            )

    def __repr__(self) -> str:
        return f"SessionContext({self.session_id!r}, {len(self.slots)} slots)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session's context is neither copied nor pickled")


def classes_of(flow: JsonObject, slot_classes: Mapping[str, SlotClass]) -> SlotClasses:
    """Return the classes by slot: the flow's word, else `slot_classes`, else personal."""
    listed: JsonObject = {slot: SlotClass(name).value for slot, name in slot_classes.items()}
    return SlotClasses.of(flow, {"slot_classes": listed})


def few_valued_slots(flow: JsonObject) -> frozenset[str]:
    """Return the slots whose declaration leaves few values: enumerations and booleans."""
    return frozenset(
        slot
        for slot, declared in mapping(flow, "slots").items()
        if isinstance(declared, dict)
        and (text(declared, "type") in _FEW_TYPES or declared.get("values") is not None)
    )
