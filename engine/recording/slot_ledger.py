"""The slot ledger: the only code that changes a session's slots, each change with its writer.

`seed_session_slots` gives the baseline, `slot_write_event` every later change,
`snapshot_fingerprint` one value for all slots at a boundary. Source: design section 8, SPD-050..059
and 125..133.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.contract.canonical import canonical_bytes, sha256_of
from engine.core.contract.errors import RecordInvalid
from engine.core.contract.json_types import JsonObject, JsonValue
from engine.recording.fingerprints import FINGERPRINT_SCHEME
from engine.recording.safe_values import SafeValue, safe_slot_value
from engine.recording.session_context import SessionContext

PHONE_SOURCES = (
    "prior_call",
    "caller_identity",
    "replicant_identify",
    "transport",
    "flow_default",
)
"""The sources of a phone call's baseline. They are handed over one by one, never merged before."""

LEGACY_WRITER = "legacy_initial_slots"

SeedSources = Sequence[tuple[str, Mapping[str, JsonValue]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotChange:
    """A change that is not made yet: its record, and the values by slot."""

    record: JsonObject
    values: Mapping[str, JsonValue]
    shown: Mapping[str, SafeValue]


def legacy_initial_slots(slots: Mapping[str, JsonValue]) -> list[tuple[str, dict[str, JsonValue]]]:
    """Return the sources for an engine that knows its initial slots but not who gave them."""
    return [(LEGACY_WRITER, dict(slots))]


def seed_session_slots(ctx: SessionContext, sources: SeedSources) -> JsonObject:
    """Put the baseline into the ledger and return its `session_slots_seeded` record.

    Each slot has one row, by first mention. Where two sources name a slot, the later one wins and
    is the row's writer; the row's `overridden` lists what the others said.
    Raises: RecordInvalid: a value is none that JSON has; RecordingFailed: the session is closed.
    """
    change = planned_seed(ctx, sources)
    commit(ctx, change)
    return change.record


def slot_write_event(
    ctx: SessionContext,
    *,
    slot: str,
    old: JsonValue,
    new: JsonValue,
    kind: str,
    writer: str,
) -> JsonObject | None:
    """Change a slot and return the `slot_write` record of it.

    A write of the value that is there already is a write. None: there was nothing to clear (old and
    new are null), and nothing has changed.

    Raises:
        RecordInvalid: `old` is not the ledger's value, so the slot was changed behind its back; or
            `new` is no value that JSON has.
        RecordingFailed: the session is closed.
    """
    change = planned_write(ctx, slot=slot, old=old, new=new, kind=kind, writer=writer)
    if change is None:
        return None
    commit(ctx, change)
    return change.record


def locked_choice_events(
    ctx: SessionContext, values: Mapping[str, JsonValue], *, writer: str
) -> list[JsonObject]:
    """Write a matched locked choice key by key, in its order, and return the `slot_write` records.

    They come before the guards are evaluated. Raises: as `slot_write_event`.
    """
    events: list[JsonObject] = []
    for slot, new in values.items():
        old = ctx.slots.get(slot)
        event = slot_write_event(
            ctx, slot=slot, old=old, new=new, kind="locked_choice", writer=writer
        )
        events += [] if event is None else [event]
    return events


def snapshot_fingerprint(ctx: SessionContext) -> str:
    """Return `sha256:` over RFC 8785 of `{slot: value_fingerprint}`, nulls included."""
    return _snapshot(ctx.prints)


def planned_seed(ctx: SessionContext, sources: SeedSources) -> SlotChange:
    """Return the seeding, not made yet. Raises: as `seed_session_slots`."""
    said: dict[str, list[tuple[str, JsonValue]]] = {}
    for writer, values in sources:
        for slot, value in values.items():
            said.setdefault(slot, []).append((writer, value))
    winners = {slot: offers[-1][1] for slot, offers in said.items()}
    shown = {slot: safe_slot_value(ctx, slot, value) for slot, value in winners.items()}
    prints = {**ctx.prints, **{slot: safe.fingerprint for slot, safe in shown.items()}}
    rows = [_seed_row(ctx, slot, offers, shown[slot]) for slot, offers in said.items()]
    record: JsonObject = {
        "type": "session_slots_seeded",
        "session_id": ctx.session_id,
        "slots": [*rows],
        "snapshot_fingerprint": _snapshot(prints),
        "fingerprint_scheme": FINGERPRINT_SCHEME,
    }
    return SlotChange(record=record, values=winners, shown=shown)


def planned_write(
    ctx: SessionContext,
    *,
    slot: str,
    old: JsonValue,
    new: JsonValue,
    kind: str,
    writer: str,
) -> SlotChange | None:
    """Return a write, not made yet; None if there is nothing to clear.

    Raises: as `slot_write_event`.
    """
    if old != ctx.slots.get(slot):
        raise RecordInvalid(
            f"The old value of slot {slot} is not the one that the ledger has: the slot was "
            "changed outside the ledger. Write every change with slot_write_event.",
            {"slot": slot, "kind": "OLD_DIFFERS"},
        )
    if old is None and new is None:
        return None
    before, after = safe_slot_value(ctx, slot, old), safe_slot_value(ctx, slot, new)
    record: JsonObject = {
        "type": "slot_write",
        "slot": slot,
        "kind": kind,
        "writer": writer,
        "old": before.shown,
        "new": after.shown,
        "availability": after.availability,
        "old_fingerprint": before.fingerprint,
        "new_fingerprint": after.fingerprint,
    }
    return SlotChange(record=record, values={slot: new}, shown={slot: after})


def commit(ctx: SessionContext, change: SlotChange) -> None:
    """Make a planned change."""
    for slot, value in change.values.items():
        ctx.held[slot] = copy.deepcopy(value)
        safe = change.shown[slot]
        ctx.prints[slot] = safe.fingerprint
        if safe.availability == "recorded" and value is not None:
            ctx.shown_slots.add(slot)


def _snapshot(prints: Mapping[str, str | None]) -> str:
    listed: JsonObject = {**prints}
    return sha256_of(canonical_bytes(listed))


def _seed_row(
    ctx: SessionContext, slot: str, offers: Sequence[tuple[str, JsonValue]], winner: SafeValue
) -> JsonObject:
    *overridden, (writer, _) = offers
    row: JsonObject = {"slot": slot, **_offer(writer, winner)}
    if overridden:
        row["overridden"] = [
            _offer(other, safe_slot_value(ctx, slot, value)) for other, value in overridden
        ]
    return row


def _offer(writer: str, safe: SafeValue) -> JsonObject:
    return {
        "safe_value": safe.shown,
        "availability": safe.availability,
        "value_fingerprint": safe.fingerprint,
        "writer": writer,
    }
